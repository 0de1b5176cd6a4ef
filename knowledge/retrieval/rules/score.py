"""Score an insight for a question, and explain the score.

A score consists of named parts: terms are added, factors multiply. A list shows the total and `explain` shows the parts
of the same object, so nothing is computed twice. Candidates come as columns (one number for each of up to some 200
rows), and only the parts of a served one are put into words.

Relevance (similarity, keywords, exact) says what the question has to do with the insight. Only relevance decides
trimming and abstaining. Locality, strength and trust order what is relevant.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from knowledge.rules.vocabulary import Status, Trust

# Similarity > locality > strength > trust: the order and the starting weights of the product design (3.3). Keywords are
# weighted against similarity by rules/relevance and enter the score in that proportion.
SIMILARITY = 0.50
LOCALITY = 0.25
STRENGTH = 0.15
TRUST = 0.10
# Only for a question about what is new. It equals locality: the newest comes first among insights on the subject, and
# others do not rise above these by being new.
FRESHNESS = 0.25
# An exact error or reference. Nothing that only resembles the question may rank above it.
EXACT = 1.0

# Several sessions or a lead have confirmed a promoted insight; a deprecated one is on its way out.
STATUS_TRUST: dict[str, float] = {Status.PROMOTED: 1.0, Status.DRAFT: 0.6, Status.DEPRECATED: 0.2, Status.ARCHIVED: 0.0}
# STALE: the file it was learned from has changed (the trust multiplier of SAME). A contradiction costs nothing here:
# anyone may report one, answers show it next to the insight, and until a lead settles it nobody knows which side is
# wrong.
STATE_TRUST: dict[str, float] = {Trust.VALIDATED: 1.0, Trust.UNKNOWN: 1.0, Trust.STALE: 0.75, Trust.CONTRADICTED: 1.0}

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """One named part of a score: `value` times `weight` is added for a term and multiplies for a factor."""

    name: str
    value: float
    weight: float
    why: str
    multiplies: bool = False

    @property
    def worth(self) -> float:
        return self.value * self.weight


@dataclass(frozen=True)
class Score:
    terms: tuple[Part, ...]
    factors: tuple[Part, ...] = ()

    @property
    def total(self) -> float:
        return sum(part.worth for part in self.terms) * prod(part.worth for part in self.factors)

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.terms + self.factors

    @property
    def why(self) -> str:
        """The reasons of the three strongest terms above 0, strongest first, on one line."""
        spoke = sorted((p for p in self.terms if p.worth > 0), key=lambda part: -part.worth)
        return "; ".join(part.why for part in spoke[:3])


@dataclass(frozen=True)
class Column:
    """One part for all candidates; `why` puts the part of one row into words."""

    name: str
    values: Floats
    weight: float
    why: Callable[[int], str]

    def part(self, row: int, *, multiplies: bool = False) -> Part:
        return Part(self.name, float(self.values[row]), self.weight, self.why(row), multiplies)


@dataclass(frozen=True)
class Ranking:
    """The scores of all candidates of one question."""

    terms: tuple[Column, ...]
    factors: tuple[Column, ...] = ()

    @property
    def totals(self) -> Floats:
        total = np.sum([column.values * column.weight for column in self.terms], axis=0)
        for column in self.factors:
            total = total * column.values * column.weight
        return np.asarray(total, dtype=np.float64)

    @property
    def relevance(self) -> Floats:
        """Similarity plus weighted keywords for each candidate, on the scale of a cosine."""
        return np.asarray(np.sum([one.values * one.weight for one in self.terms[:2]], axis=0) / SIMILARITY)

    def order(self, ties: Sequence[int]) -> list[int]:
        """Return the rows, best first. Rows with equal totals are ordered by `ties`, smallest first, so that a search
        can be repeated.
        """
        return [int(row) for row in np.lexsort((np.asarray(ties), -self.totals))]

    def score(self, row: int) -> Score:
        terms = tuple(column.part(row) for column in self.terms)
        return Score(terms, tuple(column.part(row, multiplies=True) for column in self.factors))


def trust(status: str, state: str) -> float:
    """Return the trust in an insight, 0–1: its status, lowered if its source has changed."""
    return STATUS_TRUST[status] * STATE_TRUST[state]
