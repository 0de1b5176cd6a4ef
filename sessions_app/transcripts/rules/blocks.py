"""The prose of one turn as blocks, each under its heading, and the sentences of a block, all with their places.

A block is a paragraph or one item of a list; line ends within it count as spaces. Its `heading` is the last line above
it that is a heading in Markdown, a line all in bold, or the line that ends with a colon right above a list.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sessions_app.transcripts.rules.turn import prose

_ITEM = re.compile(r"[ \t]*(?:[-*+•‣–]|\d{1,3}[.)])[ \t]+(?P<box>\[[ xX~-]\][ \t]+)?")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+(?P<a>.*[^ \t#]|.)[ \t#]*$|[ \t]*(?P<m>\*\*|__)(?P<b>[^*_]+)(?P=m):?[ \t]*$")
# The rows of a table, and the line that parts its head from them.
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_RULE = re.compile(r"[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$")
# A line that names what it is about ("Decision: …") begins again; one that names a reason goes on with what it is for.
_NAMED = re.compile(
    r"[ \t]*(?:\*\*|__)?(?!(?:reasons?|why|rationale|because|grund|begründung|raison|razón|motivo)\b)"
    r"[A-ZÄÖÜÉ][\w'’-]*(?: [\w'’-]+){0,3}(?:\*\*|__)?[:：](?:\*\*|__)?[ \t]+\S",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:.*[.?!][*_]*+)?[ \t]*+(?P<lead>[^.?!]{1,80}?)[*_]*+[:：][*_]*+[ \t]*$")
# What is longer is no heading, and is not read further.
LONGEST_HEADING = 300


@dataclass(frozen=True)
class Block:
    """`shown` is the prose (what is not said is blank), `said` the text as it came; both are equally long.

    `box` is the mark in a task list's box: a blank is open, anything else is not; "" without a box. A row of a table
    has the heads of its `columns` and its `cells`, without emphasis.
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
    """A block that is being read."""

    start: int
    end: int
    line: int
    item: bool
    box: str = ""


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a turn in order."""
    reader = _Reader(text, prose(text))
    for number, line in enumerate(reader.lines):
        yield from reader.take(number, line)
    yield from reader.close()


class _Reader:
    """Takes the lines of a turn one by one. `lead` is the line above a list, `heading` that of the section."""

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
            # The paragraph after a list ends what led it; a further line of an item does not.
            self.lead = ""
        if self.open:
            self.open.end = end
        else:
            self.open = _OpenBlock(start, end, number + 1, False)

    def _row(self, number: int, line: str, start: int, end: int) -> Iterator[Block]:
        """A row of a table; its first one names the columns."""
        said = self.text[start:end]
        cells = tuple(plain(cell, len(said)) for cell in said.strip().strip("|").split("|"))
        if not self.columns:
            self.columns = cells
        elif not _RULE.match(line) and line.strip(" |\t"):
            yield Block(line, said, number + 1, self.lead or self.heading, False, "", self.columns, cells)

    def close(self) -> Iterator[Block]:
        """The block that was being read, if there is one."""
        if self.open:
            one, self.open = self.open, None
            shown, said = (text[one.start : one.end].replace("\n", " ") for text in (self.shown, self.text))
            yield Block(shown, said, one.line, self.lead or self.heading, one.item, one.box)


_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|z\.\s?B|d\.\s?h|bzw|ca|p\.\s?ej|resp|no|nr)|^\W*\d{1,3})\.$", re.I
)
# Nobody says a decision or a next step in more; longer ones are tables, minified code or an attack on the patterns.
LONGEST_SENTENCE = 1_500
_END = re.compile(r"[.!?…][*_)\"”’»]*(?=\s)|[.!?…][*_)\"”’»]*$")


def sentences(block: Block) -> list[TurnSentence]:
    """The sentences of a block. One does not end at an abbreviation, nor where the next word is in lower case."""
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
    """Without emphasis, on one line, cut between words."""
    text = " ".join(_EMPHASIS.sub("", text).split()).strip(" -–—:;,")
    return text if len(text) <= longest else text[: longest - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


# What is cut shorter than this keeps its beginning alone.
BOTH_ENDS = 160
# The share of a longer text that its beginning has: it says how things are; what is next stands at the end.
BEGINNING = 0.6


def both_ends(text: str, longest: int) -> str:
    """The line cut in its middle, between words where it can be."""
    if len(text) <= longest or longest < BOTH_ENDS:
        return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
    head = int(longest * BEGINNING)
    return f"{text[:head].rsplit(' ', 1)[0].rstrip()} … {text[head + 3 - longest :].partition(' ')[2].lstrip()}"
