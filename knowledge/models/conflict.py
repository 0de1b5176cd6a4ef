"""Edits in a vault file that could not be applied."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Q

from accounts.models import LogEntry, Team, User
from accounts.rules.rights import Member
from knowledge.models.insight import Insight
from knowledge.querysets.moderation import ConflictQuerySet


class Conflict(models.Model):
    """An edit in a vault file that conflicts with the insight in Loam. It waits for a person, and nothing is
    overwritten.

    `theirs`: the fields that the file changed, with the file's values, secrets masked; empty for a page that belongs to
    no insight or cannot be read. `ours`: the previous values of these fields, if the file's were applied, which made
    `revision`.
    """

    class State(models.TextChoices):
        OPEN = "open"
        KEPT = "kept"  # ours
        TAKEN = "taken"  # theirs, as the file had it or edited

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="conflicts")
    insight = models.ForeignKey(Insight, null=True, on_delete=models.CASCADE, related_name="conflicts")
    page = models.CharField(max_length=400)
    kept_as = models.CharField(max_length=400)
    digest = models.CharField(max_length=64)
    reason = models.TextField()
    theirs = models.JSONField(default=dict)
    ours = models.JSONField(default=dict)
    revision = models.PositiveIntegerField(null=True)
    state = models.CharField(max_length=5, choices=State, default=State.OPEN)
    raised_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    raised_at = models.DateTimeField()
    settled_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    settled_at = models.DateTimeField(null=True)

    objects = ConflictQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "page", "digest"], condition=Q(state="open"), name="conflict_open_once"
            )
        ]

    def __str__(self) -> str:
        return self.kept_as

    @property
    def name(self) -> str:
        """The name of what it is about."""
        return self.insight.ref if self.insight else self.page

    def settle(self, state: str, *, verb: str, by: Member, at: datetime, why: str = "") -> None:
        self.state, self.settled_by_id, self.settled_at = state, by.user_id or None, at
        self.save(update_fields=["state", "settled_by", "settled_at", "ours", "revision"])
        self.note(verb=verb, line=f"{self.name}: {_SETTLED[state]}", by=by, at=at, why=why)

    def take(self, ours: Mapping[str, Any], revision: int) -> None:
        """Set what applying the file's values changed, unsaved: for `settle`, and to undo it."""
        self.ours, self.revision = dict(ours), revision

    def reopen(self, *, by: Member, at: datetime) -> None:
        self.state, self.ours, self.revision, self.settled_by, self.settled_at = self.State.OPEN, {}, None, None, None
        self.save(update_fields=["state", "ours", "revision", "settled_by", "settled_at"])
        self.note(verb="reopened", line=f"{self.name}: the vault edit awaits review again", by=by, at=at)

    def note(self, *, verb: str, line: str, by: Member, at: datetime, why: str = "") -> None:
        subject = self.insight.ref if self.insight else "vault"
        LogEntry.write(team_id=self.team_id, subject=subject, verb=verb, line=line, by=by, at=at, why=why)


_SETTLED: dict[str, str] = {
    Conflict.State.KEPT: "Loam's version kept, vault edit rejected",
    Conflict.State.TAKEN: "vault edit applied",
}
