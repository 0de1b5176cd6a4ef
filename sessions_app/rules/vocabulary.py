"""The closed lists of words of a session's life, and the spans of time it is measured by."""

from datetime import timedelta
from enum import StrEnum


class SessionState(StrEnum):
    """Abandoned: silent for `SILENCE` without an end. A call brings it back to life; an ended one stays ended."""

    LIVE = "live"
    ENDED = "ended"
    ABANDONED = "abandoned"


class HandoffState(StrEnum):
    """Clean: by an end. Provisional: by a checkpoint, or of one that came back to life. Recovered: put together."""

    CLEAN = "clean"
    PROVISIONAL = "provisional"
    RECOVERED = "recovered"


class Closed(StrEnum):
    """How a handoff came to be offered no more. Superseded: by a later one, before there were work items."""

    TAKEN_OVER = "taken_over"
    CONTINUED = "continued"
    CLOSED = "closed"
    SUPERSEDED = "superseded"


class EventKind(StrEnum):
    """What an agent's hook reports."""

    EDIT = "edit"
    WRITE = "write"
    TEST = "test"
    BUILD = "build"
    COMMIT = "commit"
    MIGRATION = "migration"
    COMMAND = "command"
    ERROR = "error"
    NOTE = "note"


# What only looks leaves no trace worth keeping: it is counted and dropped (Surchin skips Read, Glob, Grep, Agent).
READ_ONLY = frozenset({"read", "search", "glob", "grep", "list", "agent"})
CHANGES = frozenset({EventKind.EDIT, EventKind.WRITE})
CHECKS = frozenset({EventKind.TEST, EventKind.BUILD, EventKind.MIGRATION, EventKind.COMMAND})

# Product design, 5.1. A pause for a meal comes back to life by its next call, so nothing is lost by a short one; a
# longer one keeps the next session of the repo waiting for what the last one knew.
SILENCE = timedelta(minutes=30)
# How precisely a sign of life is kept: one write a minute for each session instead of one a call.
HEARTBEAT_STEP = timedelta(minutes=1)

_PASSED = frozenset({"passed", "pass", "ok", "success", "succeeded", "done", "0", "green"})
_FAILED = frozenset({"failed", "fail", "failure", "error", "errored", "crashed", "timeout", "red"})


def outcome(word: str, error: str = "") -> str:
    """`passed`, `failed`, or "" when the word says neither; an event that carries an error has failed."""
    word = word.strip().lower()
    if word in _PASSED:
        return "passed"
    return "failed" if word in _FAILED or (error.strip() and not word) else ""
