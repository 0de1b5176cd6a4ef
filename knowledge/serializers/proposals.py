"""Shapes at the doors of suggested edits."""

from typing import Any

from rest_framework import serializers

from accounts.serializers import StrictCharField, StrictSerializer
from knowledge.models import EditProposal
from knowledge.models.insight import KINDS, STABILITIES
from knowledge.rules.draft import LONGEST_QUESTION, MOST_QUESTIONS
from knowledge.serializers.comments import CommentOut
from knowledge.serializers.insights import LONGEST_BODY, WordField


class ProposalIn(StrictSerializer):
    """A suggested edit of an insight: what is left out stays as it is. `act`: another act than edit, with `other` the
    insight that supersedes it or that it is merged into. `note`: why; `revision`: as you read it.
    """

    act = WordField([(act.value, act.value) for act in EditProposal.Act], required=False)
    other = StrictCharField(max_length=24, required=False)
    kind = WordField(KINDS, required=False)
    title = StrictCharField(max_length=200, required=False)
    body = StrictCharField(max_length=LONGEST_BODY, required=False, trim_whitespace=False)
    reasoning = StrictCharField(max_length=LONGEST_BODY, required=False, allow_blank=True)
    tags = serializers.ListField(child=StrictCharField(max_length=60), max_length=50, required=False)
    repo = StrictCharField(max_length=200, required=False, allow_blank=True)
    files = serializers.ListField(child=StrictCharField(max_length=400), max_length=50, required=False)
    symbols = serializers.ListField(child=StrictCharField(max_length=200), max_length=50, required=False)
    questions = serializers.ListField(
        child=StrictCharField(max_length=LONGEST_QUESTION), max_length=MOST_QUESTIONS, required=False
    )
    stability = WordField(STABILITIES, required=False)
    note = StrictCharField(max_length=1000, required=False, default="", allow_blank=True)
    revision = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False)


class ProposalOut(serializers.Serializer[Any]):
    """A suggested edit; `state` is open, changes requested, approved, rejected or withdrawn. `revision`: that of the
    insight it was made from.
    """

    id = serializers.IntegerField()
    insight = serializers.CharField(source="insight.ref")
    act = serializers.CharField()
    other = serializers.CharField(source="other.ref", allow_null=True, default=None)
    state = serializers.CharField()
    changes = serializers.JSONField()
    note = serializers.CharField()
    revision = serializers.IntegerField()
    proposed_by = serializers.CharField(source="proposed_by_name")
    proposed_at = serializers.DateTimeField()
    revised_at = serializers.DateTimeField()
    comments = CommentOut(many=True)


class ProposalsOut(serializers.Serializer[Any]):
    """The newest first."""

    results = ProposalOut(many=True)
