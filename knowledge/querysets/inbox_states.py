"""SQL of what is snoozed and assigned in the inbox."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.statements import BindParam


class InboxStateQuerySet(QuerySet[Any]):
    def snoozed(self, now: datetime | BindParam, signals: QuerySet[Any]) -> Self:
        """Those out of the queues by now: their date is to come, or none of these signals used them since."""
        since = {"at__gt": OuterRef("snoozed_at")}
        used = Q()
        # Each by itself: one condition over all three would not read the index of an insight's signals.
        for side in ("insight", "pair__a", "pair__b", "proposal__insight"):
            used |= Q(Exists(signals.filter(insight=OuterRef(side), **since)))
        return self.filter(Q(snoozed_until__gt=now) | (Q(until_used=True) & ~used))

    def about(self, insights: Sequence[Any]) -> Self:
        """Those of these insights, of the pairs that one of them is a side of, and of suggested edits of them."""
        of_pairs = Q(pair__a__in=insights) | Q(pair__b__in=insights)
        return self.filter(Q(insight__in=insights) | of_pairs | Q(proposal__insight__in=insights))

    def with_item(self) -> Self:
        """With what it is about, and who it is assigned to."""
        return self.select_related("insight", "pair__a", "pair__b", "proposal__insight", "assignee", "snoozed_by")
