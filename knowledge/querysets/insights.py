"""Queries for insights: they select rows and their raw signals; `rules/` computes scores from these.

Candidates come from legs (nearest by vector, best by keyword, same error, named reference), joined in one statement
that computes vector and keyword scores exactly for all (docs/decisions/0002-one-candidate-statement.md).
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import (
    Avg,
    BooleanField,
    Case,
    CharField,
    Count,
    Expression,
    F,
    FloatField,
    Func,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
    Window,
)
from django.db.models.fields import BinaryField
from django.db.models.functions import Cast, Coalesce, Extract, RowNumber
from pgvector import HalfVector, SparseVector
from pgvector.django import CosineDistance, MaxInnerProduct

from accounts.rules.rights import Member
from accounts.statements import MEMBER_PARAM, AnyOf, BindParam, narrowed, prepared
from knowledge.querysets.anchors import AnchorQuerySet
from knowledge.querysets.neighbours import WeighedQuerySet
from knowledge.querysets.pairs import FOUND_BY, PairQuerySet
from knowledge.querysets.signals import SignalQuerySet
from knowledge.querysets.tsquery import Matches, TsQuery
from knowledge.rules.vectors import lexemes
from knowledge.rules.vocabulary import AnchorKind, Kind, Source, Status, Trust

NO_TEXTS = Value([], output_field=ArrayField(CharField()))
NUMBERS: "ArrayField[Any, Any]" = ArrayField(FloatField(null=True))
NO_NUMBERS = Value([], output_field=NUMBERS)


# Each part reads the first rows of an index made for it, so it runs once per team and repository.
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
            (
                "decision",
                f"kind = '{Kind.DECISION}' AND (i.repo = %s OR status = '{Status.PROMOTED}' OR pinned) "
                "AND created_at >= %s AND COALESCE(source_date, created_at) >= %s",
            ),
            ("stale", f"trust = '{Trust.STALE}'"),
        )
    )
)


class _LooksAt(Func):
    """Set `hnsw.ef_search` for the transaction. PostgreSQL evaluates this once, before the search, as no row is
    involved.
    """

    template = "(SELECT set_config('hnsw.ef_search', %(expressions)s, true)) IS NOT NULL"
    output_field = BooleanField()


class InsightQuerySet(WeighedQuerySet):
    def visible_to(self, member: Member, *, only: Iterable[int] | None = None, by_index: bool = True) -> Self:
        """Return the rows that the member may see, without forgotten and quarantined ones. `only`: these of the
        member's teams, in one condition, as the planner would estimate too few rows for two. If `by_index` is false,
        teams are checked row by row, whatever the planner prefers.
        """
        teams = narrowed(member, only)
        of_teams = self.filter(team_id__any=teams) if by_index else self.filter(AnyOf(F("team_id") + 0, teams))
        return of_teams.filter(forgotten_at__isnull=True, quarantined_at__isnull=True)

    def retrievable(self) -> Self:
        """Return what queries may serve: not superseded, archived, quarantined or forgotten. HNSW holds exactly these
        rows.
        """
        return self.filter(retrievable=True)

    def stored(self) -> int:
        """Return the number of rows of any status, without forgotten ones, which only wait to be erased."""
        return self.filter(forgotten_at__isnull=True).count()

    def superseded(self) -> Self:
        """Return the superseded rows. They have an HNSW index of their own."""
        return self.filter(superseded_by__isnull=False)

    def superseded_near(self, vector: HalfVector, team_id: int, *, most: int) -> list[Any]:
        """Return the superseded rows of a team nearest to a vector, with their `distance`, nearest first. The index
        holds all teams and may miss rows of this one; if it returns fewer than `most`, all rows are compared.
        """
        rows = self.filter(team_id=team_id).superseded()
        found = list(rows.measured(vector)[:most])
        if len(found) < most:
            found = list(rows.measured(vector, whole=True)[:most])
        return sorted(found, key=lambda row: row.distance)

    def due(self, now: datetime) -> Self:
        """Return the rows whose strength has crossed a threshold by `now`, for the sweep."""
        return self.filter(fades_at__lte=now, forgotten_at__isnull=True, superseded_by__isnull=True)

    def of_kinds(self, kinds: Sequence[str] | BindParam) -> Self:
        return self.filter(kind__any=kinds) if kinds else self

    def of_session(self, key: str, team_id: int) -> Self:
        """Return what one session deposited in one team, in order."""
        return self.filter(session_key=key, team_id=team_id).shown().order_by("pk")

    def orienting(self, team_ids: Sequence[int], repo: str, since: datetime, most: int) -> list[tuple[Any, ...]]:
        """Return what a session that starts on `repo` may be pointed to, as (why, ref, kind, title, created_at, repo,
        status, type of source, author's name): pinned insights, decisions since `since`, stale insights; of each team,
        with this repository and with none, the newest `most`.
        """
        with connection.cursor() as cursor:
            cursor.execute(ORIENTING, [list(team_ids), sorted({repo, ""}), most, repo, since, since, most, most])
            return list(cursor.fetchall())

    def of_teams(self, team_ids: Sequence[int] | BindParam) -> Self:
        return self.filter(team_id__any=team_ids)

    def deposited_by(self, user_id: int) -> Self:
        """Return what a user deposited, without imports, the newest first."""
        return self.filter(author_id=user_id).exclude(source_type=Source.IMPORT).order_by("-created_at", "-pk")

    def with_anchors(self, anchors: AnchorQuerySet) -> Self:
        """Return only the reference, the topic and the anchors (as in `signals`) of each row."""
        rows = self.select_related("topic").only("ref", "topic__label")
        return rows.annotate(anchored=ArraySubquery(anchors.of_each_insight()))

    def of_topic(self, topic: "UUID | QuerySet[Any, Any]") -> Self:
        """Return the rows of one topic by its id, or of the topics in a subquery."""
        return self.filter(topic__in=[topic] if isinstance(topic, UUID) else topic)

    def since(self, moment: datetime | BindParam) -> Self:
        """Return the rows deposited since `moment`, the newest first."""
        return self.filter(created_at__gte=moment).order_by("-created_at", "-pk")

    def kinds_by_topic(self) -> Any:
        """Return (topic, kind, count), the most frequent first, without rows that have no topic."""
        counted = self.filter(topic__isnull=False).values("topic_id", "kind").annotate(n=Count("*"))
        return counted.order_by("-n", "kind").values_list("topic_id", "kind", "n")

    def arrived(self, since: datetime | None) -> Self:
        """Return the rows deposited since a moment (None: ever), and those without a topic."""
        return self.filter(Q(created_at__gt=since) | Q(topic__isnull=True)) if since else self

    def centre(self, model: str) -> HalfVector | None:
        """Return the mean of the rows' vectors of this model."""
        mean: HalfVector | None = self.groupable(model).aggregate(mean=Avg("embedding"))["mean"]
        return mean

    def groupable(self, model: str) -> Self:
        """Return the rows that topics are made of: retrievable, with a vector of this model."""
        return self.retrievable().filter(embedded_by=model, embedding__isnull=False)

    def tagged(self, tag: str) -> Self:
        return self.anchored(AnchorKind.TAG, [tag.lower()])

    def anchored(self, kind: AnchorKind, values: Sequence[str]) -> Self:
        """Return the rows with at least one such anchor."""
        return self.filter(anchors__kind=kind, anchors__value__in=values).distinct()

    def with_ref(self, refs: Sequence[str] | BindParam) -> Self:
        return self.filter(ref__any=refs)

    def with_error(self, digests: Sequence[str] | BindParam) -> Self:
        return self.filter(anchors__kind=AnchorKind.ERROR, anchors__value__any=digests)

    def with_message(self, messages: Sequence[str] | BindParam) -> Self:
        """Return the rows about an error with one of these messages, wherever it was raised."""
        return self.filter(anchors__kind=AnchorKind.MESSAGE, anchors__value__any=messages)

    def quoting(self, quoted: AnchorQuerySet) -> Self:
        """Return the rows about an error whose message a question may quote (`AnchorQuerySet.quotable`)."""
        return self.filter(pk__any=ArraySubquery(quoted.values("insight_id")))

    def with_file(self, anchors: AnchorQuerySet, names: Sequence[str] | BindParam) -> Self:
        """Return the rows anchored to a file of one of these names, in any folder. The anchors are read first, by their
        index: the planner expected one row in 200 to match, and with a limit walked a million rows for some fifty (1.7
        s).
        """
        return self.filter(pk__any=ArraySubquery(anchors.of_files(names).values("insight_id")))

    def near(self, vector: HalfVector | BindParam, *, whole: bool = False, look_at: Expression | None = None) -> Self:
        """Order by cosine distance, nearest first. `whole`: compare every row instead of asking the HNSW index.
        `look_at`: the number of neighbours the index visits (as text), until the end of the transaction.
        """
        distance = CosineDistance("embedding", vector)
        found = self.filter(embedding__isnull=False)
        if look_at is not None and not whole:
            found = found.filter(_LooksAt(look_at))
        # The index is on `distance`, so `distance + 0` does not use it.
        return found.order_by(distance + 0.0 if whole else distance)

    def measured(self, vector: HalfVector, *, whole: bool = False) -> Self:
        """Order as `near` does, and annotate `distance`."""
        return self.near(vector, whole=whole).annotate(distance=CosineDistance("embedding", vector))

    def with_vector_bytes(self) -> QuerySet[Any, Any]:
        """Return (id, team, vector as bytes of `halfvec_send`) of the rows with a vector."""
        meant = Func("embedding", function="halfvec_send", output_field=BinaryField())
        return self.filter(embedding__isnull=False).values_list("pk", "team_id", meant)

    def matching(self, terms: Iterable[str] | BindParam, weights: SparseVector | BindParam) -> Self:
        """Return the rows with any of `terms`, best keyword score first. The value of a BindParam is `lexemes(terms, "
        | ")`.
        """
        query = TsQuery(terms if isinstance(terms, BindParam) else Value(lexemes(terms, " | ")))
        return self.filter(Matches(F("lexemes"), query)).order_by(MaxInnerProduct("bm25", weights))

    def with_all(self, terms: Sequence[str]) -> Self:
        """Return the rows with all of `terms`; all rows without terms."""
        if not terms:
            return self
        return self.filter(Matches(F("lexemes"), TsQuery(Value(lexemes(terms, " & ")))))

    def with_any_term(self, terms: Iterable[str]) -> Self:
        """Return the rows indexed by any of `terms`, in no order."""
        return self.filter(Matches(F("lexemes"), TsQuery(Value(lexemes(terms, " | ")))))

    def in_any(self, legs: "Sequence[QuerySet[Any]]") -> Self:
        """Return the rows of all legs, each once, in one statement in which each leg uses its own index."""
        first, *others = [leg.values("pk") for leg in legs]
        return self.filter(pk__in=first.union(*others, all=True) if others else first)

    def successors(
        self, vector: HalfVector | BindParam | None, weights: SparseVector | BindParam | None
    ) -> QuerySet[Any, Any]:
        """Return (id of the final successor, `distance`, `keyword`) of superseded rows, as in `signals`. Chains are
        followed up to three replacements.
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
        anchors: AnchorQuerySet | None,
        ratings: SignalQuerySet,
        quoted: AnchorQuerySet | None = None,
        parts: Sequence[tuple[BindParam, BindParam]] = (),
    ) -> Self:
        """Annotate the signals of ranking: `distance` (cosine; None without a vector), `keyword` (−BM25), `anchored`
        (["kind:value", …]; empty without `anchors`), `errors` (the messages of its errors, if one of them is in
        `quoted`), `rated` (["verdict:distance of its question:epoch seconds:user", …]), `strength_since` and
        `learned_at` in epoch seconds, and `of_parts` (distance and keyword for each of `parts` in turn).
        """
        distance = CosineDistance("embedding", vector) if vector else Value(None, FloatField())
        keyword = MaxInnerProduct("bm25", weights) if weights else Value(0.0)
        of_parts = [
            one for near, said in parts for one in (CosineDistance("embedding", near), MaxInnerProduct("bm25", said))
        ]
        return self.annotate(
            distance=distance,
            keyword=keyword,
            strength_since=Cast(Extract("strength_at", "epoch"), FloatField()),
            learned_at=Cast(Extract(Coalesce("source_date", "created_at"), "epoch"), FloatField()),
            anchored=ArraySubquery(anchors.of_each_insight()) if anchors is not None else NO_TEXTS,
            errors=NO_TEXTS if quoted is None else _errors_if_among(quoted),
            rated=ArraySubquery(ratings.of_each_insight(vector)),
            of_parts=Func(*of_parts, template="ARRAY[%(expressions)s]", output_field=NUMBERS) if parts else NO_NUMBERS,
        )

    def waiting_for_vector(self, model: str) -> Self:
        """Return the rows without a vector of this model, for the embedder; hidden rows need none."""
        return self.exclude(embedded_by=model).shown().order_by("pk")

    def by_turns(self, most: int) -> list[int]:
        """Return the ids of the first rows, taking turns between teams, each with its oldest first. So a team with
        thousands of rows delays those of another team by one row each.
        """
        turn = Window(RowNumber(), partition_by="team_id", order_by="pk")
        return list(self.annotate(turn=turn).order_by("turn", "pk").values_list("pk", flat=True)[:most])

    def extent(self) -> dict[str, int]:
        """Return the number of rows, and of their terms together."""
        found = self.filter(lexemes__isnull=False).aggregate(n=Count("pk"), total=Sum("length"))
        return {"documents": found["n"], "length": found["total"] or 0}

    def gather_statistics(self) -> None:
        """Refresh the planner's statistics after a load, without waiting for autovacuum."""
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE knowledge_insight, knowledge_anchor, knowledge_term, knowledge_lexicon")

    def served(self, anchors: AnchorQuerySet, pairs: PairQuerySet) -> Self:
        """Return the rows with all an answer shows, in one statement: the anchors as in `signals`, `related` (its
        pairs), `superseded` (what it replaced), `unreviewed` (what only an agent's statement replaced), and `meant`
        (the vector as bytes, for `unit`).
        """
        rows = self.select_related("team", "author").defer("lexemes", "bm25", "heard", "embedding")
        related = ArraySubquery(pairs.of_each_insight())
        superseded = self.model.objects.all().filter(superseded_by=OuterRef("pk")).order_by("-pk").values("ref")
        return rows.annotate(
            anchored=ArraySubquery(anchors.of_each_insight()),
            meant=MEANT,
            related=related,
            superseded=ArraySubquery(superseded[:MOST_SUPERSEDED]),
            unreviewed=ArraySubquery(pairs.replaced_unreviewed()),
        )

    def served_by_id(self, ids: Sequence[int], anchors: AnchorQuerySet, pairs: PairQuerySet) -> dict[int, Any]:
        """Return the `served` rows with these ids, by id."""
        rows = prepared("served", lambda: self.filter(pk__any=BindParam("ids")).served(anchors, pairs), planned=True)
        return {row.pk: row for row in rows.run(ids=list(ids))}

    def meanings(self, ids: Sequence[int]) -> dict[int, bytes]:
        """Return the vectors of these rows as bytes for `units`, by id; rows without one are left out."""

        def build() -> QuerySet[Any]:
            return self.filter(pk__any=BindParam("ids"), embedding__isnull=False).values_list("pk", MEANT)

        return {pk: bytes(meant) for pk, meant in prepared("meanings", build, planned=True).run(ids=list(ids))}

    def named(self) -> Self:
        """Return only the reference, the title and the successor of each row."""
        return self.only("ref", "title", "superseded_by")

    def listed(self) -> Self:
        """Return the rows as `whole` does, without the columns that only search uses."""
        return self.whole().defer(*FOUND_BY, *(f"superseded_by__{name}" for name in FOUND_BY))

    def in_rows(self, *, anchors: bool = False) -> Self:
        """Return the rows with the columns that a row of a queue or table shows, or that decide which actions it
        offers; with its `anchors` if it shows tags. Whole rows took a third more objects and bytes.
        """
        found = self.select_related("team", "author", "owner").only(*IN_ROWS, "author__username", "owner__username")
        return found.prefetch_related("anchors") if anchors else found

    def in_queue(self) -> Self:
        """Return the rows as `in_rows` does, with their assignee and snooze."""
        return self.select_related("team", "inbox_state__assignee").only(*IN_ROWS, *IN_QUEUE)

    def in_panel(self) -> Self:
        """Return the rows with what the panel beside a list shows, except anchors."""
        return self.listed().prefetch_related(None).with_topic().with_inbox_state()

    def panel_of(self, ref: str, member: Member) -> list[Any]:
        """Return the row with this reference as `in_panel` does, if the member may see it."""

        def build() -> QuerySet[Any]:
            return self.visible_to(MEMBER_PARAM).in_panel().filter(ref=BindParam("ref"))

        return prepared("panel of an insight", build, planned=True).visible_to(member, ref=ref)

    def whole(self) -> Self:
        """Return the rows with what a page or an answer shows."""
        return self.select_related("team", "author", "owner", "superseded_by").prefetch_related("anchors")


# A vector as bytes. As text it took 0.1 ms per row on each side.
MEANT = Func("embedding", function="halfvec_send", output_field=BinaryField())
# Name at most this many superseded insights, the latest. A session that saw an older one is long over.
MOST_SUPERSEDED = 10
IN_ROWS = (
    *("ref", "kind", "title", "repo", "status", "trust", "pinned", "quality", "revision", "provenance", "fades_at"),
    *("strength", "strength_at", "stability", "corroboration_count", "people", "favoured_at", "created_at"),
    "updated_at",
    "superseded_by",
    *("team__name", "team__kind", "team__second_reviewer", "author"),
)
IN_QUEUE = tuple(
    f"inbox_state__{name}" for name in ("insight", "snoozed_at", "snoozed_until", "until_used", "assignee__username")
)


def _errors_if_among(quoted: AnchorQuerySet) -> Case:
    """Return the messages of a row's errors if one of them is in `quoted`. As an array they are looked up once for all
    rows; for a table just filled, the planner looked them up per row.
    """
    among = Q(pk__any=ArraySubquery(quoted.values("insight_id")))
    said = ArraySubquery(quoted.model.objects.all().messages_of_each_insight())
    return Case(When(among, then=said), default=NO_TEXTS)
