"""The inbox state of an item: until when it is snoozed, and to whom it is assigned."""

from datetime import UTC, datetime
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.models.edit_proposal import EditProposal
from knowledge.models.insight import Insight
from knowledge.models.pair import Pair
from knowledge.querysets.inbox_states import InboxStateQuerySet
from knowledge.review.rules.snooze import until_words


class InboxState(models.Model):
    """The inbox state of one insight, pair or suggested edit, for all leads of its team.

    A snooze ends at `snoozed_until`, or with `until_used` when the insight is next used. The row stays.
    """

    insight = models.OneToOneField(Insight, null=True, on_delete=models.CASCADE, related_name="inbox_state")
    pair = models.OneToOneField(Pair, null=True, on_delete=models.CASCADE, related_name="inbox_state")
    proposal = models.OneToOneField(EditProposal, null=True, on_delete=models.CASCADE, related_name="inbox_state")
    snoozed_at = models.DateTimeField(null=True)
    snoozed_until = models.DateTimeField(null=True)
    until_used = models.BooleanField(default=False)
    snoozed_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    assignee = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")

    objects = InboxStateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(insight__isnull=False, pair__isnull=True, proposal__isnull=True)
                | Q(insight__isnull=True, pair__isnull=False, proposal__isnull=True)
                | Q(insight__isnull=True, pair__isnull=True, proposal__isnull=False),
                name="inbox_state_of_one",
            )
        ]
        indexes = [models.Index(fields=["snoozed_until"], name="inbox_state_snoozed")]

    def __str__(self) -> str:
        return self.name

    @property
    def sides(self) -> list[Insight]:
        """The insights it is about: one, or both of a pair."""
        if self.pair:
            return [self.pair.a, self.pair.b]
        of = self.proposal.insight if self.proposal else self.insight
        return [of] if of else []

    @property
    def name(self) -> str:
        """The references of the insights it is about."""
        return " and ".join(side.ref for side in self.sides)

    @property
    def words(self) -> str:
        """Until when it is snoozed, in words."""
        moment = timezone.localtime(self.snoozed_until) if self.snoozed_until else None
        return until_words(moment, until_used=self.until_used)

    def as_data(self) -> dict[str, Any]:
        """Return the state as JSON, to compare and restore it when undoing."""
        return {
            "snoozed_at": _text(self.snoozed_at),
            "snoozed_until": _text(self.snoozed_until),
            "until_used": self.until_used,
            "snoozed_by_id": self.snoozed_by_id,
            "assignee_id": self.assignee_id,
        }

    def snooze(self, *, until: datetime | None, until_used: bool, by: Member, at: datetime) -> None:
        """Hide it from the queues until a moment, or until it is used."""
        self.snoozed_at, self.snoozed_by_id = at, by.user_id or None
        self.snoozed_until, self.until_used = until, until_used
        self.save()
        self._note("snoozed", f"snoozed {self.words}", by=by, at=at)

    def unsnooze(self, *, by: Member, at: datetime) -> None:
        """Show it in the queues again."""
        self.snoozed_at, self.snoozed_until, self.until_used, self.snoozed_by = None, None, False, None
        self.save()
        self._note("unsnoozed", "unsnoozed", by=by, at=at)

    def assign(self, user: User | None, *, by: Member, at: datetime) -> None:
        """Set or remove the assignee."""
        self.assignee = user
        self.save()
        self._note(
            "assigned" if user else "unassigned", f"assigned to {user.username}" if user else "unassigned", by=by, at=at
        )

    def put_back(self, before: dict[str, Any], *, by: Member, at: datetime) -> None:
        """Restore a state returned by `as_data`."""
        for name, value in before.items():
            moment = name in ("snoozed_at", "snoozed_until") and value
            setattr(self, name, parse_datetime(value) if moment else value)
        self.save()
        self._note("reverted", "snooze or assignment undone", by=by, at=at)

    def _note(self, verb: str, words: str, *, by: Member, at: datetime) -> None:
        what = f"{str(self.pair.question).capitalize()} of {self.name}" if self.pair else self.name
        what = f"Suggested {self.proposal.noun} of {self.name}" if self.proposal else what
        for side in self.sides:
            side.note(verb=verb, line=f"{what} {words}", by=by, at=at)


def _text(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None
