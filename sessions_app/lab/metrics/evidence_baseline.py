"""What the search is held against: BM25 as the textbook has it, over an index that reads every file beforehand."""

import re
from collections import Counter
from collections.abc import Mapping

from knowledge.retrieval.rules import bm25

# As most engines ship it; words as `\w+`, nothing stemmed, nothing left out.
K1, B = 1.2, 0.75
_WORD = re.compile(r"\w+")


class PlainBm25:
    """`texts`: path → text."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._postings: dict[str, list[tuple[str, float]]] = {}
        counts = {path: Counter(_WORD.findall(text.lower())) for path, text in texts.items()}
        average = sum(count.total() for count in counts.values()) / max(1, len(counts))
        for path, count in counts.items():
            norm = K1 * (1 - B + B * count.total() / max(1.0, average))
            for word, tf in count.items():
                self._postings.setdefault(word, []).append((path, tf * (K1 + 1) / (tf + norm)))
        self._n = len(counts)

    def rank(self, question: str, most: int = 100) -> list[str]:
        scores: dict[str, float] = {}
        for word in _WORD.findall(question.lower()):
            found = self._postings.get(word, ())
            rarity = bm25.idf(self._n, len(found))
            for path, worth in found:
                scores[path] = scores.get(path, 0.0) + rarity * worth
        return sorted(scores, key=lambda path: (-scores[path], path))[:most]


def by_matches(counts: Mapping[str, Mapping[str, int]], most: int = 100) -> list[str]:
    """Files as somebody with ripgrep alone would take them: most of the question's words first, then most matches."""
    return sorted(counts, key=lambda path: (-len(counts[path]), -sum(counts[path].values()), path))[:most]
