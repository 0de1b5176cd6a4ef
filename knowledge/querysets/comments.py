"""SQL of comments."""

from typing import Any, Self

from django.db.models import Q, QuerySet

from accounts.rules.rights import Member


class CommentQuerySet(QuerySet[Any]):
    """A comment goes out of sight with what it is about, which is looked up by its own `visible_to` first."""

    def visible_to(self, member: Member) -> Self:
        """Those of the member's teams: a pair may have been moved to another team, with what was said of it here."""
        return self.filter(Q(proposal__team_id__any=member.team_ids) | Q(team_id__any=member.team_ids))
