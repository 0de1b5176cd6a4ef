"""The queues of the inbox, and what people may do with their items.

A queue is useful only if it can be emptied. So a queue has items that a person's decision changes: drafts with positive
feedback, promoted insights about to fade, those whose files changed, those in quarantine; not every draft. What a lead
has looked at and left as it is leaves its queue until something new speaks for it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from knowledge.lifecycle.rules import decay, lifecycle
from knowledge.rules.vocabulary import Stability, Status


class Tab(StrEnum):
    """The queues, in the order in which a lead should empty them."""

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
    # Drafts that nobody has reviewed or rated yet. They await nobody, but can be looked through.
    DRAFTS = "drafts"
    # Items that leads have snoozed.
    SNOOZED = "snoozed"


# The queues of items that a person has to decide on; an inbox is empty when these are.
AWAITING = tuple(tab for tab in Tab if tab not in (Tab.DRAFTS, Tab.SNOOZED))
# A promoted insight is listed when it will be deprecated within this time: long enough for a lead to be away for three
# weeks, and short compared with the half-life of 90 days, so that the queue does not list everything old.
DECAYING_WITHIN = timedelta(days=30)
# Counts stop here: a larger one says nothing more, and costs that many more index entries.
COUNTED_UP_TO = 99

# The most rows of one contributor that a queue lists among those of others: pairs, suggested edits, mentions, drafts
# that only they rated helpful, and insights that only they reported stale. One account can raise hundreds, and would
# hide what others raised. The contributor's other rows are grouped in one row, which shows their number, lists them on
# request, and counts as one. The limit is 5, and 20 (a screenful) for drafts that the contributor rated: these are
# other people's, and in a small team one colleague may give nearly all ratings. So one account adds at most 57 rows to
# the seven queues it can reach, of the 60 that `evaluate adversary` allows; with ten each, the limit until 28 Nov 2026,
# it would be 77.
MOST_OF_ONE, MOST_PRAISED_BY_ONE = 5, 20

# More than a person takes in at a glance, and as many as one request writes within a few seconds.
MOST_AT_ONCE = 200

# The statuses in which each action of a lead is possible; None: any.
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
# The status after the action; other actions leave it as it is.
BECOMES = {"promote": Status.PROMOTED, "deprecate": Status.DEPRECATED, "restore": Status.DRAFT}


def closed(verb: str, status: Status) -> str:
    """Return why an action is not possible for an insight of this status; "" if it is."""
    allowed = OPEN[verb]
    return "" if allowed is None or status in allowed else f"it is {status}"


@dataclass(frozen=True)
class Standing:
    """How far a draft is on its way to promotion."""

    tally: lifecycle.SignalTally

    def __str__(self) -> str:
        return f"{self.tally.people}/{lifecycle.PEOPLE_IN_FAVOUR} people in support, including the author"


def standing(signals: Iterable[lifecycle.Given], author: int | None, *, says_something: bool) -> Standing:
    """Return how far these signals have brought a draft of that author towards promotion."""
    return Standing(lifecycle.tally(signals, author, says_something=says_something))


def days_left(
    strength: float, at: datetime, now: datetime, status: Status, stability: Stability, pinned: bool, kind: str
) -> float:
    """Return the days from `now` until the sweep moves it one status down; infinite if it never does."""
    left = decay.effective(strength, (now - at).total_seconds() / 86_400, status, stability, pinned, kind)
    return decay.days_until(left, lifecycle.DEPRECATED_BELOW, status, stability, pinned, kind)


def changed_files(provenance: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the files that have changed since the insight was learned from them."""
    return sorted(str(item.get("path", "")) for item in provenance if "seen" in item)
