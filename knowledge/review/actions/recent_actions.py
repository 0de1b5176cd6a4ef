"""The latest actions of a member on the pages, each of which can be undone from the list."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Member
from knowledge.models import Insight, UndoableAction
from knowledge.querysets.undoable_actions import UndoableActionQuerySet
from knowledge.review.actions import bulk
from knowledge.review.rules.undo_steps import carried_on, made_by, unwrapped

# As many as a person does in an hour of triage. For older ones the history of the insight is the better place to look.
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
    """Store what was done and the steps that undo it, if it can be undone, and delete all except the latest fifty
    actions.
    """
    row = UndoableAction.objects.create(user_id=by.user_id, at=now, line=line[:300], steps=[list(s) for s in steps])
    UndoableAction.objects.all().older_than_the_last(by, KEPT).delete()
    return row


def undo_action(
    *, action_id: int | None, by: Member, now: datetime
) -> tuple[UndoableAction, bulk.Done, UndoableAction | None]:
    """Undo one of the member's own actions; without an id, the latest that is not undone. Return it with the result of
    each step, and the action before it on the same rows, which can be undone next. Raises NotFound, AlreadyUndone,
    CannotUndo.
    """
    before = None
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
            before = _carry_on(row, done, mine)
    return row, done, before


def recent_actions(*, by: Member) -> list[UndoableAction]:
    """Return the member's latest actions, newest first."""
    return list(UndoableAction.objects.all().visible_to(by)[:KEPT])


def _carry_on(row: UndoableAction, done: bulk.Done, mine: UndoableActionQuerySet) -> UndoableAction | None:
    """Make the actions before an undone one undoable: the undo has left their rows as they left them, but at a new
    revision. Return the newest of them.
    """
    left = {}
    for place, revision in done.revisions.items():
        _, key, *_ = unwrapped(row.steps[place])
        left[key, made_by(row.steps[place]) - 1] = revision
    if not left:
        return None
    carried = []
    for other in mine.undoable().filter(pk__lt=row.pk):
        steps = [_carried_on(step, left, other.at) for step in other.steps]
        if steps != other.steps:
            other.steps = steps
            other.save(update_fields=["steps"])
            carried.append(other)
    return carried[0] if carried else None


def _carried_on(step: list[Any], left: Mapping[tuple[Any, int], int], at: datetime) -> list[Any]:
    if not bulk.is_at_revision(step):
        return step
    _, key, revision, *_ = unwrapped(step)
    return carried_on(step, left[key, revision], at=at) if (key, revision) in left else step


def _undone(row: UndoableAction, by: Member, now: datetime) -> bulk.Done:
    """Return the result of the undo. A refusal of a single step is returned as well, to be shown, and not raised."""
    try:
        return bulk.undo(steps=row.steps, by=by, now=now)
    except Refused as refused:
        return bulk.Done(refused=[(row.line.split(" ")[0], refused)])


# --- actions that can no longer be undone: found for all with one query for each kind of row ---
# A function that returns the displayed name and the present revision of rows, by the key that a step has.
Revisions = Callable[[Member, Collection[Any]], Mapping[Any, tuple[str, int]]]


def _insights(by: Member, refs: Collection[Any]) -> Mapping[Any, tuple[str, int]]:
    rows = Insight.objects.visible_to(by).filter(ref__in=refs).values_list("ref", "revision")
    return {ref: (ref, revision) for ref, revision in rows}


_REVISIONS: dict[str, Revisions] = dict.fromkeys(("revert", "edit back", "undo edit", "move back"), _insights)


def add_revisions(steps: Iterable[str], found: Revisions) -> None:
    """Register the function that finds the revisions of rows of another app, for steps added by `bulk.add_steps`."""
    _REVISIONS.update(dict.fromkeys(steps, found))


def undo_refusals(actions: Sequence[UndoableAction], *, by: Member) -> dict[int, str]:
    """Return, by the key of the action, why none of its steps could be done; actions that can be undone are left out.
    `actions`: newest first.
    """
    waiting = [one for one in actions if one.steps and not one.undone_at]
    now = _revisions_now([step for one in waiting for step in one.steps], by)
    # Rows that the undo of one of the member's own newer actions would restore to the revision of the older action.
    later: set[tuple[Revisions, Any]] = set()
    refused = {}
    for action in waiting:
        whys = [_refusal(step, now, later) for step in action.steps]
        if all(whys):
            refused[action.pk] = whys[0]
        else:
            later |= {found for step in action.steps if (found := _row_of(step))}
    return refused


def _revisions_now(steps: Iterable[Sequence[Any]], by: Member) -> Mapping[Any, tuple[str, int]]:
    keys: dict[Revisions, set[Any]] = {}
    for step in steps:
        if row := _row_of(step):
            keys.setdefault(row[0], set()).add(row[1])
    return {(find, key): is_now for find, some in keys.items() for key, is_now in find(by, some).items()}


def _row_of(step: Sequence[Any]) -> tuple[Revisions, Any] | None:
    name, key, *_ = unwrapped(step)
    return (_REVISIONS[name], key) if name in _REVISIONS else None


def _refusal(step: Sequence[Any], now: Mapping[Any, tuple[str, int]], later: Collection[Any]) -> str:
    row = _row_of(step)
    if row is None:
        return ""
    if row not in now:
        return f"{row[1] if isinstance(row[1], str) else 'It'} was removed, or moved to another team"
    called, revision = now[row]
    if revision == unwrapped(step)[2]:
        return ""
    if row in later and bulk.is_at_revision(step):
        return f"undo your later action on {called} first"
    return f"{called} was changed since"
