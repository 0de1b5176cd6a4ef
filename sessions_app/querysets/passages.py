"""The SQL of conversations: passages of sessions, and with whom they are shared."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple, Self

from django.db import connection
from django.db.models import BigIntegerField, Count, F, Func, Max, Min, Q, QuerySet, Value
from pgvector import HalfVector

from accounts.rules.rights import Level, Member
from accounts.statements import narrowed, planned
from knowledge.querysets.insights import Matches, TsQuery
from knowledge.rules.vectors import lexemes
from sessions_app.querysets.passage_search import MEASURED_WHOLE, PassageSearchQuerySet

# As `passage_search` hashes the candidates' texts.
TEXT_HASH = Func(F("text"), Value(0), function="hashtextextended", output_field=BigIntegerField())


class Lead(NamedTuple):
    """A passage as it is embedded with those before it."""

    pk: int
    session_id: int
    position: int
    speaker: str
    text: str


_COUNT_OF_REPO = """SELECT count(*) FROM (SELECT 1 FROM sessions_app_passage
WHERE team_id = ANY(%(teams)s::bigint[]) AND repo = %(repo)s LIMIT %(most)s) counted"""


class PassageQuerySet(PassageSearchQuerySet):
    def count_of_repo(self, member: Member, *, teams: Sequence[int], repo: str) -> int:
        """Return how many passages of a repository a question searches, counted up to MEASURED_WHOLE + 1."""
        values = {"teams": narrowed(member, teams), "repo": repo, "most": MEASURED_WHOLE + 1}
        return planned(_COUNT_OF_REPO, values)[0][0]

    def in_order(self) -> Self:
        return self.order_by("session_id", "position")

    def of_session(self, session_id: int) -> Self:
        return self.filter(session_id=session_id).order_by("position")

    def at_places(self, places: Iterable[tuple[int, int]]) -> Self:
        """Those at these places: session and position."""
        return self.filter(reduce(or_, (Q(session_id=one, position=at) for one, at in places), Q(pk__in=[])))

    def with_all(self, terms: Sequence[str]) -> Self:
        """Those with every one of `terms`; all when there is none."""
        if not terms:
            return self
        return self.filter(Matches(F("lexemes"), TsQuery(Value(lexemes(terms, " & ")))))

    def repos_of(self, user_id: int) -> "QuerySet[Any, str]":
        """The repos of a person's conversations. Their forms alone ask."""
        return self.filter(user_id=user_id).order_by().values_list("repo", flat=True).distinct()

    def having_all(self, texts: Sequence[str], *, user_id: int, repo: str) -> list[int]:
        """The ids of a person's sessions on a repo that have a passage of each of these texts, the earliest first."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT session_id FROM sessions_app_passage WHERE user_id = %s AND repo = %s"
                " AND hashtextextended(text, 0) = ANY(ARRAY("
                "SELECT hashtextextended(said, 0) FROM unnest(%s::text[]) AS said))"
                " GROUP BY session_id HAVING count(DISTINCT hashtextextended(text, 0)) = %s ORDER BY session_id",
                [user_id, repo, list(texts), len(set(texts))],
            )
            return [session for (session,) in cursor.fetchall()]

    def extent(self) -> dict[str, Any]:
        """How many there are, of how many sessions, and from when to when."""
        return self.order_by().aggregate(
            sessions=Count("session", distinct=True), passages=Count("pk"), since=Min("said_at"), until=Max("said_at")
        )

    def waiting_for_vector(self, recipe: str) -> Self:
        """Rows without a vector of this recipe: the embedder's work list, the newest first. Two ranges, which the index
        serves.
        """
        return self.filter(Q(embedded_by__lt=recipe) | Q(embedded_by__gt=recipe)).order_by("-pk")

    def leading_to(self, ids: Sequence[int], most: int) -> list["Lead"]:
        """The passages with these ids with the `most` places before each in its session, in order, each once.

        They are for vectors alone and must not be shown to anybody.
        """
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT DISTINCT p.id, p.session_id, p.position, p.speaker, p.text FROM sessions_app_passage w"
                " JOIN sessions_app_passage p ON p.session_id = w.session_id"
                " AND p.position BETWEEN w.position - %s AND w.position"
                " WHERE w.id = ANY(%s) ORDER BY p.session_id, p.position",
                [most, list(ids)],
            )
            return [Lead._make(row) for row in cursor.fetchall()]

    def store_vectors(self, vectors: Mapping[int, HalfVector], recipe: str) -> None:
        """Set the vectors that a recipe made, by key, in one statement; other keys are left as they are."""
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE sessions_app_passage p SET embedding = made.vector::halfvec, embedded_by = %s"
                " FROM unnest(%s::bigint[], %s::text[]) AS made (id, vector) WHERE p.id = made.id",
                [recipe, list(vectors), [vector.to_text() for vector in vectors.values()]],
            )


# The first half of the key of an advisory lock; the second is the user.
_TURNS = 0x53484152


class SessionSharingQuerySet(QuerySet[Any]):
    def take_turns(self, user_id: int) -> None:
        """Let changes of a member's sharing and writes of their passages take turns, until the transaction ends: a
        passage that is being written is moved too, whichever came first. There may be no row to lock.
        """
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_TURNS, user_id])

    def of(self, user_id: int) -> Self:
        """The member's own rows, that of all repos first. Nobody reads another's."""
        return self.filter(user_id=user_id).select_related("team").order_by("repo")

    def valid(self) -> Self:
        """Those to whose team their user may write."""
        return self.filter(team__memberships__user_id=F("user_id"), team__memberships__level__gte=Level.CONTRIBUTOR)


class QuotationQuerySet(QuerySet[Any]):
    def visible_to(self, member: Member) -> Self:
        """Those of insights of the member's teams. Whether they may read the passage, the passages tell."""
        return self.filter(insight__team_id__any=member.team_ids)
