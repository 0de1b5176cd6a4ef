"""Shapes of handoffs, wherever the API answers with one."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from sessions_app.answers.rules import calls
from sessions_app.answers.rules.calls import Interface
from sessions_app.handoffs.actions.read_handoff import telling
from sessions_app.handoffs.rules.handoff_text import BUDGET
from sessions_app.models import Handoff


class DecisionOut(serializers.Serializer[Any]):
    """`ref` is None where no reason was in reach: then it was told and not deposited."""

    statement = serializers.CharField()
    reasoning = serializers.CharField()
    sureness = serializers.CharField()
    ref = serializers.CharField(allow_null=True)


class DepositOut(serializers.Serializer[Any]):
    ref = serializers.CharField()
    kind = serializers.CharField()
    title = serializers.CharField()


def lines() -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField())


class FailureOut(serializers.Serializer[Any]):
    """The last failing command; `at` is empty where only a transcript tells of it."""

    command = serializers.CharField()
    error = serializers.CharField()
    at = serializers.CharField()
    edited_since = serializers.BooleanField()


class ContinuedOut(serializers.Serializer[Any]):
    """What the session before left: `notes` are what it said must be known first."""

    ref = serializers.CharField()
    steps = lines()
    # Handoffs that were written before these were kept have none.
    notes = serializers.ListField(child=serializers.CharField(), default=list)
    blockers = serializers.ListField(child=serializers.CharField(), default=list)


class HandoffOut(serializers.Serializer[Handoff]):
    """`summary`, `handoff_note`, `pending`, `blockers`, `plan`, `last_message`: the agent's own words. `facts`,
    `failure` and `files` were recorded; `interpretation`, `next_steps` and `found_blockers` were concluded and may be
    wrong; `uncommitted` was recorded if `uncommitted_known`. `asked`, `asked_last` and `topics` are its user's prompts,
    and empty for others unless that user shares them. `text` is all of it for a model, within the budget, in the
    reader's `fence` of the context; with `own` there for that of the session itself, with `listed` without its
    conversation.
    """

    session = serializers.CharField(source="session.ref")
    state = serializers.CharField()
    completeness = serializers.FloatField()
    as_of = serializers.DateTimeField()
    written_at = serializers.DateTimeField()
    asked = serializers.CharField()
    asked_last = serializers.CharField()
    plan = serializers.CharField()
    summary = serializers.CharField()
    handoff_note = serializers.CharField(source="note")
    failure = serializers.SerializerMethodField()
    pending = lines()
    next_steps = lines()
    blockers = lines()
    found_blockers = lines()
    uncommitted = lines()
    uncommitted_known = serializers.BooleanField()
    topics = lines()
    decisions = DecisionOut(many=True)
    deposits = DepositOut(many=True)
    files = lines()
    facts = lines()
    interpretation = lines()
    last_message = serializers.CharField()
    continues = ContinuedOut(many=True)
    open = serializers.SerializerMethodField()
    closed_as = serializers.CharField()
    acknowledged_at = serializers.DateTimeField(allow_null=True)
    acknowledged_by = serializers.SerializerMethodField()
    acknowledged_in = serializers.SerializerMethodField()
    text = serializers.SerializerMethodField()

    def to_representation(self, handoff: Handoff) -> Any:
        """What its reader may see: a token may be narrowed, and its own call answers with what another one sent."""
        return super().to_representation(handoff.for_reader(self.context["by"]))

    @extend_schema_field(FailureOut(allow_null=True))
    def get_failure(self, handoff: Handoff) -> Any:
        return FailureOut(handoff.failure).data if handoff.failure else None

    def get_open(self, handoff: Handoff) -> bool:
        return handoff.acknowledged_at is None

    def get_acknowledged_by(self, handoff: Handoff) -> str | None:
        return handoff.acknowledged_by.username if handoff.acknowledged_by else None

    def get_acknowledged_in(self, handoff: Handoff) -> str | None:
        return handoff.acknowledged_in.ref if handoff.acknowledged_in else None

    def get_text(self, handoff: Handoff) -> str:
        return telling(
            handoff,
            by=None if self.context.get("listed") else self.context["by"],
            fence=self.context["fence"],
            via=self.context.get("via", Interface.REST),
            budget=self.context.get("max_tokens", BUDGET),
            own=self.context.get("own", False),
        ).text


class OfferOut(serializers.Serializer[Any]):
    """An open handoff, why it is offered, what is unfinished, and the call that takes it over."""

    ref = serializers.CharField(source="left.ref")
    why = serializers.CharField()
    title = serializers.CharField(source="left.gist")
    state = serializers.CharField(source="left.state")
    as_of = serializers.DateTimeField(source="left.as_of")
    user = serializers.CharField(source="left.who")
    branch = serializers.CharField(source="left.place.branch")
    unfinished = serializers.ListField(source="left.unfinished", child=serializers.CharField())
    how = serializers.SerializerMethodField()

    def get_how(self, offer: Any) -> str:
        return calls.take_over(offer.left.ref, self.context.get("via", Interface.REST))


class HandoffTextOut(serializers.Serializer[Any]):
    ref = serializers.CharField()
    text = serializers.CharField()
    tokens = serializers.IntegerField()
