"""Questions that were asked and what was shown. Ratings and `why-not` refer to them."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import HalfVectorField

from accounts.models import ApiToken, Team, User
from knowledge.models.insight import DIMENSIONS
from knowledge.querysets.queries import QueryQuerySet


class Query(models.Model):
    """One question. It belongs to the asker's personal team, because nobody else may read what somebody asks."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.SET_NULL, related_name="+")
    session_key = models.CharField(max_length=80, blank=True)
    at = models.DateTimeField(db_index=True)
    text = models.TextField()
    ask = models.JSONField(default=dict)
    embedding = HalfVectorField(dimensions=DIMENSIONS, null=True)
    embedded_by = models.CharField(max_length=80, blank=True)
    shown = ArrayField(models.CharField(max_length=24), default=list)
    abstained = models.BooleanField(default=False)

    objects = QueryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "queries"
        indexes = [models.Index(fields=["session_key", "-at"], name="query_of_session")]

    def __str__(self) -> str:
        """Return a name without the text, because the admin shows it, and only the asker may read the text."""
        return f"question {self.pk}"
