"""What the server alone does with labelled pairs: counts, each share with its denominator.

Beside it stands what a store does that merges by similarity. Of the labels, `updated` counts as a contradiction; pairs
labelled otherwise than same, contradiction or unrelated (`one_way`, `mixed`, `partial`) are left out, and so are pairs
of equal texts that are labelled unrelated, for a label cannot be right that tells a text apart from itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from knowledge.judging.rules.careful import equal
from knowledge.judging.rules.relations import Relation, Verdict
from sessions_app.lab.metrics.tables import Table, decimal


class PairLabel(StrEnum):
    SAME = "same"
    CONTRADICTION = "contradiction"
    UNRELATED = "unrelated"


LABELS = {**{label.value: label for label in PairLabel}, "updated": PairLabel.CONTRADICTION}


@dataclass(frozen=True)
class LabelledPair:
    """A labelled pair with the cosine of its vectors and the server's verdict, the second text being the newer one."""

    a: str
    b: str
    label: PairLabel
    cosine: float
    verdict: Verdict

    @property
    def mislabelled(self) -> bool:
        return self.label is not PairLabel.SAME and equal(self.a, self.b)


@dataclass(frozen=True)
class Share:
    """`hits` of `of`; nothing of nothing has no value."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None

    def __str__(self) -> str:
        return f"{decimal(self.hits / self.of)} ({self.hits}/{self.of})" if self.of else "–"


@dataclass(frozen=True)
class Measures:
    """Of one way on one set."""

    precision: Share
    merged: Share
    swallowed: Share
    superseded: Share
    false_supersede: Share
    mislabelled: int
    worst: tuple[LabelledPair, ...]


Says = Callable[[LabelledPair], Relation | None]
# How many of the pairs that went wrong are shown.
WORST = 10


def by_similarity(band: float) -> Says:
    """What a store does that merges every near pair."""
    return lambda pair: Relation.DUPLICATES if pair.cosine >= band else None


def by_server(pair: LabelledPair) -> Relation | None:
    return pair.verdict.relation


def measures(pairs: Sequence[LabelledPair], says: Says) -> Measures:
    """What `says` does with these pairs."""
    counted = [(pair, says(pair)) for pair in pairs if not pair.mislabelled]

    def count(relation: Relation | None, *labels: PairLabel) -> int:
        return sum((relation is None or what is relation) and pair.label in labels for pair, what in counted)

    same = count(Relation.DUPLICATES, PairLabel.SAME)
    opposed = count(None, PairLabel.CONTRADICTION)
    return Measures(
        precision=Share(same, count(Relation.DUPLICATES, *PairLabel)),
        merged=Share(same, count(None, PairLabel.SAME)),
        swallowed=Share(count(Relation.DUPLICATES, PairLabel.CONTRADICTION), opposed),
        superseded=Share(count(Relation.SUPERSEDES, PairLabel.CONTRADICTION), opposed),
        false_supersede=Share(count(Relation.SUPERSEDES, PairLabel.SAME, PairLabel.UNRELATED), len(counted)),
        mislabelled=len(pairs) - len(counted),
        worst=tuple(pair for pair, what in counted if _is_wrong(pair, what))[:WORST],
    )


def _is_wrong(pair: LabelledPair, what: Relation | None) -> bool:
    merged = what is Relation.DUPLICATES and pair.label is not PairLabel.SAME
    return merged or (what is Relation.SUPERSEDES and pair.label is not PairLabel.CONTRADICTION)


def table(title: str, rows: Sequence[tuple[str, Measures]]) -> Table:
    """One line for each (label, measures)."""
    columns = ["", "merge precision", "same merged", "contradictions swallowed", "superseded", "false supersede"]
    return Table(title, columns, [[label, *_cells(one)] for label, one in rows])


def _cells(one: Measures) -> list[str]:
    return [str(share) for share in (one.precision, one.merged, one.swallowed, one.superseded, one.false_supersede)]
