"""What Loam's ranking is compared with: keywords alone, meaning alone, and the two usual ways of putting them together.

All are exact (no index, no 16-bit vectors), over the same texts, words and vectors as Loam's own, with BM25 as in
rules/bm25, so that a difference is one of ranking.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.relevance import Floats

Index = NDArray[np.intp]

# The names of the ways, in the order of the tables.
BM25 = "bm25"
COSINE = "cosine"
RRF = "rrf"
FIXED_SUM = "fixed_sum"
WAYS = {BM25: "BM25, stems", COSINE: "cosine", RRF: "RRF, k 60", FIXED_SUM: ".7 cosine + .3 BM25/max"}

# Cormack, Clarke and Büttcher 2009, who found it uncritical.
RRF_K = 60
# What most hybrid searches start from; BM25 is divided by its largest value of the question.
COSINE_SHARE = 0.7


class Baselines:
    """One collection, ready to be asked: `words` are bm25.terms of each text, `vectors` (n, dimensions), length 1."""

    def __init__(self, words: Sequence[Sequence[str]], vectors: Floats) -> None:
        self._n = len(words)
        self._vectors = vectors
        self._frequencies = Counter(term for text in words for term in set(text))
        average = sum(map(len, words)) / max(self._n, 1)
        columns: dict[int, list[tuple[int, float]]] = {}
        for row, text in enumerate(words):
            for position, weight in bm25.document_weights(text, average).items():
                columns.setdefault(position, []).append((row, weight))
        self._columns = {
            position: (np.array([row for row, _ in cells]), np.array([weight for _, weight in cells]))
            for position, cells in columns.items()
        }

    def keyword(self, words: Sequence[str]) -> Floats:
        """BM25 of every document."""
        scores = np.zeros(self._n)
        for position, rarity in bm25.query_weights(words, self._n, self._frequencies).items():
            rows, weights = self._columns[position]
            scores[rows] += rarity * weights
        return scores

    def rank(
        self, words: Sequence[str], vector: Floats, depth: int, without: int | None = None
    ) -> dict[str, list[int]]:
        """The document numbers each way finds, best first: `depth` of one leg, or what the two legs bring together.

        `without` is not there for this question. Equal scores stand in the order of the documents.
        """
        keyword, cosine = self.keyword(words), self._vectors @ vector
        there = np.ones(self._n, dtype=bool)
        if without is not None:
            there[without] = False
        by_words = _best(keyword, np.flatnonzero(there & (keyword > 0)))[:depth]
        by_meaning = _best(cosine, np.flatnonzero(there))[:depth]
        both = np.union1d(by_words, by_meaning)
        fixed = COSINE_SHARE * cosine + (1 - COSINE_SHARE) * keyword / max(float(keyword[both].max(initial=0)), 1e-9)
        found = {
            BM25: by_words,
            COSINE: by_meaning,
            RRF: _best(_reciprocal(self._n, by_words, by_meaning), both),
            FIXED_SUM: _best(fixed, both),
        }
        return {way: rows.tolist() for way, rows in found.items()}


def _best(scores: Floats, rows: Index) -> Index:
    return rows[np.argsort(-scores[rows], kind="stable")]


def _reciprocal(n: int, *lists: Index) -> Floats:
    """The sum of 1 / (k + rank) over the lists a document is in."""
    scores = np.zeros(n)
    for rows in lists:
        scores[rows] += 1.0 / (RRF_K + 1 + np.arange(len(rows)))
    return scores
