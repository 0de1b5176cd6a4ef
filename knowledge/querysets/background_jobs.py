"""Queries for background jobs that people started."""

from datetime import datetime
from typing import Any, Self

from django.db.models import F, Q

from accounts.querysets import TeamScoped
from accounts.rules.rights import Level, Member


class BackgroundJobQuerySet(TeamScoped):
    def shown_to(self, by: Member) -> Self:
        """Return the member's own jobs, and those of the teams the member leads."""
        led = [team.id for team in by.teams if by.may(team.id, Level.LEAD)]
        return self.visible_to(by).filter(Q(asked_by=by.user_id) | Q(team_id__in=led))

    def newest(self) -> Self:
        """Return the jobs with what a page shows of each, the newest first, without the uploaded file."""
        return self.select_related("team", "asked_by").defer("file").order_by("-asked_at", "-pk")

    def open(self) -> Self:
        return self.filter(state__in=("waiting", "running"))

    def claimed(self, *, now: datetime, silent_since: datetime) -> Any:
        """Return the next job to run, locked against other workers; None if there is none.

        Ready are waiting jobs, and running jobs whose worker has not reported since `silent_since`. A job that was
        never looked at goes first, then the one looked at longest ago, so that one long job does not block the others.
        Jobs of a team with writes stopped stay waiting.
        """
        ready = Q(state="waiting") | Q(state="running", seen_at__lt=silent_since)
        rows = self.filter(ready, team__writes_stopped_at__isnull=True).order_by(
            F("seen_at").asc(nulls_first=True), "asked_at", "pk"
        )
        return rows.select_for_update(skip_locked=True, no_key=True, of=("self",)).first()

    def old_ones(self, team_id: int, kept: int) -> Self:
        """Return the finished jobs of a team, except the newest `kept`."""
        over = self.filter(team_id=team_id).exclude(state__in=("waiting", "running"))
        newest = over.order_by("-pk").values_list("pk", flat=True)[:kept]
        return over.exclude(pk__in=list(newest))
