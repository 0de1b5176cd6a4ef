"""Which preferences hold for a member, of all that were stated and inferred.

A preference is a row of one team: the personal team for one's own, a shared team's for its people, `everyone` for
all. Of several with one key one holds. What somebody said beats whatever was inferred, however wide it was said;
then the nearer beats the wider: personal over team over everyone. Two shared teams of one member may differ; then
the one stated last holds, for it is what was decided with the most known, and the answer says that there was another.
A question that is narrowed to one team's knowledge is narrowed to its preferences too.

The others are not dropped: each effective one carries those it holds over, and a sentence that says why.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from accounts.rules.rights import TeamAccess, TeamKind


class Category(StrEnum):
    """What a preference is about."""

    APPROACH = "approach"
    COMMUNICATION = "communication"
    VALUES = "values"
    DOMAIN = "domain"
    GENERAL = "general"


class Origin(StrEnum):
    """Whether somebody said it, or it was read off what they do."""

    EXPLICIT = "explicit"
    INFERRED = "inferred"


class Reach(StrEnum):
    """Whom it is stated for."""

    PERSONAL = "personal"
    TEAM = "team"


LONGEST_KEY = 80
LONGEST_VALUE = 400
LONGEST_STATEMENT = 1_000
_APART = re.compile(r"[\W_]+")
# The nearer holds.
NEARNESS = {TeamKind.PERSONAL: 2, TeamKind.SHARED: 1, TeamKind.EVERYONE: 0}


@dataclass(frozen=True)
class Support:
    """What an inferred preference stands on: `signals` of `of` things looked at, and the first of their references."""

    why: str
    signals: int
    of: int
    refs: tuple[str, ...]


@dataclass(frozen=True)
class Inferred:
    """A preference as it was read off what a member does; `confidence` is 0–1."""

    key: str
    value: str
    category: Category
    statement: str
    confidence: float
    support: Support


@dataclass(frozen=True)
class Stated:
    """One stored preference, with the team it is of as the asker may use it."""

    id: int
    key: str
    value: str
    statement: str
    category: str
    source: str
    confidence: float
    changed_at: datetime
    team: TeamAccess
    support: dict[str, object] = field(default_factory=dict)

    @property
    def scope(self) -> Reach:
        return Reach.PERSONAL if self.team.kind is TeamKind.PERSONAL else Reach.TEAM

    @property
    def whose(self) -> str:
        """In words, before the reader whose member they are."""
        if self.source == Origin.INFERRED:
            return "inferred"
        return {TeamKind.PERSONAL: "yours", TeamKind.EVERYONE: "everyone's"}.get(self.team.kind, self.team.slug)


@dataclass(frozen=True)
class Effective:
    """The preference that holds for a key, why it does, and those it holds over, the strongest first."""

    stated: Stated
    why: str
    over: tuple[Stated, ...] = ()


def key_of(text: str) -> str:
    """A key as it is kept, snake_case: “Test runner” and `test-runner` are one key. Empty when nothing is left."""
    return _APART.sub("_", text.casefold()).strip("_")[:LONGEST_KEY].rstrip("_")


def effective(stated: Iterable[Stated]) -> list[Effective]:
    """The one that holds for each key: what was said before what was inferred, the nearest first, then by key."""
    by_key: dict[str, list[Stated]] = defaultdict(list)
    for one in stated:
        by_key[one.key].append(one)
    held = [_resolve_key(sorted(rows, key=_weight, reverse=True)) for rows in by_key.values()]
    return sorted(held, key=lambda one: (*(-part for part in _weight(one.stated)[:2]), one.stated.key))


def _weight(one: Stated) -> tuple[int, int, float, int]:
    """Which of several holds: the greatest."""
    said = int(one.source == Origin.EXPLICIT)
    return said, NEARNESS[one.team.kind], one.changed_at.timestamp(), one.id


def _resolve_key(rows: list[Stated]) -> Effective:
    first, *others = rows
    other = next((one for one in others if one.value != first.value), None)
    return Effective(first, _why(first, other), tuple(others))


def _why(first: Stated, other: Stated | None) -> str:
    """`other`: the strongest of those that say something else."""
    own = {
        Origin.INFERRED: "Inferred from your deposits and ratings",
        Reach.PERSONAL: "Set by you",
        Reach.TEAM: f"Set for team {first.team.name}",
    }[Origin.INFERRED if first.source == Origin.INFERRED else first.scope]
    if other is None:
        return f"{own}."
    said = f"“{other.value}”, {other.whose}"
    if first.source != other.source:
        return f"{own}; explicit overrides inferred ({said})."
    if first.team.kind is not other.team.kind:
        return f"{own}; the narrower scope overrides the wider ({said})."
    return f"{own} on {first.changed_at:%Y-%m-%d}, later than in {other.team.name} ({said})."
