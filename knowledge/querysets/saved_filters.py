"""SQL of filters that have a name."""

from typing import Self

from django.db.models import Value
from django.db.models.functions import Lower

from accounts.querysets import TeamScoped
from knowledge.review.rules.saved_filters import Listing


class SavedFilterQuerySet(TeamScoped):
    def of_list(self, listing: Listing) -> Self:
        """Those of one list by their names, with their teams."""
        return self.filter(listing=listing).select_related("team").order_by(Lower("name"), "pk")

    def called(self, name: str) -> Self:
        """Whatever its capitals."""
        return self.alias(low=Lower("name")).filter(low=Lower(Value(name)))
