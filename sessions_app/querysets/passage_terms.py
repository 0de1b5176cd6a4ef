"""The SQL of how many passages have a word."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import F, QuerySet, Sum, Value
from django.db.models.functions import Concat

from accounts.statements import BindParam, prepared
from knowledge.querysets.words import BESIDE

# Of the count of all passages among the terms, which are never empty.
ALL = ""


class PassageTermQuerySet(QuerySet[Any]):
    def counted(self, team_ids: Sequence[int], terms: Iterable[str]) -> tuple[int, dict[str, int]]:
        """How many passages these teams have, and in how many of them each term occurs (never: left out)."""

        def build() -> QuerySet[Any, Any]:
            rows = self.filter(team_id__any=BindParam("team_ids"), term__any=BindParam("terms"))
            return rows.values("term").annotate(n=Sum("passages")).values_list("term", "n")

        statement = prepared("passage terms", build, planned=True)
        found = dict(statement.run(team_ids=list(team_ids), terms=[ALL, *sorted(set(terms))]))
        return found.pop(ALL, 0), {term: n for term, n in found.items() if n > 0}

    def beside(self) -> "QuerySet[Any, tuple[str, int]]":
        """The same counts as rows that are read with those of the insights (`words.Counted`)."""
        rows = self.filter(team_id__any=BindParam("team_ids"), term__any=BindParam("beside_terms"))
        rows = rows.annotate(word=Concat(Value(BESIDE), F("term"))).values("word")
        return rows.annotate(n=Sum("passages")).values_list("word", "n")
