"""Queries for what is snoozed and assigned in the inbox."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.statements import BindParam


class InboxStateQuerySet(QuerySet[Any]):
    def snoozed(self, now: datetime | BindParam, signals: QuerySet[Any]) -> Self:
        """Return the states that are snoozed now: their date is in the future, or they last until the insight is used
        and none of these signals is later.
        """
        since = {"at__gt": OuterRef("snoozed_at")}
        used = Q()
        # One condition each, because a condition over all of them would not use the index of an insight's signals.
        for side in ("insight", "pair__a", "pair__b", "proposal__insight"):
            used |= Q(Exists(signals.filter(insight=OuterRef(side), **since)))
        return self.filter(Q(snoozed_until__gt=now) | (Q(until_used=True) & ~used))

    def about(self, insights: Sequence[Any]) -> Self:
        """Return the states of these insights, of the pairs with one of them, and of suggested edits of them."""
        of_pairs = Q(pair__a__in=insights) | Q(pair__b__in=insights)
        return self.filter(Q(insight__in=insights) | of_pairs | Q(proposal__insight__in=insights))

    def with_item(self) -> Self:
        """Return the states with what they are about, and their assignee."""
        return self.select_related("insight", "pair__a", "pair__b", "proposal__insight", "assignee", "snoozed_by")
