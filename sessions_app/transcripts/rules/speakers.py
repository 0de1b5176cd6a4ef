"""Who speaks in a passage of a conversation, and which turns a member shares."""

from enum import StrEnum


class Speaker(StrEnum):
    """Agent: the assistant and its tools."""

    USER = "user"
    AGENT = "agent"


class SharedTurns(StrEnum):
    """Which turns of their sessions a member shares with a team: all, or only what the agent said and did."""

    ALL = "all"
    AGENT = "agent"
