"""Two insights that a person must look at."""

from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Q

from accounts.models import User
from accounts.rules.hooks import AGAINST
from accounts.rules.rights import Member
from knowledge.models.insight import Insight
from knowledge.querysets import PairQuerySet
from knowledge.rules.vocabulary import Trust


class Pair(models.Model):
    """Two insights a person must look at: they contradict each other, or seem to say the same.

    `a` is the older of the two. A pair is asked about once; settled ones are kept, so that it is not asked again.
    """

    class Question(models.TextChoices):
        CONTRADICTION = "contradiction"
        DUPLICATE = "duplicate"

    class State(models.TextChoices):
        OPEN = "open"
        DISMISSED = "dismissed"
        RESOLVED = "resolved"

    a = models.ForeignKey(Insight, on_delete=models.CASCADE, related_name="pairs_as_a")
    b = models.ForeignKey(Insight, on_delete=models.CASCADE, related_name="pairs_as_b")
    question = models.CharField(max_length=14, choices=Question)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    reason = models.TextField(blank=True)
    similarity = models.FloatField(null=True)
    raised_by = models.CharField(max_length=80)
    raised_at = models.DateTimeField()
    settled_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    settled_at = models.DateTimeField(null=True)
    resolution = models.TextField(blank=True)
    scope = models.TextField(blank=True)

    objects = PairQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["a", "b", "question"], name="pair_once"),
            models.CheckConstraint(condition=Q(a__lt=models.F("b")), name="pair_older_first"),
        ]

    def __str__(self) -> str:
        return f"{self.question}: {self.a_id} – {self.b_id}"

    @classmethod
    def between(
        cls, one: Insight, other: Insight, *, question: str, reason: str, by: Member, at: datetime, **more: Any
    ) -> "Pair":
        """The pair of two insights, asked about once. A new contradiction marks both and is in both histories."""
        a, b = sorted((one, other), key=lambda row: row.pk)
        fields = {"reason": reason, "raised_by": by.actor[:80], "raised_at": at, **more}
        pair, new = cls.objects.get_or_create(a=a, b=b, question=question, defaults=fields)
        if new and question == cls.Question.CONTRADICTION:
            pair.mark(by=by, at=at)
        return pair

    def mark(self, *, by: Member, at: datetime) -> None:
        """Both sides are contradicted, with a line in both histories."""
        changes = {"trust": Trust.CONTRADICTED.value}
        for side, against in ((self.a, self.b), (self.b, self.a)):
            line = f"{side.ref} contradicted by {against.ref}"
            also: tuple[dict[str, Any], dict[str, Any]] = ({}, {AGAINST: against.ref})
            side.change(changes, verb="contradicted", line=line, by=by, at=at, why=self.reason, also=also)

    def unmark(self, *, by: Member, at: datetime) -> None:
        """What nothing open speaks against any more is no longer marked so."""
        changes = {"trust": Trust.UNKNOWN.value}
        for side in (self.a, self.b):
            if side.trust == Trust.CONTRADICTED and not Pair.objects.all().open_about(side).exists():
                side.change(changes, verb="settled", line=f"{side.ref} no longer contradicted", by=by, at=at)

    def settle(self, state: str, *, by: Member, at: datetime, resolution: str, scope: str) -> None:
        """Close it, with a line in both histories."""
        self.state, self.resolution, self.scope = state, resolution, scope
        self.settled_by_id, self.settled_at = by.user_id or None, at
        self.save(update_fields=["state", "resolution", "scope", "settled_by", "settled_at"])
        for side, other in ((self.a, self.b), (self.b, self.a)):
            line = f"{self.question} of {side.ref} and {other.ref} {state}"
            side.note(verb=state, line=line, by=by, at=at, why=resolution or scope)

    def reopen(self, *, by: Member, at: datetime) -> None:
        """Undo `settle`, with a line in both histories; a contradiction marks both again."""
        self.state, self.resolution, self.scope = self.State.OPEN, "", ""
        self.settled_by, self.settled_at = None, None
        self.save(update_fields=["state", "resolution", "scope", "settled_by", "settled_at"])
        for side, other in ((self.a, self.b), (self.b, self.a)):
            side.note(verb="reopened", line=f"{self.question} of {side.ref} and {other.ref} open again", by=by, at=at)
        if self.question == self.Question.CONTRADICTION:
            self.mark(by=by, at=at)
