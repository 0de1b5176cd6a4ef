"""SQL of what the dashboard counts: the same conditions for its numbers and for the lists behind them."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeVar

from django.db.models import Count, Exists, FloatField, Max, Min, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Extract, Mod, TruncDate

from accounts.querysets import LogQuerySet
from accounts.rules.rights import SYSTEM
from sessions_app.rules.measured import DECISIONS, FADES, EventGroup, Outcome

Rows = TypeVar("Rows", bound=QuerySet[Any])

_OUTCOMES = {
    Outcome.ANSWERED: ~Q(shown=[]),
    Outcome.UNANSWERED: Q(shown=[]),
    Outcome.ABSTAINED: Q(abstained=True),
}
# A person on a page: what an agent concludes is no review.
_GROUPS = {
    EventGroup.REVIEWS: Q(verb__in=DECISIONS, user__isnull=False, token__isnull=True),
    EventGroup.FADED: Q(verb__in=FADES, user__isnull=True, actor=SYSTEM.actor),
}


def of_outcome(questions: Rows, outcome: str) -> Rows:
    return questions.filter(_OUTCOMES[Outcome(outcome)]) if outcome else questions


def of_group(lines: LogQuerySet, group: str) -> LogQuerySet:
    return lines.filter(_GROUPS[EventGroup(group)]) if group else lines


def within(rows: Rows, moment: str, since: datetime | None, until: datetime | None) -> Rows:
    """Those whose moment is not before `since` and before `until`."""
    rows = rows.filter(**{f"{moment}__gte": since}) if since else rows
    return rows.filter(**{f"{moment}__lt": until}) if until else rows


def open_contradictions_at(pairs: Rows, moment: datetime) -> Rows:
    """Those that were raised by a moment and not settled by then."""
    return pairs.filter(Q(state="open") | Q(settled_at__gt=moment), raised_at__lte=moment)


def open_since(pairs: Rows, moment: datetime) -> Rows:
    """Those that were open at a moment or later."""
    return pairs.filter(Q(state="open") | Q(settled_at__gte=moment))


# As seconds: to read thousands of moments as such takes as long as the rest of the page.
def _seconds(moment: str) -> Cast:
    return Cast(Extract(moment, "epoch"), FloatField())


def open_spells(pairs: QuerySet[Any], most: int) -> list[tuple[float, float | None]]:
    """(raised, settled) of the oldest `most`, in epoch seconds; of one that is open None."""
    rows = pairs.order_by("raised_at", "pk").annotate(raised=_seconds("raised_at"), settled=_seconds("settled_at"))
    return list(rows.values_list("raised", "settled")[:most])


# --- counts by day, in UTC. `*` is counted: a key may not be in the index that has the rest
def by_day(rows: QuerySet[Any], moment: str, **counted: Q) -> dict[str, dict[date, int]]:
    """How many rows fell on each day, by name: `all`, and of each condition those that fit it. One statement."""
    days = rows.order_by().annotate(day=TruncDate(moment, tzinfo=UTC)).values("day")
    names = ("all", *counted)
    counts = {name: Count(Value(1), filter=condition) for name, condition in counted.items()}
    found = list(days.annotate(all=Count("*"), **counts).values_list("day", *names))
    return {name: {row[0]: row[place] for row in found if row[place]} for place, name in enumerate(names, start=1)}


def questions_by_day(questions: QuerySet[Any]) -> dict[str, dict[date, int]]:
    return by_day(questions, "at", **{outcome.value: condition for outcome, condition in _OUTCOMES.items()})


def signals_by_day(signals: QuerySet[Any], kinds: Sequence[str]) -> dict[str, dict[date, int]]:
    return by_day(signals, "at", **{kind: Q(kind=kind) for kind in kinds})


def log_by_day(lines: LogQuerySet) -> dict[str, dict[date, int]]:
    """Of promotions and of each group of events."""
    told = lines.filter(verb__in={"promoted", *DECISIONS, *FADES})
    groups = {group.value: condition for group, condition in _GROUPS.items()}
    return by_day(told, "at", promoted=Q(verb="promoted"), **groups)


def first_reviews(
    lines: LogQuerySet, every: LogQuerySet, insights: QuerySet[Any], step: int
) -> list[tuple[date, timedelta]]:
    """Of those of `lines` that are the first decision on an insight: on which day, and how long after its deposit.
    `every`: all lines that may hold an earlier one; `step`: of so many decisions one is looked at.
    """
    decisions = of_group(lines, EventGroup.REVIEWS).order_by()
    looked_at = decisions.alias(rest=Mod("pk", step)).filter(rest=0) if step > 1 else decisions
    earlier = of_group(every, EventGroup.REVIEWS).filter(subject=OuterRef("subject"), at__lt=OuterRef("at"))
    deposited = Subquery(insights.filter(ref=OuterRef("subject")).order_by().values("created_at")[:1])
    rows = looked_at.filter(~Exists(earlier)).annotate(deposited=deposited).filter(deposited__isnull=False)
    found = rows.annotate(decided=_seconds("at"), made=_seconds("deposited")).values_list("decided", "made")
    return [
        (datetime.fromtimestamp(decided, UTC).date(), timedelta(seconds=max(round(decided - made, 3), 0.0)))
        for decided, made in found
    ]


def counted(rows: QuerySet[Any], field: str) -> dict[str, int]:
    """How many rows have each value of a field."""
    return dict(rows.order_by().values(field).annotate(n=Count("*")).values_list(field, "n"))


def most_frequent(rows: QuerySet[Any], field: str, most: int) -> dict[Any, int]:
    """The values most rows have, with how many, the most frequent first."""
    counts = rows.order_by().values(field).annotate(n=Count("*")).order_by("-n", field)
    return dict(counts.values_list(field, "n")[:most])


def evenly(rows: QuerySet[Any], most: int, count: int) -> QuerySet[Any]:
    """About `most` of `count` rows, spread evenly over their numbers; all, if they are no more. Only these are read."""
    if count <= most:
        return rows
    ends = rows.order_by().aggregate(least=Min("pk"), last=Max("pk"))
    # Numbers that are other teams', or were never used, find nothing: as many are passed over as rows would be.
    step = max(count // most, 1)
    return rows.filter(pk__any=list(range(ends["least"], ends["last"] + 1, step)))


def standing(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Of insights (strength, since when in epoch seconds, status, stability, pinned, kind)."""
    return rows.annotate(since=_seconds("strength_at")).values_list(
        "strength", "since", "status", "stability", "pinned", "kind"
    )
