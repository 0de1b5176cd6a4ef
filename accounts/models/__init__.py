"""People, teams, tokens and the log; links into a team; what running keeps; who is told outside."""

from accounts.models.invitation import Invitation, InvitationUse
from accounts.models.operations import JobRun, Lease, Tally
from accounts.models.people import (
    COLOURS,
    CONVERSATION_DAYS,
    MOST_CONVERSATION_DAYS,
    ApiToken,
    GuardTerm,
    LogEntry,
    Membership,
    Preference,
    Team,
    User,
)
from accounts.models.webhook import Delivery, Webhook

__all__ = [
    "COLOURS",
    "CONVERSATION_DAYS",
    "MOST_CONVERSATION_DAYS",
    "ApiToken",
    "Delivery",
    "GuardTerm",
    "Invitation",
    "InvitationUse",
    "JobRun",
    "Lease",
    "LogEntry",
    "Membership",
    "Preference",
    "Tally",
    "Team",
    "User",
    "Webhook",
]
