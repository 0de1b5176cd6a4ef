"""Signals and corroborations: what speaks for an insight and against it, and who said it again."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self

from django.db.models import (
    CharField,
    Count,
    F,
    FloatField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Value,
)
from django.db.models.functions import Cast, Coalesce, Concat, Extract
from pgvector import HalfVector
from pgvector.django import CosineDistance

from accounts.statements import BindParam

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
        number. Without its author's own: their voice counts once, at the deposit.
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
        readers = Q(user__isnull=True) | ~Q(user=OuterRef("author"))
        return self.filter(readers, insight=OuterRef("pk")).annotate(said=said).values("said")


class CorroborationQuerySet(QuerySet[Any]):
    def merged(self) -> Self:
        """Those that are still part of their insight."""
        return self.filter(unmerged_into__isnull=True)

    def agreeing(self) -> Self:
        """Of these, those that do not wait for a lead (`Corroboration.waits`)."""
        return self.exclude(draft__has_key="waits")
