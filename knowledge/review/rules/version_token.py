"""The version token of an insight. A form carries it, so that a decision based on an older version is refused.

A token has the revision, the id of the successor, and the time of the last change. The first two show whether the
insight has changed; the third selects the log lines to show if it has.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from knowledge.rules.vocabulary import HEIRS

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
# The largest number of digits in a token; a longer number is not from a token of ours.
_DIGITS = 18
# Verdicts as data: they are no changed fields. Pages render them as words (`templatetags/verdicts`).
VERDICTS = frozenset({"verdict", "verdicts"})
# Fields that follow from others, or that mean nothing to a person.
UNTOLD = VERDICTS | {HEIRS, "strength", "strength_at", "provenance", "reviewed_at", "fades_at"}
# The length to which a text is cut in a message of one line.
SHORT = 160


def mark(revision: int, heir: int | None, changed_at: datetime) -> str:
    """Return the version token. `heir`: the id of the successor."""
    return f"{revision}.{heir or 0}.{(changed_at - EPOCH) // _TICK}"


def moment(mark: str) -> datetime:
    """Return the time of the last change in a token; EPOCH if the token is invalid."""
    last = mark.rpartition(".")[2]
    return EPOCH + int(last) * _TICK if last.isascii() and last.isdecimal() and len(last) < _DIGITS else EPOCH


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return the name, old and new value of each changed field that a person would ask about."""
    return [(name.replace("_", " "), before.get(name), now) for name, now in after.items() if name not in UNTOLD]


def in_words(actor: str, line: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return a log line as part of a message: who did what, with the old and new values."""
    told = [f"{name}: {_short(old)} → {_short(new)}" for name, old, new in differences(before, after)]
    return f"{actor}: {line}" + (f" ({'; '.join(told)})" if told else "")


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value if value is not None else "")
    return f"“{text[:SHORT]}{'…' if len(text) > SHORT else ''}”"
