"""Shapes at the interface of conversations: passages, and with whom they are shared."""

from typing import Any

from rest_framework import serializers

from accounts.serializers import StrictCharField, StrictSerializer, WordField
from sessions_app.answers.rules.fence import Fence
from sessions_app.conversations.actions.read import Conversation
from sessions_app.conversations.rules.excerpts import whole
from sessions_app.transcripts.rules.speakers import SharedTurns

MOST_SHOWN = 600


class ConversationIn(StrictSerializer):
    """`q`: words that a passage must have; `after`: the position of the last passage that is known."""

    q = StrictCharField(max_length=400, required=False, default="", allow_blank=True)
    after = serializers.IntegerField(min_value=-1, max_value=2**31 - 1, required=False, default=-1)
    limit = serializers.IntegerField(min_value=1, max_value=MOST_SHOWN, required=False, default=100)


class PassageOut(serializers.Serializer[Any]):
    """One to a few consecutive turns of one speaker, `user` or `agent`. `files` were edited in them or around them."""

    position = serializers.IntegerField()
    speaker = serializers.CharField()
    user = serializers.CharField(source="user.username")
    team = serializers.CharField(source="team.slug")
    first_turn = serializers.IntegerField()
    last_turn = serializers.IntegerField()
    said_at = serializers.DateTimeField()
    text = serializers.CharField()
    files = serializers.ListField(child=serializers.CharField())


class ConversationOut(serializers.Serializer[Any]):
    """The passages that the caller may read, in order; `total` counts all that match, `left` those after the last.
    `text`: the same for a model, within the fence.
    """

    session = serializers.CharField(source="session.ref")
    user = serializers.CharField(source="session.user.username")
    repo = serializers.CharField(source="session.repo")
    branch = serializers.CharField(source="session.branch")
    passages = PassageOut(many=True)
    total = serializers.IntegerField()
    left = serializers.IntegerField()
    text = serializers.SerializerMethodField()

    def get_text(self, found: Conversation) -> str:
        turns = [(one.speaker, one.said_at.isoformat(), one.text) for one in found.passages]
        session = found.session
        fence: Fence = self.context["fence"]
        return fence.data(whole(session.ref, session.user.username, session.repo, turns))


class ForgetConversationIn(StrictSerializer):
    """`reason` is kept in the log of the session's team."""

    reason = StrictCharField(max_length=400, required=False, default="", allow_blank=True)


class ConversationForgottenOut(serializers.Serializer[Any]):
    passages = serializers.IntegerField()


class SharingIn(StrictSerializer):
    """`repo` is empty for all repositories; `team` may be `personal`, which keeps a repository to oneself. With
    `preview` nothing is changed.
    """

    repo = StrictCharField(max_length=200, allow_blank=True)
    team = StrictCharField(max_length=60)
    turns = WordField([turns.value for turns in SharedTurns], default=SharedTurns.AGENT.value)
    preview = serializers.BooleanField(required=False, default=False)


class SharingAsked(StrictSerializer):
    """With `preview` the answer also has what sharing that `repo` (empty: all), with these `turns`, would show."""

    preview = serializers.BooleanField(required=False, default=False)
    repo = StrictCharField(max_length=200, required=False, default="", allow_blank=True)
    turns = WordField([turns.value for turns in SharedTurns], required=False, default=SharedTurns.AGENT.value)


class UnsharingIn(StrictSerializer):
    """`repo`: that of the row, empty for the row of all repositories."""

    repo = StrictCharField(max_length=200, required=False, default="", allow_blank=True)


class SharedOut(serializers.Serializer[Any]):
    """With which team a member shares a repository's sessions, `""` being all; how much of it the team has now."""

    repo = serializers.CharField(source="row.repo")
    team = serializers.CharField(source="row.team.slug")
    turns = serializers.CharField(source="row.turns")
    sessions = serializers.IntegerField()
    passages = serializers.IntegerField()
    waiting = serializers.BooleanField(source="row.waiting", help_text="more passages are being moved")


class ExampleOut(serializers.Serializer[Any]):
    session = serializers.CharField()
    repo = serializers.CharField()
    said_at = serializers.DateTimeField()
    line = serializers.CharField()


class PreviewOut(serializers.Serializer[Any]):
    """What would be shared: how many sessions and passages, from when to when, and the first lines of three."""

    sessions = serializers.IntegerField()
    passages = serializers.IntegerField()
    since = serializers.DateTimeField(allow_null=True)
    until = serializers.DateTimeField(allow_null=True)
    examples = ExampleOut(many=True)


class SharingOut(serializers.Serializer[Any]):
    results = SharedOut(many=True)
    preview = PreviewOut(allow_null=True)


class UnsharedOut(serializers.Serializer[Any]):
    """How many passages are their owner's alone again."""

    passages = serializers.IntegerField()
