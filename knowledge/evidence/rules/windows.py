"""Windows on a text: the few lines that answer the question, with their place.

Theory of operation. Every line with a keyword begins a window of some lines. A window is worth the rarity of its words,
each saturating quickly (the second mention adds little), plus half as much again for words that are adjacent as in the
question. Divided by the rarity of all the question's words this is `coverage`: 1 if a window has every word once and
together. The best windows that do not overlap are the evidence.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import accumulate

from knowledge.evidence.rules.keywords import Keywords, Reader, pattern, plain_beginnings

# A paragraph or a short function. A runbook of half a page is two or three of them.
WINDOW = 900
# The second mention adds a third of the first.
SATURATION = 0.6
# Words in the order of the question, within this many characters.
NEAR = 40
TOGETHER = 0.5
# A window that begins with a heading is about what the heading says.
HEADED = 1.15
_HEADING = re.compile(r"\s*(?:#{1,6}\s|=+\s|(?:async )?def |class |func |fn |(?:export )?(?:function|interface) )")
MOST_HITS = 5_000
# A word is not cut at the end of a window; a longer run without blanks is no word.
LONGEST_WORD = 120


@dataclass(frozen=True)
class TermHit:
    at: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class Window:
    """Characters start…end of a text, and lines start_line…end_line counted from 1, both inclusive."""

    start: int
    end: int
    start_line: int
    end_line: int
    coverage: float
    words: frozenset[str] = frozenset()


class Lines:
    """The beginnings of a text's lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))[:-1]

    def number(self, at: int) -> int:
        """Return the line that a character is in, from 1."""
        return bisect_right(self.starts, at)

    def start(self, at: int) -> int:
        return self.starts[self.number(at) - 1]

    def end(self, at: int) -> int:
        """Return the place behind the last character of its line."""
        line = self.number(at)
        return self.starts[line] if line < len(self.starts) else len(self.text)

    def window(self, start: int, end: int, coverage: float = 0.0, words: frozenset[str] = frozenset()) -> Window:
        """Return whole lines around some characters, without blank ones at the ends. Long lines are cut."""
        first = max(self.start(start), start - WINDOW)
        last = min(self.end(max(start, end - 1)), max(end, start + WINDOW))
        first, last = self._whole_words(first, last)
        inner = self.text[first:last]
        first += len(inner) - len(inner.lstrip())
        last = first + max(1, len(inner.strip()))
        return Window(first, last, self.number(first), self.number(max(first, last - 1)), coverage, words)

    def _whole_words(self, first: int, last: int) -> tuple[int, int]:
        """Return the ends, extended to the next blanks if they are within a word: half a number is another number."""
        text, start, end = self.text, first, last
        while 0 < start < len(text) and first - start < LONGEST_WORD and not _is_gap(text, start):
            start -= 1
        while 0 < end < len(text) and end - last < LONGEST_WORD and not _is_gap(text, end):
            end += 1
        return start if first - start < LONGEST_WORD else first, end if end - last < LONGEST_WORD else last


def _is_gap(text: str, at: int) -> bool:
    return text[at - 1].isspace() or text[at].isspace()


def with_exact(found: Sequence[TermHit], text: str, terms: Sequence[str]) -> list[TermHit]:
    """Return the hits with the places of exact terms: of a term in several parts the pattern finds only the parts."""
    lowered = text.lower()
    places: list[TermHit] = []
    for term in {term.lower() for term in terms}:
        at = lowered.find(term)
        while at >= 0 and len(places) < MOST_HITS:
            places.append(TermHit(at, (term,)))
            at = lowered.find(term, at + len(term))
    return sorted([*found, *places], key=lambda one: one.at) if places else list(found)


def best(
    text: str, found: Sequence[TermHit], keywords: Keywords, rarity: Mapping[str, float], count: int, size: int = WINDOW
) -> list[Window]:
    """Return the best windows of about `size` characters, best first, none overlapping another. Only windows that may
    be among them are cut out of the text: in a long file a window could begin at hundreds of places.
    """
    lines = Lines(text)
    total = full_worth(keywords, rarity)
    left = [
        (-most, start, False, first, last)
        for most, start, first, last in _beginnings(lines, found, keywords, rarity, size)
    ]
    heapify(left)
    kept: list[Window] = []
    while left and len(kept) < count:
        worth, start, is_exact, first, last = heappop(left)
        if not is_exact:
            exact = worth_of(found[first:last], keywords, rarity) * _headed(text, start)
            heappush(left, (-exact, start, True, first, last))
            continue
        words = frozenset(word for one in found[first:last] for word in one.words)
        coverage = -worth / total if total else 0.0
        window = lines.window(start, min(start + size, len(text)), coverage, words)
        if _is_apart(window, kept):
            kept.append(window)
    return kept


# The largest rounding difference between two sums of the same parts.
ROUNDING = 1e-6


def _beginnings(
    lines: Lines, found: Sequence[TermHit], keywords: Keywords, rarity: Mapping[str, float], size: int
) -> Iterator[tuple[float, int, int, int]]:
    """Yield (upper bound of the worth, start, first hit, last hit) of the window at each place where one could begin.

    The sum over words moves along with the window; whether words are adjacent is only computed for the few windows that
    may be the best.
    """
    counts: dict[str, int] = {}
    worth, first, last, seen = 0.0, 0, 0, -1
    together = {pair: TOGETHER * (rarity.get(pair[0], 0.0) + rarity.get(pair[1], 0.0)) / 2 for pair in keywords.phrases}
    for at, hit in enumerate(found):
        start = lines.start(hit.at)
        if hit.at - start > size:
            start = hit.at - size // 4
        if start == seen:
            continue
        seen = start
        while last < len(found) and found[last].at < start + size:
            for word in found[last].words:
                counts[word] = times = counts.get(word, 0) + 1
                worth += rarity.get(word, 0.0) * (_saturated(times) - _saturated(times - 1))
            last += 1
        while first < at:
            for word in found[first].words:
                counts[word] = times = counts[word] - 1
                worth -= rarity.get(word, 0.0) * (_saturated(times + 1) - _saturated(times))
            first += 1
        most = worth + sum(more for (one, other), more in together.items() if counts.get(one) and counts.get(other))
        yield (most + ROUNDING) * _headed(lines.text, start), start, at, last


def _headed(text: str, start: int) -> float:
    return HEADED if _HEADING.match(text, start) else 1.0


def _saturated(times: int) -> float:
    return times * (1 + SATURATION) / (times + SATURATION)


def apart(windows: Sequence[Window], count: int) -> list[Window]:
    """Return the best windows by coverage that do not overlap a better one."""
    kept: list[Window] = []
    for window in sorted(windows, key=lambda one: (-one.coverage, one.start)):
        if _is_apart(window, kept):
            kept.append(window)
            if len(kept) == count:
                break
    return kept


def _is_apart(window: Window, kept: Sequence[Window]) -> bool:
    return all(window.end <= other.start or window.start >= other.end for other in kept)


# Marks that prose hardly ever has, and the least number of words of a line of prose.
_CODE = re.compile(r"[={}<>|\\]|\w\(|[;,{(]$|^(?:def|class|import|return|from \S+ import)\b|^\W*\w+\W*:$")
FEWEST_WORDS = 4
_MARKED = re.compile(r"\s*(?:[-*+•]\s|\d+[.)]\s|#|>|\||```|\.\s)")
_ENDED = re.compile(r"(?<![\s(]\w\.\w)[.!?:。！？][\"'”»)\]*`]*\s*$")
# The largest number of characters by which a window grows on each side to complete its first and last sentence.
REACH = 300


# Code-like parts that a sentence may have: a name in backticks, an address, a <value> to be filled in.
_QUOTED = re.compile(r"`[^`\n]+`|https?://\S+|(?<![\w<])<[\w -]{1,30}>(?![\w>(])")
# The least number of characters of a line of prose that was wrapped.
FILLED = 60


def may_be_prose(line: str) -> bool:
    """Return whether nothing in a line, apart from quoted parts, marks it as code."""
    return _CODE.search(_QUOTED.sub("x", line.strip().removesuffix(","))) is None


def reads_as_prose(line: str) -> bool:
    """Return whether a line, with any indentation, is part of a sentence."""
    return may_be_prose(line) and len(line.split()) >= FEWEST_WORDS


def whole_sentences(text: str, window: Window) -> Window:
    """Return the window from the line in which its first sentence begins to the one in which its last ends, if it is
    prose and these are near.
    """
    start, end = text.rfind("\n", 0, window.start) + 1, window.end
    while (before := text.rfind("\n", 0, max(0, start - 1)) + 1) < start and before >= window.start - REACH:
        if not _goes_on(text[before : start - 1], text[start : _line_end(text, start)]):
            break
        start = before
    while end < len(text) and (after := _line_end(text, end + 1)) <= window.end + REACH:
        if not _goes_on(text[text.rfind("\n", 0, end) + 1 : end], text[end + 1 : after]):
            break
        end = after
    if start > window.start - 1 or not text[start : window.start].strip():
        start = window.start
    return replace(
        window,
        start=start,
        end=end,
        start_line=window.start_line - text.count("\n", start, window.start),
        end_line=window.end_line + text.count("\n", window.end, end),
    )


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _goes_on(line: str, following: str) -> bool:
    """Return whether a sentence continues from a line to the next one."""
    is_prose = reads_as_prose(line) and bool(following.strip())
    is_prose = is_prose and (may_be_prose(following) or is_wrapped(line, following))
    return is_prose and not _ENDED.search(line) and not _HEADING.match(line) and not _MARKED.match(following)


def is_wrapped(line: str, following: str) -> bool:
    """Return whether a line of prose was broken because it was full: the next one continues in small letters, even if
    it looks like code.
    """
    filled = len(line.rstrip()) >= FILLED and reads_as_prose(line) and not _ENDED.search(line)
    return filled and following.lstrip()[:1].islower() and len(following.split()) > 1


def worth_of(inside: Sequence[TermHit], keywords: Keywords, rarity: Mapping[str, float]) -> float:
    places: dict[str, list[int]] = {}
    for hit in inside:
        for word in hit.words:
            if word in places:
                places[word].append(hit.at)
            else:
                places[word] = [hit.at]
    worth = 0.0
    for word, some in places.items():
        worth += rarity.get(word, 0.0) * len(some) * (1 + SATURATION) / (len(some) + SATURATION)
    for first, second in keywords.phrases:
        if first in places and second in places and _close(places[first], places[second]):
            worth += TOGETHER * (rarity.get(first, 0.0) + rarity.get(second, 0.0)) / 2
    return worth


def full_worth(keywords: Keywords, rarity: Mapping[str, float]) -> float:
    """Return the worth of a window that has every word of the question once, and its phrases together."""
    words = sum(rarity.get(word, 0.0) for word in (*keywords.words, *keywords.identifiers))
    pairs = sum((rarity.get(a, 0.0) + rarity.get(b, 0.0)) / 2 for a, b in keywords.phrases)
    return words + TOGETHER * pairs


def _close(first: Sequence[int], second: Sequence[int]) -> bool:
    return any(0 <= b - a <= NEAR for a in first[:50] for b in second[:50])


def compiled(pattern: str) -> "re.Pattern[str]":
    """Return the compiled `keywords.pattern`; for an empty one, a pattern that matches nothing.

    A compound is matched from its beginning only: from each of its characters, a line of 50,000 took 12 seconds.
    (ripgrep needs no such help, and has no such syntax.)
    """
    return re.compile(rf"(?<![\w.])(?:{pattern})" if pattern else r"(?!)", re.IGNORECASE)


_REST = re.compile(r"[\w.]*")


class Finder:
    """Finds the terms of one question in texts: the compounds that `keywords.pattern` matches, but faster.

    Python's engine tries every alternative of a pattern at every character. If no letter may have marks, each beginning
    is searched by itself, at the speed of memory, and the compound around it is cut out. Both ways find the same; a
    test compares them.
    """

    def __init__(self, keywords: Keywords) -> None:
        self.read = Reader(keywords)
        self._regex = compiled(pattern(keywords))
        self._beginnings = plain_beginnings(keywords)

    def hits(self, text: str, start: int = 0, end: int | None = None) -> list[TermHit]:
        """Return the places of keywords between two characters of a text, in order, at most MOST_HITS."""
        found, read = [], self.read.of
        for at, compound in self.compounds(text, start, len(text) if end is None else end):
            if words := read(compound):
                found.append(TermHit(at, words))
                if len(found) >= MOST_HITS:
                    break
        return found

    def words(self, text: str) -> list[str]:
        """Return the keywords of a text, as often as they occur."""
        read = self.read.of
        return [word for _, compound in self.compounds(text, 0, len(text)) for word in read(compound)]

    def compounds(self, text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
        """Yield (place, compound) in the order of the text."""
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
