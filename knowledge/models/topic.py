"""A group of insights by meaning, with a name people can read and an id that stays."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import HalfVectorField

from accounts.models import Team
from knowledge.models.insight import DIMENSIONS
from knowledge.querysets import TopicQuerySet


class Topic(models.Model):
    """`label` is computed from the members' words unless a person named it (`named`)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="topics")
    label = models.CharField(max_length=120)
    terms = ArrayField(models.CharField(max_length=80), default=list)
    named = models.BooleanField(default=False)
    centroid = HalfVectorField(dimensions=DIMENSIONS, null=True)
    embedded_by = models.CharField(max_length=80, blank=True)
    merged_into = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = TopicQuerySet.as_manager()

    def __str__(self) -> str:
        return self.label
