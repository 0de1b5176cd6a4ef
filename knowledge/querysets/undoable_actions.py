"""Queries for what a user did last on the pages."""

from typing import Any, Self

from django.db.models import QuerySet

from accounts.rules.rights import Member


class UndoableActionQuerySet(QuerySet[Any]):
    def visible_to(self, member: Member) -> Self:
        """Return the member's own actions, the newest first; never those of others, even for a lead."""
        return self.filter(user_id=member.user_id).order_by("-pk")

    def undoable(self) -> Self:
        """Return the actions that can be undone and were not."""
        return self.filter(undone_at__isnull=True).exclude(steps=[])

    def older_than_the_last(self, member: Member, kept: int) -> Self:
        """Return the member's own actions except the newest `kept`."""
        newest = self.visible_to(member).values_list("pk", flat=True)[:kept]
        return self.filter(user_id=member.user_id).exclude(pk__in=list(newest))
