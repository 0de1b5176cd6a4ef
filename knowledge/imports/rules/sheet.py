"""A table of insights that somebody keeps in a spreadsheet, read from CSV or JSON: one row, one insight.

The columns are those of the export, so what was taken away, looked through and added to can be brought back; those are
read that a person writes. A cell is what it was before the export made it harmless for a spreadsheet. What is wrong
with the file as a whole is Unreadable; what is wrong with one row is told with the row, and spoils no other.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from accounts.rules.cells import as_typed
from accounts.rules.refused import Refused

# What a person writes of an insight, and what must be there.
READ = (
    "kind", "title", "body", "reasoning", "tags", "files", "symbols", "questions", "repo", "stability", "source_date",
    "source_url",
)  # fmt: skip
NEEDED = ("kind", "body")
# Columns of an export that are the memory's own affair. Of these `ref` tells which insight a row was taken from.
PASSED_OVER = (
    "ref", "team", "source_type", "status", "strength", "pinned", "trust", "confidence", "corroborations",
    "superseded_by", "author", "created_at", "updated_at",
)  # fmt: skip
# How the entries of a cell are parted.
PARTED = {"tags": ",", "files": "\n", "symbols": "\n", "questions": "\n"}
# What somebody looks through before they say yes. More comes by `manage.py import_notes`.
MOST_ROWS = 500
# What passed is sent along to the confirmation, signed: as much as one request may bring (DATA_UPLOAD_MAX_MEMORY_SIZE),
# also where nothing of it can be packed.
LARGEST = 600_000


class UnreadableSheet(Refused):
    """The file is no such table; `errors` says why, on `file`."""

    code = "invalid"
    detail = "The file cannot be read."

    def __init__(self, why: str) -> None:
        super().__init__(errors={"file": [why]})


@dataclass(frozen=True)
class Row:
    """One row by its number as a spreadsheet counts, the header being 1; in JSON the first object is 1.

    `said`: what is in it by column, as the door of a deposit takes it. `ref`: the insight it was taken from, if it
    says so. `fault`: why it is none.
    """

    number: int
    said: dict[str, Any] = field(default_factory=dict)
    ref: str = ""
    fault: str = ""


def read(data: bytes) -> list[Row]:
    """The rows of a file, blank ones left out. Raises Unreadable."""
    text = _text(data)
    rows = list(_from_json(text) if text.lstrip()[:1] in ("[", "{") else _from_csv(text))
    if not rows:
        raise UnreadableSheet("The file has no rows after the header.")
    if len(rows) > MOST_ROWS:
        raise UnreadableSheet(
            f"The file has {len(rows):,} rows; the limit is {MOST_ROWS}. Split it, or use 'manage.py import_notes'."
        )
    return rows


# --- from bytes to text -------------------------------------------------------------------------------------
# What a file that is no text begins with, and what it is.
_MAGIC = {
    b"PK\x03\x04": "This is a workbook or an archive. Save the sheet as CSV (UTF-8).",
    b"\xd0\xcf\x11\xe0": "This is an old Excel workbook. Save the sheet as CSV (UTF-8).",
    b"\xff\xfe": "This is UTF-16. Save it as CSV in UTF-8.",
    b"\xfe\xff": "This is UTF-16. Save it as CSV in UTF-8.",
    b"%PDF": "This is a PDF, not a table.",
}


def _text(data: bytes) -> str:
    if len(data) > LARGEST:
        raise UnreadableSheet(f"The file has {len(data):,} bytes; the limit is {LARGEST:,}. Split the file.")
    for start, why in _MAGIC.items():
        if data.startswith(start):
            raise UnreadableSheet(why)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UnreadableSheet(f"The file is not UTF-8: line {line} has the byte 0x{data[error.start]:02X}.") from None
    if "\0" in text:
        raise UnreadableSheet("The file contains NUL characters.")
    if not text.strip():
        raise UnreadableSheet("The file is empty.")
    return text


# --- JSON ---------------------------------------------------------------------------------------------------
def _from_json(text: str) -> Iterator[Row]:
    try:
        items = json.loads(text)
    except ValueError as error:
        raise UnreadableSheet(f"The JSON is invalid: {error}.") from None
    except RecursionError:
        raise UnreadableSheet("The JSON is nested too deep.") from None
    if not isinstance(items, list):
        raise UnreadableSheet("The JSON is not a list of objects.")
    for number, item in enumerate(items, start=1):
        fault = _fault(item)
        if fault:
            yield Row(number, fault=fault)
            continue
        yield _row(number, {name: _listed(name, value) for name, value in item.items() if value not in (None, "")})


def _fault(item: Any) -> str:
    """Why this is no row. Of what is passed over anything may be there."""
    if not isinstance(item, dict):
        return "It is not an object."
    for name, value in item.items():
        if name not in READ and name not in PASSED_OVER:
            return f"Unknown column '{name[:60]}'."
        texts = value if name in PARTED and isinstance(value, list) else [value]
        if name in READ and not all(text is None or isinstance(text, str) for text in texts):
            return f"'{name}' is not a text."
    return ""


def _listed(name: str, value: Any) -> Any:
    if name not in PARTED:
        return value
    return _entries(name, value) if isinstance(value, str) else [text for text in value if text]


# --- CSV ----------------------------------------------------------------------------------------------------
# What parts the cells: where the comma is a decimal mark, Excel writes semicolons.
_DELIMITERS = ",;\t"


def _from_csv(text: str) -> Iterator[Row]:
    first = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=first.count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    number = 0
    while True:
        try:
            cells = next(lines)
        except StopIteration:
            break
        except csv.Error as error:
            raise UnreadableSheet(f"Row {number + 1} is not valid CSV: {error}.") from None
        number += 1
        if not any(cell.strip() for cell in cells):
            continue
        if not names:
            names = _header(cells)
        elif len(cells) > len(names):
            yield Row(number, fault=f"It has {len(cells)} cells, the header {len(names)}.")
        else:
            yield _row(number, _row_values(names, cells))


def _header(cells: Sequence[str]) -> list[str]:
    """The names of the columns, in any order and case. Raises Unreadable."""
    names = ["_".join(cell.lower().split()) for cell in cells]
    unknown = [name for name in names if name not in READ and name not in PASSED_OVER]
    missing = [name for name in NEEDED if name not in names]
    twice = sorted({name for name in names if names.count(name) > 1})
    if missing:
        raise UnreadableSheet(f"The header has no column '{missing[0]}'. The columns are: {', '.join(READ)}.")
    if unknown:
        raise UnreadableSheet(f"Unknown column '{unknown[0][:60]}'. The columns are: {', '.join(READ)}.")
    if twice:
        raise UnreadableSheet(f"The column '{twice[0]}' occurs twice.")
    return names


def _row_values(names: Sequence[str], cells: Sequence[str]) -> dict[str, Any]:
    texts = {name: as_typed(cell) for name, cell in zip(names, cells, strict=False) if cell.strip()}
    return {name: _entries(name, text) if name in PARTED else text for name, text in texts.items()}


# --- either -------------------------------------------------------------------------------------------------
_REF = re.compile(r"[A-Z0-9]{1,12}-[0-9]{1,9}")


def _entries(name: str, text: str) -> list[str]:
    return [entry for part in text.replace("\r", "\n").split(PARTED[name]) if (entry := part.strip())]


def _row(number: int, said: dict[str, Any]) -> Row:
    """In the words of the door: upper case kinds, lower case stabilities, a source of its own."""
    ref = str(said.get("ref", ""))[:40].strip()
    kept = {name: value for name, value in said.items() if name not in PASSED_OVER}
    for name, turned in (("kind", str.upper), ("stability", str.lower)):
        if isinstance(kept.get(name), str):
            kept[name] = turned(kept[name].strip())
    for name in ("title", "body", "reasoning"):
        if isinstance(kept.get(name), str):
            kept[name] = kept[name].replace("\r\n", "\n")
    source = {short: kept.pop(name) for short, name in (("date", "source_date"), ("url", "source_url")) if name in kept}
    return Row(number, {**kept, "source": {"type": "import", **source}}, ref if _REF.fullmatch(ref) else "")
