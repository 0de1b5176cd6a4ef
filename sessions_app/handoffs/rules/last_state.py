"""The state in which a session stopped, read from its events: what it changed, what it committed, what was failing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sessions_app.rules.vocabulary import CHANGES, CHECKS, EventKind
from sessions_app.transcripts.rules.errors import LINES

LONGEST_ERROR = 400


@dataclass(frozen=True)
class RecordedEvent:
    """The parts of a recorded event that are shown again. `error`: the template of its fingerprint; `printed`: the
    error as reported, if it was requested.
    """

    kind: str
    at: datetime
    path: str = ""
    command: str = ""
    outcome: str = ""
    error: str = ""
    printed: str = ""


def edits(events: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    """Return the events that changed a file. An edit that failed changed none."""
    return [event for event in events if event.kind in CHANGES and event.path and event.outcome != "failed"]


def changes(events: Sequence[RecordedEvent]) -> bool:
    """Return whether anything was changed: a file, or something by a commit without edits (a merge, a revert)."""
    return any(event.kind == EventKind.COMMIT and event.outcome != "failed" for event in events) or bool(edits(events))


def since_commit(events: Sequence[RecordedEvent]) -> Sequence[RecordedEvent]:
    """Return the events after the last successful commit; all if there was none."""
    commits = [at for at, event in enumerate(events) if event.kind == EventKind.COMMIT and event.outcome != "failed"]
    return events[commits[-1] + 1 :] if commits else events


def last_runs(
    events: Sequence[RecordedEvent], kinds: frozenset[EventKind] = CHECKS
) -> dict[tuple[str, str], RecordedEvent]:
    """Return the last run of each check (tests, builds, migrations, commands), in the order of these runs."""
    last: dict[tuple[str, str], RecordedEvent] = {}
    for event in events:
        if event.kind in kinds:
            last.pop((event.kind, event.command), None)
            last[event.kind, event.command] = event
    return last


def last_failure(events: Sequence[RecordedEvent], told: dict[str, str]) -> dict[str, Any]:
    """Return the last failing command as {command, error, at, edited_since}; {} if nothing was failing.

    A failing check comes before any other command: `ls` of a missing folder is of no importance. `told`: what the
    transcript has, {command, error}; it is used if no event was captured, or if the event lacks the error.
    """
    for kinds in (CHECKS, frozenset({EventKind.ERROR})):
        failing = [
            event
            for event in last_runs(events, kinds).values()
            if _failed(event) and not is_lookup(event.kind, event.command)
        ]
        if failing:
            return _failure(failing[-1], events, told)
        passed = {run.command for run in last_runs(events).values() if run.outcome == "passed"}
        if kinds is CHECKS and told and told["command"] not in passed:
            return {"command": told["command"], "error": told["error"], "at": "", "edited_since": False}
    return {}


def still_failing(failure: dict[str, Any], events: Sequence[RecordedEvent]) -> dict[str, Any]:
    """Return the failure that an earlier session left, if its command has not passed since; {} otherwise."""
    command = failure.get("command")
    if not command or any(event.command == command and event.outcome == "passed" for event in events):
        return {}
    return {**failure, "edited_since": bool(failure.get("edited_since") or edits(events))}


# Commands that look something up and change nothing: finding nothing leaves nothing to do.
_LOOKS = re.compile(
    r"\s*(?:cd [^&|;\n]{0,300}&&\s*)?(?:ls|cat|head|tail|grep|egrep|rg|find|fd|stat|file|which|wc|tree|less|test|diff"
    r"|git (?:status|log|show|diff|blame|grep|ls-files))\b[^&;\n]*\Z"
)


def is_lookup(kind: str, command: str) -> bool:
    """Return whether a recorded command only looked something up, so that its failure needs no cause."""
    return kind == EventKind.ERROR and bool(_LOOKS.match(command))


def _failed(event: RecordedEvent) -> bool:
    return event.outcome == "failed" and bool(event.command or event.printed or event.error)


def _failure(event: RecordedEvent, events: Sequence[RecordedEvent], told: dict[str, str]) -> dict[str, Any]:
    same = told.get("command", "") == event.command
    return {
        "command": event.command or str(event.kind),
        "error": error_lines(event.printed) or event.error or (told.get("error", "") if same else ""),
        "at": f"{event.at:%Y-%m-%d %H:%M}",
        "edited_since": any(edit.at > event.at for edit in edits(events)),
    }


def error_lines(printed: str) -> str:
    """Return the line of an output that names the error and the one that names the failed test; otherwise the last
    line.
    """
    found = [match["line"].strip() for table in LINES[:4] if (match := _last(table, printed))]
    found = found or [match["line"].strip() for table in LINES[4:] if (match := _last(table, printed))][:1]
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return " | ".join(dict.fromkeys(found or lines[-1:]))[:LONGEST_ERROR]


def _last(table: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = None
    for found in table.finditer(text):  # noqa: B007
        pass
    return found
