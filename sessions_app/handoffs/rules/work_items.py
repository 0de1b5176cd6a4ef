"""Work items: whose work a handoff is, which are offered to a session that starts, in which order, and why.

A work item is a repository, a checkout (or a branch, where no checkout is known) and a user. Of a start's own item
every open handoff is offered; of others those that left work unfinished. What costs most to lose comes first: files
that are in no commit, then a command that was failing, steps that were named, something that stands in the way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Any

from accounts.rules.spoken_names import spoken_name

# Of each kind of unfinished work what it counts; each is more than those after it together, but for ties.
UNCOMMITTED, FAILING, STEPS, BLOCKED = 8, 4, 2, 1
LONGEST_BRANCH = 60
# A start names so many at most: a list of more is a search.
MOST_OFFERED = 5


class Tier(IntEnum):
    """What a handoff is to a start, the nearest first."""

    OWN = 0
    OWN_BRANCH = 1
    BRANCH = 2
    TEAM = 3


@dataclass(frozen=True)
class Place:
    """Where somebody works on a repo; an empty text is not known."""

    user_id: int
    checkout: str
    branch: str

    @property
    def item(self) -> tuple[int, str, str]:
        """The work item within the repo."""
        return (self.user_id, self.checkout, "" if self.checkout else self.branch)


@dataclass(frozen=True)
class Left:
    """An open handoff, as far as a start tells of it."""

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
    """A handoff that is offered, and why in a few words."""

    left: Left
    tier: Tier
    why: str


def offer(open_handoffs: Sequence[Left], start: Place, most: int = MOST_OFFERED) -> list[Offer]:
    """What is offered to a start, the nearest first, then the most unfinished, then the latest."""
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
    """Why it is offered: whose it is, and what it has to do with where the session starts."""
    branch = f"branch {spoken_name(left.place.branch, LONGEST_BRANCH)}" if left.place.branch else "no branch named"
    if tier is Tier.OWN:
        return "yours, this checkout" if left.place.checkout else f"yours, {branch}"
    if tier is Tier.OWN_BRANCH:
        # A start that names no checkout, as by MCP alone, may well be in the same one.
        elsewhere = left.place.checkout and start.checkout
        return f"yours, {branch}, another checkout" if elsewhere else f"yours, {branch}"
    whose = "yours" if left.place.user_id == start.user_id else f"{left.who}'s"
    return f"{whose}, this branch" if tier is Tier.BRANCH else f"{whose}, {branch}"


def unfinished(
    uncommitted: Sequence[str], failure: dict[str, Any], steps: Sequence[str], blockers: Sequence[str]
) -> tuple[tuple[str, ...], int]:
    """What is unfinished, in words, and how much it weighs."""
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
    """What a handoff says, in a line: what the next one must do first, else what was done. Never a user's prompt."""
    failing = f"`{failure['command']}` failing: {failure['error']}" if failure else ""
    edited = f"edited {', '.join(files[:3])}" if files else ""
    return next(filter(None, [note, *steps[:1], failing, summary, last_message, edited]), "")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count != 1 else ''}"


def _short(text: str, longest: int = 40) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
