"""Queries for word statistics: in how many insights of a team each word occurs, and how long its insights are."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from django.db import connection
from django.db.models import Count, F, FloatField, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast

from accounts.statements import BindParam, prepared

# Keys of the totals in the result of `counted`. They cannot be words, since they are empty or blank.
HERE, EVERYWHERE, SAME_ERROR = "", " ", "  "
# Prefix of the words of another collection, whose total has the prefix alone as its key.
BESIDE = "\t"
RowsBeside = Callable[[], QuerySet[Any, Any]]


@dataclass(frozen=True)
class Counted:
    """Word statistics of some teams.

    `documents`: the number of their insights. `df`: by word, the number of these that have it. `everywhere`: the number
    of insights of all teams. `same_error`: the number of their insights about the error that was asked about. `beside`:
    by word, the number of texts of another collection that have it; under "", the number of its texts.
    """

    documents: int
    df: dict[str, int]
    everywhere: int
    same_error: int = 0
    beside: dict[str, int] = field(default_factory=dict)


class TermQuerySet(QuerySet[Any]):
    def frequencies(
        self, team_ids: Sequence[int], terms: Iterable[str], lexicons: "LexiconQuerySet"
    ) -> tuple[int, dict[str, int]]:
        """Return the number of these teams' insights, and by term the number that have it; terms that none has are left
        out.
        """
        counted = self.counted(team_ids, terms, lexicons)
        return counted.documents, counted.df

    def counted(
        self,
        team_ids: Sequence[int],
        terms: Iterable[str],
        lexicons: "LexiconQuerySet",
        insights: Any = None,
        errors: Sequence[str] = (),
        beside: "RowsBeside | None" = None,
    ) -> "Counted":
        """Return the word statistics of these teams, in one statement, because every question needs them.

        `errors`: digests; the `insights` about one of them are counted too. `insights` is a queryset whose teams are a
        parameter, as `visible_to(MEMBER_PARAM)` returns it. `beside`: makes the queryset of another collection's
        counts: rows of (BESIDE + word, number), with the parameters `team_ids` and `beside_terms`.
        """

        def build() -> QuerySet[Any, Any]:
            teams = BindParam("team_ids")
            every = lexicons.annotate(word=Value(EVERYWHERE)).values("word")
            total = lexicons.filter(team_id__any=teams).annotate(word=Value(HERE)).values("word")
            words = (
                self.filter(team_id__any=teams, term__any=BindParam("terms")).annotate(word=F("term")).values("word")
            )
            parts = [rows.annotate(n=Sum("documents")).values_list("word", "n") for rows in (words, total, every)]
            if errors:
                same = insights.with_error(BindParam("errors")).annotate(word=Value(SAME_ERROR))
                parts.append(same.values("word").annotate(n=Count("pk")).values_list("word", "n"))
            if beside is not None:
                parts.append(beside())
            return parts[0].union(*parts[1:], all=True)

        statement = prepared(("frequencies", bool(errors), beside is not None), build, planned=True)
        words = sorted(set(terms))
        rows = statement.run(team_ids=list(team_ids), terms=words, errors=list(errors), beside_terms=[HERE, *words])
        others = {word[1:]: n for word, n in rows if word.startswith(BESIDE) and n > 0}
        found = {word: n for word, n in rows if not word.startswith(BESIDE)}
        here, everywhere, same_error = (found.pop(name, 0) or 0 for name in (HERE, EVERYWHERE, SAME_ERROR))
        return Counted(here, {term: n for term, n in found.items() if n > 0}, everywhere, same_error, others)

    def add_counts(self, team_id: int, change: Mapping[str, int]) -> None:
        """Add `change` to the frequencies of one team, in one statement. The caller holds the team's row."""
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO knowledge_term (team_id, term, documents)"
                " SELECT %s, t.term, t.n FROM unnest(%s::text[], %s::int[]) AS t(term, n)"
                " ON CONFLICT (team_id, term) DO UPDATE SET documents = knowledge_term.documents + EXCLUDED.documents",
                [team_id, list(change), list(change.values())],
            )

    def miscounted(self, team_id: int) -> int:
        """Return how many terms of a team have another frequency than its rows say."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM (SELECT term, documents FROM knowledge_term"
                " WHERE team_id = %s AND documents <> 0) AS kept FULL JOIN ts_stat(format("
                "'SELECT lexemes FROM knowledge_insight WHERE team_id = %%s AND lexemes IS NOT NULL', %s::bigint))"
                " AS has ON word = term WHERE documents IS DISTINCT FROM ndoc",
                [team_id, team_id],
            )
            return int(cursor.fetchone()[0])

    def frequencies_in(self, insight_ids: Sequence[int]) -> Counter[str]:
        """Return, by term, in how many of these insights it occurs."""
        ids = ",".join(map(str, map(int, insight_ids))) or "NULL"
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT word, ndoc FROM ts_stat(%s)",
                [f"SELECT lexemes FROM knowledge_insight WHERE id IN ({ids}) AND lexemes IS NOT NULL"],
            )
            return Counter(dict(cursor.fetchall()))

    def recount(self, team_id: int) -> None:
        """Recount the frequencies of one team from its rows."""
        self.filter(team_id=team_id).delete()
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO knowledge_term (team_id, term, documents)"
                " SELECT %s, word, ndoc FROM ts_stat(format("
                "'SELECT lexemes FROM knowledge_insight WHERE team_id = %%s AND lexemes IS NOT NULL', %s::bigint))",
                [team_id, team_id],
            )


class LexiconQuerySet(QuerySet[Any]):
    def drifted(self, share: float) -> Self:
        """Return the teams whose average length differs by more than `share` from the one their keyword
        vectors assume.
        """
        average = Cast("length", FloatField()) / F("documents")
        return (
            self.filter(documents__gt=0)
            .alias(average=average)
            .filter(Q(average__gt=F("pivot") * (1 + share)) | Q(average__lt=F("pivot") * (1 - share)))
        )
