"""Who outside is told of what a team did, and how the telling goes."""

from datetime import datetime, timedelta

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.models.people import LogEntry, Team, User
from accounts.querysets import DeliveryQuerySet, WebhookQuerySet
from accounts.rules.rights import Member
from accounts.rules.webhooks import LONGEST_URL, Event, pause_after


class Webhook(models.Model):
    """An address that is told of a team's events. The secret signs what it is told, so it is kept as it is."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=LONGEST_URL)
    events = ArrayField(models.CharField(max_length=30, choices=[(e.value, e.value) for e in Event]))
    secret = models.CharField(max_length=64, editable=False)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)
    created_at = models.DateTimeField(editable=False)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "url"], name="webhook_once")]

    def __str__(self) -> str:
        return self.url

    def add(self, *, by: Member, at: datetime) -> None:
        """Store it, with its line in the log; which does not repeat the address: a path can be a secret."""
        self.created_by_id, self.created_at = by.user_id or None, at
        self.save(force_insert=True)
        line, after = f"Webhook {self.pk} added", {"events": sorted(self.events)}
        LogEntry.write(team_id=self.team_id, verb="webhook added", line=line, after=after, by=by, at=at)

    def remove(self, *, by: Member, at: datetime) -> None:
        """It is told nothing more, not even what was waiting."""
        LogEntry.write(team_id=self.team_id, verb="webhook removed", line=f"Webhook {self.pk} removed", by=by, at=at)
        self.delete()


class Delivery(models.Model):
    """One line of the log on its way to one webhook: due until it has arrived or been given up."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    entry = models.ForeignKey(LogEntry, on_delete=models.CASCADE, related_name="+")
    event = models.CharField(max_length=30)
    due_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    delivered_at = models.DateTimeField(null=True)
    gave_up_at = models.DateTimeField(null=True)
    # How the last attempt ended, in a few words of ours.
    last = models.CharField(max_length=120, blank=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [models.UniqueConstraint(fields=["webhook", "entry"], name="delivery_once")]
        indexes = [
            models.Index(
                fields=["due_at"],
                name="delivery_due",
                condition=Q(delivered_at__isnull=True, gave_up_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.pk}"

    def take(self, *, at: datetime, lease: timedelta) -> None:
        """Ours to attempt for so long; should we die over it, somebody else's after that. The caller holds the row."""
        self.attempts, self.due_at = self.attempts + 1, at + lease
        self.save(update_fields=["attempts", "due_at"])

    def arrived(self, *, at: datetime, told: str) -> None:
        self.delivered_at, self.last = at, told[:120]
        self.save(update_fields=["delivered_at", "last"])

    def failed(self, *, at: datetime, told: str) -> None:
        """Tried again after the ladder's next pause; at its end given up."""
        pause, self.last = pause_after(self.attempts), told[:120]
        if pause is None:
            self.gave_up_at = at
        else:
            self.due_at = at + pause
        self.save(update_fields=["gave_up_at", "due_at", "last"])

    def failed_for_good(self, *, at: datetime, told: str) -> None:
        """Given up at once: trying again would change nothing."""
        self.gave_up_at, self.last = at, told[:120]
        self.save(update_fields=["gave_up_at", "last"])
