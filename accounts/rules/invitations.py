"""What a link that invites to a team may be, and when it no longer is one.

Anyone who holds the link is let in, and links are passed on; so each ends, by time and by number, lets nobody in as a
lead, and holds only for as long as its maker still leads the team: who is removed has no way back of their own making.
"""

import hashlib
import secrets
from datetime import datetime
from enum import StrEnum

from accounts.rules.rights import Level

# A lead is named by a lead, by name: a link can be forwarded.
LEVELS = (Level.READER, Level.CONTRIBUTOR)
# How many people one link lets in at the most: a department. A link for more is a public one.
MOST_USES = 50
# Days. A month is a hiring round; a link that outlives it is forgotten by who made it, and by nobody else.
EXPIRIES = {"1": "in a day", "7": "in a week", "30": "in 30 days"}
DEFAULT_EXPIRY = "7"
# Links of one team that still let somebody in. More are a sign of a form sent by a script.
MOST_OPEN = 20


class InvitationState(StrEnum):
    """The first that is so."""

    REVOKED = "revoked"
    USED_UP = "used up"
    EXPIRED = "expired"
    OPEN = "open"


def state_of(
    *, now: datetime, expires_at: datetime, revoked_at: datetime | None, uses: int, max_uses: int
) -> InvitationState:
    if revoked_at:
        return InvitationState.REVOKED
    if uses >= max_uses:
        return InvitationState.USED_UP
    return InvitationState.EXPIRED if expires_at <= now else InvitationState.OPEN


def new_secret() -> str:
    """256 bits, in the shape of a token's secret, so that the guard knows it wherever somebody pastes it."""
    return f"loam_{secrets.token_hex(4)}_{secrets.token_urlsafe(32)}"


def digest_of(secret: str) -> str:
    """All that is kept of a secret: its SHA-256. There is nothing to guess, so it needs no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
