"""Undo steps, and how they are adjusted after a later action on the same row was undone.

A step names the revision that its action made, and is refused at any other. An undo makes a new revision, with the row
as the previous action left it. So the step of the previous action is adjusted (carried on): it then names the new
revision, and also the revision that its action made, by which the step of the action before that can be found in turn.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

CARRIED = "carried on"
# Steps that read the previous values from the log. Unless they are given a time, they would read the last line, which
# is that of the undone action.
FROM_THE_LOG = frozenset({"revert", "undo edit"})


def unwrapped(step: Sequence[Any]) -> list[Any]:
    """Return the step itself, without its adjustment: [name, reference or number, revision, …]."""
    return list(step[2]) if step[0] == CARRIED else list(step)


def made_by(step: Sequence[Any]) -> int:
    """Return the revision that the step's action made."""
    return int(step[1] if step[0] == CARRIED else step[2])


def carried_on(step: Sequence[Any], revision: int, *, at: datetime) -> list[Any]:
    """Return the step adjusted to the row at `revision`. `at`: when its action was recorded, which is after its log
    line.
    """
    name, key, _, *more = unwrapped(step)
    if name in FROM_THE_LOG:
        more = [at.isoformat()]
    return [CARRIED, made_by(step), [name, key, revision, *more]]
