"""Turn a session's events into draft insights at its end.

Two kinds of event teach something: an error that a change fixed, and one that kept coming back in spite of changes. An
edit, a passing test or a commit alone teaches nothing. A draft says what was recorded and nothing more: which check
failed with what error, which files were edited, that it passed then, what the next commit says. It quotes the error's
own words; the fingerprint's template only identifies events of the same error. A draft below the quality gate is not
made.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.errors.rules.fingerprint import printed
from knowledge.rules.draft import shortened
from knowledge.rules.quality import GATE, quality
from sessions_app.handoffs.rules.last_state import RecordedEvent
from sessions_app.handoffs.rules.recovery import open_errors
from sessions_app.rules.vocabulary import CHANGES, EventKind

# The largest number of lessons of one session; more would be a diary.
MOST_LESSONS = 3
# The second time may be another look at the same fault; the third time a fix has been tried and has failed.
KEPT_COMING = 3
MOST_FILES = 5
# If more files than this were edited between failure and success, nobody can tell which mattered.
MOST_EDITED = 8
# A sentence with a longer error, command or commit message would not be read.
LONGEST_ERROR = 200
LONGEST_COMMAND = 120
LONGEST_COMMIT = 120
# The length of the error in a title; the edited files come after it.
LONGEST_IN_TITLE = 80
LONGEST_TITLE = 160


@dataclass(frozen=True)
class Lesson:
    """A draft to be deposited. `error`: the template of the fingerprint; `printed`: the error as reported; `kind`: a
    value of knowledge's `Kind`.
    """

    kind: str
    title: str
    body: str
    error: str
    printed: str
    files: tuple[str, ...]

    @property
    def is_telling(self) -> bool:
        """Return whether the insight would pass the quality gate; its anchors are the files and the error."""
        return quality(self.title, self.body, "", len(self.files) + 1).total >= GATE


def lessons(events: Sequence[RecordedEvent]) -> list[Lesson]:
    """Return at most MOST_LESSONS lessons of a session's events (in the order they happened), each error once."""
    found: dict[str, Lesson] = {}
    for place, event in enumerate(events):
        if event.error and event.command and event.error not in found:
            lesson = _solved(event, events[place + 1 :])
            if lesson:
                found[event.error] = lesson
    for error, times in Counter(event.error for event in open_errors(events)).items():
        if times >= KEPT_COMING and error not in found:
            found[error] = _unsolved(error, times, events)
    return [lesson for lesson in found.values() if lesson.is_telling][:MOST_LESSONS]


def _solved(failed: RecordedEvent, later: Sequence[RecordedEvent]) -> Lesson | None:
    """Return the lesson of a check that failed and passed after files were edited; None if it did not."""
    edited: list[str] = []
    for place, event in enumerate(later):
        if event.kind in CHANGES and event.path:
            edited.append(event.path)
        elif (event.kind, event.command) == (failed.kind, failed.command) and event.outcome == "passed":
            files = tuple(dict.fromkeys(edited))
            if not 0 < len(files) <= MOST_EDITED:
                return None
            change = f"after editing {_listed(files)}"
            body = f"{_code(failed.command)} failed with {_quote_error(failed)}; it passed {change}."
            committed = _committed(later[place + 1 :])
            body += f" The next commit says {_quoted(committed)}." if committed else ""
            return Lesson("SOLUTION", _title(failed, f"gone {change}"), body, failed.error, _error(failed), files)
    return None


def _unsolved(error: str, times: int, events: Sequence[RecordedEvent]) -> Lesson:
    where = [event for event in events if event.error == error]
    first, last = events.index(where[0]), len(events) - 1 - events[::-1].index(where[-1])
    tried = [event.path for event in events[first:last] if event.kind in CHANGES and event.path]
    files = tuple(dict.fromkeys([*(event.path for event in where if event.path), *tried]))[:MOST_FILES]
    commands = list(dict.fromkeys(event.command for event in where if event.command))[:MOST_FILES]
    checks = _listed([_code(command) for command in commands]) or "A check"
    body = f"{checks} failed {times} times in one session with {_quote_error(where[-1])}, and it was not solved."
    if tried:
        body += f" Editing {_listed(tuple(dict.fromkeys(tried))[:MOST_FILES])} in between did not help."
    title = _title(where[-1], f"keeps coming back in {_code(commands[0])}" if commands else "keeps coming back")
    return Lesson("PITFALL", title, body, error, _error(where[-1]), files)


def _error(event: RecordedEvent) -> str:
    return event.printed or event.error


def _quote_error(event: RecordedEvent) -> str:
    """Return the error's own words in quotes, with its cause."""
    words = [_quoted(shortened(line, LONGEST_ERROR)) for line in printed(_error(event))]
    return ", caused by ".join(words) or "an error"


def _title(event: RecordedEvent, what: str) -> str:
    words = printed(_error(event))
    head = shortened(words[0], LONGEST_IN_TITLE) if words else "An error"
    return shortened(f"{head}, {what}", LONGEST_TITLE)


def _code(command: str) -> str:
    lines = command.strip().split("\n")
    line = shortened(" ".join(lines[0].split()), LONGEST_COMMAND).replace("`", "'")
    return f"`{line} …`" if len(lines) > 1 else f"`{line}`"


def _quoted(text: str) -> str:
    mark = next((mark for mark in ("'", '"') if mark not in text), "")
    return f"{mark}{text}{mark}" if mark else f"“{text}”"


def _listed(names: Sequence[str]) -> str:
    """Return "a, b and c"."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


# git commit -m "Round half up"; -m "$(cat <<'EOF'⏎Round half up⏎…
_MESSAGE = re.compile(
    r"\s(?:-\w{0,3}m|--message)[\s=]{1,3}(?:\"\$\(cat <<-?\s?['\"]?\w{1,10}['\"]?\n\s{0,20}(?P<document>[^\n]{1,400})"
    r"|\"(?P<double>[^\"$\n]{1,400})|'(?P<single>[^'\n]{1,400}))"
)


def _committed(later: Sequence[RecordedEvent]) -> str:
    """Return the first line of the next commit's message, or ""."""
    commit = next((event for event in later if event.kind == EventKind.COMMIT), None)
    found = _MESSAGE.search(commit.command) if commit else None
    said = next((group for group in found.groups() if group), "") if found else ""
    return shortened(" ".join(said.split()), LONGEST_COMMIT)
