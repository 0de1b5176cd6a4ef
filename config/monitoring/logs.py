"""Lines of the log as JSON, for machines to gather: LOG_FORMAT=json.

Each has the request it belongs to, who asked and in which session. None has what somebody wrote: no query strings, no
bodies, no parameters of statements; of an exception its kind and its place, for what it says may quote what was sent.
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
# Of a message, and of what an exception says. Longer is a text that somebody wrote.
LONGEST = 500
LONGEST_SAYING = 200
# Exceptions that speak of the machine and of the network, not of what was sent.
OUTSIDE = (OSError, OperationalError)
# A session's id in full would let its user's other tokens act in it; so much tells sessions apart.
SESSION_SHOWN = 16
# What the request's own line has besides.
FIELDS = ("endpoint", "method", "status", "ms", "database_ms", "statements")


class JsonLines(logging.Formatter):
    """One object a line: at, level, logger, message; request, member, token and session, when there are any."""

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
    """The ids of a request: what is known already, for a line of the log asks no database."""
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
    """An exception without what anybody wrote: its kind and place, and what it says if it is of the outside."""
    frames = traceback.extract_tb(error.__traceback__)
    found: dict[str, Any] = {"type": type(error).__name__}
    if isinstance(error, OUTSIDE):
        found["said"] = _masked((str(error).splitlines() or [""])[0], LONGEST_SAYING)
    return {**found, "at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-20:]]}


def _masked(text: str, longest: int) -> str:
    return redact_secrets(text[:longest])[0]
