"""Figures: whether the memory grows, is asked, and helps. Counts only: what somebody asked stays theirs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from math import ceil
from typing import Any

from accounts.rules.rights import Member
from knowledge.jobs.actions.audit import Audited, last_audit
from knowledge.lifecycle.rules import decay
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight
from knowledge.querysets.insights import InsightQuerySet
from knowledge.querysets.signals import SignalQuerySet
from sessions_app.actions.history import session_rows
from sessions_app.actions.measured_rows import (
    contradiction_rows,
    end_of,
    insight_rows,
    log_lines,
    question_rows,
    signal_rows,
    team_ids_of,
)
from sessions_app.models import Annotation, Handoff
from sessions_app.querysets.measured import (
    by_day,
    counted,
    evenly,
    first_reviews,
    log_by_day,
    most_frequent,
    open_since,
    open_spells,
    questions_by_day,
    signals_by_day,
    standing,
    within,
)
from sessions_app.rules.figures import ChartStep, Strength, median_span, medians, open_at, steps, strengths, summed
from sessions_app.rules.measured import EventGroup, Outcome

TOP = 5
# So many insights the spread of strength is read off, evenly over the whole team's: at 2,000 a share is within two
# hundredths of what all of them would tell, and 100,000 would be read for seconds.
SAMPLE = 2_000
DAY = 86_400.0
# More lines than this nobody tells apart on a chart; the newest.
ANNOTATIONS = 100


@dataclass(frozen=True)
class Figures:
    """Whole days in UTC, the last one today. `axis`: the steps; the tuples beside it have a value for each.

    `since` to `today` is the span of all but `statuses`, `strength`, the open contradictions and the audit. `review`:
    the median time from deposit to the first decision of a person, of the first decisions of the span;
    `oldest_contradiction` and `contradiction_age` (the median): for how long they have been open.
    """

    days: int
    axis: tuple[ChartStep, ...]
    deposits: tuple[int, ...]
    answers: tuple[int, ...]
    unanswered: tuple[int, ...]
    promotions: tuple[int, ...]
    fades: tuple[int, ...]
    helpfuls: tuple[int, ...]
    unhelpfuls: tuple[int, ...]
    reviews: tuple[int, ...]
    review_spans: tuple[timedelta | None, ...]
    contradictions_open: tuple[int, ...]
    contradiction_ages: tuple[timedelta | None, ...]
    abstained: int
    used: int
    sessions: int
    recovered: int
    statuses: dict[str, int]
    strength: Strength
    top: list[tuple[Insight, int]]
    review: timedelta | None
    contradictions: int
    contradiction_age: timedelta | None
    oldest_contradiction: timedelta | None
    annotations: list[Annotation]
    audit: Audited

    @property
    def answered(self) -> int:
        return sum(self.answers)

    @property
    def asked(self) -> int:
        return self.answered + sum(self.unanswered)

    @property
    def promoted(self) -> int:
        return sum(self.promotions)

    @property
    def helpful(self) -> int:
        return sum(self.helpfuls)

    @property
    def deposited(self) -> int:
        return sum(self.deposits)

    @property
    def hit_rate(self) -> float | None:
        """The share of questions that were answered with something, 0–1."""
        return self.answered / self.asked if self.asked else None

    @property
    def abstain_rate(self) -> float | None:
        return self.abstained / self.asked if self.asked else None

    @property
    def helpful_ratio(self) -> float | None:
        rated = self.helpful + sum(self.unhelpfuls)
        return self.helpful / rated if rated else None

    @property
    def insights(self) -> int:
        return sum(self.statuses.values())


def figures(*, by: Member, now: datetime, days: int, team: str = "") -> Figures:
    """Of one team, or of all the member is in; of questions those of its people, counted and not told.

    Raises NoSuchTeam. A fixed number of statements, whatever the tables hold.
    """
    today = now.astimezone(UTC).date()
    axis = steps(today - timedelta(days=days - 1), today)
    since = datetime.combine(axis[0].first, time(), UTC)
    insights, signals = insight_rows(by=by, team=team), signal_rows(by=by, team=team, since=since)
    statuses = counted(insights.filter(superseded_by__isnull=True), "status")
    sessions = session_rows(by=by, team=team, since=since)
    return Figures(
        days=days,
        axis=axis,
        deposits=summed(by_day(insights.filter(created_at__gte=since), "created_at")["all"], axis),
        **_of_questions(by, team, since, axis),
        **_of_signals(signals, axis),
        **_of_log(by, team, since, axis),
        **_of_contradictions(by, team, now, axis),
        sessions=sessions.count(),
        recovered=Handoff.objects.filter(session__in=sessions, state="recovered").count(),
        statuses=statuses,
        strength=_strength(insights, sum(statuses.values()), now),
        top=_top(signals, insights),
        annotations=list(Annotation.objects.visible_to(by).since(team_ids_of(by, team), axis[0].first)[:ANNOTATIONS]),
        audit=last_audit(),
    )


def _of_questions(by: Member, team: str, since: datetime, axis: Sequence[ChartStep]) -> dict[str, Any]:
    days = questions_by_day(question_rows(by=by, team=team, since=since))
    return {
        "answers": summed(days[Outcome.ANSWERED], axis),
        "unanswered": summed(days[Outcome.UNANSWERED], axis),
        "abstained": sum(days[Outcome.ABSTAINED].values()),
    }


def _of_signals(signals: SignalQuerySet, axis: Sequence[ChartStep]) -> dict[str, Any]:
    days = signals_by_day(signals, (SignalKind.HELPFUL, SignalKind.UNHELPFUL, SignalKind.USED))
    return {
        "helpfuls": summed(days[SignalKind.HELPFUL], axis),
        "unhelpfuls": summed(days[SignalKind.UNHELPFUL], axis),
        "used": sum(days[SignalKind.USED].values()),
    }


def _of_log(by: Member, team: str, since: datetime, axis: Sequence[ChartStep]) -> dict[str, Any]:
    lines = log_lines(by=by, team=team)
    days = log_by_day(within(lines, "at", since, None))
    step = ceil(sum(days[EventGroup.REVIEWS].values()) / SAMPLE) or 1
    first = first_reviews(within(lines, "at", since, None), lines, insight_rows(by=by, team=team), step)
    return {
        "promotions": summed(days["promoted"], axis),
        "fades": summed(days[EventGroup.FADED], axis),
        "reviews": summed(days[EventGroup.REVIEWS], axis),
        "review": median_span([span for _, span in first]),
        "review_spans": medians(first, axis),
    }


def _of_contradictions(by: Member, team: str, now: datetime, axis: Sequence[ChartStep]) -> dict[str, Any]:
    """At the end of each step and now: how many were open, and for how long; of the oldest SAMPLE."""
    rows = open_since(contradiction_rows(by=by, team=team), datetime.combine(axis[0].first, time(), UTC))
    found = open_spells(rows, SAMPLE)
    spans = open_at(found, [end_of(step.last) for step in axis], now)
    return {
        "contradictions_open": tuple(one.count for one in spans),
        "contradiction_ages": tuple(one.median for one in spans),
        "contradictions": spans[-1].count,
        "contradiction_age": spans[-1].median,
        "oldest_contradiction": spans[-1].longest,
    }


def _top(signals: SignalQuerySet, insights: InsightQuerySet) -> list[tuple[Insight, int]]:
    """What was called helpful most often in the span, with how often."""
    found = most_frequent(signals.filter(kind="helpful"), "insight_id", TOP)
    rows = insights.only("ref", "title", "kind", "status").in_bulk(list(found))
    return [(rows[pk], count) for pk, count in found.items() if pk in rows]


def _strength(insights: InsightQuerySet, count: int, now: datetime) -> Strength:
    """Of so many rows no more is made than a number each, and their moments come as seconds: to read 2,000 of them as
    moments took a third of the page's time.
    """
    moment, current = now.timestamp(), insights.filter(superseded_by__isnull=True)
    left = [
        decay.effective(strength, (moment - since) / DAY, *inputs)
        for strength, since, *inputs in standing(evenly(current, SAMPLE, count))
    ]
    return strengths(left, whole=count <= SAMPLE)
