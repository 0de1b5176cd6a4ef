"""What waits for a person, and what they may do with it.

A queue is only looked at if it can be emptied. So it holds what a decision of a person changes: drafts that somebody
has spoken for, promoted ones about to fade, those whose files changed, those in quarantine; not every draft there is.
What was looked at and left as it is goes out of its queue until something new speaks for it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from knowledge.lifecycle.rules import decay, lifecycle
from knowledge.rules.vocabulary import Stability, Status


class Tab(StrEnum):
    """The queues, in the order in which they are worth emptying."""

    PROPOSED = "proposed"
    EDITS = "edits"
    MENTIONS = "mentions"
    NEW = "new"
    QUOTED = "quoted"
    CONTRADICTIONS = "contradictions"
    DUPLICATES = "duplicates"
    DECAYING = "decaying"
    STALE = "stale"
    QUARANTINED = "quarantined"
    VAULT = "vault"
    # Not awaiting anybody: what nobody has reviewed or rated yet, for who wants to look through it.
    DRAFTS = "drafts"
    # What leads have put off.
    SNOOZED = "snoozed"


# The queues that hold what a person has to decide; an inbox is empty when these are.
AWAITING = tuple(tab for tab in Tab if tab not in (Tab.DRAFTS, Tab.SNOOZED))
# A promoted insight that will be deprecated within a month: long enough for a lead to be away for three weeks, short
# against the half-life of 90 days, so that the queue is no list of everything that is old.
DECAYING_WITHIN = timedelta(days=30)
# A count tells whether there is much, and costs no more than this many index entries.
COUNTED_UP_TO = 99

# Rows of one contributor that a queue lists among those of others: pairs, suggested edits, mentions, drafts that they
# alone spoke for, and what they alone reported stale. One account can raise hundreds; what others raised would stand
# behind them. All others of that one are one row, which says how many there are and lists them by themselves, and count
# as one. Five, and of drafts that they spoke for as many as fill a screen: these are of others, and in a small team one
# colleague may give nearly all the praise. So one account adds no more than 57 rows to the seven queues it can reach,
# of the 60 that `evaluate adversary` allows; with ten each, as until 28 Nov 2026, it were 77.
MOST_OF_ONE, MOST_PRAISED_BY_ONE = 5, 20

# More than a person takes in at a glance, and as much as one request writes within a few seconds.
MOST_AT_ONCE = 200

# The status from which each act of a lead starts; None: any.
OPEN: Mapping[str, tuple[Status, ...] | None] = {
    "promote": (Status.DRAFT, Status.DEPRECATED),
    "deprecate": (Status.DRAFT, Status.PROMOTED),
    "restore": (Status.DEPRECATED, Status.ARCHIVED),
    "leave": None,
    "pin": None,
    "unpin": None,
    "validate": None,
    "helpful": None,
    "forget": None,
    "release": None,
    "allow": None,
}
# What the status is after it; the others leave it as it is.
BECOMES = {"promote": Status.PROMOTED, "deprecate": Status.DEPRECATED, "restore": Status.DRAFT}


def closed(verb: str, status: Status) -> str:
    """Why an act cannot be done to an insight of this status; empty if it can."""
    allowed = OPEN[verb]
    return "" if allowed is None or status in allowed else f"it is {status}"


@dataclass(frozen=True)
class Standing:
    """How far a draft is on its way to promotion, of what it takes."""

    tally: lifecycle.SignalTally

    def __str__(self) -> str:
        return f"{self.tally.people}/{lifecycle.PEOPLE_IN_FAVOUR} people in support, including the author"


def standing(signals: Iterable[lifecycle.Given], author: int | None, *, says_something: bool) -> Standing:
    """Return how far these signals have brought a draft of that author."""
    return Standing(lifecycle.tally(signals, author, says_something=says_something))


def days_left(
    strength: float, at: datetime, now: datetime, status: Status, stability: Stability, pinned: bool, kind: str
) -> float:
    """Days from `now` until the sweep moves it one status down; infinite if it never does."""
    left = decay.effective(strength, (now - at).total_seconds() / 86_400, status, stability, pinned, kind)
    return decay.days_until(left, lifecycle.DEPRECATED_BELOW, status, stability, pinned, kind)


def changed_files(provenance: Iterable[Mapping[str, Any]]) -> list[str]:
    """The files that are not as they were when it was learned from them."""
    return sorted(str(item.get("path", "")) for item in provenance if "seen" in item)
