"""Secrets named by the head of their column, in tables of Markdown, rows of values with commas or in columns, and
`INSERT INTO`; and drawn values alone on a line, named by what stands behind them or by the heading of their list.
"""

import re
from collections.abc import Iterator, Sequence

from accounts.rules.guard.drawn import is_token
from accounts.rules.guard.names import KEY, PASSWORD, is_promised, kind_of
from accounts.rules.guard.rows import Extent, SecretFormat
from accounts.rules.guard.stand_ins import is_encrypted, is_made_up, is_public, is_sealed
from accounts.rules.guard.vicinity import MASKED, class_of, words_near

_NAMES = ("pass", "secret", "token", "key", "pwd")


def _is_cell(kind: str, value: str) -> bool:
    return not re.search(r"\s", value) and is_promised(kind, value)


# --- Markdown ------------------------------------------------------------------------------------------
_ROW = re.compile(r"^[ \t]{0,8}\|(?P<cells>[^\n]{3,2000})\|[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"[ \t:|-]+")


def _tables(text: str) -> Iterator[Extent]:
    """Yield the cells below a heading that names a secret, and those beside its name, in tables of Markdown."""
    columns: dict[int, str] = {}
    heading: list[str] = []
    end = -2
    for match in _ROW.finditer(text):
        cells = [cell.strip(" \t`*\"'") for cell in match["cells"].split("|")]
        if match.start() != end + 1:
            columns, heading = {}, cells
        elif _RULE.fullmatch(match["cells"]):
            columns = {number: kind_of(cell) for number, cell in enumerate(heading)}
        at = match.start("cells")
        for number, cell in enumerate(cells):
            kind = columns.get(number) or (kind_of(cells[number - 1]) if number else "")
            if cell and _is_cell(kind, cell):
                at = text.index(cell, at)
                yield at, at + len(cell)
        end = match.end()


# --- values with commas --------------------------------------------------------------------------------
_HEAD_OF_COLUMNS = re.compile(
    r"^(?P<names>[\w \"-]{1,40}(?:(?P<by>[,;\t])[\w \"-]{1,40})(?:(?P=by)[\w \"-]{1,40}){0,20})$", re.MULTILINE
)


def _separated(text: str) -> Iterator[Extent]:
    """Yield the values below a head that names a secret, in the lines with as many values that follow it."""
    end = 0
    for head in _HEAD_OF_COLUMNS.finditer(text):
        names = [name.strip(' "') for name in head["names"].split(head["by"])]
        kinds = [kind_of(name) for name in names]
        start = head.end() + 1
        if head.start() < end or not any(kinds) or any(name.isdigit() for name in names):
            continue
        while start < len(text):
            end = text.find("\n", start) + 1 or len(text) + 1
            line = text[start : end - 1]
            if line.count(head["by"]) != len(kinds) - 1:
                break
            yield from _of_line(line, head["by"], kinds, start)
            start = end


def _of_line(line: str, by: str, kinds: list[str], at: int) -> Iterator[Extent]:
    # there are as many; the client runs on Python 3.9, whose `zip` cannot make sure of it
    for number, cell in enumerate(line.split(by)):
        kind = kinds[number]
        value = cell.strip(" \"'")
        if _is_cell(kind, value):
            start = at + cell.index(value)
            yield start, start + len(value)
        at += len(cell) + 1


# --- columns of blanks ---------------------------------------------------------------------------------
_GAP = re.compile(r"[ \t]{2,}|\t")
_ALIGNED = re.compile(
    r"^[ \t]{0,8}[A-Za-z][\w#/.-]{0,30}(?:(?:[ \t]{2,60}|\t)[\w#/.-]{1,30}){1,12}[ \t]*$", re.MULTILINE
)


def _aligned(text: str) -> Iterator[Extent]:
    """Yield the values below a head that names a secret, in the lines with as many values that stand apart likewise."""
    end = 0
    for head in _ALIGNED.finditer(text):
        kinds = [kind_of(name) for name in _GAP.split(head.group().strip())]
        start = head.end() + 1
        if head.start() < end or not any(kinds):
            continue
        while start < len(text):
            end = text.find("\n", start) + 1 or len(text) + 1
            line = text[start : end - 1]
            cells = _GAP.split(line.strip())
            if len(cells) != len(kinds):
                break
            at = 0
            for kind, cell in zip(kinds, cells):  # noqa: B905 - there are as many; the client runs on Python 3.9
                at = line.index(cell, at)
                if _is_cell(kind, cell):
                    yield start + at, start + at + len(cell)
                at += len(cell)
            start = end


# --- SQL -----------------------------------------------------------------------------------------------
_INSERT = re.compile(
    r"(?i:insert\s{1,4}into)\s[^\n()]{1,80}\((?P<names>[\w\s,\"`]{1,400})\)\s{0,20}(?i:values)\s{0,20}\((?P<values>[^()]{1,2000})\)"
)


def _inserted(text: str) -> Iterator[Extent]:
    """Yield the values of columns that name a secret, in the first row that a statement inserts."""
    for match in _INSERT.finditer(text):
        kinds = [kind_of(name.strip(' \t\n"`')) for name in match["names"].split(",")]
        if any(kinds) and match["values"].count(",") == len(kinds) - 1:
            yield from _of_line(match["values"], ",", kinds, match.start("values"))


# --- labels --------------------------------------------------------------------------------------------
# A value alone on its line, or an item of a list: with a bullet, a word or two before it, and what is said behind it.
_ALONE = re.compile(
    r"^[ \t>]{0,12}(?:[-*•]|\d{1,2}[.)])?[ \t]{0,4}"
    r"(?:(?P<item>[A-Za-z][\w.-]{0,20}(?: [A-Za-z][\w.-]{0,20})?)[ \t]?[:=]?[ \t]{1,4})?"
    r"(?P<quote>[\"'`]?)(?P<value>[A-Za-z0-9+/_-]{24,200}={0,2})(?P=quote),?(?P<behind>[ \t][^\n]{0,80})?$",
    re.MULTILINE,
)
_HEXADECIMAL = re.compile(r"(?:[0-9a-f]{8}){4,16}|(?:[0-9A-F]{8}){4,16}")
_LABEL_BEHIND = re.compile(r"[ \t]{1,8}(?:#+|//|<-+|←|\()[ \t]{0,4}(?P<label>[^()\n#]{3,60}?)\)?[ \t.]{0,4}")
# What stands between a heading and its values, beside other values: empty lines, rules, fences of code.
_NO_LABEL = re.compile(r"[\W_]*|[ \t>]{0,8}(?:`{3}|~{3})[\w-]{0,20}[ \t]*")
_NAME_AND_VALUE = re.compile(r"[:=][ \t]{0,8}[^\s*_`]")
# So far above a value its heading is looked for, and of so many words it is one.
LONGEST_LIST, MOST_LINES, WORDS_OF_LABEL = 800, 10, 6
# Of an item of a list so many words stand beside its value.
MOST_BESIDE = 3
# What a command prints is not called by it.
_PROMPTS = ("$", "%")
_FOR_SHOW = re.compile(r"(?i:example|sample|dummy|fake|mock|placeholder|test)")


def _names_secret(words: str) -> bool:
    """Whether it names a secret, and nothing that all may read."""
    said = words.strip(" \t#*_>`:-–—.→").split("(")[0].rstrip(" :*_`→")
    parts = words_near(said)
    if not 0 < len(parts) <= WORDS_OF_LABEL or said.startswith(_PROMPTS) or _FOR_SHOW.search(said):
        return False
    return kind_of(said) in (KEY, PASSWORD) and "O" not in map(class_of, parts)


def _heading_of(text: str, start: int, end: int) -> str:
    """Return the nearest line above that is neither a value of the same list nor empty; "" if it has a value of its own
    or is further to the right.
    """
    lines = text[max(0, start - LONGEST_LIST) : start].split("\n")[:-1]
    for line in lines[: -MOST_LINES - 1 : -1]:
        if MASKED not in line and not _ALONE.match(line) and not _NO_LABEL.fullmatch(line):
            return "" if _NAME_AND_VALUE.search(line) or _indent(line) > _indent(text[start:end]) else line
    return ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_bare(beside: Sequence[str]) -> bool:
    """Whether the words beside a value say no more than which one of several it is."""
    return len(beside) <= MOST_BESIDE and "secure" not in beside and "O" not in map(class_of, beside)


def _labelled(text: str) -> Iterator[Extent]:
    """Yield values that are drawn beyond doubt, alone on their line, of which a label says that they are a secret."""
    for match in _ALONE.finditer(text):
        value, item, behind = match["value"], match["item"] or "", match["behind"] or ""
        if not (_HEXADECIMAL.fullmatch(value) or is_token(value)):
            continue
        label = _LABEL_BEHIND.fullmatch(behind)
        if not _is_bare(words_near(item if label else f"{item} {behind}")):
            continue
        if is_made_up(value) or is_public(value) or is_encrypted(value):
            continue
        named = label["label"] if label else _heading_of(text, *match.span())
        if _names_secret(named) and not is_sealed(text, match.start("value"), value):
            yield match.span("value")


COLUMNS = (
    SecretFormat("secret in a table", _NAMES, _tables),
    SecretFormat("secret in a column", _NAMES, _separated),
    SecretFormat("secret in a column", _NAMES, _aligned),
    SecretFormat("secret in a column", ("insert",), _inserted),
)
LABELS = (SecretFormat("secret below its label", _NAMES, _labelled),)
