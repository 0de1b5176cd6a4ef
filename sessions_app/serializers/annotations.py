"""Shapes of `annotations/`."""

from typing import Any

from rest_framework import serializers

from accounts.serializers import StrictCharField, StrictSerializer
from sessions_app.rules.annotations import LONGEST_TEXT


class AnnotationIn(StrictSerializer):
    """A mark on a day. `team` is needed by whose token is of several shared teams."""

    text = StrictCharField(max_length=LONGEST_TEXT)
    day = serializers.DateField(required=False, allow_null=True, default=None)
    team = StrictCharField(max_length=60, required=False, default="", allow_blank=True)


class AnnotationsAsked(StrictSerializer):
    """Which annotations are listed."""

    team = StrictCharField(max_length=60, required=False, default="", allow_blank=True)
    since = serializers.DateField(required=False, default=None)


class AnnotationOut(serializers.Serializer[Any]):
    """A mark on a day (UTC) of a team's time axis."""

    id = serializers.IntegerField()
    team = serializers.CharField(source="team.slug")
    day = serializers.DateField()
    text = serializers.CharField()
    added_by = serializers.CharField(source="added_by.username", default=None, allow_null=True)
    added_at = serializers.DateTimeField()


class AnnotationsOut(serializers.Serializer[Any]):
    results = AnnotationOut(many=True)
