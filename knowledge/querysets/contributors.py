"""Rows of the inbox by who raised them: one account can raise hundreds, behind which those of others would stand."""

from typing import Any

from django.db.models import Count, F, Max, Min, Q, QuerySet, Window
from django.db.models.functions import RowNumber


class Contributed:
    """For a queryset: in a queue each contributor has room for a few rows; all others of theirs are one row."""

    def raised(self: Any) -> Any:
        """With whose each row is: `raiser`, a user's key, and `raisers_name`; both None if nobody alone raised it."""
        raise NotImplementedError

    def _most_urgent_first(self: Any) -> tuple[Any, ...]:
        """The order in which the rows of one contributor are listed."""
        return tuple(self.query.order_by) or ("pk",)

    def first_of_each_contributor(self: Any, most: int) -> Any:
        """The most urgent few that each user has raised; all that nobody is known to have raised."""
        place = Window(RowNumber(), partition_by="raiser", order_by=self._most_urgent_first())
        ranked = self.raised().order_by().annotate(place=place).filter(Q(place__lte=most) | Q(raiser__isnull=True))
        return self.filter(pk__in=ranked.values("pk"))

    def grouped(self: Any, most: int) -> Any:
        """As many as a queue has rows: `first_of_each_contributor`, and one for all others of one who has more."""
        return self.first_of_each_contributor(most + 1)

    def raised_by_account(self: Any, username: str) -> Any:
        return self.raised().filter(raisers_name=username)

    def beyond_first(self: Any, most: int) -> list[tuple[str, int]]:
        """(username, how many) of what `first_of_each_contributor` leaves out, by name."""
        named = self.raised().order_by().exclude(raisers_name=None).annotate(name=F("raisers_name"))
        many = named.values("name").annotate(count=Count("pk")).filter(count__gt=most)
        return [(username, count - most) for username, count in many.order_by("name").values_list("name", "count")]


def of_one_user(rows: QuerySet[Any], of: str) -> QuerySet[Any, Any]:
    """For a subquery: the name of the user who alone is behind these rows, which have the same value of the field `of`;
    no row if there are several, or one is not known.
    """
    told = rows.order_by().values(of).annotate(name=Min("user__username"), last=Max("user__username"))
    told = told.annotate(known=Count("user"), lines=Count("pk"))
    return told.filter(last=F("name"), known=F("lines")).values("name")
