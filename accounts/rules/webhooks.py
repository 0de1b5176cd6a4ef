"""Webhooks: which lines of the log are events, how long to wait between attempts, and how a message is signed.

The log is the outbox. A change and its line are written in one transaction, so whatever happened has its line, and
what was rolled back has none; a sweep looks for lines that no delivery was made of, and makes each once.
"""

import hashlib
import hmac
from datetime import timedelta
from enum import StrEnum

LONGEST_URL = 500


class Event(StrEnum):
    PROMOTED = "insight.promoted"
    SUPERSEDED = "insight.superseded"
    CONTRADICTED = "contradiction.opened"
    HANDED_OVER = "handoff.left"


# Verbs of the log.
VERBS = {
    "promoted": Event.PROMOTED,
    "superseded": Event.SUPERSEDED,
    "contradicted": Event.CONTRADICTED,
    "handoff written": Event.HANDED_OVER,
}

# A contradiction is in the histories of both insights, and each line names the other one under this key of its `after`.
# It is one event: told is the line of the lesser reference.
AGAINST = "against"

# After the first attempt, the second …: a restart, a deployment, an outage, a night, a weekend's beginning. In all two
# days; the receiver's people can look up what they missed in the log.
LADDER = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=8),
    timedelta(hours=36),
)


def pause_after(attempts: int) -> timedelta | None:
    """How long to wait after so many attempts have failed; None: no more."""
    return LADDER[attempts - 1] if attempts <= len(LADDER) else None


def signature(secret: str, *, at: int, body: bytes) -> str:
    """`t=<seconds>,v1=<hex>`: HMAC-SHA256 of "<seconds>.<body>". The receiver computes the same, and refuses old times:
    so neither can be forged, nor what was once sent be sent again by somebody else.
    """
    signed = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={signed}"
