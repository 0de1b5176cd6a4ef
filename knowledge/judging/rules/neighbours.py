"""Neighbours of a deposit besides the nearest by vector: a reworded change of mind is often far away by vector.

*Rare words* are words that few insights of the team have. Notes that share them may be about the same thing, whatever
their vectors say. Product design, 3.1, step 5.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from knowledge.rules.vectors import lexemes, two_of

# A word is rare if at most one insight in fifty has it; in a small team, at most three insights.
RARE_SHARE = 1 / 50
RARE_COUNT = 3
# The number of rarest words by which candidates are looked up.
LOOKED_UP = 8
# The least number of shared rare words that suggest that two texts are about one thing.
FEWEST = 2


def rare(terms: Collection[str], documents: int, df: Mapping[str, int]) -> frozenset[str]:
    """Return the rare words among a text's terms. `df`: the number of the team's `documents` that have each, 0 if
    missing.
    """
    most = max(RARE_COUNT, documents * RARE_SHARE)
    return frozenset(term for term in terms if df.get(term, 0) <= most)


def looked_up(words: Collection[str], df: Mapping[str, int]) -> list[str]:
    """Return the rare words by which candidates are looked up: the rarest that occur at all."""
    known = [(df[word], word) for word in words if df.get(word, 0) > 0]
    return [word for _, word in sorted(known)[:LOOKED_UP]]


# The largest number of rows scored for any of these words. Eight words that each one in fifty has match a tenth of a
# team: in a team of 275,000 a deposit scored 6,700 rows, in 63 of the 71 ms for its neighbours (docs/decisions/0033).
MOST_SCORED = 1_000


def lookup(words: Sequence[str], df: Mapping[str, int]) -> str:
    """Return the tsquery that finds the rows to score: those with any of the words, or with FEWEST of them if that
    would be too many.
    """
    return lexemes(words, " | ") if sum(df[word] for word in words) <= MOST_SCORED else two_of(words)


@dataclass(frozen=True)
class NeighbourStanding:
    """The facts by which two deposits of one batch must be judged one after the other."""

    vector: NDArray[np.floating]
    error: str = ""
    files: frozenset[str] = frozenset()
    symbols: frozenset[str] = frozenset()


def conflict_free_batches(batch: Sequence[NeighbourStanding], band: float) -> list[list[int]]:
    """Return the places of a batch in rounds. Within a round no two are neighbours, so each is judged against stored
    notes.

    `band`: the cosine from which on two are neighbours. The order of a pair of neighbours is kept.
    """
    if not batch:
        return []
    vectors = np.array([one.vector for one in batch], dtype=np.float64)
    near = vectors @ vectors.T >= band
    rounds: list[int] = []
    for place, one in enumerate(batch):
        before = [rounds[other] for other in range(place) if near[place, other] or _anchored(one, batch[other])]
        rounds.append(max(before) + 1 if before else 0)
    return [[place for place, turn in enumerate(rounds) if turn == now] for now in range(max(rounds) + 1)]


def _anchored(one: NeighbourStanding, other: NeighbourStanding) -> bool:
    same_place = one.files & other.files and one.symbols & other.symbols
    return bool(same_place or (one.error and one.error == other.error))
