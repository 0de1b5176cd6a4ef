"""SQL of comments."""

from typing import Any, Self

from django.db.models import Count, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from accounts.rules.rights import Member


class CommentQuerySet(QuerySet[Any]):
    """A comment goes out of sight with what it is about, which is looked up by its own `visible_to` first."""

    def visible_to(self, member: Member) -> Self:
        """Those of the member's teams: a pair may have been moved to another team, with what was said of it here."""
        return self.filter(Q(proposal__team_id__any=member.team_ids) | Q(team_id__any=member.team_ids))


class MentionQuerySet(QuerySet[Any]):
    def unread_by(self, member: Member, contributor: str, most: int) -> Self:
        """Those of the member that they have not read: of each who mentions them the oldest few, and all by accounts
        that are gone; or all by one contributor.
        """
        unread = self._unread_by(member)
        if contributor:
            return unread.filter(comment__author__username=contributor)
        place = Window(RowNumber(), partition_by="comment__author", order_by=("comment__at", "pk"))
        few = unread.annotate(place=place).filter(Q(place__lte=most) | Q(comment__author__isnull=True))
        return self.filter(pk__in=few.values("pk"))

    def beyond_first(self, member: Member, most: int) -> list[tuple[str, int]]:
        """(username, how many) of what `unread_by` leaves out, by name."""
        named = self._unread_by(member).exclude(comment__author=None).values("comment__author__username")
        many = named.annotate(count=Count("pk")).filter(count__gt=most).order_by("comment__author__username")
        return [(one["comment__author__username"], one["count"] - most) for one in many]

    def _unread_by(self, member: Member) -> Self:
        return self.filter(user_id=member.user_id, read_at__isnull=True).order_by()
