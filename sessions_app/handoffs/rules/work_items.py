"""Work items: to which work a handoff belongs, and which handoffs are offered to a new session, in which order, and
why.

A work item is a repository, a checkout (or a branch, if no checkout is known) and a user. A new session is offered all
open handoffs of its own item, and those of other items that left work unfinished. The most costly losses come first:
uncommitted files, then a failing command, named next steps, a blocker.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Any

from accounts.rules.spoken_names import spoken_name

# The weight of each kind of unfinished work. Each is larger than the sum of the later ones, so the kinds are compared
# in order.
UNCOMMITTED, FAILING, STEPS, BLOCKED = 8, 4, 2, 1
LONGEST_BRANCH = 60
# A new session lists at most this many handoffs; for more it can search.
MOST_OFFERED = 5


class Tier(IntEnum):
    """How near a handoff is to a new session, the nearest first."""

    OWN = 0
    OWN_BRANCH = 1
    BRANCH = 2
    TEAM = 3


@dataclass(frozen=True)
class Place:
    """Where somebody works on a repository; "" for unknown."""

    user_id: int
    checkout: str
    branch: str

    @property
    def item(self) -> tuple[int, str, str]:
        """The work item within the repository."""
        return (self.user_id, self.checkout, "" if self.checkout else self.branch)


@dataclass(frozen=True)
class Left:
    """An open handoff, with what a new session is told of it."""

    pk: int
    ref: str
    place: Place
    who: str
    state: str
    as_of: datetime
    gist: str
    unfinished: tuple[str, ...]
    weight: int
    session_is_live: bool = False
    agent_session: str = ""


@dataclass(frozen=True)
class Offer:
    """A handoff that is offered, and the reason in a few words."""

    left: Left
    tier: Tier
    why: str


def offer(open_handoffs: Sequence[Left], start: Place, most: int = MOST_OFFERED) -> list[Offer]:
    """Return the handoffs to offer: the nearest first, then those with the most unfinished work, then the latest."""
    offers = [
        Offer(left, tier, why(left, start, tier)) for left in open_handoffs for tier in [tier_of(left.place, start)]
    ]
    kept = [one for one in offers if one.tier is Tier.OWN or one.left.weight]
    ranked = sorted(kept, key=lambda one: (one.tier, -one.left.weight, -one.left.as_of.timestamp(), -one.left.pk))
    return ranked[:most]


def tier_of(place: Place, start: Place) -> Tier:
    if place.item == start.item:
        return Tier.OWN
    same_branch = place.branch == start.branch or not (place.branch and start.branch)
    if place.user_id == start.user_id:
        return Tier.OWN_BRANCH if same_branch else Tier.TEAM
    return Tier.BRANCH if place.branch and place.branch == start.branch else Tier.TEAM


def why(left: Left, start: Place, tier: Tier) -> str:
    """Return why it is offered: whose it is, and how it is related to where the session starts."""
    branch = f"branch {spoken_name(left.place.branch, LONGEST_BRANCH)}" if left.place.branch else "no branch named"
    if tier is Tier.OWN:
        return "yours, this checkout" if left.place.checkout else f"yours, {branch}"
    if tier is Tier.OWN_BRANCH:
        # A session that reports no checkout, for example by MCP only, may be in the same one.
        elsewhere = left.place.checkout and start.checkout
        return f"yours, {branch}, another checkout" if elsewhere else f"yours, {branch}"
    whose = "yours" if left.place.user_id == start.user_id else f"{left.who}'s"
    return f"{whose}, this branch" if tier is Tier.BRANCH else f"{whose}, {branch}"


def unfinished(
    uncommitted: Sequence[str], failure: dict[str, Any], steps: Sequence[str], blockers: Sequence[str]
) -> tuple[tuple[str, ...], int]:
    """Return what is unfinished, in words, and its weight."""
    failing = [f"`{_short(failure.get('command', ''))}` failing"] if failure else []
    found = [
        (UNCOMMITTED, [_counted(len(uncommitted), "uncommitted file")] if uncommitted else []),
        (FAILING, failing),
        (STEPS, [_counted(len(steps), "next step")] if steps else []),
        (BLOCKED, ["blocked"] if blockers else []),
    ]
    return tuple(word for _, words in found for word in words), sum(weight for weight, words in found if words)


def gist(
    note: str, steps: Sequence[str], failure: dict[str, Any], summary: str, last_message: str, files: Sequence[str]
) -> str:
    """Return the handoff in one line: the first next step, otherwise what was done. Never a user's prompt."""
    failing = f"`{failure['command']}` failing: {failure['error']}" if failure else ""
    edited = f"edited {', '.join(files[:3])}" if files else ""
    return next(filter(None, [note, *steps[:1], failing, summary, last_message, edited]), "")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count != 1 else ''}"


def _short(text: str, longest: int = 40) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
