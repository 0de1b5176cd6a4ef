"""Which of the stated and inferred preferences are in effect for a member.

A preference is a row of one team: the personal team, a shared team, or `everyone`. Of several with one key, one is in
effect. A stated one overrides an inferred one, whatever its scope; then the narrower scope overrides the wider:
personal, team, everyone. Where two shared teams of a member differ, the later one is in effect, and the answer mentions
the other. A question narrowed to one team's knowledge is narrowed to its preferences too.

Each effective preference carries those it overrides, and a sentence that says why.
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
    """Whether a person stated it, or it was inferred from what they do."""

    EXPLICIT = "explicit"
    INFERRED = "inferred"


class Reach(StrEnum):
    """For whom it is stated."""

    PERSONAL = "personal"
    TEAM = "team"


LONGEST_KEY = 80
LONGEST_VALUE = 400
LONGEST_STATEMENT = 1_000
_APART = re.compile(r"[\W_]+")
# The narrower scope overrides the wider.
NEARNESS = {TeamKind.PERSONAL: 2, TeamKind.SHARED: 1, TeamKind.EVERYONE: 0}


@dataclass(frozen=True)
class Support:
    """The evidence of an inferred preference: `signals` of `of` things looked at, and the first of their references."""

    why: str
    signals: int
    of: int
    refs: tuple[str, ...]


@dataclass(frozen=True)
class Inferred:
    """A preference inferred from what a member does; `confidence` is 0–1."""

    key: str
    value: str
    category: Category
    statement: str
    confidence: float
    support: Support


@dataclass(frozen=True)
class Stated:
    """One stored preference, with its team as the reader may use it."""

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
        """The scope in words, for its reader."""
        if self.source == Origin.INFERRED:
            return "inferred"
        return {TeamKind.PERSONAL: "yours", TeamKind.EVERYONE: "everyone's"}.get(self.team.kind, self.team.slug)


@dataclass(frozen=True)
class Effective:
    """The preference in effect for a key, why it is, and those it overrides, the strongest first."""

    stated: Stated
    why: str
    over: tuple[Stated, ...] = ()


def key_of(text: str) -> str:
    """Return a key as it is stored, in snake_case: “Test runner” and `test-runner` are one key. Empty if nothing is
    left.
    """
    return _APART.sub("_", text.casefold()).strip("_")[:LONGEST_KEY].rstrip("_")


def effective(stated: Iterable[Stated]) -> list[Effective]:
    """Return the preference in effect for each key: stated before inferred, the narrowest scope first, then by key."""
    by_key: dict[str, list[Stated]] = defaultdict(list)
    for one in stated:
        by_key[one.key].append(one)
    found = [_resolve_key(sorted(rows, key=_weight, reverse=True)) for rows in by_key.values()]
    return sorted(found, key=lambda one: (*(-part for part in _weight(one.stated)[:2]), one.stated.key))


def _weight(one: Stated) -> tuple[int, int, float, int]:
    """The precedence of a preference; the greatest is in effect."""
    explicit = int(one.source == Origin.EXPLICIT)
    return explicit, NEARNESS[one.team.kind], one.changed_at.timestamp(), one.id


def _resolve_key(rows: list[Stated]) -> Effective:
    first, *others = rows
    other = next((one for one in others if one.value != first.value), None)
    return Effective(first, _why(first, other), tuple(others))


def _why(first: Stated, other: Stated | None) -> str:
    """Return why it is in effect. `other`: the strongest one with another value."""
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
