"""A contributor's standing in a team, as far as a lead has restored it."""

from datetime import datetime

from django.db import models

from accounts.models import LogEntry, Team, User
from accounts.rules.rights import Member
from knowledge.querysets.standings import StandingQuerySet


class ContributorStanding(models.Model):
    """Since when a contributor's rejected proposals count again: a lead has restored their standing then.

    What the standing is follows from how leads settled their claims (`retrieval/rules/standing`); nothing of that is
    stored here.
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
        """Count no rejection of before, with a line in the team's log."""
        line = f"Standing of {self.user.username} restored"
        self._count_from(at, verb="standing restored", line=line, by=by, at=at, why=why)

    def take_back(self, *, by: Member, at: datetime) -> None:
        """Count every rejection again, with a line in the team's log."""
        line = f"Restored standing of {self.user.username} withdrawn"
        self._count_from(None, verb="standing withdrawn", line=line, by=by, at=at)

    def _count_from(
        self, moment: datetime | None, *, verb: str, line: str, by: Member, at: datetime, why: str = ""
    ) -> None:
        """Count the rejections since then, all where it is None."""
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
