"""Shapes at the door of `contradictions/` and `duplicates/`."""

from typing import Any

from rest_framework import serializers

from accounts.serializers import (
    RefField,
    StrictCharField,
    StrictSerializer,
    WordField,
)
from knowledge.models import Pair


class ReportIn(StrictSerializer):
    a = RefField(max_length=24)
    b = RefField(max_length=24)
    reason = StrictCharField(max_length=1000)


class PairsIn(StrictSerializer):
    """Which pairs are listed."""

    question = WordField(Pair.Question.choices, required=False, default=Pair.Question.CONTRADICTION.value)
    state = WordField(["open", "all"], required=False, default="open")


class ResolveIn(StrictSerializer):
    keep = StrictCharField(max_length=24, required=False, default="", allow_blank=True)
    scope = StrictCharField(max_length=1000, required=False, default="", allow_blank=True)


class PairOut(serializers.Serializer[Any]):
    """Two insights to be settled; `question` is contradiction or duplicate."""

    id = serializers.IntegerField()
    a = serializers.CharField(source="a.ref")
    b = serializers.CharField(source="b.ref")
    question = serializers.CharField()
    state = serializers.CharField()
    reason = serializers.CharField()
    similarity = serializers.FloatField(allow_null=True)
    raised_by = serializers.CharField()
    raised_at = serializers.DateTimeField()
    resolution = serializers.CharField()
    scope = serializers.CharField()


class PairsOut(serializers.Serializer[Any]):
    results = PairOut(many=True)
