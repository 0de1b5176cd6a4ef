"""SQL of comments."""

from typing import Any, Self

from django.db.models import F, Q, QuerySet

from accounts.rules.rights import Member
from knowledge.querysets.contributors import Contributed


class CommentQuerySet(QuerySet[Any]):
    """A comment goes out of sight with what it is about, which is looked up by its own `visible_to` first."""

    def visible_to(self, member: Member) -> Self:
        """Those of the member's teams: a pair may have been moved to another team, with what was said of it here."""
        return self.filter(Q(proposal__team_id__any=member.team_ids) | Q(team_id__any=member.team_ids))


class MentionQuerySet(Contributed, QuerySet[Any]):
    def unread_by(self, member: Member) -> Self:
        """Those of the member that they have not read, the oldest first."""
        return self.filter(user_id=member.user_id, read_at__isnull=True).order_by("comment__at", "pk")

    def raised(self) -> Self:
        return self.alias(raiser=F("comment__author"), raisers_name=F("comment__author__username"))
