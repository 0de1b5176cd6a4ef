"""Steps that take an act back, after a later act on the same row was undone.

A step names the revision that its act left, and is refused at any other. An undo counts the revision up and leaves the
row as the act before left it: that act's step then names the new revision, and the one its act made, by which the step
of the act before that is found in turn.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

CARRIED = "carried on"
# Those that read from the log what was before: without a moment they read its last line, which is the undone act's.
FROM_THE_LOG = frozenset({"revert", "undo edit"})


def unwrapped(step: Sequence[Any]) -> list[Any]:
    """The step to do: [name, reference or number, revision, …]."""
    return list(step[2]) if step[0] == CARRIED else list(step)


def made_by(step: Sequence[Any]) -> int:
    """The revision that the step's act made."""
    return int(step[1] if step[0] == CARRIED else step[2])


def carried_on(step: Sequence[Any], revision: int, *, at: datetime) -> list[Any]:
    """The step for the row as it is at `revision`; `at`: when its act was recorded, after its line in the log."""
    name, key, _, *more = unwrapped(step)
    if name in FROM_THE_LOG:
        more = [at.isoformat()]
    return [CARRIED, made_by(step), [name, key, revision, *more]]
