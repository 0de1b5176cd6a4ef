"""What a team marks on the time axis of its dashboard."""

from datetime import date, datetime

from django.db import models

from accounts.models import LogEntry, Team, User
from accounts.rules.rights import Member
from sessions_app.querysets.annotations import AnnotationQuerySet
from sessions_app.rules.annotations import LONGEST_TEXT


class Annotation(models.Model):
    """A text on a day, in UTC. The log keeps every text it had."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    day = models.DateField()
    text = models.CharField(max_length=LONGEST_TEXT)
    added_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)
    added_at = models.DateTimeField(editable=False)
    changed_at = models.DateTimeField(editable=False)

    objects = AnnotationQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["team", "-day"], name="annotation_of_team")]

    def __str__(self) -> str:
        return f"{self.day.isoformat()}: {self.text}"

    def add(self, *, by: Member, at: datetime) -> None:
        """Store it, with its line in the log."""
        self.added_by_id, self.added_at, self.changed_at = by.user_id or None, at, at
        self.save(force_insert=True)
        self._note("annotation added", f"Annotation of {self} added", by, at, after=self._values())

    def change(self, *, day: date, text: str, by: Member, at: datetime) -> None:
        """Set day and text, with a line in the log if either is another."""
        before = self._values()
        self.day, self.text = day, text
        if self._values() == before:
            return
        self.changed_at = at
        self.save(update_fields=["day", "text", "changed_at"])
        line = f"Annotation of {self} changed"
        self._note("annotation changed", line, by, at, before=before, after=self._values())

    def remove(self, *, by: Member, at: datetime) -> None:
        self._note("annotation removed", f"Annotation of {self} removed", by, at, before=self._values())
        self.delete()

    def _values(self) -> dict[str, str]:
        return {"day": self.day.isoformat(), "text": self.text}

    def _note(self, verb: str, line: str, by: Member, at: datetime, **values: dict[str, str]) -> None:
        subject = f"annotation {self.pk}"
        LogEntry.write(team_id=self.team_id, subject=subject, verb=verb, line=line, by=by, at=at, **values)
