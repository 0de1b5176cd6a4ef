"""Restored standings of contributors in a team."""

from datetime import datetime

from django.db import models

from accounts.models import LogEntry, Team, User
from accounts.rules.rights import Member
from knowledge.querysets.standings import StandingQuerySet


class ContributorStanding(models.Model):
    """When a lead last restored a contributor's standing: earlier rejections do not count.

    The standing itself is not stored. It follows from how leads settled the contributor's claims
    (`retrieval/rules/standing`).
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    restored_at = models.DateTimeField(null=True)

    objects = StandingQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="contributor_standing_once")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.team_id}"

    def restore(self, *, by: Member, at: datetime, why: str) -> None:
        """Ignore all rejections before `at`, and log it."""
        line = f"Standing of {self.user.username} restored"
        self._count_from(at, verb="standing restored", line=line, by=by, at=at, why=why)

    def take_back(self, *, by: Member, at: datetime) -> None:
        """Count all rejections again, and log it."""
        line = f"Restored standing of {self.user.username} withdrawn"
        self._count_from(None, verb="standing withdrawn", line=line, by=by, at=at)

    def _count_from(
        self, moment: datetime | None, *, verb: str, line: str, by: Member, at: datetime, why: str = ""
    ) -> None:
        """Count the rejections after `moment`; all for None."""
        before, self.restored_at = self.restored_at, moment
        self.save()
        LogEntry.write(
            team_id=self.team_id,
            verb=verb,
            subject=f"user {self.user_id}",
            line=line,
            by=by,
            at=at,
            why=why,
            before={"restored_at": before.isoformat() if before else None},
            after={"restored_at": moment.isoformat() if moment else None},
        )
