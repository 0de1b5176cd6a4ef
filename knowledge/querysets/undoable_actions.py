"""SQL of what a person did last on the pages."""

from typing import Any, Self

from django.db.models import QuerySet

from accounts.rules.rights import Member


class UndoableActionQuerySet(QuerySet[Any]):
    def visible_to(self, member: Member) -> Self:
        """One's own, the newest first; nobody else's, whatever they lead."""
        return self.filter(user_id=member.user_id).order_by("-pk")

    def undoable(self) -> Self:
        """Those that can be undone and were not."""
        return self.filter(undone_at__isnull=True).exclude(steps=[])

    def older_than_the_last(self, member: Member, kept: int) -> Self:
        """One's own but for the newest so many."""
        newest = self.visible_to(member).values_list("pk", flat=True)[:kept]
        return self.filter(user_id=member.user_id).exclude(pk__in=list(newest))
