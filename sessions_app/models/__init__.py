from sessions_app.models.coaching import Coached
from sessions_app.models.surfacing import SurfaceDecision

__all__ = ["Coached", "SurfaceDecision"]
