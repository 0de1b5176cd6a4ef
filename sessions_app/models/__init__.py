from sessions_app.models.annotation import Annotation
from sessions_app.models.coaching import Coached
from sessions_app.models.code import CodeFile, CodeIndex
from sessions_app.models.embedding_change import EmbeddingChange
from sessions_app.models.handoff import Handoff
from sessions_app.models.passage import Passage, SessionSharing
from sessions_app.models.passage_search import PassageTerm, ServedPassage
from sessions_app.models.quotation import Quotation
from sessions_app.models.session import AgentSession, Claim, SessionEvent
from sessions_app.models.surfacing import SurfaceDecision

__all__ = [
    "AgentSession",
    "Annotation",
    "Claim",
    "Coached",
    "CodeFile",
    "CodeIndex",
    "EmbeddingChange",
    "Handoff",
    "Passage",
    "PassageTerm",
    "Quotation",
    "ServedPassage",
    "SessionEvent",
    "SessionSharing",
    "SurfaceDecision",
]
