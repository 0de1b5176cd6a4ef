"""The rank of an insight for a question, and its explanation, which are one thing.

A score is named parts: terms are added, factors multiply. What the list shows is the total, what `explain` shows is
the parts; nothing is computed twice. Candidates come as columns (one number each for up to some 200 rows), and the
parts of a single one are put into words only when it is served.

Relevance (similarity, keywords, exact) is what the question has to do with the insight; it alone decides trimming and
abstaining. Locality, strength and trust only order what is relevant.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from knowledge.rules.vocabulary import Status, Trust

# Similarity > locality > strength > trust, the order and the starting weights of the product design (3.3). Keywords
# are weighted against similarity by rules/relevance, and count in the score in that proportion.
SIMILARITY = 0.50
LOCALITY = 0.25
STRENGTH = 0.15
TRUST = 0.10
# Only of a question about what is new. As much as locality: among what the question is about the newest comes first,
# and what it is not about does not rise above it by being new.
FRESHNESS = 0.25
# The very same error, or the reference itself: nothing that only resembles the question may stand above it.
EXACT = 1.0

# A promoted insight was confirmed by several sessions or by a lead; a deprecated one is on its way out.
STATUS_TRUST: dict[str, float] = {Status.PROMOTED: 1.0, Status.DRAFT: 0.6, Status.DEPRECATED: 0.2, Status.ARCHIVED: 0.0}
# The file it was learned from has changed (SAME's trust multiplier). A contradiction costs nothing here: anyone may
# report one, it is shown beside the insight, and until a lead settles it nobody knows which side is wrong.
STATE_TRUST: dict[str, float] = {Trust.VALIDATED: 1.0, Trust.UNKNOWN: 1.0, Trust.STALE: 0.75, Trust.CONTRADICTED: 1.0}

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """One named piece of a score. For a term `worth` is added, for a factor it `multiplies`."""

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
        """One line: what spoke for it, strongest first."""
        spoke = sorted((p for p in self.terms if p.worth > 0), key=lambda part: -part.worth)
        return "; ".join(part.why for part in spoke[:3])


@dataclass(frozen=True)
class Column:
    """One part for all candidates at once; `why` puts the part of one row into words."""

    name: str
    values: Floats
    weight: float
    why: Callable[[int], str]

    def part(self, row: int, *, multiplies: bool = False) -> Part:
        return Part(self.name, float(self.values[row]), self.weight, self.why(row), multiplies)


@dataclass(frozen=True)
class Ranking:
    """All candidates of one question, scored."""

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
        """What the question alone has to do with each, on the scale of a cosine: similarity and keywords."""
        return np.asarray(np.sum([one.values * one.weight for one in self.terms[:2]], axis=0) / SIMILARITY)

    def order(self, ties: Sequence[int]) -> list[int]:
        """Row numbers, best first; equal totals by `ties`, smallest first, so that a search can be repeated."""
        return [int(row) for row in np.lexsort((np.asarray(ties), -self.totals))]

    def score(self, row: int) -> Score:
        terms = tuple(column.part(row) for column in self.terms)
        return Score(terms, tuple(column.part(row, multiplies=True) for column in self.factors))


def trust(status: str, state: str) -> float:
    """0–1: what the status is worth, lessened by a source that changed or an open contradiction."""
    return STATUS_TRUST[status] * STATE_TRUST[state]
