"""How a command of a transcript ended: what the tool was asked, and the line of its answer that names an error, or that
counts what went well.
"""

import re
from dataclasses import dataclass

from sessions_app.transcripts.rules.turn import ASSISTANT, USER, Turn


@dataclass(frozen=True)
class CommandOutcome:
    """`error` is empty when it went well, as far as the answer tells; `result` is then its last line that counts."""

    command: str
    error: str
    result: str = ""


# A command that runs something; a file that is read may be full of errors that are nobody's.
_SHELL = r"\A\s*(?:⏺\s*)?(?:Bash|shell|exec\w*|run\w*|terminal|local_shell|execute_command|PowerShell)\b"
RUNS = re.compile(_SHELL, re.I)
# The tool's name before the command itself.
TOOL = re.compile(_SHELL + r"[ (:]*", re.I)
# Reading a log, a file or a search result: what it shows did not happen now.
SHOWS = re.compile(
    r"\A\s*\w+[ (:]+[\"'`]?(?:cat|less|head|tail|grep|rg|sed|awk|"
    r"git\s+(?:log|show|diff|grep)|kubectl\s+logs|docker\s+logs|journalctl|ls|find|echo)\b"
)
# By what they tell, the best first: the error's own name, then which test failed, then that something did.
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
# The result of a command stands at the end of what it printed.
LONGEST_RESULT = 1_500
# What test runners and builds say in a line when all went well.
RESULT = re.compile(
    r"\b\d+ (?:passed|passing|passes|tests? ok)\b|^ok[ \t]+\S+[ \t]+[\d.]+s|^OK(?: \(|\Z)|^(?:Ran|Found) \d+ |"
    r"\b0 (?:errors|failures|failed)\b"
)


def outcome(turn: Turn) -> CommandOutcome | None:
    """What came of a command; None for a turn in which none was run."""
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
