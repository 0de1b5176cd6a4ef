"""All SQL of `sessions_app`: whose sessions, which handoff, which claims, which errors; what was surfaced."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Self

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import (
    BooleanField,
    Case,
    Count,
    Exists,
    FloatField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Extract, TruncDate

from accounts.querysets import TeamScoped
from accounts.rules.rights import Member
from accounts.statements import WHOEVER, Slot, prepared
from sessions_app.rules.coaching import Concept
from sessions_app.rules.gates import Gate
from sessions_app.rules.vocabulary import SILENCE, SessionState


class AgentSessionQuerySet(TeamScoped):
    def on(self, team_id: int | Slot, repo: str | Slot) -> Self:
        return self.filter(team_id=team_id, repo=repo)

    def live(self) -> Self:
        return self.filter(state=SessionState.LIVE)

    def past(self) -> Self:
        return self.filter(state__in=(SessionState.ENDED, SessionState.ABANDONED))

    def silent(self, now: datetime) -> Self:
        """Live by their state, and not heard of for so long that they are not."""
        return self.live().filter(last_seen_at__lt=now - SILENCE)

    def named(self, name: str) -> Self:
        """By its id, or by its short reference S-<number>."""
        number = name.removeprefix("S-")
        if number != name:
            known = number.isascii() and number.isdigit() and len(number) <= 18 and not number.startswith("0")
            return self.filter(pk=int(number)) if known else self.none()
        return self.filter(key=name) if "\0" not in name else self.none()

    def with_people(self) -> Self:
        return self.select_related("user", "team")

    def with_handoffs(self, events: "SessionEventQuerySet") -> Self:
        """With what a list or a detail shows of each, `event_count` among it. All in one statement."""
        rows = self.select_related("user", "team", "previous", "handoff__session", "handoff__acknowledged_by")
        return rows.annotate(event_count=Coalesce(Subquery(events.count_of_each_session()), 0))

    def with_claims(self, now: datetime | Slot) -> Self:
        """With `claimed`: the paths each has claimed and that have not run out."""
        return self.annotate(
            claimed=ArrayAgg("claims__path", filter=Q(claims__expires_at__gt=now), default=[], order_by="claims__path")
        )

    def living_beside(
        self, member: Member, team_id: int, repo: str, now: datetime, most: int
    ) -> list[tuple[int, datetime, str, str, str, str, list[str]]]:
        """Of the live ones of a repo, the last seen first: number, last sign of life, user, agent, branch, topic, and
        the paths they have claimed.
        """
        fields = ("pk", "last_seen_at", "user__username", "agent", "branch", "topic", "claimed")

        def build() -> QuerySet[Any, Any]:
            rows = self.visible_to(WHOEVER).on(Slot("team"), Slot("repo")).live().last_seen()
            return rows.with_claims(Slot("now")).values_list(*fields)[:most]

        return prepared(("living", most), build).visible_to(member, team=team_id, repo=repo, now=now)

    def last_past(self, member: Member, team_id: int, repo: str) -> tuple[int, str, datetime, int | None] | None:
        """Of those of a repo that are over the one last seen: number, user, last sign of life, its handoff's number."""
        fields = ("pk", "user__username", "last_seen_at", "handoff__pk")

        def build() -> QuerySet[Any, Any]:
            rows = self.visible_to(WHOEVER).on(Slot("team"), Slot("repo")).past().last_seen()
            return rows.values_list(*fields)[:1]

        return next(iter(prepared("last past", build).visible_to(member, team=team_id, repo=repo)), None)

    def newest(self) -> Self:
        return self.order_by("-started_at", "-pk")

    def last_seen(self) -> Self:
        return self.order_by("-last_seen_at", "-pk")


# A handoff's lists and its session's transcript digest are pages of JSON, and a start shows a line of them.
TOLD_AT_START = (
    *("state", "completeness", "as_of", "acknowledged_at", "summary", "note", "pending", "interpretation", "facts"),
    *("session__state", "session__user__username"),
)


class HandoffQuerySet(TeamScoped):
    def latest_first(self, team_id: int | Slot, repo: str | Slot) -> Self:
        """The one rule of which handoff is the latest: of those of its team and repo the one that speaks of the latest
        moment (`as_of`: an end, a checkpoint, or the last sign of life of a session that was recovered; decision 0012).
        """
        return self.filter(team_id=team_id, repo=repo).order_by("-as_of", "-pk")

    def latest_of(self, member: Member, team_id: int, repo: str) -> Any:
        """The latest of a repo, or None; of it and its session what a start tells, and not the rest."""

        def build() -> QuerySet[Any, Any]:
            rows = self.visible_to(WHOEVER).latest_first(Slot("team"), Slot("repo")).select_related("session__user")
            return rows.only(*TOLD_AT_START)[:1]

        return next(iter(prepared("latest handoff", build).visible_to(member, team=team_id, repo=repo)), None)

    def whole(self) -> Self:
        return self.select_related("session__user", "team", "acknowledged_by", "acknowledged_in")


class SessionEventQuerySet(QuerySet[Any]):
    def visible_to(self, member: Member) -> Self:
        return self.filter(session__team_id__in=member.team_ids)

    def in_order(self) -> Self:
        return self.order_by("at", "pk")

    def count_of_each_session(self) -> "QuerySet[Any, dict[str, Any]]":
        """For a subquery: how many the outer row has."""
        mine = self.filter(session=OuterRef("pk")).order_by().values("session")
        return mine.annotate(n=Count("pk")).values("n")

    def known(self, session_id: int, ids: Sequence[str]) -> set[str]:
        """Which of these ids, given by the client, have arrived before."""
        return set(self.filter(session_id=session_id, client_id__in=ids).values_list("client_id", flat=True))

    def failed_before(self, session_id: int, kind: str, command: str, at: datetime) -> Self:
        """The failures of one check of one session until a moment."""
        return self.filter(session_id=session_id, kind=kind, command=command, at__lte=at).exclude(fingerprint="")

    def errors(self, repo: str, since: datetime) -> Self:
        """Those with a fingerprint, of one repo or of all."""
        rows = self.exclude(fingerprint="").filter(at__gte=since)
        return rows.filter(session__repo=repo) if repo else rows

    def by_fingerprint(self, recipe: str) -> "QuerySet[Any, dict[str, Any]]":
        """One row for each error: how often, in how many sessions, when, and where; most often first."""
        return (
            self.filter(recipe=recipe)
            .values("fingerprint", "template")
            .annotate(
                count=Count("pk"),
                sessions=Count("session", distinct=True),
                people=Count("session__user", distinct=True),
                first_at=Min("at"),
                last_at=Max("at"),
                mended=Count("pk", filter=Q(overcome=True)),
                last_open=Max("at", filter=Q(overcome=False)),
                paths=ArrayAgg("path", filter=~Q(path=""), default=[]),
                repos=ArrayAgg("session__repo", distinct=True),
            )
            .order_by("-count", "-last_at", "fingerprint")
        )


class ClaimQuerySet(TeamScoped):
    def on(self, team_id: int, repo: str) -> Self:
        return self.filter(team_id=team_id, repo=repo)

    def valid(self, now: datetime) -> Self:
        """Not run out, and of a session that is alive."""
        return self.filter(expires_at__gt=now, session__state=SessionState.LIVE)


class CodeFileQuerySet(QuerySet[Any]):
    def on(self, paths: Sequence[str]) -> Self:
        return self.filter(path__any=paths)

    def around(self, team_ids: Sequence[int], repo: str, files: Sequence[str]) -> Self:
        """The rows of these files, which tell what they import, and of those that import any of them."""
        return self.filter(
            Q(path__in=files) | Q(imports__overlap=list(files)), index__team_id__in=team_ids, index__repo=repo
        )


class SurfaceDecisionQuerySet(TeamScoped):
    def in_session(self, member: Member, since: datetime | None) -> Self:
        """The member's own of the session they are in (or what counts as one), from a moment on if one is given."""
        rows = self.filter(user_id=member.user_id, session_key=member.session_key)
        return rows.filter(at__gte=since) if since else rows

    def surfaced(self) -> Self:
        return self.filter(gate=Gate.OPEN)

    def newest(self) -> Self:
        return self.order_by("-at", "-pk")

    def older_than(self, moment: datetime) -> Self:
        return self.filter(at__lt=moment)

    def by_gate(self) -> dict[str, int]:
        """How many ended at each gate, the most frequent first."""
        counts = self.order_by().values("gate").annotate(n=Count("pk")).order_by("-n", "gate")
        return dict(counts.values_list("gate", "n"))


class CoachedQuerySet(QuerySet[Any]):
    def of(self, user_id: int | Slot, concepts: "list[Concept]", done: "Mapping[Concept, QuerySet[Any]]") -> Self:
        """Of these concepts, with `done`: whether there is a row that shows that the member knows it."""
        cases = [When(concept=concept, then=Exists(rows)) for concept, rows in done.items()]
        rows = self.filter(user_id=user_id, concept__any=concepts)
        return rows.annotate(done=Case(*cases, default=Value(False), output_field=BooleanField()))


# --- figures: of any rows, whichever app they are of. `*` is counted: a key may not be in the index that has the rest
def by_day(rows: QuerySet[Any], moment: str, since: datetime) -> dict[date, int]:
    """How many rows fell on each day since a moment; days without any are left out."""
    days = rows.order_by().filter(**{f"{moment}__gte": since}).annotate(day=TruncDate(moment)).values("day")
    return dict(days.annotate(n=Count("*")).values_list("day", "n"))


def counted(rows: QuerySet[Any], field: str) -> dict[str, int]:
    """How many rows have each value of a field."""
    return dict(rows.order_by().values(field).annotate(n=Count("*")).values_list(field, "n"))


def most_frequent(rows: QuerySet[Any], field: str, most: int) -> dict[Any, int]:
    """The values most rows have, with how many, the most frequent first."""
    counts = rows.order_by().values(field).annotate(n=Count("*")).order_by("-n", field)
    return dict(counts.values_list(field, "n")[:most])


def answered(questions: QuerySet[Any]) -> dict[str, int]:
    """Of questions: how many were `asked`, `answered` with something, and `abstained` from."""
    return questions.aggregate(
        asked=Count("pk"),
        answered=Count("pk", filter=~Q(shown=[])),
        abstained=Count("pk", filter=Q(abstained=True)),
    )


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
    since = Cast(Extract("strength_at", "epoch"), FloatField())
    return rows.annotate(since=since).values_list("strength", "since", "status", "stability", "pinned", "kind")
