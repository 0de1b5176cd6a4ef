"""The result of a command in a transcript: what the tool was asked to run, and the line of its output that names an
error or counts what passed.
"""

import re
from dataclasses import dataclass

from sessions_app.transcripts.rules.turn import ASSISTANT, USER, Turn


@dataclass(frozen=True)
class CommandOutcome:
    """`error` is "" if the command succeeded, as far as the output shows; `result` is then the last line with a
    count.
    """

    command: str
    error: str
    result: str = ""


# A command that runs something. A file that is only read may be full of errors that did not happen.
_SHELL = r"\A\s*(?:⏺\s*)?(?:Bash|shell|exec\w*|run\w*|terminal|local_shell|execute_command|PowerShell)\b"
RUNS = re.compile(_SHELL, re.I)
# The name of the tool before the command itself.
TOOL = re.compile(_SHELL + r"[ (:]*", re.I)
# Reading a log, a file or a search result: the errors it shows did not happen now.
SHOWS = re.compile(
    r"\A\s*\w+[ (:]+[\"'`]?(?:cat|less|head|tail|grep|rg|sed|awk|"
    r"git\s+(?:log|show|diff|grep)|kubectl\s+logs|docker\s+logs|journalctl|ls|find|echo)\b"
)
# The lines to quote, best first: the error's own name, then the failed test, then that something failed.
LINES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:E\s+)?(?P<line>[\w.]*(?:Error|Exception|Panic)(?:\b|:).*)$",
        r"^(?P<line>error(?:\[\w+\])?:\s+(?!could not compile).*)$",
        r"^(?P<line>(?:panic|fatal):\s+.*)$",
        r"^[^\S\n]*(?P<line>FAILED\s+\S.*)$",
        r"^[^\S\n]*(?P<line>\d+\s+-\s+\S+\s+\(Failed\).*)$",
        r"^[^\S\n]*(?P<line>---\s+FAIL:.*)$",
        r"^(?P<line>.*\b(?:Segmentation fault|core dumped|command not found|npm ERR!).*)$",
        r"^(?P<line>.*\berror TS\d+:.*)$",
        r"^(?P<line>\S+:\d+(?::\d+)?:\s+(?:fatal\s+)?error:.*)$",
    )
)
# The result of a command is within this many characters at the end of its output.
LONGEST_RESULT = 1_500
# The lines in which test runners and builds report success.
RESULT = re.compile(
    r"\b\d+ (?:passed|passing|passes|tests? ok)\b|^ok[ \t]+\S+[ \t]+[\d.]+s|^OK(?: \(|\Z)|^(?:Ran|Found) \d+ |"
    r"\b0 (?:errors|failures|failed)\b"
)


def outcome(turn: Turn) -> CommandOutcome | None:
    """Return the result of a command; None for a turn in which none was run."""
    if turn.role in (USER, ASSISTANT) or not RUNS.match(turn.text) or SHOWS.match(turn.text):
        return None
    command, _, answer = turn.text.strip().partition("\n")
    match = next((found for table in LINES if (found := table.search(answer))), None)
    if match:
        return CommandOutcome(command, match["line"].strip())
    lines = [line.strip(" \t\r=") for line in answer[-LONGEST_RESULT:].split("\n")]
    told = [" ".join(line.split()) for line in lines if RESULT.search(line)]
    # "Ran 16 tests" says more than the "OK" below it.
    counted = [line for line in told if any(map(str.isdigit, line))] or told
    return CommandOutcome(command, "", counted[-1] if counted else "")
