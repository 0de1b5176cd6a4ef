"""Saved filters of lists."""

from collections.abc import Mapping
from datetime import datetime

from django.db import models
from django.db.models.functions import Lower

from accounts.models import LogEntry, Team, User
from accounts.rules.rights import Member
from knowledge.querysets.saved_filters import SavedFilterQuerySet
from knowledge.review.rules.saved_filters import LONGEST_NAME, Listing


class SavedFilter(models.Model):
    """A named filter of a list. It belongs to the team that sees it, or to the user's personal team if
    it is private.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    owner = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)
    listing = models.CharField(max_length=10, choices=[(one.value, one.value) for one in Listing])
    name = models.CharField(max_length=LONGEST_NAME)
    wanted = models.JSONField(default=dict)
    changed_at = models.DateTimeField(editable=False)

    objects = SavedFilterQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint("team", "listing", Lower("name"), name="saved_filter_once_a_team")]

    def __str__(self) -> str:
        return self.name

    def put(self, wanted: Mapping[str, str], *, by: Member, at: datetime) -> None:
        """Save the filter, new or changed, and log it without the search terms."""
        verb = "filter saved" if self._state.adding else "filter changed"
        self.wanted, self.owner_id, self.changed_at = dict(wanted), by.user_id, at
        self.save()
        line = f"Filter “{self.name}” of the {self.listing} {verb.split()[1]}"
        LogEntry.write(team_id=self.team_id, verb=verb, line=line, by=by, at=at)

    def remove(self, *, by: Member, at: datetime) -> None:
        line = f"Filter “{self.name}” of the {self.listing} deleted"
        LogEntry.write(team_id=self.team_id, verb="filter deleted", line=line, by=by, at=at)
        self.delete()
