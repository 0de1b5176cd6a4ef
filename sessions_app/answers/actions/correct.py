"""Correct: what a session was shown and what has been superseded since.

The model keeps what it has read in its context. It asks no second time, and a prompt on the same subject brings nothing
that it was shown before; so what took its place is told with the next prompt, whatever that is about.
"""

from collections.abc import Collection, Iterable

from accounts.rules.fence import whose
from accounts.rules.rights import Member
from knowledge.models import Insight
from sessions_app.answers.rules.parts import Item

# More at once would be a new answer, and the session's budget is for what was asked.
MOST = 3
# What is superseded by something superseded is followed so far.
MOST_STEPS = 4


def corrections(shown: Collection[str], by: Member) -> list[Item]:
    """What superseded these references, as far as the member may read it and it is not among them itself, the latest
    first: each as the item of an answer that names what it replaces. One statement where nothing was superseded.
    """
    found: dict[str, Insight] = {}
    gone: dict[str, list[str]] = {}
    for old in Insight.objects.visible_to(by).filter(ref__in=shown, superseded_by__isnull=False).order_by("-pk"):
        current = _current(old, by)
        if current is not None and current.ref not in shown:
            found[current.ref] = current
            gone.setdefault(current.ref, []).append(old.ref)
    latest = sorted(found.values(), key=lambda row: row.learned_at, reverse=True)[:MOST]
    return [_item(row, gone[row.ref]).after(shown) for row in latest]


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


def _item(row: Insight, superseded: Iterable[str]) -> Item:
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
        superseded=tuple(superseded),
    )
