"""Figures: whether the memory grows, is asked, and helps. Counts only: what somebody asked stays theirs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from accounts.models import LogEntry, Membership
from accounts.rules.rights import Member, TeamKind
from knowledge.jobs.actions.audit import Audited, last_audit
from knowledge.lifecycle.rules import decay
from knowledge.models import Insight, Pair, Query, Signal
from sessions_app.models import AgentSession, Handoff
from sessions_app.querysets.sessions import answered, by_day, counted, evenly, most_frequent, standing
from sessions_app.rules.figures import ChartStep, Strength, median_span, steps, strengths

TOP = 5
# So many insights the spread of strength is read off, evenly over the whole team's: at 2,000 a share is within two
# hundredths of what all of them would tell, and 100,000 would be read for seconds.
SAMPLE = 2_000
DAY = 86_400.0


@dataclass(frozen=True)
class Figures:
    """`days` is the span of all but `statuses`, `strength`, the open contradictions and the audit. `review`: the median
    time from deposit to review, of what was deposited and reviewed in the span; `oldest_contradiction` and
    `contradiction_age` (the median): for how long they have been open.
    """

    days: int
    deposits: tuple[ChartStep, ...]
    questions: tuple[ChartStep, ...]
    asked: int
    answered: int
    abstained: int
    helpful: int
    unhelpful: int
    used: int
    promoted: int
    sessions: int
    recovered: int
    statuses: dict[str, int]
    strength: Strength
    top: list[tuple[Insight, int]]
    review: timedelta | None
    contradictions: int
    contradiction_age: timedelta | None
    oldest_contradiction: timedelta | None
    audit: Audited

    @property
    def deposited(self) -> int:
        return sum(step.count for step in self.deposits)

    @property
    def hit_rate(self) -> float | None:
        """The share of questions that were answered with something, 0–1."""
        return self.answered / self.asked if self.asked else None

    @property
    def abstain_rate(self) -> float | None:
        return self.abstained / self.asked if self.asked else None

    @property
    def helpful_ratio(self) -> float | None:
        rated = self.helpful + self.unhelpful
        return self.helpful / rated if rated else None

    @property
    def insights(self) -> int:
        return sum(self.statuses.values())


def figures(*, by: Member, now: datetime, days: int, team: str = "") -> Figures:
    """Of one team, or of all the member is in; of questions those of its people, counted and not told.

    Raises NoSuchTeam. A fixed number of statements, whatever the tables hold.
    """
    team_ids = [by.named(team).id] if team else list(by.team_ids)
    since = now - timedelta(days=days)
    insights = Insight.objects.visible_to(by, only=team_ids)
    questions = Query.objects.filter(user_id__in=_people(by, team_ids), at__gte=since)
    signals = Signal.objects.filter(insight__in=insights, at__gte=since)
    told = counted(signals, "kind")
    answers = answered(questions)
    statuses = counted(insights.filter(superseded_by__isnull=True), "status")
    sessions = AgentSession.objects.filter(team_id__in=team_ids, started_at__gte=since)
    lines = LogEntry.objects.visible_to(by).filter(team_id__in=team_ids, verb="promoted", at__gte=since)
    open_for = _open_for(by, team_ids, now)
    return Figures(
        days=days,
        deposits=_steps(by_day(insights, "created_at", since), since, now),
        questions=_steps(by_day(questions, "at", since), since, now),
        asked=answers["asked"],
        answered=answers["answered"],
        abstained=answers["abstained"],
        helpful=told.get("helpful", 0),
        unhelpful=told.get("unhelpful", 0),
        used=told.get("used", 0),
        promoted=lines.count(),
        sessions=sessions.count(),
        recovered=Handoff.objects.filter(session__in=sessions, state="recovered").count(),
        statuses=statuses,
        strength=_strength(insights, sum(statuses.values()), now),
        top=_top(signals, insights),
        review=_review(insights, since),
        contradictions=len(open_for),
        contradiction_age=median_span(open_for),
        oldest_contradiction=max(open_for, default=None),
        audit=last_audit(),
    )


def _review(insights: QuerySet[Insight], since: datetime) -> timedelta | None:
    done = insights.filter(created_at__gte=since, reviewed_at__isnull=False).order_by("-created_at", "-pk")
    return median_span([at - made for made, at in done.values_list("created_at", "reviewed_at")[:SAMPLE] if at])


def _open_for(by: Member, team_ids: Sequence[int], now: datetime) -> list[timedelta]:
    """For how long each open contradiction has been open, the oldest first; at most SAMPLE."""
    pairs = Pair.objects.visible_to(by).filter(Q(a__team_id__in=team_ids) | Q(b__team_id__in=team_ids))
    rows = pairs.open().current().filter(question=Pair.Question.CONTRADICTION).order_by("raised_at", "pk")
    return [max(now - at, timedelta()) for at in rows.values_list("raised_at", flat=True)[:SAMPLE]]


def _people(by: Member, team_ids: Sequence[int]) -> Any:
    """Ids of who is of the shared teams among these; oneself, where there is none: `everyone` is nobody's circle."""
    shared = [team.id for team in by.teams if team.id in team_ids and team.kind is TeamKind.SHARED]
    if not shared:
        return [by.user_id]
    return Membership.objects.filter(team_id__in=shared).values("user_id")


def _steps(found: dict[date, int], since: datetime, now: datetime) -> tuple[ChartStep, ...]:
    return steps(found, since.date(), now.date())


def _top(signals: QuerySet[Signal], insights: QuerySet[Insight]) -> list[tuple[Insight, int]]:
    """What was called helpful most often in the span, with how often."""
    found = most_frequent(signals.filter(kind="helpful"), "insight_id", TOP)
    rows = insights.only("ref", "title", "kind", "status").in_bulk(list(found))
    return [(rows[pk], count) for pk, count in found.items() if pk in rows]


def _strength(insights: QuerySet[Insight], count: int, now: datetime) -> Strength:
    """Of so many rows no more is made than a number each, and their moments come as seconds: to read 2,000 of them as
    moments took a third of the page's time.
    """
    moment = now.timestamp()
    left = [
        decay.effective(strength, (moment - since) / DAY, *inputs)
        for strength, since, *inputs in standing(evenly(insights, SAMPLE, count))
    ]
    return strengths(left, whole=count <= SAMPLE)
