"""Tables and logs: text in which every line stands by itself.

A table row is a passage together with the header, which gives its values their meaning. A log line is a passage
together with its neighbours, which tell what happened just before and after.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import PurePosixPath

from knowledge.evidence.rules.keywords import Keywords
from knowledge.evidence.rules.windows import Lines, TermHit, Window, worth_of

PACKED = (".gz", ".zst")


class RowKind(StrEnum):
    PROSE = "prose"
    TABLE = "table"
    LOG = "log"


# The number of lines before and after the one that was found.
NEIGHBOURS = {RowKind.TABLE: 0, RowKind.LOG: 3}
# The number of lines of a window that are checked for the form of a log.
LOOKED_AT = 12
_STAMP = re.compile(
    r"\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d?/\w{3}/\d{4}|\w{3} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d[.,]\d"
    r"|\d{10,13}\b|<\d{1,3}>)|\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b"
    # A web server's: host, client, user and time. Kubernetes': a letter for the level. Pairs, with the time among them.
    r"|\S{1,100} \S{1,60} \S{1,60} \[\d\d?/\w{3}/\d{4}:|[IWEF]\d{4} \d\d:\d\d:\d\d"
    r"|(?:[\w.]{1,30}=\S{1,60} ){0,3}(?:ts|time|timestamp)=\"?\d{4}-"
)


def is_table(path: str) -> bool:
    """Return whether a file is a table with a header, by its name."""
    name = PurePosixPath(path)
    suffix = (PurePosixPath(name.stem) if name.suffix.lower() in PACKED else name).suffix.lower()
    return suffix in (".csv", ".tsv", ".psv")


def row_kind(path: str, text: str) -> RowKind:
    """Return the kind of a file's lines, by its name and by the beginning of its text."""
    if is_table(path):
        return RowKind.TABLE
    lines = [line for line in text[:4_000].split("\n") if line.strip()][1:LOOKED_AT]
    stamped = sum(map(is_log_line, lines))
    return RowKind.LOG if lines and stamped >= len(lines) / 2 else RowKind.PROSE


def is_log_line(line: str) -> bool:
    """Return whether a line begins like a log line: with a time or a level, or in a web server's form."""
    return _STAMP.match(line) is not None


# Among lines with the same share of the question, one that reports a failure is what was looked for.
_FAILED = re.compile(r"\b(?:ERROR|FATAL|CRITICAL|PANIC|SEVERE|Traceback)\b")


def _tells_failure(lines: Lines, number: int) -> bool:
    start = lines.starts[number - 1]
    return _FAILED.search(lines.text, start, lines.end(start)) is not None


def best_rows(
    text: str,
    hits: Sequence[TermHit],
    keywords: Keywords,
    rarity: Mapping[str, float],
    full: float,
    kind: RowKind,
    count: int,
) -> list[Window]:
    """Return the lines that have most of the question, each with its neighbours, best first, none within another. In a
    log, lines that report a failure precede others as good.
    """
    lines = Lines(text)
    by_line: dict[int, list[TermHit]] = {}
    for hit in hits:
        by_line.setdefault(lines.number(hit.at), []).append(hit)
    worth = {line: worth_of(some, keywords, rarity) for line, some in by_line.items()}
    kept: list[Window] = []
    is_failure = {line: kind is RowKind.LOG and _tells_failure(lines, line) for line in worth}
    for line in sorted(worth, key=lambda one: (-worth[one], not is_failure[one], one)):
        beside = NEIGHBOURS[kind]
        first, last = max(1, line - beside), min(len(lines.starts), line + beside)
        if any(first <= one.end_line and last >= one.start_line for one in kept):
            continue
        words = frozenset(word for hit in by_line[line] for word in hit.words)
        end = lines.end(lines.starts[last - 1])
        kept.append(lines.window(lines.starts[first - 1], end, worth[line] / full if full else 0.0, words))
        if len(kept) == count:
            break
    return kept
