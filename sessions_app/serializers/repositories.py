"""Shapes at the doors of `claims/`, `friction/` and `code-index/`: what sessions tell of a repository's files."""

from typing import Any

from rest_framework import serializers

from accounts.serializers import StrictCharField, StrictSerializer
from knowledge.serializers.insights import words
from sessions_app.actions.claims import MINUTES, MOST_CLAIMED, MOST_MINUTES
from sessions_app.rules.friction import DAYS, MOST_DAYS
from sessions_app.serializers.handoffs import lines
from sessions_app.serializers.sessions import a_text


class ClaimsIn(StrictSerializer):
    """Files to claim or to give back; without any, the answer is what is claimed on the repo."""

    files = words(most=MOST_CLAIMED, longest=400)
    release = words(most=MOST_CLAIMED, longest=400)
    minutes = serializers.IntegerField(min_value=1, max_value=MOST_MINUTES, required=False, default=MINUTES)


class FrictionIn(StrictSerializer):
    repo = a_text(200)
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, required=False, default=DAYS)


class CodeFileIn(StrictSerializer):
    path = StrictCharField(max_length=400)
    imports = words(most=1_000, longest=400)


class CodeIndexIn(StrictSerializer):
    """The import graph of one commit; a large one in parts, each with the same `commit`."""

    repo = StrictCharField(max_length=200)
    commit = StrictCharField(max_length=80)
    files = CodeFileIn(many=True, max_length=10_000)  # type: ignore[call-arg]
    team = a_text(60)


class ClaimOut(serializers.Serializer[Any]):
    path = serializers.CharField()
    session = serializers.CharField(source="session.ref")
    user = serializers.CharField(source="session.user.username")
    until = serializers.DateTimeField(source="expires_at")


class ClaimedOut(serializers.Serializer[Any]):
    """`claims`: what the session holds; `held_by_others`: of what it asked for, or of everything if it asked for
    nothing, what other live sessions on the repo hold.
    """

    claims = ClaimOut(many=True, source="mine")
    held_by_others = ClaimOut(many=True, source="others")


class FrictionErrorOut(serializers.Serializer[Any]):
    fingerprint = serializers.CharField(source="met.fingerprint")
    error = serializers.CharField(source="met.template")
    count = serializers.IntegerField(source="met.count")
    sessions = serializers.IntegerField(source="met.sessions")
    people = serializers.IntegerField(source="met.people")
    first_at = serializers.DateTimeField(source="met.first_at")
    last_at = serializers.DateTimeField(source="met.last_at")
    overcome = serializers.IntegerField(source="met.overcome")
    repos = serializers.ListField(source="met.repos", child=serializers.CharField())
    modules = lines()
    insights = lines()


class ModuleOut(serializers.Serializer[Any]):
    module = serializers.CharField()
    errors = serializers.IntegerField()  # type: ignore[assignment]
    count = serializers.IntegerField()


class FrictionOut(serializers.Serializer[Any]):
    """Recurring errors that are unresolved, worst first, and the modules where they happen."""

    errors = FrictionErrorOut(many=True)  # type: ignore[assignment]
    modules = ModuleOut(many=True)


class IndexedOut(serializers.Serializer[Any]):
    repo = serializers.CharField(source="index.repo")
    commit = serializers.CharField(source="index.commit")
    files = serializers.IntegerField()
    imports = serializers.IntegerField(source="edges")
