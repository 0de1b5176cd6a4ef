"""People, teams, tokens and the log; what running keeps; who is told outside."""

from accounts.models.people import (
    COLOURS,
    ApiToken,
    GuardTerm,
    LogEntry,
    Membership,
    Preference,
    Team,
    User,
)
from accounts.models.running import JobRun, Tally
from accounts.models.webhook import Delivery, Webhook

__all__ = [
    "COLOURS",
    "ApiToken",
    "Delivery",
    "GuardTerm",
    "JobRun",
    "LogEntry",
    "Membership",
    "Preference",
    "Tally",
    "Team",
    "User",
    "Webhook",
]
