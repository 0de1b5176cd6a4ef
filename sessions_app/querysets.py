"""All SQL of `sessions_app`."""

from datetime import datetime
from typing import Any, Self

from django.db.models import QuerySet

from accounts.querysets import TeamScoped
from accounts.rules.rights import Member
from sessions_app.rules.coaching import Concept
from sessions_app.rules.gates import Gate


class SurfaceDecisionQuerySet(TeamScoped):
    def in_session(self, member: Member, since: datetime | None) -> Self:
        """The member's own of the session they are in (or what counts as one), from a moment on if one is given."""
        rows = self.filter(user_id=member.user_id, session_key=member.session_key)
        return rows.filter(at__gte=since) if since else rows

    def surfaced(self) -> Self:
        return self.filter(gate=Gate.OPEN)

    def newest(self) -> Self:
        return self.order_by("-at", "-pk")

    def older_than(self, moment: datetime) -> Self:
        return self.filter(at__lt=moment)


class CoachedQuerySet(QuerySet[Any]):
    def of(self, user_id: int, concepts: "list[Concept]") -> Self:
        return self.filter(user_id=user_id, concept__in=concepts)
