"""Shapes at the doors of moderation."""

from typing import Any

from rest_framework import serializers

from accounts.serializers import StrictCharField, StrictSerializer
from knowledge.serializers.insights import ProvenanceIn, ReasonIn

# Files in one report: a repository of this size still fits into one request (1 MB); larger ones come in parts.
MOST_FILES = 5_000
# Insights in one answer: as many as a client keeps of a repository.
MOST_ANCHORED = 2_000


class ForgetIn(StrictSerializer):
    reason = StrictCharField(max_length=1000)


class ForgottenOut(serializers.Serializer[Any]):
    """Until `erased_after` a lead can restore it."""

    ref = serializers.CharField()
    forgotten_at = serializers.DateTimeField()
    erased_after = serializers.DateTimeField()


class ValidateIn(ReasonIn):
    provenance = ProvenanceIn(many=True, required=False)


class MoveIn(ReasonIn):
    team = StrictCharField(max_length=60)


class ReleaseIn(ReasonIn):
    mask = serializers.BooleanField(required=False, default=True)


class FileNowIn(StrictSerializer):
    """A file as it is now; `sha256` is empty when it is gone, `now` its path if it was moved."""

    path = StrictCharField(max_length=400)
    sha256 = serializers.RegexField(r"^(?:[0-9a-f]{64})?$", max_length=64, allow_blank=True)
    now = StrictCharField(max_length=400, required=False, default="", allow_blank=True)


class AnchoredIn(StrictSerializer):
    """`refs`: insights, separated by commas; left out, all of the repository that name files."""

    repo = StrictCharField(max_length=200, required=False, default="", allow_blank=True)
    refs = StrictCharField(max_length=4_000, required=False, default="", allow_blank=True)
    limit = serializers.IntegerField(min_value=1, max_value=MOST_ANCHORED, required=False, default=MOST_ANCHORED)


class AnchoredInsightOut(serializers.Serializer[Any]):
    ref = serializers.CharField()
    created_at = serializers.DateTimeField()
    provenance = serializers.JSONField()


class AnchoredOut(serializers.Serializer[Any]):
    """The latest first; `provenance`: [{path, sha256}]."""

    insights = AnchoredInsightOut(many=True)


class FilesIn(StrictSerializer):
    repo = StrictCharField(max_length=200)
    files = serializers.ListField(child=FileNowIn(), min_length=1, max_length=MOST_FILES)


class StaleOut(serializers.Serializer[Any]):
    ref = serializers.CharField()
    files = serializers.ListField(child=serializers.CharField())


class ReportedOut(serializers.Serializer[Any]):
    """`checked`: how many insights of the repository name files; `validated`: all of theirs were reported unchanged;
    `left_for_later`: how many more differ, when one user's reports have made enough stale for a day.
    """

    checked = serializers.IntegerField()
    stale = StaleOut(many=True)
    validated = serializers.ListField(child=serializers.CharField())
    left_for_later = serializers.IntegerField()
