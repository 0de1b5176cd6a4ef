"""Secrets named by the head of their column: in tables of Markdown, rows of values with commas
or in columns, and `INSERT INTO`."""

import re
from collections.abc import Iterator

from accounts.rules.guard.names import is_promised, kind_of
from accounts.rules.guard.rows import Extent, SecretFormat

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


COLUMNS = (
    SecretFormat("secret in a table", _NAMES, _tables),
    SecretFormat("secret in a column", _NAMES, _separated),
    SecretFormat("secret in a column", _NAMES, _aligned),
    SecretFormat("secret in a column", ("insert",), _inserted),
)
