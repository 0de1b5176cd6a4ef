"""Queries for signals (what speaks for or against an insight) and corroborations (who said it again)."""

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
        """Return the signals for an insight by anybody but its author. An author's own praise is not shown to leads."""
        return self.filter(Q(user__isnull=True) | ~Q(user=F("insight__author")), kind__in=IN_FAVOUR)

    def last_by_others(self) -> QuerySet[Any, Any]:
        """Return a subquery: when somebody other than the author last spoke for the outer insight."""
        mine = self.by_others().filter(insight=OuterRef("pk")).order_by()
        return mine.values("insight").annotate(last=Max("at")).values("last")

    def of_insights(self, ids: Sequence[int]) -> Self:
        return self.filter(insight_id__in=ids)

    def ratings(self) -> Self:
        return self.filter(kind__in=("helpful", "unhelpful"))

    def counting(self) -> Self:
        """Return the signals that count for the strength, without their questions."""
        return self.filter(counts=True).defer("embedding", "question")

    def ratings_of(self, user_id: int, kind: str) -> Self:
        """Return this user's ratings of one kind that count for a strength."""
        return self.filter(user_id=user_id, kind=kind, counts=True)

    def objectors(self, insight: Any, since: datetime) -> Any:
        """Return (user, whether in person) of the objections to an insight that count, since a moment."""
        found = self.filter(insight=insight, kind="unhelpful", counts=True, at__gt=since)
        return found.order_by().values_list("user_id", "human").distinct()

    def votes(self, ids: Sequence[int]) -> Any:
        """Return (insight, kind, count) of the ratings of these insights."""
        counted = self.of_insights(ids).ratings().order_by().values("insight_id", "kind").annotate(n=Count("pk"))
        return counted.values_list("insight_id", "kind", "n")

    def newest_first(self) -> Self:
        """Return the signals, the newest first, without the vectors of their questions."""
        return self.select_related("user", "token").defer("embedding").order_by("-at", "-pk")

    def recent(self, since: datetime | BindParam, model: str) -> Self:
        """Return the ratings since a moment whose question has a vector of this model or none."""
        return self.ratings().filter(at__gte=since, embedded_by__in=(model, ""))

    def of_each_insight(self, vector: HalfVector | BindParam | None) -> QuerySet[Any, Any]:
        """Return a subquery: the ratings of the outer insight as "verdict:distance:epoch seconds:user". The distance is
        empty without a vector. Ratings by the author are left out, since the deposit already counts as theirs.
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
        """Return the corroborations that are still part of their insight."""
        return self.filter(unmerged_into__isnull=True)

    def agreeing(self) -> Self:
        """Return the corroborations that do not wait for a lead (`Corroboration.waits`)."""
        return self.exclude(draft__has_key="waits")
