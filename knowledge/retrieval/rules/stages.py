"""Filter the ranked candidates in stages; each stage records why it dropped a row, with figures."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from knowledge.retrieval.rules import relevance

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rejection:
    """Why a candidate was not served: the stage, the reason in words, and its figures."""

    stage: str
    why: str
    figures: dict[str, float]


@dataclass
class FilterPipeline:
    """The candidates of one question between the stages.

    `ids` of the insights, `evidence` and `totals` of the scores are columns by row. `order` holds the remaining rows,
    best first. `drops`: by insight id, why it was dropped.
    """

    ids: Sequence[int] = ()
    evidence: Floats = field(default_factory=lambda: np.zeros(0))
    totals: Floats = field(default_factory=lambda: np.zeros(0))
    order: list[int] = field(default_factory=list)
    drops: dict[int, Rejection] = field(default_factory=dict)
    abstained: bool = False

    def drop(self, rows: list[int], stage: str, why: str, **figures: float) -> None:
        """Remove rows from the order and record the reason."""
        gone = set(rows)
        shared = {name: round(value, 4) for name, value in figures.items()}
        for row, evidence in zip(rows, self.evidence[rows].round(4).tolist(), strict=True):
            self.drops[self.ids[row]] = Rejection(stage, why, {"evidence": evidence, **shared})
        self.order = [row for row in self.order if row not in gone]

    def bring(self, order: list[int]) -> None:
        """Set the order; a dropped row in it is no longer dropped."""
        self.order = order
        for row in order:
            self.drops.pop(self.ids[row], None)

    def put_behind(self, behind: Collection[int]) -> None:
        """Move these rows behind all others, keeping the order otherwise."""
        self.order.sort(key=lambda row: row in behind)

    def put_among_first(self, rows: Collection[int], room: int) -> None:
        """Move the best of these rows up to place `room` (from 1) if none of them is among the first `room`."""
        at = next((at for at, row in enumerate(self.order) if row in rows), None)
        if at is not None and at >= room:
            self.order.insert(max(room - 1, 0), self.order.pop(at))

    def abstain(self, documents: int) -> None:
        """Drop all rows if even the best one is no answer. `documents`: the number of searched insights."""
        if not relevance.answers(self.evidence, documents):
            self.abstained = True
            floor, best = relevance.floor(documents), float(self.evidence.max())
            self.drop(self.order, "abstained", "No result was relevant enough.", floor=floor, best=best)

    def least(self, score: float) -> None:
        """Drop the rows with a total below the requested minimum."""
        low = [row for row in self.order if self.totals[row] < score]
        self.drop(low, "min_score", "Its score is below the requested minimum.", min_score=score)

    def trim(self, behind: Collection[int] = (), documents: int = 0, always: Collection[int] = ()) -> None:
        """Drop rows that are much weaker than the best one, except those in `always`.

        Rows in `behind` are served after all others. If one of the others is an answer itself, a row in `behind` causes
        none of them to be dropped: they are compared with the best among themselves. `documents`: the number of
        searched insights.
        """
        evidence = self.evidence[self.order].tolist()
        kept = {*always, *(self.order[at] for at in relevance.trimmed(evidence))}
        others = [row for row in self.order if row not in behind] if behind else []
        if others and relevance.answers(self.evidence[others], documents):
            kept |= {others[at] for at in relevance.trimmed(self.evidence[others].tolist())}
        gone = [row for row in self.order if row not in kept]
        self.drop(
            gone,
            "trim",
            f"Less than {relevance.TRIM:.0%} of the best result's evidence.",
            best=max(evidence, default=0),
        )

    def best_of_each(self, groups: Sequence[Hashable]) -> None:
        """Drop all but the best row of each group. `groups`: by row; None is a group of its own."""
        met: set[Hashable] = set()
        gone = []
        for row in self.order:
            if groups[row] is not None and groups[row] in met:
                gone.append(row)
            met.add(groups[row])
        self.drop(gone, "topic", "A better result represents its topic.")

    def limit(self, room: int, why: str) -> None:
        """Drop the rows after the first `room`."""
        self.drop(self.order[room:], "limit", why, limit=room)
