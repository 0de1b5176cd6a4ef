"""One's last acts on the pages: kept until newer ones take their place, and undone from there at any time."""

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


def undo_action(
    *, action_id: int | None, by: Member, now: datetime
) -> tuple[UndoableAction, bulk.Done, UndoableAction | None]:
    """Take back one of the member's own acts; without an id, the last that was not undone. Returns it with what came
    of each step, and the act before it on the same row, which can be undone now. Raises NotFound, AlreadyUndone,
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
    """The member's last acts, the newest first."""
    return list(UndoableAction.objects.all().visible_to(by)[:KEPT])


def _carry_on(row: UndoableAction, done: bulk.Done, mine: UndoableActionQuerySet) -> UndoableAction | None:
    """Let the acts before an undone one be undone in turn: its rows are as those left them, at the revision of now.
    Returns the newest of them.
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
    """What came of it; that a single step was refused is no error here, but something to tell."""
    try:
        return bulk.undo(steps=row.steps, by=by, now=now)
    except Refused as refused:
        return bulk.Done(refused=[(row.line.split(" ")[0], refused)])


# --- which of them can no longer be undone: found for all with one query for each kind of row ---
# By the names of steps that are done at one revision of a row: how those rows are called, and their revision now.
Revisions = Callable[[Member, Collection[Any]], Mapping[Any, tuple[str, int]]]


def _insights(by: Member, refs: Collection[Any]) -> Mapping[Any, tuple[str, int]]:
    rows = Insight.objects.visible_to(by).filter(ref__in=refs).values_list("ref", "revision")
    return {ref: (ref, revision) for ref, revision in rows}


_REVISIONS: dict[str, Revisions] = dict.fromkeys(("revert", "edit back", "undo edit", "move back"), _insights)


def add_revisions(steps: Iterable[str], found: Revisions) -> None:
    """Say how the revisions of rows of another app are found, for the steps that it adds to `bulk.add_steps`."""
    _REVISIONS.update(dict.fromkeys(steps, found))


def undo_refusals(actions: Sequence[UndoableAction], *, by: Member) -> dict[int, str]:
    """By the key of an action, newest first, why none of its steps would be done; none of what can be undone."""
    waiting = [one for one in actions if one.steps and not one.undone_at]
    now = _revisions_now([step for one in waiting for step in one.steps], by)
    # Rows that one of the member's own newer acts would give back at the revision of the older one.
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
