"""Log lines as JSON, for log collectors: LOG_FORMAT=json.

Each line has the id of its request, who called and in which session. No line contains what somebody wrote: no query
strings, bodies or parameters of statements; of an exception only the type and the place, because its message may quote
what was sent.
"""

import json
import logging
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from django.db import OperationalError
from django.http import HttpRequest
from django.utils.functional import LazyObject, empty

from accounts.rules.guard.detection import redact_secrets

CURRENT: ContextVar[HttpRequest | None] = ContextVar("current_request", default=None)
# The length of a log message, and of an exception's message. A longer one is text that somebody wrote.
LONGEST = 500
LONGEST_SAYING = 200
# Exceptions whose messages are about the machine and the network, not about what was sent.
OUTSIDE = (OSError, OperationalError)
# A full session id would let its user's other tokens act in it; this many characters tell sessions apart.
SESSION_SHOWN = 16
# Further fields in the line of the request itself.
FIELDS = ("endpoint", "method", "status", "ms", "database_ms", "statements")


class JsonLines(logging.Formatter):
    """One JSON object per line: at, level, logger, message; and request, member, token and session, if any."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _masked(record.getMessage(), LONGEST),
            **about(CURRENT.get()),
            **{name: record.__dict__[name] for name in FIELDS if name in record.__dict__},
        }
        if record.exc_info and record.exc_info[1]:
            line["exception"] = describe_error(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False, default=str)


def about(request: HttpRequest | None) -> dict[str, Any]:
    """Return the ids of a request that are known already: logging makes no database query."""
    if request is None:
        return {}
    found = {"request": getattr(request, "id", None)}
    user = request.__dict__.get("user")
    if user is not None and not (isinstance(user, LazyObject) and user.__dict__["_wrapped"] is empty):
        found["member"] = user.pk
    found["token"] = getattr(request.__dict__.get("auth"), "pk", None)
    found["session"] = str(getattr(request, "agent_session", ""))[:SESSION_SHOWN] or None
    return {name: value for name, value in found.items() if value is not None}


def describe_error(error: BaseException) -> dict[str, Any]:
    """Return an exception without anything that somebody wrote: its type and place, and its message if it is one of
    OUTSIDE.
    """
    frames = traceback.extract_tb(error.__traceback__)
    found: dict[str, Any] = {"type": type(error).__name__}
    if isinstance(error, OUTSIDE):
        found["said"] = _masked((str(error).splitlines() or [""])[0], LONGEST_SAYING)
    return {**found, "at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-20:]]}


def _masked(text: str, longest: int) -> str:
    return redact_secrets(text[:longest])[0]
