"""Infer: the preferences that members' deposits and ratings suggest; stored with `accounts`, where members decide on
them.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from accounts.actions import preferences
from accounts.actions.jobs import PROMPT_WITHIN, WITHIN, Items, Work
from accounts.actions.members import member_of
from accounts.models import Preference, User
from accounts.rules.rights import Member
from knowledge.lifecycle.rules import inference
from knowledge.lifecycle.rules.inference import WINDOW, Deed
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Anchor, Insight, Signal

# The number of due members in one run of the minutely sweep; the next run continues.
BATCH = 500


def infer_due(*, now: datetime) -> Work:
    """Infer the preferences of members with new ratings, the one that waits longest first."""
    due = User.objects.filter(inference_due_at__isnull=False, is_active=True).order_by("inference_due_at")
    return _each(list(due.values_list("pk", flat=True)[:BATCH]), now, within=PROMPT_WITHIN)


def infer_all(*, now: datetime) -> Work:
    """Infer the preferences of everybody who ever deposited or rated: deposits schedule nobody, and an inferred
    preference may no longer hold.
    """
    authors = Insight.objects.filter(author__is_active=True).values_list("author_id", flat=True)
    raters = Signal.objects.filter(user__is_active=True).values_list("user_id", flat=True)
    return _each(sorted(set(authors.distinct().order_by()) | set(raters.distinct().order_by())), now)


def _each(user_ids: Iterable[int], now: datetime, *, within: float = WITHIN) -> Work:
    done: Counter[str] = Counter()
    items = Items("infer", within=within)
    for user_id in items.each(user_ids):
        with items.guard(f"member {user_id}"):
            done += _one(user_id, now)
    return items.work(dict(done))


@transaction.atomic
def _one(user_id: int, now: datetime) -> Counter[str]:
    """Infer for one member in one transaction, which also clears the due date: a concurrent rating waits and sets it
    again.
    """
    held = User.objects.select_for_update(no_key=True, skip_locked=True)
    user = held.filter(pk=user_id, is_active=True).first()
    if user is None:
        return Counter()
    member = member_of(user=user)
    before = Preference.objects.filter(team_id=member.home_id).inferred().values_list("key", flat=True)
    found = inference.infer(_deposits(member), _ratings(member), set(before))
    done = preferences.learn(home_id=member.home_id, found=found, now=now)
    User.objects.filter(pk=user_id).update(inference_due_at=None)
    return done


def _deposits(member: Member) -> list[Deed]:
    """Return what they deposited themselves, newest first, without bulk imports, which are nobody's habit."""
    rows = Insight.objects.visible_to(member).deposited_by(member.user_id).with_anchors(Anchor.objects.all())[:WINDOW]
    return [_deed(row, row.anchored) for row in rows]


def _ratings(member: Member) -> list[Deed]:
    """Return the last verdict on each insight they rated, newest first."""
    said: dict[int, bool] = {}
    words = Signal.objects.filter(user_id=member.user_id).ratings().order_by("-pk").values_list("insight_id", "kind")
    for insight_id, kind in words[: 3 * WINDOW]:
        said.setdefault(insight_id, kind == SignalKind.HELPFUL)
    rated = Insight.objects.visible_to(member).filter(pk__in=said).with_anchors(Anchor.objects.all())
    rows = {row.pk: row for row in rated}
    return [_deed(rows[pk], rows[pk].anchored, helpful) for pk, helpful in said.items() if pk in rows]


def _deed(row: Insight, anchored: list[str], helpful: bool | None = None) -> Deed:
    row.know_anchors(anchored)
    topic = (str(row.topic_id), row.topic.label) if row.topic else None
    return Deed(row.ref, tuple(row.files), tuple(row.tags), topic, helpful)
