"""One's last acts on the pages: kept until newer ones take their place, and undone from there at any time."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Member
from knowledge.models import UndoableAction
from knowledge.review.actions import bulk

# As many as a person did in an hour of triage; further back the history of the insight is the better place to look.
KEPT = 50


class AlreadyUndone(Refused):
    code = "wrong_status"
    status = 409
    detail = "This is already undone."


class CannotUndo(Refused):
    code = "wrong_status"
    status = 409
    detail = "This cannot be undone."


def record_action(*, line: str, steps: Sequence[Sequence[Any]], by: Member, now: datetime) -> UndoableAction:
    """Store what was done and how it is taken back, if it can be, and drop what is older than the last fifty."""
    row = UndoableAction.objects.create(user_id=by.user_id, at=now, line=line[:300], steps=[list(s) for s in steps])
    UndoableAction.objects.all().older_than_the_last(by, KEPT).delete()
    return row


def undo_action(*, action_id: int | None, by: Member, now: datetime) -> tuple[UndoableAction, bulk.Done]:
    """Take back one of the member's own acts; without an id, the last that was not undone. Returns it with what came
    of each step. Raises NotFound, AlreadyUndone, CannotUndo.
    """
    with transaction.atomic():
        mine = UndoableAction.objects.all().visible_to(by).select_for_update(no_key=True)
        row = mine.filter(pk=action_id).first() if action_id else mine.undoable().first()
        if row is None:
            raise NotFound("There is nothing to undo.")
        if row.undone_at:
            raise AlreadyUndone
        if not row.steps:
            raise CannotUndo
        done = _undone(row, by, now)
        if done.rows:
            row.undone_at = now
            row.save(update_fields=["undone_at"])
    return row, done


def recent_actions(*, by: Member) -> list[UndoableAction]:
    """The member's last acts, the newest first."""
    return list(UndoableAction.objects.all().visible_to(by)[:KEPT])


def _undone(row: UndoableAction, by: Member, now: datetime) -> bulk.Done:
    """What came of it; that a single step was refused is no error here, but something to tell."""
    try:
        return bulk.undo(steps=row.steps, by=by, now=now)
    except Refused as refused:
        return bulk.Done(refused=[(row.line.split(" ")[0], refused)])
