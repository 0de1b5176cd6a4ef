"""Which of a session's events are worth the team's memory: the few that taught something, as plain statements of fact.

Surchin promotes high-signal events to drafts when a session ends. High is the signal of an error that a change made go
away, and of one that kept coming back in spite of changes. An edit, a passing test or a commit by itself teaches
nothing. Nothing is claimed beyond what was recorded: which check failed how, what was edited, that it passed then.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sessions_app.rules.recovery import Event, open_errors
from sessions_app.rules.vocabulary import CHANGES

# More than a few from one session is a diary, not a memory.
MOST_LESSONS = 3
# Twice may be the second look at the same fault; the third time it has been tried, and has not gone away.
KEPT_COMING = 3
MOST_FILES = 5
# More files than this between failure and success, and nobody can tell which mattered.
MOST_EDITED = 8


@dataclass(frozen=True)
class Lesson:
    """A draft in the making. `error` is the fingerprint's template; `kind` a word of knowledge's vocabulary."""

    kind: str
    title: str
    body: str
    error: str
    files: tuple[str, ...]


def lessons(events: Sequence[Event]) -> list[Lesson]:
    """At most MOST_LESSONS lessons of a session's events (in the order they happened), each error once."""
    found: dict[str, Lesson] = {}
    for place, event in enumerate(events):
        if event.error and event.command and event.error not in found:
            lesson = _overcome(event, events[place + 1 :])
            if lesson:
                found[event.error] = lesson
    for error, times in Counter(event.error for event in open_errors(events)).items():
        if times >= KEPT_COMING and error not in found:
            found[error] = _unsolved(error, times, events)
    return list(found.values())[:MOST_LESSONS]


def _overcome(failed: Event, later: Sequence[Event]) -> Lesson | None:
    """The check failed, files were edited, then it passed."""
    edited: list[str] = []
    for event in later:
        if event.kind in CHANGES and event.path:
            edited.append(event.path)
        elif (event.kind, event.command) == (failed.kind, failed.command) and event.outcome == "passed":
            files = tuple(dict.fromkeys(edited))
            if not 0 < len(files) <= MOST_EDITED:
                return None
            body = (
                f"`{_line(failed.command)}` failed with: {_line(failed.error)}\n"
                f"After editing {', '.join(files)} it passed."
            )
            return Lesson("SOLUTION", _title(failed.error, "overcome by editing", files), body, failed.error, files)
    return None


def _unsolved(error: str, times: int, events: Sequence[Event]) -> Lesson:
    where = [event for event in events if event.error == error]
    files = tuple(dict.fromkeys(event.path for event in where if event.path))[:MOST_FILES]
    commands = ", ".join(f"`{name}`" for name in dict.fromkeys(_line(e.command) for e in where if e.command))
    body = f"This error came {times} times in one session and was not overcome: {_line(error)}"
    body += f"\nSeen when running {commands}." if commands else ""
    return Lesson("PITFALL", _title(error, "keeps coming back", files), body, error, files)


def _title(error: str, what: str, files: tuple[str, ...]) -> str:
    head = _line(error)[:70].rstrip()
    return f"{head}: {what}" + (f" {files[0]}" if files and what.endswith("editing") else "")[:120]


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 300 else line[:299] + "…"
