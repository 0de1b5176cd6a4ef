"""Shapes at the door of `topics/`."""

from typing import Any

from rest_framework import serializers

from accounts.serializers import (
    StrictCharField,
    StrictSerializer,
)
from knowledge.models.topic import LONGEST_LABEL
from knowledge.serializers.insights import ReasonIn


class TopicsIn(StrictSerializer):
    """Which topics are listed."""

    team = StrictCharField(max_length=60, required=False, default="")
    limit = serializers.IntegerField(min_value=1, max_value=500, required=False, default=100)


class RenameIn(ReasonIn):
    label = StrictCharField(max_length=LONGEST_LABEL)  # type: ignore[assignment]


class MergeTopicIn(ReasonIn):
    into = serializers.UUIDField()


class TopicOut(serializers.Serializer[Any]):
    """A topic: `kinds` and `count` are of the insights that a query may return; `named`: by a person."""

    id = serializers.UUIDField(source="topic.pk")
    team = serializers.CharField(source="topic.team.slug")
    label = serializers.CharField(source="topic.label")  # type: ignore[assignment]
    terms = serializers.ListField(child=serializers.CharField(), source="topic.terms")
    named = serializers.BooleanField(source="topic.named")
    owner = serializers.CharField(source="topic.owner.username", allow_null=True, default=None)
    kinds = serializers.DictField(child=serializers.IntegerField())
    count = serializers.IntegerField()
    updated_at = serializers.DateTimeField(source="topic.updated_at")


class TopicsOut(serializers.Serializer[Any]):
    """`total`: how many topics there are, shown or not."""

    results = TopicOut(many=True)
    total = serializers.IntegerField()
