"""The SQL of conversations: passages of sessions, and with whom they are shared."""

from typing import Any, Self

from django.db.models import F, Q, QuerySet

from accounts.rules.rights import Level
from sessions_app.querysets_passage_search import PassageSearchQuerySet


class PassageQuerySet(PassageSearchQuerySet):
    def in_order(self) -> Self:
        return self.order_by("session_id", "position")

    def of_session(self, session_id: int) -> Self:
        return self.filter(session_id=session_id).order_by("position")

    def waiting_for_vector(self, model: str) -> Self:
        """Rows without a vector of this model: the embedder's work list. Two ranges, which the index serves."""
        return self.filter(Q(embedded_by__lt=model) | Q(embedded_by__gt=model)).order_by("pk")


class SessionSharingQuerySet(QuerySet[Any]):
    def of(self, user_id: int) -> Self:
        """The member's own rows, that of all repos first. Nobody reads another's."""
        return self.filter(user_id=user_id).select_related("team").order_by("repo")

    def valid(self) -> Self:
        """Those to whose team their user may write."""
        return self.filter(team__memberships__user_id=F("user_id"), team__memberships__level__gte=Level.CONTRIBUTOR)
