"""Successors: a file that takes the place of a cited one is cited before it.

An ADR that supersedes another rarely repeats its words, so no ranking by words finds it. It is looked for among the
neighbours of each cited file that has a number in its name, and among the files that are new since the last answer. Of
two cited files that disagree without a word of each other the newer is cited first.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import PurePosixPath

from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.actions.read import Shelf
from knowledge.evidence.actions.sample import MOST_EVIDENCE, SampledPassage, cited
from knowledge.evidence.adapters.files import SourceGone, UnreadableFile, folder_of
from knowledge.evidence.adapters.grep import GrepDown, GrepStopped, matched_words
from knowledge.evidence.rules import briefing, freshness
from knowledge.evidence.rules.ask import Cited
from knowledge.evidence.rules.disagreement import (
    TOP,
    DatedPassage,
    Written,
    asks_of_a_time,
    disagreement,
    newest_first,
    revokes,
    written,
)
from knowledge.evidence.rules.ranking import RankedFile
from knowledge.evidence.rules.scope import NEVER
from knowledge.evidence.rules.windows import WINDOW, Lines

# Seconds that looking through one folder may take.
PATIENCE = 1.0
MOST = 3


def cite_successors(*, inquiry: Inquiry, shelf: Shelf) -> None:
    """Put what supersedes a cited file before it in `cited`."""
    found: list[Cited] = []
    for one in inquiry.cited:
        for passage in _successors(inquiry, shelf, one):
            if passage.path == one.path:
                continue
            inquiry.superseded[one.source, one.path] = (passage.source, passage.path)
            if all(passage.path != other.path for other in found):
                found.append(passage)
    if found:
        new = {(one.source, one.path) for one in found[:MOST]}
        rest = [one for one in inquiry.cited if (one.source, one.path) not in new]
        inquiry.cited = [*found[:MOST], *rest][:MOST_EVIDENCE]


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
    inquiry.disagreement = None  # what was said of other passages, before there were these
    if found is None:
        return
    newer, older = found.newer.number, found.older.number
    if newer > older:
        inquiry.cited.insert(older - 1, inquiry.cited.pop(newer - 1))
        newer, older = older, older + 1
    inquiry.disagreement = replace(
        found, newer=replace(found.newer, number=newer), older=replace(found.older, number=older)
    )


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
    try:
        top = shelf.text(inquiry.source(one.source), one.path).text[:TOP]
    except UnreadableFile:
        top = ""  # a file so large that only its passages were read
    return written(one.path, top, one.heading)


def _successors(inquiry: Inquiry, shelf: Shelf, one: Cited) -> Iterator[Cited]:
    pattern = freshness.successor_pattern(one.path)
    paths = [path for slug, path in inquiry.uncovered if slug == one.source]
    paths += _neighbours(inquiry, one, pattern) if freshness.is_numbered(one.path) else []
    for path in dict.fromkeys(paths):
        if inquiry.late:
            return
        try:
            read = shelf.text(inquiry.source(one.source), path)
        except UnreadableFile:
            continue
        if match := pattern.search(read.text):
            # From that line on, or all of a short file: what is decided instead stands there.
            start = 0 if len(read.text) <= WINDOW else match.start()
            window = Lines(read.text).window(start, min(len(read.text), start + WINDOW), one.coverage)
            file = RankedFile(one.source, path, one.score)
            text = read.text[window.start : window.end]
            heading = briefing.heading_above(read.text, window.start, path)
            passage = SampledPassage(file, window, text, read.sha256, heading, one.cosine, one.judged)
            yield cited(inquiry, passage)


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
