"""Successors: a file that says it takes the place of a cited one is cited before it.

An ADR that supersedes another rarely repeats its words, so no ranking by words finds it. It is looked for among the
neighbours of each cited file that has a number in its name, and among the files that are new since the last answer.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.actions.read import Shelf
from knowledge.evidence.actions.sample import MOST_EVIDENCE, SampledPassage, cited
from knowledge.evidence.adapters.files import SourceGone, UnreadableFile, folder_of
from knowledge.evidence.adapters.grep import GrepDown, GrepStopped, matched_words
from knowledge.evidence.rules import briefing, freshness
from knowledge.evidence.rules.ask import Cited
from knowledge.evidence.rules.ranking import RankedFile
from knowledge.evidence.rules.scope import NEVER
from knowledge.evidence.rules.windows import Lines

# Seconds that looking through one folder may take.
PATIENCE = 1.0
MOST = 3


def cite_successors(*, inquiry: Inquiry, shelf: Shelf) -> None:
    """Put what supersedes a cited file before it in `cited`."""
    found: list[Cited] = []
    for one in inquiry.cited:
        for passage in _successors(inquiry, shelf, one):
            if passage.path != one.path and all(passage.path != other.path for other in found):
                found.append(passage)
    if found:
        new = {(one.source, one.path) for one in found[:MOST]}
        rest = [one for one in inquiry.cited if (one.source, one.path) not in new]
        inquiry.cited = [*found[:MOST], *rest][:MOST_EVIDENCE]


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
            window = replace(Lines(read.text).window(match.start(), match.end()), coverage=one.coverage)
            file = RankedFile(one.source, path, one.score)
            text = read.text[window.start : window.end]
            heading = briefing.heading_above(read.text, window.start)
            passage = SampledPassage(file, window, text, read.sha256, heading, one.cosine, one.judged)
            yield cited(inquiry, passage)


def _neighbours(inquiry: Inquiry, one: Cited, pattern: "freshness.Pattern") -> list[str]:
    """Paths of files in the folder of a cited one, or below it, that match."""
    source = inquiry.source(one.source)
    scanned = inquiry.scans.get(one.source)
    folder = str(PurePosixPath(one.path).parent).removeprefix(".")
    if scanned is None:
        return []
    try:
        matched = matched_words(
            folder=folder_of(inquiry.base, f"{source.path}/{folder}"),
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
