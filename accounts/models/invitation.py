"""Links by which people come into a team, and who came by them."""

from datetime import datetime

from django.db import models
from django.db.models import Q

from accounts.models.people import LogEntry, Membership, Team, User
from accounts.querysets import InvitationQuerySet
from accounts.rules.invitations import LEVELS, MOST_USES, InvitationState, state_of
from accounts.rules.rights import Level, Member


class Invitation(models.Model):
    """A link that lets so many people into a team at a level, until a moment. Of its secret only the digest is kept."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    level = models.PositiveSmallIntegerField(choices=[(level.value, level.name.lower()) for level in LEVELS])
    digest = models.CharField(max_length=64, unique=True, editable=False)
    max_uses = models.PositiveSmallIntegerField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)
    created_at = models.DateTimeField(editable=False)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(level__lt=Level.LEAD), name="invitation_names_no_lead"),
            models.CheckConstraint(
                condition=Q(max_uses__gte=1, max_uses__lte=MOST_USES), name="invitation_uses_bounded"
            ),
        ]

    def __str__(self) -> str:
        return f"Invitation {self.pk}"

    def state(self, now: datetime, uses: int) -> InvitationState:
        """`uses`: how many have come by it."""
        return state_of(
            now=now, expires_at=self.expires_at, revoked_at=self.revoked_at, uses=uses, max_uses=self.max_uses
        )

    def add(self, *, by: Member, at: datetime) -> None:
        """Store it, with its line in the log."""
        self.created_by_id, self.created_at = by.user_id, at
        self.save(force_insert=True)
        after = {"level": self.level, "uses": self.max_uses, "expires_at": self.expires_at.isoformat()}
        line = f"{self} created: {self.get_level_display()}, {self.max_uses} uses"
        LogEntry.write(team_id=self.team_id, verb="invitation made", line=line, after=after, by=by, at=at)

    def revoke(self, *, by: Member, at: datetime) -> None:
        """It lets nobody in from now on."""
        self.revoked_at = at
        self.save(update_fields=["revoked_at"])
        LogEntry.write(team_id=self.team_id, verb="invitation revoked", line=f"{self} revoked", by=by, at=at)

    def admit(self, *, by: Member, at: datetime) -> None:
        """Let this person in, who is not of the team. The caller holds the row, and has looked that it is open."""
        Membership.objects.create(team_id=self.team_id, user_id=by.user_id, level=self.level)
        InvitationUse.objects.create(invitation=self, user_id=by.user_id, at=at)
        line = f"{by.username} joined as {self.get_level_display()}, by invitation {self.pk}"
        after = {"level": self.level}
        LogEntry.write(team_id=self.team_id, verb="member joined", line=line, after=after, by=by, at=at)


class InvitationUse(models.Model):
    """Somebody came by it. Kept without a name when the person is forgotten: a use is not given back."""

    invitation = models.ForeignKey(Invitation, on_delete=models.CASCADE, related_name="uses")
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["invitation", "user"], name="invitation_used_once_each")]

    def __str__(self) -> str:
        return f"{self.user or 'somebody'} by invitation {self.invitation_id}"
