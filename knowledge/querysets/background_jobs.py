"""SQL of long work that somebody asked for."""

from datetime import datetime
from typing import Any, Self

from django.db.models import F, Q

from accounts.querysets import TeamScoped
from accounts.rules.rights import Level, Member


class BackgroundJobQuerySet(TeamScoped):
    def shown_to(self, by: Member) -> Self:
        """One's own, and those of the teams one leads."""
        led = [team.id for team in by.teams if by.may(team.id, Level.LEAD)]
        return self.visible_to(by).filter(Q(asked_by=by.user_id) | Q(team_id__in=led))

    def newest(self) -> Self:
        """With what a page says of each, the newest first; without what was sent."""
        return self.select_related("team", "asked_by").defer("file").order_by("-asked_at", "-pk")

    def open(self) -> Self:
        return self.filter(state__in=("waiting", "running"))

    def claimed(self, *, now: datetime, silent_since: datetime) -> Any:
        """The first that waits, or whose worker has been silent since then, held against other workers; or None.

        The one that waits longest without having been looked at goes first, so one long piece of work starves no other.
        Those of a team that takes no writes wait until it does.
        """
        ready = Q(state="waiting") | Q(state="running", seen_at__lt=silent_since)
        rows = self.filter(ready, team__writes_stopped_at__isnull=True).order_by(
            F("seen_at").asc(nulls_first=True), "asked_at", "pk"
        )
        return rows.select_for_update(skip_locked=True, no_key=True, of=("self",)).first()

    def old_ones(self, team_id: int, kept: int) -> Self:
        """Of a team those that are over, but for the last so many."""
        over = self.filter(team_id=team_id).exclude(state__in=("waiting", "running"))
        newest = over.order_by("-pk").values_list("pk", flat=True)[:kept]
        return over.exclude(pk__in=list(newest))
