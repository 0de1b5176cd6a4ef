"""Undo the last change of an insight, using the previous values in its log line."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.dateparse import parse_datetime

from accounts.models import LogEntry
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotFound, Refused, Stale
from accounts.rules.rights import Level, Member
from knowledge.models import Insight
from knowledge.review.actions.curate import edit
from knowledge.rules.vocabulary import verb_name

# Changes of a few columns, whose previous values are all in the log line. The words and the vector of a text are not.
REVERSIBLE = ("promoted", "deprecated", "restored", "pinned", "unpinned", "validated", "left")
COLUMNS = frozenset({"status", "strength", "strength_at", "pinned", "trust", "provenance", "reviewed_at"})


class NothingToRevert(Refused):
    code = "wrong_status"
    status = 409
    detail = "There is no change to revert."


def revert(*, ref: str, revision: int, by: Member, now: datetime, why: str = "", until: str = "") -> Insight:
    """Undo the change that made it `revision`. Only for leads. Raises NotFound, NotAllowed, Stale, NothingToRevert.

    The strength becomes exactly what it was, as if no time had passed. `until`: changes after this time were undone
    themselves, and are skipped.
    """
    with transaction.atomic():
        insight = _for_lead(ref, by)
        if insight.revision != revision:
            raise Stale(
                errors={"revision": [f"It is at revision {insight.revision}."]}, current_revision=insight.revision
            )
        line = _last_line(ref, REVERSIBLE, until, by)
        if line is None or not line.before or not set(line.before) <= COLUMNS:
            raise NothingToRevert
        changes = {name: _value(name, value) for name, value in line.before.items()}
        said = f"{ref}: “{verb_name(line.verb)}” reverted"
        insight.change(changes, verb="reverted", line=said, by=by, at=now, why=masked(why))
    return Insight.objects.whole().get(pk=insight.pk)


def undo_edit(*, ref: str, revision: int, by: Member, now: datetime, until: str = "") -> Insight:
    """Undo the edit that made it `revision`. The previous words are read from the log and stored nowhere else, so that
    erasing them there is enough. `until`: as for `revert`. Raises NothingToRevert, and what `curate.edit` raises.
    """
    line = _last_line(ref, ["edited"], until, by)
    if line is None or not line.before:
        raise NothingToRevert
    return edit(ref=ref, changes=line.before, revision=revision, by=by, now=now, why="undone", reviewed=True)


def _last_line(ref: str, verbs: Collection[str], until: str, by: Member) -> LogEntry | None:
    lines = LogEntry.objects.visible_to(by).about(ref).filter(verb__in=verbs)
    return (lines.filter(at__lte=parse_datetime(until)) if until else lines).first()


def _value(name: str, value: Any) -> Any:
    """Return a value that the log stores as text, in the type of the column."""
    return parse_datetime(value) if value is not None and name.endswith("_at") else value


def _for_lead(ref: str, by: Member) -> Insight:
    insight = Insight.objects.visible_to(by).filter(ref=ref).select_for_update(no_key=True, of=("self",)).first()
    if insight is None:
        raise NotFound
    by.require(insight.team_id, Level.LEAD)
    return insight
