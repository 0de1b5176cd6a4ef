"""Which of one's last acts can no longer be undone, and why: found for all of them with one query per kind of row."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from accounts.rules.rights import Member
from knowledge.models import Insight, UndoableAction
from knowledge.review.actions import bulk
from knowledge.review.rules.undo_steps import unwrapped

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
