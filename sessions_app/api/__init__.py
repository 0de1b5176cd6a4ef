from sessions_app.api.query import Query, WhyNot
from sessions_app.api.surface import Surface

__all__ = ["Query", "Surface", "WhyNot"]
