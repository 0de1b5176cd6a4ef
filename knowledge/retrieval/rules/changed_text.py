"""Compute a candidate's signals for another text than the stored one, without storing anything."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from knowledge.retrieval.rules.ranking import Candidate
from knowledge.rules.vocabulary import AnchorKind


@dataclass(frozen=True)
class ChangedText:
    """An insight with another text. `vector`: of length 1. `weights`: of its words by position, as returned by
    `bm25.document_weights`. `tags`: None to keep the stored ones.
    """

    id: int
    ref: str
    title: str
    body: str
    reasoning: str
    kind: str
    tags: tuple[str, ...] | None
    vector: np.ndarray
    weights: Mapping[int, float]
    prose: float
    quality: float

    def of(
        self,
        row: Candidate,
        vector: np.ndarray | None,
        weights: Mapping[int, float],
        parts: Sequence[tuple[np.ndarray, Mapping[int, float]]] = (),
    ) -> Candidate:
        """Return the candidate with the signals of this text.

        `vector` and `weights` are those of the question (cosine and word weights by position); `parts` has the same for
        each part of a long question.
        """
        return row._replace(
            distance=None if vector is None else self._distance(vector),
            keyword=self._keyword(weights),
            of_parts=[one for near, said in parts for one in (self._distance(near), self._keyword(said))],
            anchored=self._anchored(row),
            kind=self.kind,
            prose=self.prose,
            quality=self.quality,
        )

    def _distance(self, vector: np.ndarray) -> float:
        return 1.0 - float(self.vector @ vector)

    def _keyword(self, weights: Mapping[int, float]) -> float:
        return -sum(weight * self.weights.get(at, 0.0) for at, weight in weights.items())

    def _anchored(self, row: Candidate) -> list[str]:
        if self.tags is None:
            return row.anchored
        start = f"{AnchorKind.TAG}:"
        return [*(one for one in row.anchored if not one.startswith(start)), *(f"{start}{tag}" for tag in self.tags)]
