"""Where a text has compounds that may hold a keyword: what `keywords.pattern` matches, found faster.

Python's engine tries every alternative of a pattern at every character. Where no letter may have marks each beginning
is looked for by itself, at the speed of memory, and the compound around it is cut out. Both ways find the same; a test
compares them.
"""

import re
from collections.abc import Iterator

from knowledge.evidence.rules.keywords import Keywords, Reader, pattern, plain_beginnings
from knowledge.evidence.rules.windows import MOST_HITS, TermHit, compiled

_REST = re.compile(r"[\w.]*")


class Finder:
    """Finds the terms of one question in texts."""

    def __init__(self, keywords: Keywords) -> None:
        self.read = Reader(keywords)
        self._regex = compiled(pattern(keywords))
        self._beginnings = plain_beginnings(keywords)

    def hits(self, text: str, start: int = 0, end: int | None = None) -> list[TermHit]:
        """The places of keywords between two characters of a text, in order, at most MOST_HITS."""
        found, read = [], self.read.of
        for at, compound in self.compounds(text, start, len(text) if end is None else end):
            if words := read(compound):
                found.append(TermHit(at, words))
                if len(found) >= MOST_HITS:
                    break
        return found

    def words(self, text: str) -> list[str]:
        """The keywords of a text, as often as they occur."""
        read = self.read.of
        return [word for _, compound in self.compounds(text, 0, len(text)) for word in read(compound)]

    def compounds(self, text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
        """(place, compound) in the order of the text."""
        lowered = text.lower()
        plain, jointed = self._beginnings or ([], [])
        if self._beginnings is None or len(lowered) != len(text) or any(one in lowered for one in jointed):
            return ((found.start(), found.group()) for found in self._regex.finditer(text, start, end))
        ends: dict[int, int] = {}
        for beginning in plain:
            at = lowered.find(beginning, start, end)
            while at >= 0:
                first, stop = at, at + len(beginning)
                while first > 0 and (lowered[first - 1].isalnum() or lowered[first - 1] in "_."):
                    first -= 1
                if rest := _REST.match(text, stop, end):
                    stop = rest.end()
                if first >= start:
                    ends[first] = stop
                at = lowered.find(beginning, stop, end)
        return ((first, text[first : ends[first]]) for first in sorted(ends))
