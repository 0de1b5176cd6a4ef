"""Pages of who you are: your tokens, your teams, your preferences and settings."""

from accounts.views.invitations import invitations, join, uninvited
from accounts.views.preferences import confirmed, forgotten, preference, preferences
from accounts.views.settings import settings
from accounts.views.teams import remove, retention, second_reviewer, team, teams, terms, withdrawn
from accounts.views.tokens import revoke, tokens

__all__ = [
    "confirmed",
    "forgotten",
    "invitations",
    "join",
    "preference",
    "preferences",
    "remove",
    "retention",
    "revoke",
    "second_reviewer",
    "settings",
    "team",
    "teams",
    "terms",
    "tokens",
    "uninvited",
    "withdrawn",
]
