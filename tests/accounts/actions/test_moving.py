"""A team that moves to another cell: it is read and not written to, then everybody of it is told where it is."""

from typing import Any

import pytest
from django.db import DatabaseError, transaction

from accounts.actions.members import member_of
from accounts.actions.moving import CannotMove, NoSuchTeamToMove, mark_moved, resume_writes, stop_writes
from accounts.models import LogEntry, Membership, Team, User
from accounts.querysets import was_stopped
from accounts.rules.rights import SYSTEM, Level, Member
from knowledge.judging.actions.deposit import deposit
from knowledge.models import Insight
from tests import stage
from tests.conftest import NOW, agent
from tests.database import changed, contents
from tests.endpoints import GOOD, LESSON, WITH_TOKEN
from tests.factories import make_draft
from tests.pages import signed_in
from tests.test_rights import asked

platform, alice_user, laid_out, place = stage.platform, stage.alice_user, stage.laid_out, stage.place
THERE = "https://eu1.loam.example.org"
# What is the caller's own and no write to the team, and where a session begins.
GOES_ON = {("me", "PATCH"), ("preferences", "POST"), ("session-sharing", "DELETE"), ("sessions", "POST")}
# Their answers tell of each item by itself: of a stopped team none is changed.
BY_ITEM = {("insight-batch", "POST"), ("provenance", "POST")}


def stopped() -> Team:
    return stop_writes(slug="platform", by=SYSTEM, now=NOW)


class TestStopped:
    def test_refuses_every_write_of_every_endpoint_and_answers_every_read(
        self, platform: Team, alice_user: User, place: dict[str, Any]
    ) -> None:
        stopped()
        client, before, wrong = agent(member_of(user=alice_user)), contents(), []
        for endpoint in WITH_TOKEN:
            key = (endpoint.name, endpoint.method)
            answer, tables = asked(endpoint, client, place, before.undone())
            writes = endpoint.good.scope is not None and key not in GOES_ON
            if key in BY_ITEM:
                fine = answer.status_code == 200 and not tables
            elif writes:
                fine = answer.status_code == 503 and answer.json()["code"] == "team_stopped" and not tables
                fine = fine and int(answer["Retry-After"]) > 0
            else:
                fine = answer.status_code == GOOD[key].status
            wrong += [] if fine else [(str(endpoint), answer.status_code, answer.content[:200], tables)]
        assert "\n".join(map(str, wrong)) == ""

    def test_refuses_the_writes_of_pages(self, platform: Team, alice_user: User, place: dict[str, Any]) -> None:
        stopped()
        client, before = signed_in(alice_user), contents()
        for page in (f"/insights/{place['ref']}/promote/", f"/teams/{platform.slug}/retention/"):
            answer = client.post(page, {"reason": "so", "days": "30"})
            assert answer.status_code == 503, page
            assert int(answer["Retry-After"]) > 0
        assert changed(before) == []
        page = client.get(f"/insights/{place['ref']}/")
        assert page.status_code == 200
        assert "takes no changes for a moment" in client.get("/insights/").content.decode()

    def test_undoes_a_write_that_was_let_in_before_it(self, platform: Team, alice: Member) -> None:
        Insight.objects.all().delete()
        stopped()
        with pytest.raises(DatabaseError) as refused, transaction.atomic():
            deposit(draft=make_draft(team="platform"), by=alice, now=NOW)
        assert was_stopped(refused.value)
        assert not Insight.objects.filter(team=platform).exists()

    def test_takes_writes_again_when_it_is_resumed(self, platform: Team, alice: Member) -> None:
        stopped()
        resume_writes(slug="platform", by=SYSTEM, now=NOW)
        assert deposit(draft=make_draft(team="platform"), by=alice, now=NOW).insight
        verbs = LogEntry.objects.filter(team=platform).order_by("pk").values_list("verb", flat=True)
        assert {"writes stopped", "writes resumed"} <= set(verbs)

    def test_is_for_shared_teams_alone(self, platform: Team, alice: Member) -> None:
        with pytest.raises(CannotMove):
            stop_writes(slug="everyone", by=SYSTEM, now=NOW)
        with pytest.raises(CannotMove):
            stop_writes(slug=f"personal-{alice.user_id}", by=SYSTEM, now=NOW)
        with pytest.raises(NoSuchTeamToMove):
            stop_writes(slug="nobody", by=SYSTEM, now=NOW)


class TestMoved:
    def moved(self) -> Team:
        stopped()
        return mark_moved(slug="platform", address=THERE, by=SYSTEM, now=NOW)

    def test_takes_a_stop_first(self, platform: Team) -> None:
        with pytest.raises(CannotMove):
            mark_moved(slug="platform", address=THERE, by=SYSTEM, now=NOW)

    def test_tells_its_members_where_it_is(self, alice_user: User, place: dict[str, Any]) -> None:
        self.moved()
        client, before = agent(member_of(user=alice_user)), contents()
        for asked_of in (
            client.post("/api/v1/query/", {"query": "celery beat"}, format="json"),
            client.post("/api/v1/query/", {"query": "celery beat", "teams": ["platform"]}, format="json"),
            client.post("/api/v1/insights/", LESSON, format="json"),
            client.post("/api/v1/sessions/", {"repo": "acme/web", "team": "platform"}, format="json"),
            client.get("/api/v1/insights/?team=platform"),
            client.get(f"/api/v1/insights/{place['ref']}/"),
        ):
            assert asked_of.status_code == 421
            assert asked_of.json()["code"] == "team_moved"
            assert asked_of.json()["address"] == THERE
        assert changed(before) == []

    def test_leaves_ones_other_teams_as_they_are(self, alice_user: User, place: dict[str, Any]) -> None:
        data = Team.objects.create(name="Data", slug="data", prefix="DATA")
        Membership.objects.create(team=data, user=alice_user, level=Level.LEAD)
        self.moved()
        client = agent(member_of(user=alice_user))
        answer = client.post("/api/v1/query/", {"query": "celery beat"}, format="json").json()
        assert THERE in answer["degraded"][0]["reason"]
        assert THERE in answer["text"]
        assert answer["insights"] == []
        # What named no team when there were two of them goes to neither of them now.
        assert client.post("/api/v1/insights/", LESSON, format="json").json()["code"] == "team_unclear"
        assert client.post("/api/v1/insights/", {**LESSON, "team": "data"}, format="json").status_code == 201
        gone = client.get(f"/api/v1/insights/{place['ref']}/")
        assert gone.status_code == 404
        assert gone.json()["moved"] == [{"team": "platform", "address": THERE}]
        assert client.get("/api/v1/insights/?team=personal").status_code == 200

    def test_is_no_word_to_strangers(self, platform: Team, charlie: Member, place: dict[str, Any]) -> None:
        client = agent(charlie)
        calls = (
            f"/api/v1/insights/{place['ref']}/",
            "/api/v1/insights/?team=platform",
            "/api/v1/topics/?team=platform",
        )
        before = [(client.get(call).status_code, client.get(call).content) for call in calls]
        self.moved()
        assert [(client.get(call).status_code, client.get(call).content) for call in calls] == before

    def test_is_told_by_pages(self, alice_user: User, place: dict[str, Any]) -> None:
        self.moved()
        client = signed_in(alice_user)
        page = client.get(f"/insights/{place['ref']}/")
        assert page.status_code == 404
        assert THERE in page.content.decode()
        listed = client.get("/insights/")
        assert listed.status_code == 200
        assert THERE in listed.content.decode()

    def test_can_be_undone(self, platform: Team, alice_user: User, place: dict[str, Any]) -> None:
        self.moved()
        resume_writes(slug="platform", by=SYSTEM, now=NOW)
        client = agent(member_of(user=alice_user))
        assert client.get(f"/api/v1/insights/{place['ref']}/").status_code == 200
        assert client.post("/api/v1/insights/", {**LESSON, "team": "platform"}, format="json").status_code == 201
