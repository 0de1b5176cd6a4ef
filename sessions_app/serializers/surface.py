"""Shapes at the door of `surface/`."""

from typing import Any

from rest_framework import serializers

from accounts.serializers import DegradedOut, SessionField, StrictCharField, StrictSerializer
from sessions_app.answers.actions.surface import Surfaced
from sessions_app.models import SurfaceDecision

# People paste logs into prompts; the gates read the beginning, and a hook cuts the rest.
LONGEST_PROMPT = 20_000
MOST_LISTED = 200
MOST_RECEIVED = 100


class _TextUUIDField(serializers.UUIDField):
    """A UUID as text: the framework's own takes any number for one."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid", value=data)
        return super().to_internal_value(data)


class SurfaceIn(StrictSerializer):
    """A prompt as the person typed it."""

    prompt = StrictCharField(max_length=LONGEST_PROMPT, allow_blank=True, trim_whitespace=False)
    session = SessionField()
    team = StrictCharField(max_length=60, required=False, default="", allow_blank=True)
    told = serializers.IntegerField(
        min_value=0, max_value=1_000_000, required=False, default=0,
        help_text="tokens that other hooks, for example SessionStart, have added to the session's context",
    )  # fmt: skip
    received = serializers.ListField(
        child=_TextUUIDField(), max_length=MOST_RECEIVED, required=False, default=None, allow_null=True,
        help_text="query_ids of the session's answers that were shown in time; omitted: all were",
    )  # fmt: skip


class SurfacedOut(serializers.Serializer[Surfaced]):
    """`gate`: what stopped it, `open` when nothing did. `coaching` is there only when there is something to tell."""

    surfaced = serializers.BooleanField(source="decision.surfaced")
    text = serializers.CharField()
    tokens = serializers.IntegerField(source="decision.tokens")
    gate = serializers.CharField(source="decision.gate")
    reason = serializers.CharField(source="decision.reason")
    insights = serializers.ListField(source="decision.insights", child=serializers.CharField())
    conversations = serializers.ListField(
        source="decision.conversations", child=serializers.CharField(), help_text="sessions whose passages were shown"
    )
    query_id = serializers.UUIDField(source="decision.query", allow_null=True)
    coaching = serializers.CharField(required=False)
    degraded = DegradedOut(many=True)

    def to_representation(self, instance: Surfaced) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(instance)
        return shown if shown["coaching"] else {key: value for key, value in shown.items() if key != "coaching"}


class SurfaceListIn(StrictSerializer):
    limit = serializers.IntegerField(min_value=1, max_value=MOST_LISTED, required=False, default=50)


class SurfaceDecisionOut(serializers.Serializer[SurfaceDecision]):
    at = serializers.DateTimeField()
    prompt = serializers.CharField()
    surfaced = serializers.BooleanField()
    gate = serializers.CharField()
    reason = serializers.CharField()
    mode = serializers.CharField()
    insights = serializers.ListField(child=serializers.CharField())
    conversations = serializers.ListField(child=serializers.CharField())
    tokens = serializers.IntegerField()


class SurfaceListOut(serializers.Serializer[Any]):
    results = SurfaceDecisionOut(many=True)
