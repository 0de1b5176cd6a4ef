"""All SQL of `knowledge`: which rows, with which raw signals. What they are worth is computed in `rules/`.

Candidates come from legs (nearest by vector, best by keyword, the same error, a named reference), joined in one
statement, with vector and keyword scores computed exactly on all of them
(docs/decisions/0002-one-candidate-statement.md).
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, Self
from uuid import UUID

import numpy as np
from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import (
    Avg,
    BooleanField,
    Case,
    CharField,
    Count,
    Exists,
    F,
    FloatField,
    Func,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
    Window,
)
from django.db.models.fields import BinaryField
from django.db.models.functions import Cast, Coalesce, Concat, Extract, RowNumber
from pgvector import HalfVector, SparseVector
from pgvector.django import CosineDistance, MaxInnerProduct

from accounts.querysets import TeamScoped
from accounts.rules.rights import Member
from accounts.statements import MEMBER_PARAM, AnyOf, BindParam, narrowed, prepared
from knowledge.querysets.neighbours import WeighedQuerySet
from knowledge.rules.vectors import half, lexemes
from knowledge.rules.vocabulary import AnchorKind, Kind, Source, Status, Trust

# Up to so many insights every vector is measured: exact, and no slower than HNSW, which must walk past the rows of all
# other teams. 941 of 100,000 take 7 ms so; at 10,000 HNSW alone is faster, unless they are a tenth of a larger table
# (decision 0002).
MEASURED_WHOLE = 4_000
NO_TEXTS = Value([], output_field=ArrayField(CharField()))


class Matches(Func):
    """`lexemes @@ query`. The query is quoted lexemes joined by |: no text-search configuration is involved."""

    arg_joiner = " @@ "
    template = "(%(expressions)s)"
    output_field = BooleanField()


class TsQuery(Func):
    template = "(%(expressions)s)::tsquery"


# Each part reads the first rows of an index made for it, however many there are: so it goes team by team, repo by repo.
_POINTED = """(SELECT '{why}' AS why, ref, kind, title, created_at, i.repo, status, source_type, author_id
    FROM knowledge_insight i
    WHERE i.team_id = t.team_id AND i.repo = r.repo AND retrievable AND {condition}
    ORDER BY created_at DESC, id DESC LIMIT %s)"""
ORIENTING = """SELECT why, ref, kind, title, created_at, o.repo, status, source_type, u.username
    FROM unnest(%s::bigint[]) AS t(team_id) CROSS JOIN unnest(%s::text[]) AS r(repo)
    CROSS JOIN LATERAL ({}) o LEFT JOIN accounts_user u ON u.id = o.author_id""".format(
    " UNION ALL ".join(
        _POINTED.format(why=why, condition=condition)
        for why, condition in (
            ("pinned", "pinned"),
            ("decision", f"kind = '{Kind.DECISION}' AND created_at >= %s AND COALESCE(source_date, created_at) >= %s"),
            ("stale", f"trust = '{Trust.STALE}'"),
        )
    )
)


class InsightQuerySet(WeighedQuerySet):
    def visible_to(self, member: Member, *, only: Iterable[int] | None = None, by_index: bool = True) -> Self:
        """What is forgotten or in quarantine is in no read at all, from that moment on.

        `only` narrows to those of the member's teams, in one condition: two would look twice as narrow to the planner.
        Without `by_index` the teams are looked at row by row, whatever the planner thinks.
        """
        teams = narrowed(member, only)
        of_teams = self.filter(team_id__any=teams) if by_index else self.filter(AnyOf(F("team_id") + 0, teams))
        return of_teams.filter(forgotten_at__isnull=True, quarantined_at__isnull=True)

    def retrievable(self) -> Self:
        """What a query may return: not superseded, archived, quarantined, forgotten. HNSW holds exactly these rows."""
        return self.filter(retrievable=True)

    def stored(self) -> int:
        """How many there are of these, whatever their status; what is forgotten waits only to be erased."""
        return self.filter(forgotten_at__isnull=True).count()

    def superseded(self) -> Self:
        """What gave way to another. HNSW holds these apart."""
        return self.filter(superseded_by__isnull=False)

    def due(self, now: datetime) -> Self:
        """Those whose strength has crossed a threshold by `now`: the sweep's work list."""
        return self.filter(fades_at__lte=now, forgotten_at__isnull=True, superseded_by__isnull=True)

    def of_kinds(self, kinds: Sequence[str] | BindParam) -> Self:
        return self.filter(kind__any=kinds) if kinds else self

    def of_session(self, key: str, team_id: int) -> Self:
        """What one session deposited in one team, in its order."""
        return self.filter(session_key=key, team_id=team_id).shown().order_by("pk")

    def orienting(self, team_ids: Sequence[int], repo: str, since: datetime, most: int) -> list[tuple[Any, ...]]:
        """What a session that starts on `repo` may be pointed to, as (why, ref, kind, title, created_at, repo, status,
        type of source, name of the author): pinned insights, decisions taken and told since `since`, stale ones; of
        each team, with that repo and with none, the newest `most`.
        """
        with connection.cursor() as cursor:
            cursor.execute(ORIENTING, [list(team_ids), sorted({repo, ""}), most, since, since, most, most])
            return list(cursor.fetchall())

    def of_teams(self, team_ids: Sequence[int] | BindParam) -> Self:
        return self.filter(team_id__any=team_ids)

    def deposited_by(self, user_id: int) -> Self:
        """What somebody deposited one by one, newest first."""
        return self.filter(author_id=user_id).exclude(source_type=Source.IMPORT).order_by("-created_at", "-pk")

    def with_anchors(self, anchors: "AnchorQuerySet") -> Self:
        """The reference, the topic and the anchors (as in `signals`) of each row, and nothing else of it."""
        rows = self.select_related("topic").only("ref", "topic__label")
        return rows.annotate(anchored=ArraySubquery(anchors.of_each_insight()))

    def of_topic(self, topic: "UUID | QuerySet[Any, Any]") -> Self:
        """Of one topic by its id, or of those whose ids a query brings."""
        return self.filter(topic__in=[topic] if isinstance(topic, UUID) else topic)

    def since(self, moment: datetime | BindParam) -> Self:
        """Deposited since then, the newest first."""
        return self.filter(created_at__gte=moment).order_by("-created_at", "-pk")

    def kinds_by_topic(self) -> Any:
        """(topic, kind, how many), the most frequent kind of a topic first; without what has no topic."""
        counted = self.filter(topic__isnull=False).values("topic_id", "kind").annotate(n=Count("*"))
        return counted.order_by("-n", "kind").values_list("topic_id", "kind", "n")

    def arrived(self, since: datetime | None) -> Self:
        """Those deposited since a moment (None: ever), and those that have no topic."""
        return self.filter(Q(created_at__gt=since) | Q(topic__isnull=True)) if since else self

    def centre(self, model: str) -> HalfVector | None:
        """The mean of their vectors of this model."""
        mean: HalfVector | None = self.groupable(model).aggregate(mean=Avg("embedding"))["mean"]
        return mean

    def groupable(self, model: str) -> Self:
        """Those that topics are made of: a query may return them, and they have a vector of this model."""
        return self.retrievable().filter(embedded_by=model, embedding__isnull=False)

    def tagged(self, tag: str) -> Self:
        return self.anchored(AnchorKind.TAG, [tag.lower()])

    def anchored(self, kind: AnchorKind, values: Sequence[str]) -> Self:
        """Rows with at least one such anchor."""
        return self.filter(anchors__kind=kind, anchors__value__in=values).distinct()

    def with_ref(self, refs: Sequence[str] | BindParam) -> Self:
        return self.filter(ref__any=refs)

    def with_error(self, digests: Sequence[str] | BindParam) -> Self:
        return self.filter(anchors__kind=AnchorKind.ERROR, anchors__value__any=digests)

    def with_message(self, messages: Sequence[str] | BindParam) -> Self:
        """Rows about an error that says one of these, wherever it was raised."""
        return self.filter(anchors__kind=AnchorKind.MESSAGE, anchors__value__any=messages)

    def with_file(self, anchors: "AnchorQuerySet", names: Sequence[str] | BindParam) -> Self:
        """Rows anchored to a file of one of these names, in whatever folder."""
        return self.filter(pk__in=anchors.of_files(names).values("insight_id"))

    def near(self, vector: HalfVector | BindParam, *, whole: bool = False) -> Self:
        """Nearest first by cosine distance; `whole` measures every row instead of asking the HNSW index."""
        distance = CosineDistance("embedding", vector)
        # An index on the expression `distance` does not serve `distance + 0`.
        return self.filter(embedding__isnull=False).order_by(distance + 0.0 if whole else distance)

    def measured(self, vector: HalfVector, *, whole: bool = False) -> Self:
        """Nearest first, with their `distance`; `whole` as in `near`."""
        return self.near(vector, whole=whole).annotate(distance=CosineDistance("embedding", vector))

    def matching(self, terms: Iterable[str] | BindParam, weights: SparseVector | BindParam) -> Self:
        """Rows with any of `terms`, best keyword score first. A Slot's value is `lexemes(terms, " | ")`."""
        query = TsQuery(terms if isinstance(terms, BindParam) else Value(lexemes(terms, " | ")))
        return self.filter(Matches(F("lexemes"), query)).order_by(MaxInnerProduct("bm25", weights))

    def with_all(self, terms: Sequence[str]) -> Self:
        """Rows with every one of `terms`; all rows when there is none."""
        if not terms:
            return self
        return self.filter(Matches(F("lexemes"), TsQuery(Value(lexemes(terms, " & ")))))

    def with_any_term(self, terms: Iterable[str]) -> Self:
        """Rows that are searched by one of `terms`, in no order."""
        return self.filter(Matches(F("lexemes"), TsQuery(Value(lexemes(terms, " | ")))))

    def in_any(self, legs: "Sequence[QuerySet[Any]]") -> Self:
        """The rows of all legs, each once: one statement in which each leg uses its own index."""
        first, *others = [leg.values("pk") for leg in legs]
        return self.filter(pk__in=first.union(*others, all=True) if others else first)

    def successors(
        self, vector: HalfVector | BindParam | None, weights: SparseVector | BindParam | None
    ) -> QuerySet[Any, Any]:
        """(what replaced it in the end, `distance`, `keyword`) of superseded rows, both as in `signals`; of a chain of
        replacements the first three are followed.
        """
        links = [
            "superseded_by__superseded_by__superseded_by_id",
            "superseded_by__superseded_by_id",
            "superseded_by_id",
        ]
        distance = CosineDistance("embedding", vector) if vector else Value(None, FloatField())
        keyword = MaxInnerProduct("bm25", weights) if weights else Value(0.0)
        return self.values_list(Coalesce(*links), distance, keyword)

    def signals(
        self,
        vector: HalfVector | BindParam | None,
        weights: SparseVector | BindParam | None,
        anchors: "AnchorQuerySet | None",
        ratings: "SignalQuerySet",
    ) -> Self:
        """With `distance` (cosine; None without a vector), `keyword` (−BM25), `anchored` (["kind:value", …], none
        unless `anchors` are given), `rated` (["verdict:distance of its question:epoch seconds", …]), and, in epoch
        seconds, `strength_since` and when it was `learned_at`.
        """
        distance = CosineDistance("embedding", vector) if vector else Value(None, FloatField())
        keyword = MaxInnerProduct("bm25", weights) if weights else Value(0.0)
        return self.annotate(
            distance=distance,
            keyword=keyword,
            strength_since=Cast(Extract("strength_at", "epoch"), FloatField()),
            learned_at=Cast(Extract(Coalesce("source_date", "created_at"), "epoch"), FloatField()),
            anchored=ArraySubquery(anchors.of_each_insight()) if anchors is not None else NO_TEXTS,
            rated=ArraySubquery(ratings.of_each_insight(vector)),
        )

    def waiting_for_vector(self, model: str) -> Self:
        """Rows without a vector of this model: the embedder's work list. What nobody may read needs none."""
        return self.exclude(embedded_by=model).shown().order_by("pk")

    def extent(self) -> dict[str, int]:
        """How many rows, and how many terms they have together."""
        found = self.filter(lexemes__isnull=False).aggregate(n=Count("pk"), total=Sum("length"))
        return {"documents": found["n"], "length": found["total"] or 0}

    def gather_statistics(self) -> None:
        """What the planner knows of these tables, again: after a load, before autovacuum has come round to it."""
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE knowledge_insight, knowledge_anchor, knowledge_term, knowledge_lexicon")

    def served(self, anchors: "AnchorQuerySet", pairs: "PairQuerySet") -> Self:
        """With what an answer shows of each row, its anchors as in `signals` and, as `related`, the pairs it is a side
        of: all in one statement. Its vector comes as `meant`, in bytes for `unit`: as text it took a tenth of a
        millisecond on either side, for each row.
        """
        rows = self.select_related("team", "author").defer("lexemes", "bm25", "heard", "embedding")
        meant = Func("embedding", function="halfvec_send", output_field=BinaryField())
        related = ArraySubquery(pairs.of_each_insight())
        return rows.annotate(anchored=ArraySubquery(anchors.of_each_insight()), meant=meant, related=related)

    def served_by_id(self, ids: Sequence[int], anchors: "AnchorQuerySet", pairs: "PairQuerySet") -> dict[int, Any]:
        """The `served` rows of these keys."""
        rows = prepared("served", lambda: self.filter(pk__any=BindParam("ids")).served(anchors, pairs), planned=True)
        return {row.pk: row for row in rows.run(ids=list(ids))}

    def named(self) -> Self:
        """The reference and the title of each row, and what took its place."""
        return self.only("ref", "title", "superseded_by")

    def listed(self) -> Self:
        """As `whole`, without what a row is found by."""
        return self.whole().defer(*FOUND_BY, *(f"superseded_by__{name}" for name in FOUND_BY))

    def whole(self) -> Self:
        """With what a page or an answer shows of each row."""
        return self.select_related("team", "author", "owner", "superseded_by").prefetch_related("anchors")


# What a row is found by, and no page shows: kilobytes of each.
FOUND_BY = ("embedding", "lexemes", "bm25", "heard")


# The last part of a path; the index `anchor_file_name` is on this very expression.
FILE_NAME = Func(F("value"), Value("^.*/"), Value(""), function="regexp_replace", output_field=CharField())


class AnchorQuerySet(QuerySet[Any]):
    def of_files(self, names: "Sequence[str] | BindParam") -> Self:
        """Anchors to files of these names, in whatever folder."""
        return self.filter(kind=AnchorKind.FILE).alias(file_name=FILE_NAME).filter(file_name__any=names)

    def of_each_insight(self) -> QuerySet[Any, Any]:
        """For a subquery: the anchors of the outer row as "kind:value"."""
        text = Concat("kind", Value(":"), "value")
        return self.filter(insight=OuterRef("pk")).annotate(text=text).values("text")


# The kinds of signals that speak for an insight.
IN_FAVOUR = ("helpful", "corroborated")


class SignalQuerySet(QuerySet[Any]):
    def by_others(self) -> Self:
        """Those that speak for an insight, of anybody but its author: praise of oneself asks nothing of a lead."""
        return self.filter(Q(user__isnull=True) | ~Q(user=F("insight__author")), kind__in=IN_FAVOUR)

    def last_by_others(self) -> QuerySet[Any, Any]:
        """For a subquery: when somebody else last spoke for the insight of the outer row."""
        mine = self.by_others().filter(insight=OuterRef("pk")).order_by()
        return mine.values("insight").annotate(last=Max("at")).values("last")

    def of_insights(self, ids: Sequence[int]) -> Self:
        return self.filter(insight_id__in=ids)

    def ratings(self) -> Self:
        return self.filter(kind__in=("helpful", "unhelpful"))

    def counting(self) -> Self:
        """Those that move the strength, without what was asked."""
        return self.filter(counts=True).defer("embedding", "question")

    def ratings_of(self, user_id: int, kind: str) -> Self:
        """What this user found helpful, or unhelpful, as far as it moved a strength."""
        return self.filter(user_id=user_id, kind=kind, counts=True)

    def objectors(self, insight: Any, since: datetime) -> Any:
        """(user, whether in person) of the objections to an insight that count, since a moment."""
        found = self.filter(insight=insight, kind="unhelpful", counts=True, at__gt=since)
        return found.order_by().values_list("user_id", "human").distinct()

    def votes(self, ids: Sequence[int]) -> Any:
        """(insight, kind, how many) of the ratings of these rows."""
        counted = self.of_insights(ids).ratings().order_by().values("insight_id", "kind").annotate(n=Count("pk"))
        return counted.values_list("insight_id", "kind", "n")

    def newest_first(self) -> Self:
        """Without the vectors of their questions, newest first."""
        return self.select_related("user", "token").defer("embedding").order_by("-at", "-pk")

    def recent(self, since: datetime | BindParam, model: str) -> Self:
        """Ratings since a moment whose question has a vector of this model, or none."""
        return self.ratings().filter(at__gte=since, embedded_by__in=(model, ""))

    def of_each_insight(self, vector: HalfVector | BindParam | None) -> QuerySet[Any, Any]:
        """For a subquery: the ratings of the outer row as "verdict:distance:epoch seconds:user"; no distance, no
        number.
        """
        distance = CosineDistance("embedding", vector) if vector else Value(None, FloatField())
        said = Concat(
            "kind",
            Value(":"),
            Coalesce(Cast(distance, CharField()), Value("")),
            Value(":"),
            Cast(Extract("at", "epoch"), CharField()),
            Value(":"),
            Coalesce(Cast("user_id", CharField()), Value("")),
        )
        return self.filter(insight=OuterRef("pk")).annotate(said=said).values("said")


class CorroborationQuerySet(QuerySet[Any]):
    def merged(self) -> Self:
        """Those that are still part of their insight."""
        return self.filter(unmerged_into__isnull=True)


class PairQuerySet(QuerySet[Any]):
    def visible_to(self, member: Member) -> Self:
        """Both sides must be: a pair may outlive the move of one of them to another team."""
        return self.filter(a__team_id__any=member.team_ids, b__team_id__any=member.team_ids).shown()

    def shown(self) -> Self:
        hidden = Q()
        for side in ("a", "b"):
            hidden |= Q(**{f"{side}__forgotten_at__isnull": False}) | Q(**{f"{side}__quarantined_at__isnull": False})
        return self.exclude(hidden)

    def tabbed(self, tab: str, most: int) -> "QuerySet[Any, tuple[Any, ...]]":
        """As of insights: (tab,) for each pair, at most one more than `most`."""
        return self.order_by().annotate(tab=Value(tab)).values_list("tab")[: most + 1]

    def awake(self, snoozed: QuerySet[Any]) -> Self:
        """As of insights: without those that one of these states of the inbox is of."""
        return self.filter(~Exists(snoozed.filter(pair=OuterRef("pk"))))

    def asleep(self, snoozed: QuerySet[Any]) -> Self:
        return self.filter(Exists(snoozed.filter(pair=OuterRef("pk"))))

    def assigned_to(self, user_id: int | None) -> Self:
        return self.filter(inbox_state__assignee=user_id)

    def of_owner(self, user_id: int) -> Self:
        """Those with a side that a user owns, itself or with its topic."""
        sides = (f"{side}__{owned}" for side in "ab" for owned in ("owner_id", "topic__owner_id"))
        return self.filter(reduce(or_, (Q(**{side: user_id}) for side in sides)))

    def with_sides(self) -> Self:
        """With all that a page shows of both, and of how it stands in the inbox."""
        sides = ("a__team", "a__author", "b__team", "b__author", "inbox_state__assignee")
        return self.select_related(*sides).prefetch_related("a__anchors", "b__anchors")

    def touching(self, insights: Sequence[Any]) -> Self:
        """Those with one of these as a side."""
        return self.filter(Q(a__in=insights) | Q(b__in=insights))

    def open(self) -> Self:
        """What is still to be settled, both sides of it being there to be read."""
        return self.filter(state="open").shown()

    # When a claim against what the team has confirmed was raised; nothing for any other pair.
    _AGAINST_CONFIRMED = Case(
        When(Q(successor_side="b") & (Q(a__status=Status.PROMOTED) | Q(a__pinned=True)), then=F("raised_at")),
        When(Q(successor_side="a") & (Q(b__status=Status.PROMOTED) | Q(b__pinned=True)), then=F("raised_at")),
    )
    _BY_URGENCY = (F("against_confirmed").desc(nulls_last=True), "raised_at", "pk")

    def by_urgency(self) -> Self:
        """Claims to replace what the team has confirmed first, the newest of them first; then the others, the oldest
        first.
        """
        return self.annotate(against_confirmed=self._AGAINST_CONFIRMED).order_by(*self._BY_URGENCY)

    def first_of_each_contributor(self, most: int) -> Self:
        """The most urgent few that each user has raised; all that nobody is known to have raised."""
        place = Window(RowNumber(), partition_by="raised_by_user", order_by=self._BY_URGENCY)
        urgent = self.order_by().annotate(against_confirmed=self._AGAINST_CONFIRMED)
        ranked = urgent.annotate(place=place).filter(Q(place__lte=most) | Q(raised_by_user__isnull=True))
        return self.filter(pk__in=ranked.values("pk"))

    def raised_by_account(self, username: str) -> Self:
        return self.filter(raised_by_user__username=username)

    def beyond_first(self, most: int) -> list[tuple[str, int]]:
        """(username, how many) of what `first_of_each_contributor` leaves out, by name."""
        name = "raised_by_user__username"
        many = self.order_by().exclude(raised_by_user=None).values(name).annotate(count=Count("pk"))
        found = many.filter(count__gt=most).order_by(name).values_list(name, "count")
        return [(username, count - most) for username, count in found]

    def current(self) -> Self:
        """Those of which both sides can still be found."""
        return self.filter(a__retrievable=True, b__retrievable=True)

    def open_about(self, insight: Any) -> Self:
        """Open contradictions that an insight is a side of."""
        return self.open().filter(Q(a=insight) | Q(b=insight), question="contradiction")

    def of_each_insight(self) -> QuerySet[Any, Any]:
        """For a subquery: what the outer row has to do with others that can be found, and that is open or links them,
        as "pair:a:b:question:state:relation:successor side:user:decided", the user being the last who claims it (0:
        nobody known); also what a lead took back, dismissed or found to hold both, for then both stand.
        """
        said = Q(relation__in=("complements", "unrelated"))
        dismissed = Q(question="supersession", relation__in=("", "supersedes")) | Q(question="duplicate", relation="")
        by_lead = (dismissed & Q(state="dismissed", settled_by_lead=True)) | self._SCOPED
        told = Q(state="open") | said | by_lead | Q(question="contradiction")
        mine = self.current().filter(Q(a=OuterRef("pk")) | Q(b=OuterRef("pk")), told, a__team_id=F("b__team_id"))
        parts: list[Any] = [Cast(name, CharField()) for name in ("pk", "a_id", "b_id")]
        parts += [F(name) for name in ("question", "state", "relation", "successor_side")]
        parts.append(Cast(Coalesce("stated_by_user_id", "raised_by_user_id", 0), CharField()))
        parts.append(self._DECIDED)
        between = [piece for part in parts for piece in (Value(":"), part)][1:]
        return mine.order_by("pk").annotate(text=Concat(*between)).values("text")

    # What a lead has decided and given words for (`currency.Link.decided`).
    _SCOPED = Q(state="resolved", settled_by_lead=True) & ~Q(scope="")
    _DECIDED = Case(
        When(_SCOPED, then=Value("scope")),
        When(Q(state="dismissed", settled_by_lead=True) & ~Q(resolution=""), then=Value("reason")),
        default=Value(""),
        output_field=CharField(),
    )

    def told_of(self, ids: Sequence[int]) -> QuerySet[Any, Any]:
        """(id, who raised it, who settled it, when, scope, resolution) of these pairs."""
        named = ("pk", "raised_by", "settled_by__username", "settled_at", "scope", "resolution")
        return self.filter(pk__in=ids).values_list(*named)

    def undetermined(self) -> Self:
        """Open pairs of which nobody has said anything, with both sides, oldest first."""
        nobody = self.open().current().filter(question="duplicate", relation="", verdict__judge="server")
        nobody = nobody.filter(a__team_id=F("b__team_id"))
        return nobody.select_related("a", "b").order_by("raised_at", "pk")

    def open_between(self, ids: Iterable[int]) -> set[frozenset[int]]:
        """Which two of these insights are an open pair."""
        within = list(ids)
        found = self.filter(state="open", a_id__any=within, b_id__any=within).values_list("a_id", "b_id")
        return {frozenset(both) for both in found}

    def proposed_successors(self, refs: Collection[str]) -> dict[str, list[Any]]:
        """By reference, the insights that are proposed to replace it, the latest first."""
        either = Q(successor_side="b", a__ref__in=refs) | Q(successor_side="a", b__ref__in=refs)
        found: dict[str, list[Any]] = {}
        for pair in self.filter(either, question="supersession").select_related("a", "b").order_by("-raised_at", "-pk"):
            old, new = (pair.a, pair.b) if pair.successor_side == "b" else (pair.b, pair.a)
            found.setdefault(old.ref, []).append(new)
        return found

    def of_both(self, one: int, other: int) -> Self:
        """Whatever stands between two insights."""
        return self.filter(a_id=min(one, other), b_id=max(one, other))

    def superseded_by_agents_of(self, user_id: int, *, since: datetime) -> Self:
        """Others' insights that this user's agents have replaced since a moment."""
        done = self.filter(relation="supersedes", state="resolved", settled_by_lead=False, settled_at__gte=since)
        return done.filter(settled_by_id=user_id).exclude(a__author_id=user_id, b__author_id=user_id)

    def contradictions_of(self, ids: Sequence[int], by: Member) -> list[Any]:
        """Contradictions and proposed replacements, settled or not, and what was said to hold beside each other, that
        one of these rows is a side of, and the other can still be found.
        """

        def build() -> QuerySet[Any]:
            slot = BindParam("ids")
            told = self.visible_to(MEMBER_PARAM).exclude(question="duplicate", relation__in=("", "duplicates"))
            either = told.filter(Q(a_id__any=slot) | Q(b_id__any=slot))
            both = either.filter(a__retrievable=True, b__retrievable=True).select_related("a", "b").order_by("pk")
            sides = (f"{side}__{name}" for side in ("a", "b") for name in ("ref", "source_date", "created_at"))
            return both.only("state", "question", "reason", "successor_side", *sides)

        return prepared("contradictions", build, planned=True).visible_to(by, ids=list(ids))


class TopicQuerySet(TeamScoped):
    def current(self) -> Self:
        """Without those that were merged into others."""
        return self.filter(merged_into__isnull=True)

    def of_team(self, team_id: int) -> Self:
        return self.filter(team_id=team_id)

    def labels_of(self, ids: Iterable[UUID], by: Member) -> dict[UUID, str]:
        """What these topics are called, by their ids; without those the member cannot see."""

        def build() -> QuerySet[Any, Any]:
            return self.visible_to(MEMBER_PARAM).filter(pk__any=BindParam("ids")).values_list("pk", "label")

        return dict(prepared("labels", build, planned=True).visible_to(by, ids=list(ids)))

    def with_id(self, id: UUID | str) -> Any:
        """The topic of that id, merged into another or not; None if there is none."""
        return self.filter(pk=id).first()

    def heir_of(self, id: UUID | str | BindParam) -> QuerySet[Any, Any]:
        """For a subquery: the id of that topic, or of the one it was merged into."""
        return self.filter(pk=id).values_list(Coalesce("merged_into_id", "pk"), flat=True)

    def nearest(self, team_id: int, model: str, vectors: Sequence[np.ndarray]) -> list[tuple[UUID, float] | None]:
        """For each vector the team's nearest topic by its centre and the cosine; None in a team without any.

        One statement for a whole batch, for it stands in the transaction of every deposit.
        """
        if not vectors:
            return []
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT near.id, near.cosine FROM unnest(%s::text[]::halfvec[]) WITH ORDINALITY AS v(vector, place)"
                " LEFT JOIN LATERAL (SELECT id, 1 - (centroid <=> v.vector) AS cosine FROM knowledge_topic"
                " WHERE team_id = %s AND embedded_by = %s AND centroid IS NOT NULL AND merged_into_id IS NULL"
                " ORDER BY centroid <=> v.vector, id LIMIT 1) AS near ON true ORDER BY v.place",
                [[half(vector).to_text() for vector in vectors], team_id, model],
            )
            return [(id, cosine) if id else None for id, cosine in cursor.fetchall()]


class QueryQuerySet(QuerySet[Any]):
    def showed(self, refs: Sequence[str], session_key: str, since: datetime) -> Self:
        """What a session was answered with any of these references since a moment."""
        return self.filter(session_key=session_key, at__gte=since, shown__overlap=list(refs))

    def served_to(self, session_key: str, since: datetime) -> QuerySet[Any, Any]:
        """The references that answered each question of a session since a moment, the latest first."""
        asked = self.filter(session_key=session_key, at__gte=since).order_by("-at")
        return asked.values_list("shown", flat=True)

    def keep(self, query: Any) -> None:
        """Store a new question, without waiting until it is on the disk: a crash of the machine may cost the questions
        of its last half second, which nothing but a rating could refer to; waiting costs each a millisecond or two.
        """
        written = [field for field in self.model._meta.concrete_fields if not field.generated]
        names = ", ".join(f'"{field.column}"' for field in written)
        with connection.cursor() as cursor:
            cursor.execute(
                f'INSERT INTO "{self.model._meta.db_table}" ({names}) VALUES ({", ".join(["%s"] * len(written))})'
                " RETURNING set_config('synchronous_commit', 'off', true)",
                [field.get_db_prep_save(getattr(query, field.attname), connection) for field in written],
            )

    def asked_by(self, member: Member) -> Self:
        """One's own questions only: they belong to the asker's personal team. A token that was narrowed to other teams
        has those alone that were asked by it.
        """
        mine = self.filter(user_id=member.user_id)
        return mine if member.personal else mine.filter(token_id=member.token_id)

    def asked_since(self, moment: datetime, model: str) -> Self:
        """Anyone who asked them, the newest first; those with a vector of this model."""
        found = self.filter(at__gte=moment, embedded_by=model, embedding__isnull=False)
        return found.order_by("-at", "-pk")

    def of_session(self, key: str) -> Self:
        """What was asked in one session, in its order."""
        return self.filter(session_key=key).order_by("at")

    def older_than(self, moment: datetime) -> Self:
        return self.filter(at__lt=moment)
