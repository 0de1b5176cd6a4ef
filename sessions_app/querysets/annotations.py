"""SQL of annotations."""

from collections.abc import Sequence
from datetime import date
from typing import Self

from accounts.querysets import TeamScoped


class AnnotationQuerySet(TeamScoped):
    def since(self, team_ids: Sequence[int], day: date) -> Self:
        """Those of these teams from a day on, the latest first, with their team and who added each."""
        return self.filter(team_id__in=team_ids, day__gte=day).latest_first()

    def latest_first(self) -> Self:
        return self.select_related("team", "added_by").order_by("-day", "-pk")
