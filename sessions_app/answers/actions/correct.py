"""Correct: insights that a session was shown and that have been superseded since, or hold again.

The model keeps what it has read in its context. It does not ask again, and a prompt on the same subject returns nothing
that it was shown before. So the replacement is given with the next prompt, on any subject.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from accounts.models import LogEntry
from accounts.rules.fence import whose
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.retrieval.actions.standings import is_confirmed
from knowledge.rules.vocabulary import Status
from sessions_app.answers.rules.parts import Item

# The largest number of corrections at once: more would be a new answer, and the session's budget is for what was asked.
MOST = 3
# The longest chain of superseded notes that is followed.
MOST_STEPS = 4
HOLDS_AGAIN = "Holds again: that it was replaced has been undone."
GIVEN_UP = "A lead has deprecated it since it was shown in this session: do not rely on it."


def corrections(shown: Mapping[str, datetime], by: Member) -> list[Item]:
    """Return the items that correct these references (with the time each was last shown), the latest first: the notes
    that superseded them, notes that hold again although a successor was shown, and notes that a lead has deprecated.
    Only confirmed notes count that were not shown since and that the member may read.
    """
    if not shown:
        return []
    gone: dict[str, list[str]] = {}
    found: dict[str, Insight] = {}
    for old in Insight.objects.visible_to(by).filter(ref__in=shown, superseded_by__isnull=False).order_by("-pk"):
        current = _current(old, by)
        if current is not None and current.ref not in shown:
            found[current.ref] = current
            gone.setdefault(current.ref, []).append(old.ref)
    latest = sorted(found.values(), key=lambda row: row.learned_at, reverse=True)
    replaced = [_item(row, superseded=tuple(gone[row.ref])).after(shown) for row in latest]
    return [*replaced, *_changed_back(shown, by)][:MOST]


def _current(old: Insight, by: Member) -> Insight | None:
    """Return the last successor of a note; None if there is none, the member may not read it, or the team has not
    confirmed it: an unreviewed note is not pushed into other sessions.
    """
    row = old
    for _ in range(MOST_STEPS):
        if row.superseded_by_id is None:
            break
        successor = Insight.objects.visible_to(by).filter(pk=row.superseded_by_id).select_related("author").first()
        if successor is None:
            return None
        row = successor
    return row if row.retrievable and is_confirmed(row) else None


def _changed_back(shown: Mapping[str, datetime], by: Member) -> list[Item]:
    """Return the notes that hold again after the session was shown their successor, and those that a lead
    deprecated.
    """
    lines = LogEntry.objects.all().about(*shown).filter(verb__in=("reinstated", "deprecated"), user__isnull=False)
    last = {line.subject: line for line in lines.filter(at__gte=min(shown.values())).order_by("at", "pk")}
    since = {ref for ref, line in last.items() if shown[ref] < line.at}
    if not since:
        return []
    items = []
    rows = Insight.objects.visible_to(by).filter(ref__in=since, superseded_by__isnull=True)
    for row in rows.select_related("author").order_by("-pk"):
        if row.status == Status.DEPRECATED:
            items.append(replace(_item(row, notes=(GIVEN_UP,)), body=""))
        elif row.retrievable and is_confirmed(row) and last[row.ref].before.get("superseded_by") in shown:
            items.append(_item(row, notes=(HOLDS_AGAIN,)))
    return items


def _item(row: Insight, notes: tuple[str, ...] = (), superseded: tuple[str, ...] = ()) -> Item:
    return Item(
        ref=row.ref,
        kind=row.kind,
        status=row.status,
        title=row.title,
        body=row.body,
        reasoning=row.reasoning,
        date=f"{row.learned_at:%Y-%m-%d}",
        confidence=row.confidence,
        who=whose(row.author.username if row.author else None, row.source_type),
        trust=row.trust,
        notes=notes,
        superseded=superseded,
    )
