"""How somebody saw an insight, as a mark that a form carries: nobody decides on what they did not see.

A mark names the revision, what had taken its place, and when it was last changed. The first two tell whether it still
stands as it was seen; the last, which lines of the log to show to anyone who is told that it does not.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from knowledge.rules.vocabulary import HEIRS

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
# The longest a number of a mark is: what is longer is none of ours.
_DIGITS = 18
# What somebody concluded, as data: no field that changed. Pages put it into words (`templatetags/verdicts`).
VERDICTS = frozenset({"verdict", "verdicts"})
# What follows from the rest, or says nothing to a person.
UNTOLD = VERDICTS | {HEIRS, "strength", "strength_at", "provenance", "reviewed_at", "fades_at"}
# As much of a text as says what it is about, in a message of one line.
SHORT = 160


def mark(revision: int, heir: int | None, changed_at: datetime) -> str:
    """`heir`: the key of what took its place."""
    return f"{revision}.{heir or 0}.{(changed_at - EPOCH) // _TICK}"


def moment(mark: str) -> datetime:
    """When what bears this mark was last changed; of one that is none of ours, the beginning of time."""
    last = mark.rpartition(".")[2]
    return EPOCH + int(last) * _TICK if last.isascii() and last.isdecimal() and len(last) < _DIGITS else EPOCH


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Name, old and new value of each field that a person would ask about."""
    return [(name.replace("_", " "), before.get(name), now) for name, now in after.items() if name not in UNTOLD]


def in_words(actor: str, line: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """A line of the log as part of a message: who did what, and what was and is."""
    told = [f"{name}: {_short(old)} → {_short(new)}" for name, old, new in differences(before, after)]
    return f"{actor}: {line}" + (f" ({'; '.join(told)})" if told else "")


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value if value is not None else "")
    return f"“{text[:SHORT]}{'…' if len(text) > SHORT else ''}”"
