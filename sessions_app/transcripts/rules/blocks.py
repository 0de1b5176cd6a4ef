"""Split the prose of one turn into blocks, each under its heading, and blocks into sentences, all with their positions.

A block is a paragraph or one item of a list; line ends within it count as spaces. Its `heading` is the last line above
it that is a heading in Markdown, a line all in bold, or the line that ends with a colon right above a list.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sessions_app.transcripts.rules.turn import prose

_ITEM = re.compile(r"[ \t]*(?:[-*+•‣–]|\d{1,3}[.)])[ \t]+(?P<box>\[[ xX~-]\][ \t]+)?")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+(?P<a>.*[^ \t#]|.)[ \t#]*$|[ \t]*(?P<m>\*\*|__)(?P<b>[^*_]+)(?P=m):?[ \t]*$")
# The rows of a table, and the line that separates its head from them.
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_RULE = re.compile(r"[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$")
# A line with a label ("Decision: …") begins a new block; one with a reason belongs to the line it explains.
_NAMED = re.compile(
    r"[ \t]*(?:\*\*|__)?(?!(?:reasons?|why|rationale|because|grund|begründung|raison|razón|motivo)\b)"
    r"[A-ZÄÖÜÉ][\w'’-]*(?: [\w'’-]+){0,3}(?:\*\*|__)?[:：](?:\*\*|__)?[ \t]+\S",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:.*[.?!][*_]*+)?[ \t]*+(?P<lead>[^.?!]{1,80}?)[*_]*+[:：][*_]*+[ \t]*$")
# A longer line is no heading, and is not read further.
LONGEST_HEADING = 300


@dataclass(frozen=True)
class Block:
    """`shown`: the prose, with everything else blanked; `said`: the original text; both have the same length.

    `box`: the mark in a task list's box: a blank is open, anything else is not; "" without a box. A row of a table has
    the headings of its `columns` and its `cells`, without emphasis.
    """

    shown: str
    said: str
    line: int
    heading: str
    item: bool
    box: str = ""
    columns: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class TurnSentence:
    """A part of a block from `start` to `end`."""

    start: int
    end: int


@dataclass
class _OpenBlock:
    """A block while it is being read."""

    start: int
    end: int
    line: int
    item: bool
    box: str = ""


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a turn in order."""
    reader = _Reader(text, prose(text))
    for number, line in enumerate(reader.lines):
        yield from reader.take(number, line)
    yield from reader.close()


class _Reader:
    """Reads the lines of a turn one by one. `lead`: the line above a list; `heading`: that of the section."""

    def __init__(self, text: str, shown: str) -> None:
        self.text, self.shown, self.lines = text, shown, shown.split("\n")
        self.heading = self.lead = ""
        self.open: _OpenBlock | None = None
        self.columns: tuple[str, ...] = ()
        self.at = 0

    def take(self, number: int, line: str) -> Iterator[Block]:
        start, end = self.at, self.at + len(line)
        self.at = end + 1
        item, title, row = _ITEM.match(line), _HEADING.match(line), _ROW.match(line)
        if title or item or row or not line.strip() or _NAMED.match(line):
            yield from self.close()
        self.columns = self.columns if row else ()
        if row:
            yield from self._row(number, line, start, end)
        elif title:
            self.heading, self.lead = (title["a"] or title["b"] or "")[:LONGEST_HEADING].strip(" *_:"), ""
        elif item:
            self.open = _OpenBlock(start + item.end(), end, number + 1, True, (item["box"] or "")[1:2])
        elif line.strip():
            self._prose(number, line, start, end)

    def _prose(self, number: int, line: str, start: int, end: int) -> None:
        opened = _LEAD.match(line)
        if opened and _ITEM.match(next((after for after in self.lines[number + 1 :] if after.strip()), "")):
            self.lead = opened["lead"].strip(" *_")
        elif not self.open and line[:1] not in " \t":
            # The paragraph after a list ends its lead; a further line of an item does not.
            self.lead = ""
        if self.open:
            self.open.end = end
        else:
            self.open = _OpenBlock(start, end, number + 1, False)

    def _row(self, number: int, line: str, start: int, end: int) -> Iterator[Block]:
        """Yield a row of a table; its first row has the names of the columns."""
        said = self.text[start:end]
        cells = tuple(plain(cell, len(said)) for cell in said.strip().strip("|").split("|"))
        if not self.columns:
            self.columns = cells
        elif not _RULE.match(line) and line.strip(" |\t"):
            yield Block(line, said, number + 1, self.lead or self.heading, False, "", self.columns, cells)

    def close(self) -> Iterator[Block]:
        """Yield the block that was being read, if any."""
        if self.open:
            one, self.open = self.open, None
            shown, said = (text[one.start : one.end].replace("\n", " ") for text in (self.shown, self.text))
            yield Block(shown, said, one.line, self.lead or self.heading, one.item, one.box)


_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|z\.\s?B|d\.\s?h|bzw|ca|p\.\s?ej|resp|no|nr)|^\W*\d{1,3})\.$", re.I
)
# A decision or a next step is shorter than this; longer sentences are tables, minified code or an attack on the
# patterns.
LONGEST_SENTENCE = 1_500
_END = re.compile(r"[.!?…][*_)\"”’»]*(?=\s)|[.!?…][*_)\"”’»]*$")


def sentences(block: Block) -> list[TurnSentence]:
    """Return the sentences of a block. A sentence does not end at an abbreviation, nor before a word in lower case."""
    found, start = [], 0
    for match in _END.finditer(block.shown):
        after = block.said[match.end() :].lstrip()
        if after and (after[0].islower() or _ABBREVIATION.search(block.shown[start : match.end()])):
            continue
        found.append(TurnSentence(start, match.end()))
        start = match.end()
    if block.shown[start:].strip():
        found.append(TurnSentence(start, len(block.shown)))
    return found


_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")


def plain(text: str, longest: int) -> str:
    """Return the text without emphasis, on one line, cut between words."""
    text = " ".join(_EMPHASIS.sub("", text).split()).strip(" -–—:;,")
    return text if len(text) <= longest else text[: longest - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


# A text cut shorter than this keeps only its beginning.
BOTH_ENDS = 160
# The share that the beginning gets in a longer text: it describes the state, and the end what is next.
BEGINNING = 0.6


def both_ends(text: str, longest: int) -> str:
    """Return the line with its middle cut out, between words if possible."""
    if len(text) <= longest or longest < BOTH_ENDS:
        return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
    head = int(longest * BEGINNING)
    return f"{text[:head].rsplit(' ', 1)[0].rstrip()} … {text[head + 3 - longest :].partition(' ')[2].lstrip()}"
