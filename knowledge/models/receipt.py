"""Receipts of deposits: the same deposit sent twice is stored once and answered alike."""

from django.db import models

from accounts.models import User
from knowledge.models.insight import Insight


class Receipt(models.Model):
    """One idempotency key of one user. `digest` is the SHA-256 of the deposit it was used for."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    insight = models.ForeignKey(Insight, on_delete=models.CASCADE, related_name="+")
    outcome = models.CharField(max_length=12)
    # The rest of the answer: superseded, neighbours, redactions.
    answer = models.JSONField(default=dict)
    at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="receipt_once")]

    def __str__(self) -> str:
        return self.key
