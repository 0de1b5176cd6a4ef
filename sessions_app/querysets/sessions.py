"""All SQL of `sessions_app`: whose sessions, which handoff, which claims, which errors; what was surfaced."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import (
    BooleanField,
    Case,
    CharField,
    Count,
    Exists,
    F,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Concat

from accounts.querysets import TeamScoped
from accounts.rules.rights import Member
from accounts.statements import MEMBER_PARAM, BindParam, prepared
from sessions_app.answers.rules.coaching import Concept
from sessions_app.answers.rules.gates import Gate
from sessions_app.rules.vocabulary import SILENCE, Closed, SessionState


class AgentSessionQuerySet(TeamScoped):
    def on(self, team_id: int | BindParam, repo: str | BindParam) -> Self:
        return self.filter(team_id=team_id, repo=repo)

    def readable_by(self, member: Member, passages: TeamScoped) -> Self:
        """Those of the member's teams, and those of which they may read one of these passages."""
        shared = Exists(passages.visible_to(member).filter(session=OuterRef("pk")))
        return self.filter(Q(team_id__any=member.team_ids) | shared)

    def with_any_of(self, passages: QuerySet[Any]) -> Self:
        """Those of which one of these passages is."""
        return self.filter(Exists(passages.filter(session=OuterRef("pk"))))

    def narrowed(
        self,
        people: QuerySet[Any],
        *,
        agent: str = "",
        user: str = "",
        branch: str = "",
        handoff: str = "",
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Self:
        """Those that fit all that is given. `people`: the users among whom `user` is looked up; `agent`: a part of the
        agent's name; active at some time from `since` until before `until`.
        """
        rows = self
        if user:
            rows = rows.filter(user_id__in=list(people.filter(username=user).values_list("pk", flat=True)))
        if agent:
            rows = rows.filter(agent__icontains=agent)
        if branch:
            rows = rows.filter(branch=branch)
        if since:
            rows = rows.filter(last_seen_at__gte=since)
        if until:
            rows = rows.filter(started_at__lt=until)
        if handoff == "none":
            return rows.filter(handoff__isnull=True)
        if handoff:
            rows = rows.filter(handoff__isnull=False)
        return rows.filter(handoff__acknowledged_at__isnull=True) if handoff == "open" else rows

    def live(self) -> Self:
        return self.filter(state=SessionState.LIVE)

    def silent(self, now: datetime) -> Self:
        """Live by their state, and not heard of for so long that they are not."""
        return self.live().filter(last_seen_at__lt=now - SILENCE)

    def of_agent(self, user_id: int, agent_session: str) -> Self:
        """Those of one session of the user's agent, the last begun first."""
        return self.filter(user_id=user_id, agent_session=agent_session).order_by("-started_at", "-pk")

    def named(self, name: str) -> Self:
        """By its id, or by its short reference S-<number>."""
        number = name.removeprefix("S-")
        if number != name:
            known = number.isascii() and number.isdigit() and len(number) <= 18 and not number.startswith("0")
            return self.filter(pk=int(number)) if known else self.none()
        return self.filter(key=name) if "\0" not in name else self.none()

    def containing(self, text: str, member: Member, most: int) -> Self:
        """Of the last `most` those with all of these words in branch, repository, or what they are about: that is a
        prompt, looked through only where the member may read it.
        """
        rows = self.filter(pk__in=self.last_seen().values("pk")[:most])
        shown = Q(user_id=member.reads_typed_by) | Q(user__share_prompts="on")
        for word in text.split()[:20]:
            rows = rows.filter(Q(branch__icontains=word) | Q(repo__icontains=word) | Q(shown, topic__icontains=word))
        return rows

    def with_people(self) -> Self:
        return self.select_related("user", "team")

    def with_handoffs(self, events: "SessionEventQuerySet") -> Self:
        """With what a list or a detail shows of each, `event_count` among it. All in one statement."""
        people = ("user", "team", "previous", "handoff__session__user")
        rows = self.select_related(*people, "handoff__acknowledged_by", "handoff__acknowledged_in")
        return rows.annotate(event_count=Coalesce(Subquery(events.count_of_each_session()), 0))

    def with_claims(self, now: datetime | BindParam) -> Self:
        """With `claimed`: the paths each has claimed and that have not run out."""
        return self.annotate(
            claimed=ArrayAgg("claims__path", filter=Q(claims__expires_at__gt=now), default=[], order_by="claims__path")
        )

    def living_beside(
        self, member: Member, team_id: int, repo: str, now: datetime, most: int
    ) -> list[tuple[int, datetime, str, str, str, str, list[str]]]:
        """Of the live ones of a repo, the last seen first: number, last sign of life, user, agent, branch, topic, and
        the paths they have claimed. The topic is a prompt: empty unless it is the member's own, or its user shares it.
        """
        fields = ("pk", "last_seen_at", "user__username", "agent", "branch", "shown_topic", "claimed")
        shown = Q(user_id=BindParam("user")) | Q(user__share_prompts="on")

        def build() -> QuerySet[Any, Any]:
            rows = self.visible_to(MEMBER_PARAM).on(BindParam("team"), BindParam("repo")).live().last_seen()
            rows = rows.annotate(shown_topic=Case(When(shown, then="topic"), default=Value("")))
            return rows.with_claims(BindParam("now")).values_list(*fields)[:most]

        values: dict[str, Any] = {"team": team_id, "repo": repo, "now": now, "user": member.reads_typed_by}
        return prepared(("living", most), build).visible_to(member, **values)

    def unread_by_model(self, passages: TeamScoped) -> Self:
        """Those that are over and whose conversation no model has read since, the latest first."""
        over = self.filter(state__in=(SessionState.ENDED, SessionState.ABANDONED))
        unread = over.filter(Q(read_by_model_at__isnull=True) | Q(read_by_model_at__lt=F("ended_at")))
        said = Exists(passages.filter(session=OuterRef("pk")))
        return unread.filter(said).select_related("user", "team").last_seen()

    def newest(self) -> Self:
        return self.order_by("-started_at", "-pk")

    def last_seen(self) -> Self:
        return self.order_by("-last_seen_at", "-pk")


# A handoff's lists and its session's transcript digest are pages of JSON, and a start shows a line of each.
TOLD_AT_START = (
    *("state", "as_of", "summary", "note", "pending", "next_steps", "blockers", "found_blockers", "failure"),
    *("uncommitted", "uncommitted_known", "files", "last_message", "repo", "session__state", "session__user__username"),
    *("session__user_id", "session__checkout", "session__agent_session", "session__branch"),
)


TEXT = CharField()


def _named(session_id: str) -> Concat:
    """What a session is called."""
    return Concat(Value("S-"), Cast(session_id, TEXT), output_field=TEXT)


class HandoffQuerySet(TeamScoped):
    def open(self) -> Self:
        """Those that are offered: neither taken over nor continued nor closed."""
        return self.filter(acknowledged_at__isnull=True)

    def closed(self) -> Self:
        return self.filter(acknowledged_at__isnull=False)

    def of_item(self, user_id: int, checkout: str, branch: str) -> Self:
        """Those of one work item of a repo: of the user, and of the checkout, or the branch where none is known."""
        item = Q(session__checkout=checkout) if checkout else Q(session__checkout="", session__branch=branch)
        return self.filter(item, session__user_id=user_id)

    def offered_to(self, member: Member, team_id: int, repo: str, since: datetime, mine: int, others: int) -> list[Any]:
        """The open handoffs of a repo, the latest first: at most `mine` of the member's own, and at most `others` of
        their colleagues' since a moment. Of each what a start tells, and not the rest. Two statements.
        """

        def open_here() -> HandoffQuerySet:
            rows = self.visible_to(MEMBER_PARAM).open().filter(team_id=BindParam("team"), repo=BindParam("repo"))
            return rows.select_related("session__user").only(*TOLD_AT_START).order_by("-as_of", "-pk")

        def own() -> QuerySet[Any, Any]:
            return open_here().filter(session__user_id=BindParam("user"))[:mine]

        def of_others() -> QuerySet[Any, Any]:
            return (
                open_here().filter(as_of__gte=BindParam("since")).exclude(session__user_id=BindParam("user"))[:others]
            )

        values: dict[str, Any] = {"team": team_id, "repo": repo, "user": member.user_id}
        found = prepared(("own handoffs", mine), own).visible_to(member, **values)
        return [*found, *prepared(("others' handoffs", others), of_others).visible_to(member, **values, since=since)]

    def closed_by_others(self, user_id: int, team_id: int, since: Any) -> QuerySet[Any, Any]:
        """(session, how, in which session or "", who, when) of the handoffs that a user left in a team and somebody
        else has taken over or closed since a moment.
        """
        mine = self.filter(session__user_id=user_id, team_id=team_id, acknowledged_at__gt=since)
        theirs = mine.filter(closed_as__in=(Closed.TAKEN_OVER, Closed.CLOSED), acknowledged_by__isnull=False)
        rows = theirs.exclude(acknowledged_by=user_id).order_by()
        within = Case(
            When(acknowledged_in__isnull=True, then=Value("")), default=_named("acknowledged_in_id"), output_field=TEXT
        )
        told = (_named("session_id"), "closed_as", within, "acknowledged_by__username", "acknowledged_at")
        return rows.values_list(*told)

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
    def decided_for(self, member: Member) -> Self:
        """Those on the member's own prompts; for a token that is narrowed to teams, on those that it sent."""
        mine = self.visible_to(member).filter(user_id=member.user_id)
        return mine.filter(token_id=member.token_id) if member.narrowed else mine

    def in_session(self, member: Member, since: datetime | None, keys: "QuerySet[Any] | None" = None) -> Self:
        """The member's own of the session they are in (or what counts as one), from a moment on if one is given.

        `keys`: those of all sessions that are one conversation with it.
        """
        mine = self.filter(user_id=member.user_id)
        rows = mine.filter(session_key=member.session_key) if keys is None else mine.filter(session_key__in=keys)
        return rows.filter(at__gte=since) if since else rows

    def surfaced(self) -> Self:
        return self.filter(gate=Gate.OPEN)

    def received(self, queries: Collection[UUID] | None) -> Self:
        """Those that put nothing before the model, or whose answer is among these queries; all with None."""
        return self if queries is None else self.filter(~Q(gate=Gate.OPEN) | Q(query__in=queries))

    def newest(self) -> Self:
        return self.order_by("-at", "-pk")

    def older_than(self, moment: datetime) -> Self:
        return self.filter(at__lt=moment)

    def by_gate(self) -> dict[str, int]:
        """How many ended at each gate, the most frequent first."""
        counts = self.order_by().values("gate").annotate(n=Count("pk")).order_by("-n", "gate")
        return dict(counts.values_list("gate", "n"))


class CoachedQuerySet(QuerySet[Any]):
    def of(self, user_id: int | BindParam, concepts: "list[Concept]", done: "Mapping[Concept, QuerySet[Any]]") -> Self:
        """Of these concepts, with `done`: whether there is a row that shows that the member knows it."""
        cases = [When(concept=concept, then=Exists(rows)) for concept, rows in done.items()]
        rows = self.filter(user_id=user_id, concept__any=concepts)
        return rows.annotate(done=Case(*cases, default=Value(False), output_field=BooleanField()))
