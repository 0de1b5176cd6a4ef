"""What tools did, in one line: the files edited, and the commands run with their results.

If only hooks report an edit, its time determines the passages around it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from sessions_app.transcripts.rules.errors import TOOL, outcome
from sessions_app.transcripts.rules.files import changed
from sessions_app.transcripts.rules.speakers import Speaker
from sessions_app.transcripts.rules.turn import Turn

MOST_NAMED = 6
MOST_COMMANDS = 3
LONGEST_COMMAND, LONGEST_ERROR = 120, 200


@dataclass(frozen=True)
class Activity:
    """The activity in some turns: `files` that were edited; `ran`: each command with its result, if known."""

    files: tuple[str, ...] = ()
    ran: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: "Activity") -> "Activity":
        return Activity(self.files + other.files, self.ran + other.ran)

    @property
    def line(self) -> str:
        """`[edited a.py, b.py; ran pytest -q: 16 passed in 0.3s]`; empty if nothing was done."""
        files = list(dict.fromkeys(self.files))
        named = ", ".join(files[:MOST_NAMED]) + (f" and {len(files) - MOST_NAMED} more" if files[MOST_NAMED:] else "")
        # A command that ran several times has its last result.
        last = list(dict(self.ran).items())[-MOST_COMMANDS:]
        ran = [f"ran {command}: {ended}" if ended else f"ran {command}" for command, ended in last]
        told = [f"edited {named}"] if files else []
        return f"[{'; '.join([*told, *ran])}]" if told or ran else ""


def activity_of(turn: Turn, repo: str = "") -> Activity:
    """Return what one turn of an agent or a tool did. The output of a command is reduced to the line that names its
    error or counts its successes.
    """
    ran = outcome(turn)
    if ran is None:
        return Activity(tuple(changed(turn, repo)))
    command = " ".join(TOOL.sub("", ran.command).split())[:LONGEST_COMMAND]
    return Activity(tuple(changed(turn, repo)), ((command, (ran.error or ran.result)[:LONGEST_ERROR]),))


@dataclass(frozen=True)
class SaidAt:
    """The place of a passage in a conversation, and when it was said."""

    position: int
    speaker: Speaker
    at: datetime


def around(edited: datetime, said: Sequence[SaidAt]) -> list[int]:
    """Return the positions around an edit: the request and the agent's reply; all positions if no times distinguish the
    passages. `said` is in order.
    """
    if len({one.at for one in said}) < 2:
        return [one.position for one in said]
    runs = [list(run) for _, run in groupby(said, key=lambda one: one.speaker)]
    last = max((number for number, run in enumerate(runs) if run[0].at <= edited), default=0)
    beside = last + 1 if runs[last][0].speaker is Speaker.USER else last - 1
    near = [run for number, run in enumerate(runs) if number in (last, beside)]
    return [one.position for run in near for one in run]
