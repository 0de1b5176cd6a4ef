"""How good a ranked list is, given what was relevant: the measures of information retrieval.

All take the ranked ids, best first, and the grades of the relevant ones (id → grade > 0; what is not named is
0), and give a number from 0 to 1. A question with nothing relevant has no score: leave it out before.
Definitions as in trec_eval: Järvelin and Kekäläinen 2002 for nDCG, with the grade itself as gain.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2


def ndcg(ranked: Sequence[str], grades: Mapping[str, float], k: int = 10) -> float:
    """Gain, discounted by the logarithm of the rank, as a share of what the best order would gain."""
    best = sorted(grades.values(), reverse=True)[:k]
    ideal = sum(gain / log2(rank + 2) for rank, gain in enumerate(best))
    gained = sum(grades.get(item, 0.0) / log2(rank + 2) for rank, item in enumerate(ranked[:k]))
    return gained / ideal if ideal else 0.0


def mrr(ranked: Sequence[str], grades: Mapping[str, float], k: int = 10) -> float:
    """One over the rank of the first relevant one; 0 if it is not among the first k."""
    return next((1.0 / rank for rank, item in enumerate(ranked[:k], 1) if grades.get(item, 0) > 0), 0.0)


def recall(ranked: Sequence[str], grades: Mapping[str, float], k: int) -> float:
    """The share of the relevant ones that is among the first k."""
    relevant = {item for item, grade in grades.items() if grade > 0}
    return len(relevant.intersection(ranked[:k])) / len(relevant) if relevant else 0.0


@dataclass(frozen=True)
class Quality:
    """The measures of one list, or their means over many."""

    ndcg_10: float
    mrr_10: float
    recall_10: float
    recall_100: float


def quality(ranked: Sequence[str], grades: Mapping[str, float]) -> Quality:
    return Quality(ndcg(ranked, grades), mrr(ranked, grades), recall(ranked, grades, 10), recall(ranked, grades, 100))


def mean(rows: Iterable[Quality]) -> Quality:
    """Every question counts the same. Raises ZeroDivisionError if there is none."""
    parts = [(row.ndcg_10, row.mrr_10, row.recall_10, row.recall_100) for row in rows]
    return Quality(*(sum(column) / len(parts) for column in zip(*parts, strict=True))) if parts else _none()


def _none() -> Quality:
    raise ZeroDivisionError("no question to take the mean over")


def held_out(query_id: str) -> bool:
    """Which half a question is in: constants are chosen on one and reported on the other. By a hash of its
    id, so that the halves are the same in every run, on every machine, and in whatever order the questions
    come.
    """
    return hashlib.sha256(query_id.encode()).digest()[0] % 2 == 1


def grouping_accuracy(groups: Sequence[str], found: Sequence[str]) -> float:
    """The share of lines whose found group holds exactly the lines of their true one (Zhu et al. 2019, log parsing).

    `groups`: the true group of each line, `found`: the one it was put in; their names do not matter.
    """
    true: dict[str, set[int]] = {}
    made: dict[str, set[int]] = {}
    for line, (group, put) in enumerate(zip(groups, found, strict=True)):
        true.setdefault(group, set()).add(line)
        made.setdefault(put, set()).add(line)
    right = sum(len(lines) for lines in made.values() if lines == true[groups[min(lines)]])
    return right / len(groups) if groups else 0.0
