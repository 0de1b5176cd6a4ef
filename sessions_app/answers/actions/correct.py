"""Correct: what a session was shown and what has been superseded since, or holds again.

The model keeps what it has read in its context. It asks no second time, and a prompt on the same subject brings nothing
that it was shown before; so what took its place is told with the next prompt, whatever that is about.
"""

from collections.abc import Mapping
from datetime import datetime

from accounts.models import LogEntry
from accounts.rules.fence import whose
from accounts.rules.rights import Member
from knowledge.models import Insight
from sessions_app.answers.rules.parts import Item

# More at once would be a new answer, and the session's budget is for what was asked.
MOST = 3
# What is superseded by something superseded is followed so far.
MOST_STEPS = 4
HOLDS_AGAIN = "Holds again: that it was replaced has been undone."


def corrections(shown: Mapping[str, datetime], by: Member) -> list[Item]:
    """What corrects these references, each shown last at its moment, as items of an answer, the latest first: what
    superseded them, with what it replaces, and what holds again although its successor was shown. None of it was shown
    since, and the member may read it. Two statements where there is nothing.
    """
    gone: dict[str, list[str]] = {}
    found: dict[str, Insight] = {}
    for old in Insight.objects.visible_to(by).filter(ref__in=shown, superseded_by__isnull=False).order_by("-pk"):
        current = _current(old, by)
        if current is not None and current.ref not in shown:
            found[current.ref] = current
            gone.setdefault(current.ref, []).append(old.ref)
    latest = sorted(found.values(), key=lambda row: row.learned_at, reverse=True)
    replaced = [_item(row, superseded=tuple(gone[row.ref])).after(shown) for row in latest]
    return [*replaced, *(_item(row, notes=(HOLDS_AGAIN,)) for row in _restored(shown, by))][:MOST]


def _current(old: Insight, by: Member) -> Insight | None:
    """What is at the end of its successors; None if that is not to be found, or not the member's to read."""
    row = old
    for _ in range(MOST_STEPS):
        if row.superseded_by_id is None:
            break
        successor = Insight.objects.visible_to(by).filter(pk=row.superseded_by_id).select_related("author").first()
        if successor is None:
            return None
        row = successor
    return row if row.retrievable else None


def _restored(shown: Mapping[str, datetime], by: Member) -> list[Insight]:
    """Those of which the session was shown what took their place, before that was undone."""
    lines = LogEntry.objects.all().about(*shown).filter(verb="reinstated", at__gte=min(shown.values()))
    refs = {
        line.subject
        for line in lines.only("subject", "before", "at")
        if shown[line.subject] < line.at and line.before.get("superseded_by") in shown
    }
    rows = Insight.objects.visible_to(by).filter(ref__in=refs, superseded_by__isnull=True, retrievable=True)
    return list(rows.select_related("author").order_by("-pk")) if refs else []


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
