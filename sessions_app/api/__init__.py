from sessions_app.api.conversations import Conversation, ForgetConversation, Sharing
from sessions_app.api.query import Query, WhyNot
from sessions_app.api.ratings import Ratings
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
    "Checkpoint",
    "Claims",
    "CodeIndexes",
    "Conversation",
    "DepositQuestion",
    "End",
    "Events",
    "ForgetConversation",
    "Friction",
    "ImportPast",
    "OneSession",
    "Query",
    "Ratings",
    "Recover",
    "Sessions",
    "Sharing",
    "Surface",
    "WhyNot",
]
