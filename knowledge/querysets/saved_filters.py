"""Queries for saved filters."""

from typing import Self

from django.db.models import Value
from django.db.models.functions import Lower

from accounts.querysets import TeamScoped
from knowledge.review.rules.saved_filters import Listing


class SavedFilterQuerySet(TeamScoped):
    def of_list(self, listing: Listing) -> Self:
        """Return the filters of one list, by name, with their teams."""
        return self.filter(listing=listing).select_related("team").order_by(Lower("name"), "pk")

    def called(self, name: str) -> Self:
        """Return the filters of this name, ignoring case."""
        return self.alias(low=Lower("name")).filter(low=Lower(Value(name)))
