"""Which statements of a written briefing have a number that no passage has.

A model that reads "after 40 seconds" may write "after 4 minutes", and a reader acts on it. So every number of a
statement must stand in the passages or in the question; a statement with another one is left out. Numbers are compared
by their digits: `1,000`, `1 000` and `1000` are one, `0.5` and `.5` too.
"""

import re
from collections.abc import Iterable

_CITATION = re.compile(r"\[\d{1,3}\]")
_ORDINAL = re.compile(r"^[^\S\n]*\d{1,3}[.)]\s+", re.MULTILINE)
_NUMBER = re.compile(r"\d[\d.,:   '_]*\d|\d")
_SENTENCE = re.compile(r"(?<=[.!?])(?:\s*\[\d{1,3}\])*\s+(?=\S)")


def without_unsupported(content: str, supports: Iterable[str]) -> tuple[str, list[str]]:
    """The content without the sentences whose numbers none of the texts has, and those sentences."""
    known = {number for text in supports for number in _numbers(text)}
    kept_lines, dropped = [], []
    for line in content.split("\n"):
        sentences = _split(line)
        kept = [one for one in sentences if _numbers(one) <= known]
        dropped += [one.strip() for one in sentences if not _numbers(one) <= known]
        if kept or not sentences:
            kept_lines.append(" ".join(kept) if len(kept) < len(sentences) else line)
    return "\n".join(kept_lines).strip(), dropped


def _split(line: str) -> list[str]:
    parts, start = [], 0
    ordinal = _ORDINAL.match(line)
    for found in _SENTENCE.finditer(line, ordinal.end() if ordinal else 0):
        parts.append(line[start : found.end()].rstrip())
        start = found.end()
    return [*parts, line[start:]] if line[start:].strip() else parts


def _numbers(text: str) -> set[str]:
    bare = _ORDINAL.sub(" ", _CITATION.sub(" ", text))
    return {plain for found in _NUMBER.findall(bare) for piece in _pieces(found) if (plain := _plain(piece))}


def _pieces(found: str) -> list[str]:
    """`10:45` is two numbers; `1 000` and `1,000` are one, `1, 2` two."""
    if re.fullmatch(r"\d{1,3}(?:[,. '   ]\d{3})+", found):
        return [re.sub(r"\D", "", found)]
    return [piece for piece in re.split(r"[:,   '_]+", found) if piece]


def _plain(piece: str) -> str:
    piece = piece.strip(".")
    if piece.count(".") == 1:
        whole, _, part = piece.partition(".")
        part = part.rstrip("0")
        return f"{whole.lstrip('0') or '0'}.{part}" if part else whole.lstrip("0") or "0"
    return piece.lstrip("0") or ("0" if piece else "")
