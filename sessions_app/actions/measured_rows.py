"""The rows that the dashboard counts: its numbers and the lists behind them are made of the same ones."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Q

from accounts.models import LogEntry, Membership
from accounts.querysets import LogQuerySet
from accounts.rules.rights import Member, TeamKind
from knowledge.models import Insight, Pair, Query, Signal
from knowledge.querysets.insights import InsightQuerySet
from knowledge.querysets.pairs import PairQuerySet
from knowledge.querysets.queries import QueryQuerySet
from knowledge.querysets.signals import SignalQuerySet
from knowledge.review.actions.provenance import withhold_names
from sessions_app.querysets.measured import of_outcome, open_contradictions_at, within


def team_ids_of(by: Member, team: str) -> list[int]:
    """Of one of the member's teams, or of all. Raises NoSuchTeam on `team`."""
    return [by.named(team).id] if team else list(by.team_ids)


def insight_rows(*, by: Member, team: str = "") -> InsightQuerySet:
    return Insight.objects.visible_to(by, only=team_ids_of(by, team))


def question_rows(
    *,
    by: Member,
    team: str = "",
    outcome: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
) -> QueryQuerySet:
    """Questions of the people of the shared teams among these; one's own, where there is none: `everyone` is nobody's
    circle. They are counted and dated; what was asked is its asker's alone (`told_questions`).
    """
    rows = Query.objects.filter(user_id__in=_people(by, team_ids_of(by, team)))
    return of_outcome(within(rows, "at", since, until), outcome)


def told_questions(rows: Sequence[Query], by: Member) -> list[Query]:
    """These, unsaved, each with `said`, its words if they are the member's to read, else empty; and then with `links`:
    the references of its results, each with whether the member still sees it.
    """
    mine = {row.pk: row for row in Query.objects.asked_by(by).filter(pk__in=[row.pk for row in rows])}
    refs = {ref for row in mine.values() for ref in row.shown}
    seen = set(Insight.objects.visible_to(by).filter(ref__in=refs).values_list("ref", flat=True)) if refs else set()
    told = list(rows)
    for row in told:
        own = mine.get(row.pk)
        row.said = own.text if own else ""  # type: ignore[attr-defined]
        row.links = [(ref, ref in seen) for ref in own.shown] if own else []  # type: ignore[attr-defined]
    return told


def signal_rows(
    *,
    by: Member,
    team: str = "",
    kind: str = "",
    ref: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
) -> SignalQuerySet:
    """Ratings and uses of the insights that the member sees, of one by its reference `ref`."""
    insights = insight_rows(by=by, team=team)
    rows = Signal.objects.filter(insight__in=insights.called(ref) if ref else insights)
    rows = rows.filter(kind=kind) if kind else rows
    return within(rows, "at", since, until)


def named_signals(rows: Sequence[Signal], by: Member) -> list[Signal]:
    """These, unsaved, without person, question and reason where they were given in a team the member is not of."""
    of_each: dict[int, list[Signal]] = {}
    for row in rows:
        of_each.setdefault(row.insight_id, []).append(row)
    for some in of_each.values():
        withhold_names(some, insight=some[0].insight, by=by)
    return list(rows)


def contradiction_rows(*, by: Member, team: str = "", open_on: date | None = None) -> PairQuerySet:
    """Contradictions with a side in the teams: settled ones, and open ones of which both sides can still be found; with
    `open_on` those that were open at the end of that day (UTC).
    """
    team_ids = team_ids_of(by, team)
    pairs = Pair.objects.visible_to(by).filter(question=Pair.Question.CONTRADICTION)
    pairs = pairs.filter(Q(a__team_id__in=team_ids) | Q(b__team_id__in=team_ids))
    pairs = pairs.filter(~Q(state=Pair.State.OPEN) | Q(a__retrievable=True, b__retrievable=True))
    return open_contradictions_at(pairs, end_of(open_on)) if open_on else pairs


def log_lines(*, by: Member, team: str = "") -> LogQuerySet:
    return LogEntry.objects.visible_to(by).filter(team_id__in=team_ids_of(by, team))


def end_of(day: date) -> datetime:
    """The last moment of a day in UTC."""
    return datetime.combine(day + timedelta(days=1), time(), UTC) - timedelta(microseconds=1)


def _people(by: Member, team_ids: Sequence[int]) -> Any:
    """Ids of who is of the shared teams among these; oneself, where there is none."""
    shared = [team.id for team in by.teams if team.id in team_ids and team.kind is TeamKind.SHARED]
    if not shared:
        return [by.user_id]
    return Membership.objects.filter(team_id__in=shared).values("user_id")
