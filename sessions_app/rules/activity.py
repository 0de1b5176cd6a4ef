"""The activity table: its columns, its cursor, and which names in a line of the log may be those of objects."""

import re
from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum

from knowledge.review.rules.table import RowTable, TableColumn


class ActorInterface(StrEnum):
    """How somebody came: with a token, as agents and scripts do, or signed in to the pages."""

    AGENTS = "agents"
    PAGES = "pages"


ACTIVITY = RowTable(
    title=TableColumn("event", "Event"),
    columns=(
        TableColumn("at", "When", ("at",), largest_first=True),
        TableColumn("who", "Who"),
        TableColumn("verb", "Action"),
        TableColumn("object", "Object"),
        TableColumn("team", "Team"),
        TableColumn("why", "Reason"),
    ),
    shown=("at", "who", "verb", "object", "team"),
    order="-at",
)

# References as they stand in a sentence: PLAT-50 is an insight's, S-12 a session's.
_NAMES = re.compile(r"\b(?:[A-Z][A-Z0-9]{0,11}-[0-9]{1,9})\b", re.ASCII)
_CURSOR = re.compile(r"([0-9T:.+\-]{19,40})_([0-9]{1,18})", re.ASCII)


def names_in(text: str) -> list[str]:
    """The references that stand in a text, in their order."""
    return _NAMES.findall(text)


def parts_of(text: str) -> Iterator[tuple[str, bool]]:
    """A text in parts: each, and whether it is a reference."""
    end = 0
    for found in _NAMES.finditer(text):
        yield text[end : found.start()], False
        yield found[0], True
        end = found.end()
    yield text[end:], False


def cursor(at: datetime, key: int) -> str:
    """A place in the log as it stands in an address."""
    return f"{at.isoformat()}_{key}"


def place_of(text: str) -> tuple[datetime, int]:
    """The place that a cursor names. Raises ValueError."""
    found = _CURSOR.fullmatch(text)
    if not found:
        raise ValueError("not a cursor")
    at = datetime.fromisoformat(found[1])
    if at.utcoffset() is None:
        raise ValueError("a moment without its offset")
    return at, int(found[2])
