"""A token that was narrowed to some teams does not reach what its owner asked elsewhere."""

from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Team
from accounts.rules.rights import Member
from knowledge.evidence.models import Search
from knowledge.models import Query
from tests.conftest import agent
from tests.factories import make_insight
from tests.sessions_app.conversations.talk import talk


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

    def test_neither_reads_nor_changes_what_is_shared_with_other_teams(self, alice: Member) -> None:
        """A token of one team listed and ended what its owner shares with another one."""
        talk(alice)
        rule = {"repo": "shop", "team": "platform", "turns": "all"}
        whole, narrowed = (
            agent(alice, name="all"),
            agent(alice, name="narrow", team_slugs=[Team.objects.get(pk=alice.home_id).slug]),
        )
        assert whole.put("/api/v1/sessions/sharing/", rule).status_code == 200
        shared = whole.get("/api/v1/sessions/sharing/").json()["results"]
        assert [one["team"] for one in shared] == ["platform"]
        seen = narrowed.get("/api/v1/sessions/sharing/", {"preview": "true", "repo": "shop"}).json()
        assert (seen["results"], seen["preview"]["passages"]) == ([], 0)
        gone = narrowed.delete("/api/v1/sessions/sharing/?repo=shop")
        assert (gone.status_code, gone.json()) == (200, {"passages": 0})
        moved = narrowed.put("/api/v1/sessions/sharing/", rule | {"team": "personal"})
        assert moved.status_code == 403
        assert whole.get("/api/v1/sessions/sharing/").json()["results"] == shared

    def test_rates_for_its_own_questions_alone(self, alice: Member, bob: Member, asked: dict[str, Any]) -> None:
        note = make_insight(alice)
        narrowed = agent(bob, name="narrow", team_slugs=["platform"])
        rating = {"insight": note.ref, "verdict": "helpful"}
        other = narrowed.post("/api/v1/ratings/", rating | {"query_id": asked["query_id"]})
        assert (other.status_code, list(other.json()["errors"])) == (400, ["query_id"])
        own = narrowed.post("/api/v1/query/", {"query": "how do ferries run"}).json()["query_id"]
        assert Query.objects.get(pk=own).team_id == bob.home_id
        assert narrowed.post("/api/v1/ratings/", rating | {"query_id": own}).status_code == 200
