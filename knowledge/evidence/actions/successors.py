"""Successors: a file that takes the place of a cited one is cited before it.

An ADR that supersedes another rarely repeats its words, so no ranking by words finds it. It is looked for among the
neighbours of each cited file that has a number in its name, among those that the cited file itself names, and among the
files that are new since the last answer. Of two cited files that disagree without a word of each other the newer is
cited first. Later minutes that speak of what earlier ones answer are cited behind these, as nobody knows what holds.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import PurePosixPath

from knowledge.evidence.actions.inquiry import FileKey, Inquiry
from knowledge.evidence.actions.read import Shelf
from knowledge.evidence.actions.sample import MOST_EVIDENCE, SampledPassage, cited, passages_of
from knowledge.evidence.adapters.files import SourceGone, UnreadableFile, folder_of
from knowledge.evidence.adapters.grep import GrepDown, GrepStopped, matched_words
from knowledge.evidence.rules import briefing, freshness
from knowledge.evidence.rules.ask import Cited
from knowledge.evidence.rules.coverage import tightest
from knowledge.evidence.rules.disagreement import (
    TOP,
    DatedPassage,
    Written,
    asks_of_a_time,
    disagreement,
    newest_first,
    revokes,
    said_of,
    series_of,
    written,
)
from knowledge.evidence.rules.ranking import RankedFile
from knowledge.evidence.rules.scope import NEVER
from knowledge.evidence.rules.windows import WINDOW, Lines

# Seconds that looking through one folder may take.
PATIENCE = 1.0
MOST = 3


def cite_successors(*, inquiry: Inquiry, shelf: Shelf) -> None:
    """Put what supersedes a cited file right before it in `cited`."""
    told: list[Cited] = []
    placed: set[FileKey] = set()
    for one in inquiry.cited:
        for passage in _successors(inquiry, shelf, one):
            key = (passage.source, passage.path)
            if passage.path == one.path:
                continue
            inquiry.superseded[one.source, one.path] = key
            if len(placed) < MOST and key not in placed and all(key != (other.source, other.path) for other in told):
                placed.add(key)
                told.append(passage)
        if (one.source, one.path) not in placed:
            told.append(one)
    inquiry.cited = told[:MOST_EVIDENCE]


def cite_newer_first(*, inquiry: Inquiry, shelf: Shelf) -> None:
    """Put the newer of two cited files that disagree before the older one in `cited`, and note what they say; and the
    newest file of a series before the others, unless the question is about another time.
    """
    passages = [
        DatedPassage(number, one.path, one.text, _written(inquiry, shelf, one))
        for number, one in enumerate(inquiry.cited, start=1)
    ]
    if not asks_of_a_time(inquiry.ask.text):
        ordered = newest_first(passages, inquiry.keywords.words)
        inquiry.cited = [inquiry.cited[one.number - 1] for one in ordered]
        passages = [replace(one, number=number) for number, one in enumerate(ordered, start=1)]
    passages = _revoking_first(inquiry, passages)
    found = disagreement(passages, inquiry.keywords.words)
    inquiry.disagreement = inquiry.newer = None  # what was said of other passages, before there were these
    if found is None:
        inquiry.newer = _newer_of_series(inquiry, passages)
        if inquiry.newer is None:
            _cite_later_of_series(inquiry, shelf)
        return
    newer, older = found.newer.number, found.older.number
    if newer > older:
        inquiry.cited.insert(older - 1, inquiry.cited.pop(newer - 1))
        newer, older = older, older + 1
    inquiry.disagreement = replace(
        found, newer=replace(found.newer, number=newer), older=replace(found.older, number=older)
    )


# Later files of a series that are looked at, the newest first, and the share of the question's words, each counted
# alike, that one must have within a stretch of text, more than one: minutes that only name "the lab" are about another
# thing of it.
MOST_LATER = 5
SPEAKS = 0.5


def _newer_of_series(inquiry: Inquiry, passages: list[DatedPassage]) -> tuple[int, int] | None:
    """Return the numbers of the first cited passage and of an older one of its series which has the same words of the
    question, more than one of them: one day's minutes may say otherwise than another's in words that nothing compares.
    """
    if not passages or asks_of_a_time(inquiry.ask.text):
        return None
    first, series = passages[0], series_of(passages[0].path)
    asked = inquiry.keywords.words
    older = (
        one.number
        for one in passages[1:]
        if series and series_of(one.path) == series and one.written.before(first.written)
        if len(words := said_of(one, asked)) > 1 and words == said_of(first, asked)
    )
    number = next(older, None)
    return (first.number, number) if number else None


def _cite_later_of_series(inquiry: Inquiry, shelf: Shelf) -> None:
    """Cite the newest file of the series of the first cited one behind it, if that speaks of most of the question: what
    was put off is told in other words. Which of the two holds nobody can tell, and `newer` says so.
    """
    if not inquiry.cited or asks_of_a_time(inquiry.ask.text):
        return
    first = inquiry.cited[0]
    series, on = series_of(first.path), written(first.path, "").on
    if not series or on is None:
        return
    dated = [(written(file.path, "").on or on, file) for file in inquiry.ranked if series_of(file.path) == series]
    later = [file for day, file in sorted(dated, key=lambda pair: pair[0], reverse=True) if day > on]
    alike = replace(inquiry.weights, weights=dict.fromkeys(inquiry.weights.weights, 1.0))
    for passage in passages_of(inquiry, shelf, [file for file in later if file.source == first.source][:MOST_LATER]):
        hits = inquiry.finder.hits(passage.text)
        said = {word for hit in hits for word in hit.words} & alike.weights.keys()
        if len(said) > 1 and tightest(hits, alike) >= SPEAKS:
            rest = [other for other in inquiry.cited[1:] if other.path != passage.file.path]
            inquiry.cited = [first, cited(inquiry, passage), *rest][:MOST_EVIDENCE]
            inquiry.newer = 2, 1
            return


def _revoking_first(inquiry: Inquiry, passages: list[DatedPassage]) -> list[DatedPassage]:
    """The passages, and those that are cited, with each that takes back what another one says before that one, which is
    marked as superseded.
    """
    for one, other in permutations(passages, 2):
        if one.path == other.path or one.written.before(other.written) or not revokes(one.text, other.text):
            continue
        newer, older = inquiry.cited[one.number - 1], inquiry.cited[other.number - 1]
        inquiry.superseded[older.source, older.path] = (newer.source, newer.path)
        if one.number > other.number:
            order = list(passages)
            order.insert(other.number - 1, order.pop(one.number - 1))
            inquiry.cited = [inquiry.cited[passage.number - 1] for passage in order]
            return [replace(passage, number=number) for number, passage in enumerate(order, start=1)]
    return passages


def _written(inquiry: Inquiry, shelf: Shelf, one: Cited) -> Written:
    return written(one.path, _top(inquiry, shelf, one), one.heading)


def _top(inquiry: Inquiry, shelf: Shelf, one: Cited) -> str:
    """The beginning of a cited file; "" of one so large that only its passages were read."""
    try:
        return shelf.text(inquiry.source(one.source), one.path).text[:TOP]
    except UnreadableFile:
        return ""


def _successors(inquiry: Inquiry, shelf: Shelf, one: Cited) -> Iterator[Cited]:
    pattern = freshness.successor_pattern(one.path)
    named = _named_successors(inquiry, shelf, one)
    paths = [path for slug, path in inquiry.uncovered if slug == one.source]
    paths += _neighbours(inquiry, one, pattern) if freshness.is_numbered(one.path) else []
    for path in dict.fromkeys([*named, *paths]):
        if inquiry.late:
            return
        try:
            read = shelf.text(inquiry.source(one.source), path)
        except UnreadableFile:
            continue
        match = pattern.search(read.text)
        if match or path in named:
            # From that line on, or all of a short file: what is decided instead stands there.
            start = match.start() if match and len(read.text) > WINDOW else 0
            window = Lines(read.text).window(start, min(len(read.text), start + WINDOW), one.coverage)
            file = RankedFile(one.source, path, one.score)
            text = read.text[window.start : window.end]
            heading = briefing.heading_above(read.text, window.start, path)
            passage = SampledPassage(file, window, text, read.sha256, heading, one.cosine, one.judged)
            yield cited(inquiry, passage)


def _named_successors(inquiry: Inquiry, shelf: Shelf, one: Cited) -> list[str]:
    """Paths of the files of which a cited one says that they take its place."""
    scanned = inquiry.scans.get(one.source)
    return freshness.successors_named(one.path, _top(inquiry, shelf, one), scanned.files) if scanned else []


def _neighbours(inquiry: Inquiry, one: Cited, pattern: "freshness.Pattern") -> list[str]:
    """Paths of files in the folder of a cited one, or below it, that match."""
    source = inquiry.source(one.source)
    root = inquiry.root(source)
    scanned = inquiry.scans.get(one.source)
    folder = str(PurePosixPath(one.path).parent).removeprefix(".")
    if scanned is None:
        return []
    try:
        matched = matched_words(
            folder=folder_of(root.base, f"{root.path}/{folder}"),
            pattern=pattern.pattern,
            largest=source.largest_file,
            skip=NEVER,
            ends=min(inquiry.ends, time.monotonic() + PATIENCE),
            gone=inquiry.gone,
        )
        paths = [f"{folder}/{path}" if folder else path for path, _ in matched]
    except (SourceGone, GrepDown, GrepStopped):
        inquiry.stop_if_gone()
        return []
    return sorted(path for path in paths if path in scanned.files)
