"""What was asked, and what was shown: a rating and `why-not` refer to it."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import HalfVectorField

from accounts.models import ApiToken, Team, User
from knowledge.models.insight import DIMENSIONS
from knowledge.querysets.queries import QueryQuerySet


class Query(models.Model):
    """One question. The row is of the asker's personal team: what somebody asks is nobody else's to read."""

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
        """Not what was asked: the admin shows this wherever a question is named, and it is its asker's own."""
        return f"question {self.pk}"
