"""A token that was narrowed to some teams does not reach what its owner asked elsewhere."""

from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Team, User
from accounts.rules.rights import Member
from knowledge.evidence.models import Search
from knowledge.models import Query
from sessions_app.conversations.actions.share import place_waiting, share
from sessions_app.transcripts.rules.speakers import SharedTurns
from tests.conftest import NOW, agent
from tests.factories import make_insight
from tests.sessions_app.conversations.talk import begin, on_day, passages, talk


@pytest.fixture
def asked(bob: Member) -> dict[str, Any]:
    """A question of Bob's own, to the notes and to the files, asked by a token of all his teams."""
    whole = agent(bob, name="laptop")
    answer = whole.post("/api/v1/query/", {"query": "when do ferries run"}).json()
    Search.objects.create(
        team_id=bob.home_id,
        user_id=bob.user_id,
        at=timezone.now(),
        text="where is my secret plan",
        ask={"mode": "FAST"},
    )
    return dict(answer)


class TestANarrowedToken:
    def test_reads_no_history_of_other_tokens(self, bob: Member, asked: dict[str, Any]) -> None:
        whole, narrowed = agent(bob, name="all"), agent(bob, name="narrow", team_slugs=["platform"])
        found = whole.get("/api/v1/evidence/history/").json()
        assert [row["query"] for row in found["results"]] == ["where is my secret plan"]
        assert narrowed.get("/api/v1/evidence/history/").json() == {"results": [], "suggestions": []}

    def test_has_those_alone_that_it_asked_also_with_the_personal_team(
        self, bob: Member, asked: dict[str, Any]
    ) -> None:
        """What was asked in other teams is kept in the personal one, with what answered it."""
        whole, narrowed = agent(bob, name="laptop"), agent(bob, name="narrow", team_slugs=["personal"])
        whole.post("/api/v1/surface/", {"prompt": "Why do the ferries of platform run late?"})
        narrowed.post("/api/v1/surface/", {"prompt": "Why do my notes run late?"})
        assert narrowed.get("/api/v1/evidence/history/").json() == {"results": [], "suggestions": []}
        seen = narrowed.get("/api/v1/surface/").json()["results"]
        assert [row["prompt"] for row in seen] == ["Why do my notes run late?"]
        assert len(whole.get("/api/v1/surface/").json()["results"]) == 2

    def test_neither_reads_nor_changes_what_is_shared_with_other_teams(self, alice: Member) -> None:
        """A token of one team listed and ended what its owner shares with another one, and shared with its own what
        was said in sessions of others.
        """
        talk(alice)
        home = Team.objects.get(pk=alice.home_id).slug
        rule = {"repo": "shop", "team": "platform", "turns": "all"}
        whole = agent(alice, name="all")
        assert whole.put("/api/v1/sessions/sharing/", rule).status_code == 200
        shared = whole.get("/api/v1/sessions/sharing/").json()["results"]
        assert [one["team"] for one in shared] == ["platform"]
        for slug, named in ((home, "personal"), ("everyone", "everyone"), ("platform", "platform")):
            narrowed = agent(alice, name="narrow", team_slugs=[slug])
            listed = narrowed.get("/api/v1/sessions/sharing/").json()["results"]
            assert listed == (shared if slug == "platform" else [])
            answers = [
                narrowed.get("/api/v1/sessions/sharing/", {"preview": "true", "repo": "shop"}),
                narrowed.put("/api/v1/sessions/sharing/", rule | {"team": named, "preview": True}),
                narrowed.put("/api/v1/sessions/sharing/", rule | {"team": named}),
                narrowed.put("/api/v1/sessions/sharing/", rule | {"repo": "", "team": named}),
                narrowed.delete("/api/v1/sessions/sharing/?repo=shop"),
            ]
            assert [answer.status_code for answer in answers] == [403] * 5
            assert all("a token of all your teams" in answer.json()["detail"] for answer in answers)
        assert whole.get("/api/v1/sessions/sharing/").json()["results"] == shared

    def test_shares_nothing_by_ending_what_keeps_a_repository_back(self, alice: Member, bob: Member) -> None:
        """What all repositories' row shares of it would go to that row's team."""
        talk(alice)
        for repo, team in (("shop", "personal"), ("", "everyone")):
            share(repo=repo, team=team, turns=SharedTurns.ALL, by=alice, now=NOW)
        narrowed = agent(alice, name="narrow", team_slugs=[Team.objects.get(pk=alice.home_id).slug])
        assert narrowed.delete("/api/v1/sessions/sharing/?repo=shop").status_code == 403
        place_waiting()
        assert passages(bob) == []

    def test_changes_no_setting_of_its_owner(self, alice: Member) -> None:
        narrowed = agent(alice, name="narrow", team_slugs=["everyone"])
        for setting in ({"share_prompts": True}, {"share_prompts": False}, {"ask_to_deposit": False}):
            refused = narrowed.patch("/api/v1/me/", setting)
            assert (refused.status_code, "a token of all your teams" in refused.json()["detail"]) == (403, True)
        started = narrowed.post("/api/v1/sessions/", {"repo": "shop", "team": "everyone", "share_prompts": True})
        assert started.status_code == 201
        assert User.objects.get(pk=alice.user_id).share_prompts == "off"
        assert narrowed.patch("/api/v1/me/", {}).status_code == 200

    def test_is_not_narrowed_if_it_is_for_all_teams(self, alice: Member) -> None:
        every = agent(alice, name="every", team_slugs=[team.slug for team in alice.teams])
        assert every.patch("/api/v1/me/", {"share_prompts": True}).json()["share_prompts"] is True
        assert every.put("/api/v1/sessions/sharing/", {"repo": "shop", "team": "everyone"}).status_code == 200

    def test_has_no_part_in_a_session_of_another_team(self, alice: Member, asked: dict[str, Any]) -> None:
        """Its user may name it; but what is asked and deposited in a session is told to its team."""
        session = begin(alice).session
        narrowed = agent(alice, name="narrow", team_slugs=["everyone"])
        note = {"kind": "CONTEXT", "body": "The ferries run at noon.", "team": "everyone"}
        for path, body in (("query", {"query": "x"}), ("surface", {"prompt": "x"}), ("insights", note)):
            answer = narrowed.post(f"/api/v1/{path}/", body | {"session": session})
            assert (answer.status_code, list(answer.json()["errors"])) == (400, ["session"])
        own = narrowed.post("/api/v1/sessions/", {"repo": "shop", "team": "everyone"}).json()["session"]
        assert narrowed.post("/api/v1/query/", {"query": "x", "session": own}).status_code == 200

    def test_rates_for_its_own_questions_alone(self, alice: Member, bob: Member, asked: dict[str, Any]) -> None:
        note = make_insight(alice)
        narrowed = agent(bob, name="narrow", team_slugs=["platform"])
        rating = {"insight": note.ref, "verdict": "helpful"}
        other = narrowed.post("/api/v1/ratings/", rating | {"query_id": asked["query_id"]})
        assert (other.status_code, list(other.json()["errors"])) == (400, ["query_id"])
        own = narrowed.post("/api/v1/query/", {"query": "how do ferries run"}).json()["query_id"]
        assert Query.objects.get(pk=own).team_id == bob.home_id
        assert narrowed.post("/api/v1/ratings/", rating | {"query_id": own}).status_code == 200


class TestATokenOfThePersonalTeamAlone:
    """All that its owner typed is a row of that team, whichever session it was typed in."""

    @pytest.fixture
    def narrowed(self, alice: Member) -> APIClient:
        return agent(alice, name="narrow", team_slugs=[Team.objects.get(pk=alice.home_id).slug])

    def test_reads_what_was_said_in_sessions_of_that_team(self, alice: Member, narrowed: APIClient) -> None:
        other, own = talk(alice), talk(alice, on_day(9), team="personal")
        assert narrowed.get(f"/api/v1/sessions/{other.ref}/conversation/").status_code == 404
        assert len(narrowed.get(f"/api/v1/sessions/{own.ref}/conversation/").json()["passages"]) == 4
        for trim in (True, False):
            asked = {"query": "How many rows are in a batch of the importer?", "trim": trim, "explain": True}
            quoted = narrowed.post("/api/v1/query/", asked).json()["conversations"]
            assert [one["session"] for one in quoted] == [own.ref]

    def test_forgets_that_alone(self, alice: Member, narrowed: APIClient) -> None:
        other, own = talk(alice), talk(alice, on_day(9), team="personal")
        assert narrowed.post(f"/api/v1/sessions/{other.ref}/forget/").status_code == 404
        assert narrowed.post(f"/api/v1/sessions/{own.ref}/forget/").json() == {"passages": 4}
        assert {row.session_ref for row in passages(alice)} == {other.ref}

    def test_a_token_of_the_sessions_team_forgets_nothing_that_it_cannot_read(self, alice: Member) -> None:
        session = talk(alice)
        narrowed = agent(alice, name="narrow", team_slugs=["platform"])
        refused = narrowed.post(f"/api/v1/sessions/{session.ref}/forget/")
        assert (refused.status_code, "a token of all your teams" in refused.json()["detail"]) == (403, True)
        assert len(passages(alice)) == 4
