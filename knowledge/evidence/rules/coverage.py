"""The share of a question that a passage speaks of, counting everything that was asked.

Theory of operation. Each term of the question has a weight: its inverse frequency over *passages* of all files that are
searched. A file counts for as many passages as it is long, so that rare words differ from common ones even in a source
of one large file. A term that occurs nowhere has the largest weight, because it is most likely what the question is
about. Coverage is the weight of the terms in one passage as a share of the weight of all terms; words added by a model
or the team's tags do not count. Terms scattered over a file, or over several, cover nothing, because an answer stands
in one place.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from knowledge.evidence.rules.keywords import PART, Census, Keywords
from knowledge.evidence.rules.windows import TermHit
from knowledge.retrieval.rules import bm25

# Stems of months: if no file has one, it may be written as a number, as in logs, so it does not count as missing.
MONTHS = frozenset(
    ("januari", "februari", "march", "april", "may", "june", "juli", "august", "septemb", "octob", "novemb", "decemb")
)
# The bytes of a passage, as windows are cut; and of a sentence or two, in which related words stand.
PASSAGE = 900
STRETCH = 260


@dataclass(frozen=True)
class TermWeights:
    """`weights`: of every term that was asked; `absent`: the terms that no file has; `heads`: compound of the question
    → its last part, which names the thing and says half of it.
    """

    weights: Mapping[str, float]
    absent: frozenset[str] = frozenset()
    heads: Mapping[str, str] = field(default_factory=dict)

    @property
    def total(self) -> float:
        return sum(self.weights.values())

    def share(self, terms: Iterable[str]) -> float:
        """Return the weight of these terms as a share of all, 0 to 1."""
        total, held = self.total, set(terms)
        said = sum(self.weights.get(term, 0.0) for term in held)
        said += sum(
            PART * self.weights.get(whole, 0.0)
            for whole, head in self.heads.items()
            if head in held and whole not in held
        )
        return said / total if total else 0.0


def term_weights(keywords: Keywords, census: Census, sizes: Mapping[Any, int]) -> TermWeights:
    """Return the weights of what was asked. `sizes`: bytes of every file that was searched."""
    passages = sum(_passages(size) for size in sizes.values())
    asked = [*(word for word in keywords.words if keywords.weight(word) >= 1.0), *keywords.identifiers]
    found = dict.fromkeys(asked, 0)
    for path, counts in census.counts.items():
        most = _passages(sizes.get(path, 0))
        for term, times in counts.items():
            if term in found:
                found[term] += min(times, most)
    for name in keywords.identifiers:  # of a file, and as good as found
        if not found[name] and any(name in str(path).lower() for path in sizes):
            found[name] = 1
    weights = {term: bm25.idf(passages, times) for term, times in found.items() if times or term not in MONTHS}
    heads = {whole: pairs[0][1] for whole, pairs in keywords.parts.items() if pairs}
    absent = frozenset(term for term in weights if not found[term] and term not in heads)
    return TermWeights(weights, absent, heads)


def _passages(size: int) -> int:
    return max(1, round(size / PASSAGE))


def tightest(hits: Sequence[TermHit], weights: TermWeights, stretch: int = STRETCH) -> float:
    """Return the largest share that stands within one stretch of characters. `hits` in the order of the text."""
    best, first = 0.0, 0
    held: dict[str, int] = {}
    worth = {head: PART * weights.weights.get(whole, 0.0) for whole, head in weights.heads.items()} | dict(
        weights.weights
    )
    now = 0.0
    for hit in hits:
        for word in hit.words:
            held[word] = held.get(word, 0) + 1
            now += worth.get(word, 0.0) if held[word] == 1 else 0.0
        while hits[first].at < hit.at - stretch:
            for word in hits[first].words:
                held[word] -= 1
                now -= worth.get(word, 0.0) if held[word] == 0 else 0.0
            first += 1
        best = max(best, now)
    return min(1.0, best / weights.total) if weights.total else 0.0
