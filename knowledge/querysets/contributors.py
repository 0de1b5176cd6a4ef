"""Group the rows of the inbox by contributor, because one account can raise hundreds that would hide
those of others.
"""

from typing import Any

from django.db.models import Count, F, Max, Min, Q, QuerySet, Window
from django.db.models.functions import RowNumber


class Contributed:
    """Mixin for querysets. In a queue, each contributor has a few rows, and one more row represents all
    their others.
    """

    def raised(self: Any) -> Any:
        """Annotate the contributor of each row: `raiser`, a user's id, and `raisers_name`; both None if it is no single
        user.
        """
        raise NotImplementedError

    def _most_urgent_first(self: Any) -> tuple[Any, ...]:
        """Return the order of one contributor's rows."""
        return tuple(self.query.order_by) or ("pk",)

    def first_of_each_contributor(self: Any, most: int) -> Any:
        """Return the `most` most urgent rows of each contributor, and all rows without one."""
        place = Window(RowNumber(), partition_by="raiser", order_by=self._most_urgent_first())
        ranked = self.raised().order_by().annotate(place=place).filter(Q(place__lte=most) | Q(raiser__isnull=True))
        return self.filter(pk__in=ranked.values("pk"))

    def grouped(self: Any, most: int) -> Any:
        """Return as many rows as the queue shows: `first_of_each_contributor`, and one for the rest of each
        contributor.
        """
        return self.first_of_each_contributor(most + 1)

    def raised_by_account(self: Any, username: str) -> Any:
        return self.raised().filter(raisers_name=username)

    def beyond_first(self: Any, most: int) -> list[tuple[str, int]]:
        """Return (username, count) of the rows that `first_of_each_contributor` leaves out, by name."""
        named = self.raised().order_by().exclude(raisers_name=None).annotate(name=F("raisers_name"))
        many = named.values("name").annotate(count=Count("pk")).filter(count__gt=most)
        return [(username, count - most) for username, count in many.order_by("name").values_list("name", "count")]


def of_one_user(rows: QuerySet[Any], of: str) -> QuerySet[Any, Any]:
    """Return a subquery: the name of the only user behind these rows, grouped by the field `of`. No row if there are
    several users or an unknown one.
    """
    told = rows.order_by().values(of).annotate(name=Min("user__username"), last=Max("user__username"))
    told = told.annotate(known=Count("user"), lines=Count("pk"))
    return told.filter(last=F("name"), known=F("lines")).values("name")
