from sessions_app.serializers.query import AnswerOut, AskIn, WhyNotIn, WhyNotOut, hit_out, preference_out
from sessions_app.serializers.surface import SurfacedOut, SurfaceIn, SurfaceListIn, SurfaceListOut

__all__ = [
    "AnswerOut",
    "AskIn",
    "SurfaceIn",
    "SurfaceListIn",
    "SurfaceListOut",
    "SurfacedOut",
    "WhyNotIn",
    "WhyNotOut",
    "hit_out",
    "preference_out",
]
