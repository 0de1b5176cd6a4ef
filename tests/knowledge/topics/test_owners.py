"""Owners of topics and skills: who sets them, what they narrow, and that nobody owns anything in a team they left."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from accounts.actions.members import remove_member
from accounts.actions.owners import NotAMember
from accounts.models import LogEntry, User
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member
from knowledge.models import Insight, Topic
from knowledge.review.actions import triage
from knowledge.review.rules.triage import Tab
from knowledge.topics.actions import topics
from sessions_app.actions.forget_person import forget_person
from skills.actions import owner as skill_owner
from skills.models import Skill
from tests.conftest import agent
from tests.factories import make_insight, make_proposal, make_skill
from tests.knowledge.test_inbox import draft, text
from tests.pages import Faults, signed_in

Setting = Callable[..., Any]


@pytest.fixture
def topic(alice: Member) -> Topic:
    return Topic.objects.get(pk=make_insight(alice, title="Run beat once").topic_id)


@pytest.fixture(params=["topic", "skill"])
def setting(request: pytest.FixtureRequest, alice: Member, topic: Topic) -> Setting:
    """Sets the owner of a topic, or of a skill, and returns who it is."""
    skill = make_skill(alice)

    def of_topic(name: str, by: Member) -> str:
        made = topics.set_owner(topic_id=topic.pk, owner=name, by=by, now=timezone.now())
        return made.owner.username if made.owner else ""

    def of_skill(name: str, by: Member) -> str:
        made = skill_owner.set_owner(name=skill.name, owner=name, by=by, now=timezone.now())
        return made.owner.username if made.owner else ""

    return of_topic if request.param == "topic" else of_skill


class TestAnOwner:
    def test_is_set_by_a_lead_and_handed_on_by_the_owner(
        self, setting: Setting, alice: Member, bob: Member, charlie: Member
    ) -> None:
        with pytest.raises(NotAllowed):
            setting("bob", bob)
        with pytest.raises(NotFound):
            setting("charlie", charlie)
        with pytest.raises(NotAMember):
            setting("charlie", alice)
        assert setting("bob", alice) == "bob"
        assert setting("bob", alice) == "bob"
        assert setting("alice", bob) == "alice"
        with pytest.raises(NotAllowed):
            setting("bob", bob)
        assert setting("", alice) == ""
        lines = LogEntry.objects.filter(verb="owner set").order_by("pk")
        ends = ["is owned by bob", "is owned by alice", "has no owner"]
        assert [line.line.endswith(end) for line, end in zip(lines, ends, strict=True)] == [True] * 3

    def test_owns_nothing_of_a_team_they_left(self, setting: Setting, alice: Member, bob: Member) -> None:
        setting("bob", alice)
        remove_member(team_slug="platform", username="bob", by=alice, now=timezone.now())
        assert not Topic.objects.filter(owner__isnull=False).exists()
        assert not Skill.objects.filter(owner__isnull=False).exists()
        assert LogEntry.objects.filter(verb="owner set").order_by("pk").last().why == "the owner left the team"  # type: ignore[union-attr]

    def test_is_nobody_after_they_are_forgotten(
        self, setting: Setting, alice: Member, bob: Member, now: datetime
    ) -> None:
        setting("bob", alice)
        forget_person(username="bob", now=now)
        assert LogEntry.objects.filter(verb="owner set", line__endswith="is owned by somebody").count() == 1
        assert not Topic.objects.filter(owner__isnull=False).exists()
        assert not Skill.objects.filter(owner__isnull=False).exists()


def test_a_merged_topic_keeps_its_owner_or_takes_the_others(alice: Member, topic: Topic, now: datetime) -> None:
    other = Topic.objects.create(team_id=topic.team_id, label="caches", created_at=now, updated_at=now)
    topics.set_owner(topic_id=other.pk, owner="alice", by=alice, now=now)
    kept = topics.merge(topic_id=other.pk, into=topic.pk, by=alice, now=now)
    assert kept.owner is not None
    assert [one.topic.pk for one in topics.overviews(by=alice, owner="alice")] == [topic.pk]


class TestTheInbox:
    def test_is_narrowed_to_the_topics_one_owns(self, alice_user: User, alice: Member, bob: Member) -> None:
        mine = draft(alice, bob, body="Run beat once, or jobs fire twice.")
        other = draft(alice, bob, body="Postgres vacuums a table when a fifth of it is dead.")
        made = make_proposal(mine, bob)
        topics.set_owner(topic_id=mine.topic_id, owner="alice", by=alice, now=timezone.now())  # type: ignore[arg-type]
        Insight.objects.filter(pk=other.pk).update(topic=None)
        client = signed_in(alice_user)
        page = text(client.get("/?tab=new&owner=me"))
        assert f'id="row-{mine.ref}"' in page or mine.ref in page
        assert other.ref not in page
        assert Faults(page).found == []
        assert other.ref in text(client.get("/?tab=new"))
        assert f"row-proposal-{made.pk}" in text(client.get("/?tab=edits&owner=me"))
        waiting = triage.waiting(Tab.NEW, by=alice, now=timezone.now())
        assert [row.ref for row in waiting.of_owner(alice.user_id)] == [mine.ref]


class TestThePages:
    def test_show_and_set_the_owner_of_a_topic(
        self, alice_user: User, bob_user: User, charlie_user: User, topic: Topic
    ) -> None:
        client, path = signed_in(alice_user), f"/topics/{topic.pk}/"
        client.post(f"{path}owner/", {"owner": "bob"})
        page = text(client.get(path))
        assert re.search(r'<option value="bob"\s+selected\s*>bob</option>', page)
        assert Faults(page).found == []
        page = text(client.get("/topics/?owner=bob"))
        assert f"/topics/{topic.pk}/" in page
        assert "No results" in text(client.get("/topics/?owner=alice"))
        assert "is not a member of the team" in text(client.post(f"{path}owner/", {"owner": "zoe"}, follow=True))
        assert "Set owner" in text(signed_in(bob_user).get(path))
        assert signed_in(charlie_user).post(f"{path}owner/", {"owner": "charlie"}).status_code == 404

    def test_show_and_set_the_owner_of_a_skill(
        self, alice_user: User, bob_user: User, charlie_user: User, alice: Member
    ) -> None:
        make_skill(alice)
        client, path = signed_in(alice_user), "/skills/platform/release/"
        client.post(f"{path}owner/", {"owner": "bob"})
        page = text(client.get(path))
        assert re.search(r'<option value="bob"\s+selected\s*>bob</option>', page)
        assert Faults(page).found == []
        assert "release" in text(signed_in(bob_user).get("/skills/?owner=bob"))
        assert "No results" in text(client.get("/skills/?owner=alice"))
        assert "is not a member of the team" in text(client.post(f"{path}owner/", {"owner": "zoe"}, follow=True))
        assert signed_in(charlie_user).post(f"{path}owner/", {"owner": "charlie"}).status_code == 404


def test_by_rest(alice: Member, bob: Member, charlie: Member, topic: Topic) -> None:
    make_skill(alice)
    for path in (f"/api/v1/topics/{topic.pk}/owner/", "/api/v1/skills/release/owner/"):
        answer = agent(alice).post(path, {"owner": "bob"}, format="json")
        assert (answer.status_code, answer.json()["owner"]) == (200, "bob")
        answer = agent(alice).post(path, {"owner": "zoe"}, format="json")
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["owner"])
        assert agent(charlie).post(path, {"owner": ""}, format="json").status_code == 404
        answer = agent(bob).post(path, {"owner": ""}, format="json")
        assert (answer.status_code, answer.json()["owner"]) == (200, None)
        assert agent(bob).post(path, {"owner": "bob"}, format="json").status_code == 403
