"""Nothing that a team wrote is anywhere that a stranger can look: a word of its own in each text field of each row.

The fields are found by looking at the models, so a new field of a table that has a row here is looked for from its
first day.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models
from rest_framework.test import APIClient

from accounts.actions.members import member_of
from accounts.models import Team, User
from accounts.rules.rights import Level, Member
from knowledge.evidence.models import Document, Source
from knowledge.models import Insight
from knowledge.review.proposals.actions.decide import comment
from knowledge.topics.actions.topics import set_owner
from sessions_app.actions.end import SessionWords, end
from sessions_app.conversations.actions.share import share
from sessions_app.models import AgentSession
from sessions_app.transcripts.rules.speakers import SharedTurns
from tests.addresses import answers
from tests.conftest import NOW, agent, make_platform, person
from tests.factories import make_cluster
from tests.pages import signed_in
from tests.sessions_app.conversations.decisions import RETRIES
from tests.sessions_app.conversations.talk import begin
from tests.test_strangers import furnish, parts_of

pytestmark = pytest.mark.django_db

APPS = ("accounts", "knowledge", "evidence", "skills", "sessions_app")
CANARY = re.compile(r"zq\d{3}x")
# What the code itself writes and reads again: names of models and recipes, digests, addresses of rows. That a stranger
# cannot tell them by their addresses is what tests/test_strangers.py looks at.
CODE = {
    *("ref", "slug", "key", "digest", "sha256", "prefix", "recipe", "bm25_recipe", "embedded_by", "session_key"),
    *("password", "scopes", "event", "events", "verb", "subject", "raised_by", "judged_by", "outcome", "client_id"),
    *("idempotency_key", "fingerprint", "decision", "username", "email", "first_name", "last_name", "steps"),
}
# What its lead sees of it: the sweep looks where it stands.
SHOWN = {
    "Insight": ("title", "body"),
    "Comment": ("text",),
    "EditProposal": ("note",),
    "Annotation": ("text",),
    "Passage": ("text",),
    "Source": ("name", "revision"),
    "KnowledgeCluster": ("content",),
    "Topic": ("label",),
    "SkillVersion": ("description",),
    "Handoff": ("summary",),
    "Pair": ("reason",),
}


class Canaries:
    """Which field each word stands in."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}

    def word(self, field: str) -> str:
        for word, name in self.fields.items():
            if name == field:
                return word
        word = f"zq{len(self.fields):03}x"
        self.fields[word] = field
        return word

    def found_in(self, text: str) -> set[str]:
        # A random token may look like one.
        return {self.fields[word] for word in CANARY.findall(text.lower()) if word in self.fields}


def ours() -> Iterator[type[models.Model]]:
    for label in APPS:
        yield from (model for model in apps.get_app_config(label).get_models() if not model._meta.proxy)


def text_fields(model: type[models.Model]) -> list[Any]:
    """The fields of a model that say what somebody wrote."""
    found = []
    for field in model._meta.concrete_fields:
        inner = field.base_field if isinstance(field, ArrayField) else field
        text = isinstance(inner, models.CharField | models.TextField | models.JSONField)
        if text and not inner.choices and field.name not in CODE:
            found.append(field)
    return found


def marked(value: Any, word: str) -> Any:
    """The value with the word in each text of it."""
    if isinstance(value, str):
        return f"{value} {word}"
    if isinstance(value, list):
        return [marked(one, word) for one in value]
    if isinstance(value, dict):
        return {name: marked(one, word) for name, one in value.items()}
    return value


def mark(rows: dict[type[models.Model], set[Any]], canaries: Canaries) -> None:
    """Put a word into each text field of these rows, as far as it finds room."""
    for model, keys in rows.items():
        for row in model._default_manager.filter(pk__in=keys):
            changed = {}
            for field in text_fields(model):
                word = canaries.word(f"{model.__name__}.{field.name}")
                value = marked(getattr(row, field.attname) or _empty(field), word)
                longest = getattr(field, "max_length", None)
                if longest and isinstance(value, str):
                    value = f"{value[: longest - len(word) - 1].removesuffix(word).rstrip()} {word}"
                changed[field.name] = value
            model._default_manager.filter(pk=row.pk).update(**changed)


def _empty(field: Any) -> Any:
    """What a field without a text is marked as; of JSON the code expects a shape, so it stays empty."""
    if isinstance(field, ArrayField):
        return [""]
    return field.get_default() if isinstance(field, models.JSONField) else ""


def keys_of_all() -> dict[type[models.Model], set[Any]]:
    return {model: set(model._default_manager.values_list("pk", flat=True)) for model in ours()}


@pytest.fixture
def platforms(charlie: Member) -> tuple[dict[type[models.Model], set[Any]], dict[str, list[Any]], Member]:
    """The rows of a team that Charlie is not of, what names them in addresses, and its lead."""
    before = keys_of_all()
    team = make_platform()
    alice_user, bob_user = person("alice", team, Level.LEAD), person("bob", team)
    alice, bob = member_of(user=alice_user), member_of(user=bob_user)
    rows = furnish(alice, bob, NOW)
    names = parts_of((team, alice_user, bob_user, rows))
    write_more(team, rows[0], alice, bob, names)
    after = keys_of_all()
    return {model: after[model] - before[model] for model in after}, names, alice


def write_more(team: Team, row: Insight, alice: Member, bob: Member, names: dict[str, list[Any]]) -> None:
    """What `furnish` does not: a comment, an owner, a Git source, a cluster, a shared conversation and its answer."""
    comment(proposal_id=names["proposal_id"][0], text="@bob look", by=alice, now=NOW)
    topic = Insight.objects.get(pk=row.pk).topic_id
    if topic:
        set_owner(topic_id=topic, owner="bob", by=alice, now=NOW)
    source = Source.objects.create(
        slug="handbook", name="Handbook", path="handbook.git", revision="main", team=team, created_at=NOW
    )
    Document.objects.create(sha256="0" * 64, recipe="1", text="What it says.", used_at=NOW)
    names["cluster"] = [make_cluster(team.pk, content="What was found.").ref]
    names["slug"] = [*names["slug"], source.slug]
    share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
    me = begin(bob)
    end(name=me.session, words=SessionWords(summary="Done.", transcript=RETRIES), by=me, now=NOW)
    agent(alice).post("/api/v1/query/", {"query": "How does the payment client retry?", "repo": "shop"})
    agent(alice).post("/api/v1/surface/", {"prompt": "How does the payment client retry when the gateway fails?"})
    names["session_id"] = [*AgentSession.objects.filter(team=team).values_list("key", flat=True)]


Platform = tuple[dict[type[models.Model], set[Any]], dict[str, list[Any]], Member]


class TestWhatATeamWrote:
    def test_is_nowhere_for_a_stranger(self, platforms: Platform, charlie: Member, charlie_user: User) -> None:
        rows, names, _ = platforms
        canaries = Canaries()
        mark(rows, canaries)
        client = agent(charlie)
        told = [*answers(client, signed_in(charlie_user), names), *asked(client)]
        assert [(where, found) for where, text in told if (found := canaries.found_in(text))] == []

    def test_is_there_for_its_lead(self, platforms: Platform) -> None:
        rows, names, alice = platforms
        canaries = Canaries()
        mark({model: rows[model] for model in rows if model.__name__ in SHOWN}, canaries)
        page = signed_in(User.objects.get(pk=alice.user_id))
        found: set[str] = set()
        for _, text in answers(agent(alice), page, names):
            found |= canaries.found_in(text)
        assert found >= {f"{model}.{field}" for model, fields in SHOWN.items() for field in fields}


def asked(client: APIClient) -> Iterator[tuple[str, str]]:
    """What an agent is told that asks for what the team has, or begins to work on its repository."""
    for text in ("kestrel release of the platform team", "How does the payment client retry?"):
        body = {"query": text, "trim": False, "limit": 50, "explain": True}
        yield text, client.post("/api/v1/query/", body, format="json").content.decode()
    begun = client.post("/api/v1/sessions/", {"repo": "shop", "team": "mobile", "handoff_tokens": 2000}, format="json")
    yield "start", begun.content.decode()
