"""Whether two cited files say different things of one subject, and which of them is the newer.

Only files with a known date are compared: ADRs, minutes, change logs, notes with a date. In a reference two functions
have two defaults without a disagreement. The date is one that the file gives (in its name, in a heading above the
passage, in a line for it); the file system's date is that of a checkout.

Two sentences are about one subject if one has all words of the other, and disagree in one thing: a figure of one
dimension, a name, or a negation. That is strict on purpose. It finds 9 of 12 such pairs, and takes none of 12 similar
pairs for one. With most of the words in place of all it took "the timeout of the payment client" for that of the search
client. If a disagreement is missed, both files are still cited with their lines.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from pathlib import PurePosixPath

from knowledge.evidence.rules.tokens import holds
from knowledge.judging.rules.reading import Sentence, figures_by_dimension, read
from knowledge.retrieval.rules import bm25

# With fewer words, not counting names and figures, two sentences cannot be recognised as about one thing.
FEWEST_WORDS = 3
# The number of the question's words that both must have; of a shorter question all.
ASKED_ABOUT = 2
LONGEST = 160

_ISO = re.compile(r"(?<!\d)(20\d\d)[-_./]?(0[1-9]|1[0-2])[-_./]?(0[1-9]|[12]\d|3[01])(?!\d)")
_MONTHS = "january february march april may june july august september october november december"
_MONTH = "|".join(f"{name}|{name[:3]}" for name in _MONTHS.split())
_WRITTEN = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?P<month>{_MONTH})\.?|(?P<us>{_MONTH})\.?\s+(?P<dated>\d{{1,2}})(?:st|nd|rd|th)?)"
    r",?\s+(?P<year>20\d\d)\b",
    re.IGNORECASE,
)
# A line near the top that says when the file was written or last reviewed.
_LABEL = re.compile(
    r"^[^\w\n]{0,12}(?:date|datum|fecha|updated|modified|reviewed|decided|accepted|status|as of|stand"
    r"|last\W(?:updated|modified|reviewed|changed))\b\W{0,6}[^\n]{0,60}",
    re.IGNORECASE | re.MULTILINE,
)
# A proposal does not hold yet, and a rejected one never did.
_NOT_IN_FORCE = re.compile(
    r"^[^\w\n]{0,12}status\b\W{0,6}[^\n]{0,40}?\b(?:proposed|draft|rejected|withdrawn)\b",
    re.IGNORECASE | re.MULTILINE,
)
# The number of characters of a file that are its top.
TOP = 1_500
_NUMBER = re.compile(r"^(?P<series>[a-z]*)[-_ ]?0*(?P<number>\d{1,6})(?=\D|$)", re.IGNORECASE)


@dataclass(frozen=True)
class Written:
    """The time of a passage: a date, or its place in a series (folder and word, number)."""

    on: date | None = None
    series: str = ""
    number: int = 0

    @property
    def known(self) -> bool:
        return self.on is not None or bool(self.number)

    def before(self, other: "Written") -> bool | None:
        """Return whether it is older; None if that is unknown."""
        if self.on and other.on and self.on != other.on:
            return self.on < other.on
        if self.number and other.number and self.series == other.series and self.number != other.number:
            return self.number < other.number
        return None


def written(path: str, top: str, heading: str = "") -> Written:
    """Return when a passage was written, by the heading above it, its file's name, or a line at the file's `top`;
    nothing for a file that says it is not in force.
    """
    if _NOT_IN_FORCE.search(top[:TOP]):
        return Written()
    name = PurePosixPath(path)
    labels = "\n".join(_LABEL.findall(top[:TOP]))
    found = next((on for text in (heading, path, labels) if (on := _latest(text))), None)
    numbered = None if _ISO.match(name.stem) else _NUMBER.match(name.stem)
    if numbered is None:
        return Written(found)
    return Written(found, f"{name.parent}/{numbered['series'].lower()}", int(numbered["number"]))


def _latest(text: str) -> date | None:
    found = [(match[1], match[2], match[3]) for match in _ISO.finditer(text)]
    days = [_date(int(year), int(month), int(day)) for year, month, day in found]
    for match in _WRITTEN.finditer(text):
        month = (match["month"] or match["us"]).lower()[:3]
        at = [name[:3] for name in _MONTHS.split()].index(month) + 1
        days.append(_date(int(match["year"]), at, int(match["day"] or match["dated"])))
    return max((day for day in days if day), default=None)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def series_of(path: str) -> str:
    """Return the folder and name of a file of a series, with a star for its date; "" for a file without a date in its
    name.
    """
    name = PurePosixPath(path)
    stem, count = _ISO.subn("*", name.name)
    return f"{name.parent}/{stem}" if count == 1 else ""


def newest_first(passages: Sequence["DatedPassage"], asked: Collection[str]) -> list["DatedPassage"]:
    """Return the passages in a new order: those of one series (minutes, weekly reports) that have the same words of the
    question exchange their places, so that the newest comes first. Each says what held when it was written, and the
    question is about now.
    """
    places: dict[tuple[str, frozenset[str]], list[int]] = {}
    for at, one in enumerate(passages):
        if one.written.on and (series := series_of(one.path)):
            places.setdefault((series, said_of(one, asked)), []).append(at)
    told = list(passages)
    for some in places.values():
        newest = sorted((passages[at] for at in some), key=lambda one: one.written.on or date.min, reverse=True)
        for at, one in zip(some, newest, strict=True):
            told[at] = one
    return told


def said_of(passage: "DatedPassage", asked: Collection[str]) -> frozenset[str]:
    """Return the question's words that a passage has."""
    return frozenset(bm25.terms(passage.text)) & frozenset(asked)


# A question with a year, a month or a day is about that time; one about the future is about now.
_TIME = re.compile(
    rf"\b(?:20\d\d|(?:{_MONTH})\b|last|first|until|before|when(?! (?:do|does|is|are|will|can|should)\b)|since|history)",
    re.IGNORECASE,
)


def asks_of_a_time(question: str) -> bool:
    """Return whether a question is about another time than now."""
    return _TIME.search(question) is not None


@dataclass(frozen=True)
class DatedPassage:
    """A cited passage, `number` in the list, and when it was written."""

    number: int
    path: str
    text: str
    written: Written


@dataclass(frozen=True)
class Disagreement:
    """The newer passage and the older one, with the sentence of each."""

    newer: DatedPassage
    older: DatedPassage
    says: str
    said: str


def disagreement(passages: Sequence[DatedPassage], asked: Collection[str]) -> Disagreement | None:
    """Return the first disagreement among passages of different files of known order, the best passages first; None if
    there is none. `asked`: the stems of the question.
    """
    for one, other in combinations([passage for passage in passages if passage.written.known], 2):
        is_older = one.written.before(other.written)
        if one.path == other.path or is_older is None:
            continue
        older, newer = (one, other) if is_older else (other, one)
        for said in _sentences(older.text):
            for says in _sentences(newer.text):
                if disagree(said, says) and _is_asked_about(said, says, asked):
                    return Disagreement(newer, older, says.text, said.text)
    return None


_TITLE = re.compile(r"^[ \t]*#{1,6}[ \t].*$", re.MULTILINE)


def _sentences(text: str) -> Sequence[Sentence]:
    """Return the sentences of a passage; a title directly above one is no part of it."""
    return read(_TITLE.sub("\n\n", text)).sentences


def disagree(one: Sentence, other: Sentence) -> bool:
    """Return whether two sentences say different things of one subject."""
    if _same_up_to_a_figure(one, other):
        return True
    mine, theirs = _subject(one), _subject(other)
    told = min(len(mine), len(theirs)) + len(one.names & other.names)
    if told < FEWEST_WORDS or not mine or not (mine <= theirs or theirs <= mine):
        return False
    names = (one.names - other.names, other.names - one.names)
    if one.paths and other.paths and one.paths != other.paths:
        return False
    if _other_figure(one, other):
        return not all(names)
    if all(len(some) == 1 for some in names):
        return True
    return not any(names) and bool((one.denied ^ other.denied) & mine & theirs)


def _same_up_to_a_figure(one: Sentence, other: Sentence) -> bool:
    """Return whether they are the same sentence except for a figure, of one dimension and different in each. The text
    after the figure ("until the new pump runs") only says for how long or why.
    """
    if not _other_figure(one, other) or one.names != other.names or one.paths != other.paths:
        return False
    mine, theirs = (frozenset(bm25.terms(_FIGURE.split(text, maxsplit=1)[0])) for text in (one.text, other.text))
    return mine == theirs and len(mine) >= FEWEST_WORDS


_FIGURE = re.compile(r"(?<![\w.])\d")


# The words of notices that revoke what another file says.
_REVOKES = re.compile(
    r"\bno longer (?:valid|hold|appl|in (?:force|use)|used|work)"
    r"|\b(?:is|are) (?:obsolete|void|withdrawn|revoked|out of date)\b"
    r"|\bnicht mehr (?:gültig|in Kraft)|\b(?:gilt|gelten) nicht mehr|\bist (?:ungültig|aufgehoben|veraltet)\b"
    r"|\bn['’]est plus (?:valable|valide|en vigueur)|\bya no (?:es válid|vale|está vigente)"
    r"|\bбольше не действу|\bутрати\w* силу",
    re.IGNORECASE,
)
# The revoked thing is identified by a code or a figure; a shorter one stands for many things.
_CODE = re.compile(r"(?<![\w./-])[\w./-]{3,80}")
SHORTEST_CODE = 3


def revokes(text: str, other: str) -> bool:
    """Return whether a text says that a code or figure of another one no longer holds."""
    lowered = other.lower()
    revoking = (sentence.text for sentence in _sentences(text) if _REVOKES.search(sentence.text))
    codes = (code.strip("./-") for said in revoking for code in _CODE.findall(said))
    return any(len(code) >= SHORTEST_CODE and any(map(str.isdigit, code)) and holds(lowered, code) for code in codes)


def _subject(sentence: Sentence) -> frozenset[str]:
    """Return the words of its subject, without the names and figures in which another may differ."""
    parts = {part for name in sentence.names for part in (*re.split(r"[\W_]+", name), *bm25.terms(name))}
    return frozenset(word for word in sentence.words if word not in parts and not any(map(str.isdigit, word)))


def _other_figure(one: Sentence, other: Sentence) -> bool:
    """Return whether each has exactly one figure of a dimension that the other lacks."""
    mine, theirs = figures_by_dimension(one.figures), figures_by_dimension(other.figures)
    return any(
        len(mine[dimension] - theirs[dimension]) == len(theirs[dimension] - mine[dimension]) == 1
        for dimension in mine.keys() & theirs.keys()
    )


def _is_asked_about(one: Sentence, other: Sentence, asked: Collection[str]) -> bool:
    both = one.words & other.words & set(asked)
    return len(both) >= min(ASKED_ABOUT, len(set(asked)))


def lines(found: Disagreement) -> str:
    """Return the disagreement as the briefing states it, in Markdown."""
    sides = ((found.newer, found.says), (found.older, found.said))
    told = [f"- `{one.path}`{_when(one.written)}: “{_cut(text)}” [{one.number}]" for one, text in sides]
    return "\n".join([f"**These files disagree; [{found.newer.number}] is the newer.**", *told])


def newer_line(newer: int, older: int) -> str:
    """Return the line for a later file of a series that speaks of the same, if it is unknown whether it says
    the same.
    """
    return f"**[{newer}] is newer than [{older}] and speaks of it, too; what it says may hold instead.**"


def _when(written: Written) -> str:
    return f" ({written.on:%Y-%m-%d})" if written.on else ""


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rsplit(' ', 1)[0]}…"
