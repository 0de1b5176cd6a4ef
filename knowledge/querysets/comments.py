"""Queries for comments and mentions."""

from typing import Any, Self

from django.db.models import F, Q, QuerySet

from accounts.rules.rights import Member
from knowledge.querysets.contributors import Contributed


class CommentQuerySet(QuerySet[Any]):
    """Comments on suggested edits and pairs. Who may see a comment also needs access to its subject, checked first."""

    def visible_to(self, member: Member) -> Self:
        """Return the comments in the member's teams. A pair may have been moved to another team, with comments from
        this one.
        """
        return self.filter(Q(proposal__team_id__any=member.team_ids) | Q(team_id__any=member.team_ids))


class MentionQuerySet(Contributed, QuerySet[Any]):
    def unread_by(self, member: Member) -> Self:
        """Return the member's unread mentions, the oldest first."""
        return self.filter(user_id=member.user_id, read_at__isnull=True).order_by("comment__at", "pk")

    def raised(self) -> Self:
        return self.alias(raiser=F("comment__author"), raisers_name=F("comment__author__username"))
