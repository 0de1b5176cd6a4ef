from sessions_app.api.annotations import Annotations, OneAnnotation
from sessions_app.api.conversations import ConversationView, ForgetConversation, Sharing
from sessions_app.api.query import QueryView, WhyNot
from sessions_app.api.ratings import RatingsView
from sessions_app.api.sessions import (
    Ack,
    Checkpoint,
    Claims,
    CodeIndexes,
    DepositQuestion,
    End,
    Events,
    Friction,
    ImportPast,
    OneSession,
    Recover,
    Sessions,
)
from sessions_app.api.surface import Surface

__all__ = [
    "Ack",
    "Annotations",
    "Checkpoint",
    "Claims",
    "CodeIndexes",
    "ConversationView",
    "DepositQuestion",
    "End",
    "Events",
    "ForgetConversation",
    "Friction",
    "ImportPast",
    "OneAnnotation",
    "OneSession",
    "QueryView",
    "RatingsView",
    "Recover",
    "Sessions",
    "Sharing",
    "Surface",
    "WhyNot",
]
