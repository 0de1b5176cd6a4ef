"""The SQL of insights: which rows, with which raw signals. What they are worth is computed in `rules/`.

Candidates come from legs (nearest by vector, best by keyword, the same error, a named reference), joined in one
statement, with vector and keyword scores computed exactly on all of them
(docs/decisions/0002-one-candidate-statement.md).
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
    """True, and set before the first row is looked for: PostgreSQL evaluates once what has nothing to do with a row."""

    template = "(SELECT set_config('hnsw.ef_search', %(expressions)s, true)) IS NOT NULL"
    output_field = BooleanField()


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

    def superseded_near(self, vector: HalfVector, team_id: int, *, most: int) -> list[Any]:
        """The superseded rows of a team nearest to a vector, with their `distance`, nearest first. The index holds
        those of all teams and may not come by those of this one; where it brings fewer than `most`, all are measured.
        """
        rows = self.filter(team_id=team_id).superseded()
        found = list(rows.measured(vector)[:most])
        if len(found) < most:
            found = list(rows.measured(vector, whole=True)[:most])
        return sorted(found, key=lambda row: row.distance)

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
            cursor.execute(ORIENTING, [list(team_ids), sorted({repo, ""}), most, repo, since, since, most, most])
            return list(cursor.fetchall())

    def of_teams(self, team_ids: Sequence[int] | BindParam) -> Self:
        return self.filter(team_id__any=team_ids)

    def deposited_by(self, user_id: int) -> Self:
        """What somebody deposited one by one, newest first."""
        return self.filter(author_id=user_id).exclude(source_type=Source.IMPORT).order_by("-created_at", "-pk")

    def with_anchors(self, anchors: AnchorQuerySet) -> Self:
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

    def quoting(self, quoted: AnchorQuerySet) -> Self:
        """Rows about an error whose message a question may quote (`AnchorQuerySet.quotable`)."""
        return self.filter(pk__any=ArraySubquery(quoted.values("insight_id")))

    def with_file(self, anchors: AnchorQuerySet, names: Sequence[str] | BindParam) -> Self:
        """Rows anchored to a file of one of these names, in whatever folder.

        The anchors first, by their index. The planner takes one in two hundred to have such a name, and with a limit
        walked a million rows and their anchors side by side instead, for some fifty: 1.7 s.
        """
        return self.filter(pk__any=ArraySubquery(anchors.of_files(names).values("insight_id")))

    def near(self, vector: HalfVector | BindParam, *, whole: bool = False, look_at: Expression | None = None) -> Self:
        """Nearest first by cosine distance; `whole` measures every row instead of asking the HNSW index. `look_at`: at
        how many neighbours that looks (a text), from then on in this transaction.
        """
        distance = CosineDistance("embedding", vector)
        found = self.filter(embedding__isnull=False)
        if look_at is not None and not whole:
            found = found.filter(_LooksAt(look_at))
        # An index on the expression `distance` does not serve `distance + 0`.
        return found.order_by(distance + 0.0 if whole else distance)

    def measured(self, vector: HalfVector, *, whole: bool = False) -> Self:
        """Nearest first, with their `distance`; `whole` as in `near`."""
        return self.near(vector, whole=whole).annotate(distance=CosineDistance("embedding", vector))

    def with_vector_bytes(self) -> QuerySet[Any, Any]:
        """(key, team, vector as `halfvec_send` gives it) of the rows that have a vector, in the order of these."""
        meant = Func("embedding", function="halfvec_send", output_field=BinaryField())
        return self.filter(embedding__isnull=False).values_list("pk", "team_id", meant)

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
        anchors: AnchorQuerySet | None,
        ratings: SignalQuerySet,
        quoted: AnchorQuerySet | None = None,
        parts: Sequence[tuple[BindParam, BindParam]] = (),
    ) -> Self:
        """With `distance` (cosine; None without a vector), `keyword` (−BM25), `anchored` (["kind:value", …], none
        unless `anchors` are given), `errors` (what its errors say, if one of these messages is among it), `rated`
        (["verdict:distance of its question:epoch seconds", …]), and, in epoch seconds, `strength_since` and when it was
        `learned_at`. `of_parts`: distance and keyword by the vector and the weights of each of the `parts`, in turn.
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
        """Rows without a vector of this model: the embedder's work list. What nobody may read needs none."""
        return self.exclude(embedded_by=model).shown().order_by("pk")

    def by_turns(self, most: int) -> list[int]:
        """Keys of the first rows where teams take turns, each with its oldest: a team with thousands of them delays no
        other's by more than one row each.
        """
        turn = Window(RowNumber(), partition_by="team_id", order_by="pk")
        return list(self.annotate(turn=turn).order_by("turn", "pk").values_list("pk", flat=True)[:most])

    def extent(self) -> dict[str, int]:
        """How many rows, and how many terms they have together."""
        found = self.filter(lexemes__isnull=False).aggregate(n=Count("pk"), total=Sum("length"))
        return {"documents": found["n"], "length": found["total"] or 0}

    def gather_statistics(self) -> None:
        """What the planner knows of these tables, again: after a load, before autovacuum has come round to it."""
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE knowledge_insight, knowledge_anchor, knowledge_term, knowledge_lexicon")

    def served(self, anchors: AnchorQuerySet, pairs: PairQuerySet) -> Self:
        """With what an answer shows of each row, its anchors as in `signals`, as `related` the pairs it is a side of,
        as `superseded` what it took the place of, and as `unreviewed` the confirmed ones that only an agent's statement
        replaced: all in one statement. Its vector comes as `meant`, in bytes for `unit`.
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
        """The `served` rows of these keys."""
        rows = prepared("served", lambda: self.filter(pk__any=BindParam("ids")).served(anchors, pairs), planned=True)
        return {row.pk: row for row in rows.run(ids=list(ids))}

    def meanings(self, ids: Sequence[int]) -> dict[int, bytes]:
        """The vectors of the rows of these keys that have one, in bytes for `units`."""

        def build() -> QuerySet[Any]:
            return self.filter(pk__any=BindParam("ids"), embedding__isnull=False).values_list("pk", MEANT)

        return {pk: bytes(meant) for pk, meant in prepared("meanings", build, planned=True).run(ids=list(ids))}

    def named(self) -> Self:
        """The reference and the title of each row, and what took its place."""
        return self.only("ref", "title", "superseded_by")

    def listed(self) -> Self:
        """As `whole`, without what a row is found by."""
        return self.whole().defer(*FOUND_BY, *(f"superseded_by__{name}" for name in FOUND_BY))

    def in_rows(self, *, anchors: bool = False) -> Self:
        """With what a row of a queue or a table shows, and what decides which acts it offers; with its `anchors` where
        its tags are shown. A page of whole rows was a third of the objects and of the bytes more than it needed.
        """
        found = self.select_related("team", "author", "owner").only(*IN_ROWS, "author__username", "owner__username")
        return found.prefetch_related("anchors") if anchors else found

    def in_queue(self) -> Self:
        """As `in_rows`, with who it is assigned to and until when it is snoozed."""
        return self.select_related("team", "inbox_state__assignee").only(*IN_ROWS, *IN_QUEUE)

    def in_panel(self) -> Self:
        """With what the panel beside a list shows, but for the anchors."""
        return self.listed().prefetch_related(None).with_topic().with_inbox_state()

    def panel_of(self, ref: str, member: Member) -> list[Any]:
        """The row of that reference as `in_panel`, if the member may see it."""

        def build() -> QuerySet[Any]:
            return self.visible_to(MEMBER_PARAM).in_panel().filter(ref=BindParam("ref"))

        return prepared("panel of an insight", build, planned=True).visible_to(member, ref=ref)

    def whole(self) -> Self:
        """With what a page or an answer shows of each row."""
        return self.select_related("team", "author", "owner", "superseded_by").prefetch_related("anchors")


# A vector in bytes: as text it took a tenth of a millisecond on either side, for each row.
MEANT = Func("embedding", function="halfvec_send", output_field=BinaryField())
# Of what an insight superseded so many are named, the latest: a session that was shown an older one was long ago.
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
    """What the errors of a row say, if it is anchored by one of these. As an array they are looked up once for all
    rows: of a table that was just filled the planner knows too little, and looked them up for each.
    """
    among = Q(pk__any=ArraySubquery(quoted.values("insight_id")))
    said = ArraySubquery(quoted.model.objects.all().messages_of_each_insight())
    return Case(When(among, then=said), default=NO_TEXTS)
