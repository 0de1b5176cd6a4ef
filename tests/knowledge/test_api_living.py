"""`ratings/`, `contradictions/`, and the verbs by which two insights become one, at the door."""

from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts.rules.rights import Member, Scope
from knowledge.models import Insight, Pair, Signal
from knowledge.review.actions.combine import merge
from knowledge.review.actions.settle import report
from tests.conftest import agent
from tests.database import changed, contents
from tests.factories import make_insight
from tests.knowledge.library import LESSONS, stock

API = "/api/v1/"
INSIGHTS, RATINGS, PAIRS, QUERY = (f"{API}{name}/" for name in ("insights", "ratings", "contradictions", "query"))
ONE, OTHER, THIRD = "PLAT-1", "PLAT-2", "PLAT-3"
HELPFUL = {"insight": ONE, "verdict": "helpful"}
COMBINING: list[tuple[str, dict[str, Any]]] = [
    ("supersede", {"by": OTHER}),
    ("merge", {"into": OTHER}),
    ("reinstate", {}),
    ("unmerge", {"corroboration": 1}),
]
PAIR_FIELDS = {
    "id", "a", "b", "question", "state", "reason", "similarity", "raised_by", "raised_at", "resolution", "scope",
}  # fmt: skip


@pytest.fixture(autouse=True)
def rows(alice: Member, bob: Member, charlie: Member, now: datetime) -> None:
    make_insight(bob, body=LESSONS["beat"])
    make_insight(alice, body="A scheduler that runs in two copies doubles every periodic task of the kestrel cluster.")
    make_insight(alice, body=LESSONS["locks"])
    make_insight(charlie, body=LESSONS["cors"])


@pytest.fixture
def pair(bob: Member, now: datetime) -> Pair:
    return report(a=ONE, b=OTHER, reason="both cannot be", by=bob, now=now)


def refused(answer: Any, status: int, *fields: str) -> None:
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    assert sorted(answer.json()["errors"]) == sorted(fields)


class TestRatings:
    def test_answer_with_strength_and_status(self, alices_agent: APIClient) -> None:
        asked = alices_agent.post(QUERY, {"query": "celery jobs fire twice"}).json()["query_id"]
        sent = {"insights": [ONE, THIRD], "verdict": "helpful", "query_id": asked, "reason": "it did"}
        answer = alices_agent.post(RATINGS, sent)
        assert answer.status_code == 200
        first, second = answer.json()["results"]
        assert (first["ref"], first["status"], first["counted"]) == (ONE, "draft", True)
        assert second["ref"] == THIRD
        assert alices_agent.post(RATINGS, sent).json()["results"][0]["counted"] is False
        assert {(row.reason, str(row.query), row.human) for row in Signal.objects.all().ratings()} == {
            ("it did", asked, False)
        }

    def test_lower_what_is_unhelpful(self, bobs_agent: APIClient) -> None:
        before = bobs_agent.get(f"{INSIGHTS}{ONE}/").json()["strength"]
        after = bobs_agent.post(RATINGS, {**HELPFUL, "verdict": "unhelpful"}).json()["results"][0]["strength"]
        assert after == pytest.approx(before - 8, abs=0.1)

    @pytest.mark.parametrize(
        ("over", "field"),
        [
            ({"insight": ""}, "insight"),
            ({"verdict": "so-so"}, "verdict"),
            ({"verdict": "used"}, "verdict"),
            ({"query_id": "nonsense"}, "query_id"),
            ({"query_id": str(uuid4())}, "query_id"),
            ({"stars": 5}, "stars"),
        ],
    )
    def test_say_what_is_wrong(self, bobs_agent: APIClient, over: dict[str, Any], field: str) -> None:
        refused(bobs_agent.post(RATINGS, {**HELPFUL, **over}), 400, field)
        assert not Signal.objects.exists()

    def test_take_the_askers_own_question_only(self, bobs_agent: APIClient, alices_agent: APIClient) -> None:
        hers = alices_agent.post(QUERY, {"query": "celery jobs fire twice"}).json()["query_id"]
        refused(bobs_agent.post(RATINGS, {**HELPFUL, "query_id": hers}), 400, "query_id")

    def test_are_refused_to_charlie_and_to_a_token_that_may_only_read(
        self, bob: Member, charlies_agent: APIClient
    ) -> None:
        before = contents()
        refused(charlies_agent.post(RATINGS, HELPFUL), 404)
        assert changed(before) == []
        refused(agent(bob, scopes=[Scope.READ]).post(RATINGS, HELPFUL), 403)
        assert not Signal.objects.exists()


class TestCombining:
    def send(self, client: APIClient, verb: str, ref: str = ONE, **body: Any) -> Any:
        return client.post(f"{INSIGHTS}{ref}/{verb}/", body)

    def test_supersedes_and_reinstates(self, alices_agent: APIClient) -> None:
        answer = self.send(alices_agent, "supersede", by=OTHER, reason="newer")
        assert (answer.status_code, answer.json()["ref"], answer.json()["superseded_by"]) == (200, ONE, OTHER)
        refused(self.send(alices_agent, "supersede", ref=OTHER, by=ONE), 409)
        assert self.send(alices_agent, "reinstate").json()["superseded_by"] is None
        refused(self.send(alices_agent, "reinstate"), 409)

    def test_merges_shows_what_was_merged_and_unmerges(self, alices_agent: APIClient) -> None:
        answer = self.send(alices_agent, "merge", into=OTHER)
        assert (answer.status_code, answer.json()["ref"], answer.json()["corroboration_count"]) == (200, OTHER, 2)
        [said] = alices_agent.get(f"{INSIGHTS}{OTHER}/corroborations/").json()
        assert (said["body"], said["who"], said["judged_by"]) == (LESSONS["beat"], "bob", "alice")
        back = self.send(alices_agent, "unmerge", ref=OTHER, corroboration=said["id"])
        assert (back.status_code, back.json()["ref"], back.json()["superseded_by"]) == (200, ONE, None)
        assert alices_agent.get(f"{INSIGHTS}{OTHER}/corroborations/").json() == []

    @pytest.mark.parametrize(("verb", "body"), [way for way in COMBINING if way[1]])
    def test_says_what_it_needs(self, alices_agent: APIClient, verb: str, body: dict[str, Any]) -> None:
        [field] = body
        refused(self.send(alices_agent, verb), 400, field)
        refused(self.send(alices_agent, verb, **{field: []}), 400, field)

    @pytest.mark.parametrize(("verb", "body"), COMBINING[:3])
    def test_is_refused_to_a_contributor(self, bobs_agent: APIClient, verb: str, body: dict[str, Any]) -> None:
        before = contents()
        refused(self.send(bobs_agent, verb, **body), 403)
        assert changed(before) == []

    @pytest.mark.parametrize(("verb", "body"), COMBINING)
    def test_is_refused_to_charlie(
        self, alice: Member, now: datetime, charlies_agent: APIClient, verb: str, body: dict[str, Any]
    ) -> None:
        merge(ref=THIRD, into=ONE, by=alice, now=now)
        before = contents()
        refused(self.send(charlies_agent, verb, **body), 404)
        refused(charlies_agent.get(f"{INSIGHTS}{ONE}/corroborations/"), 404)
        assert changed(before) == []


class TestContradictions:
    def test_are_reported_and_listed(self, bobs_agent: APIClient, alices_agent: APIClient) -> None:
        answer = bobs_agent.post(PAIRS, {"a": OTHER, "b": ONE, "reason": "both cannot be"})
        assert (answer.status_code, set(answer.json())) == (201, PAIR_FIELDS)
        assert (answer.json()["a"], answer.json()["b"], answer.json()["raised_by"]) == (ONE, OTHER, "bob (agent)")
        assert alices_agent.get(PAIRS).json()["results"] == [answer.json()]
        assert alices_agent.get(f"{INSIGHTS}{ONE}/").json()["trust"] == "contradicted"

    def test_are_settled_and_then_listed_on_demand(self, pair: Pair, alices_agent: APIClient) -> None:
        answer = alices_agent.post(f"{PAIRS}{pair.pk}/resolve/", {"keep": OTHER})
        assert (answer.status_code, answer.json()["state"]) == (200, "resolved")
        assert alices_agent.get(PAIRS).json()["results"] == []
        assert [row["id"] for row in alices_agent.get(PAIRS, {"state": "all"}).json()["results"]] == [pair.pk]
        assert alices_agent.get(PAIRS, {"state": "all", "question": "duplicate"}).json()["results"] == []
        refused(alices_agent.post(f"{PAIRS}{pair.pk}/dismiss/", {}), 409)

    def test_are_dismissed_with_a_reason(self, pair: Pair, alices_agent: APIClient) -> None:
        answer = alices_agent.post(f"{PAIRS}{pair.pk}/dismiss/", {"reason": "no conflict"})
        assert (answer.json()["state"], answer.json()["resolution"]) == ("dismissed", "no conflict")

    @pytest.mark.parametrize(
        ("body", "fields"),
        [
            ({}, ["a", "b", "reason"]),
            ({"a": ONE, "b": ONE, "reason": "so"}, ["b"]),
            ({"a": ONE, "b": "MOB-1", "reason": "so"}, ["b"]),
            ({"a": ONE, "b": OTHER, "reason": ""}, ["reason"]),
        ],
    )
    def test_say_what_is_wrong(self, bobs_agent: APIClient, body: dict[str, str], fields: list[str]) -> None:
        refused(bobs_agent.post(PAIRS, body), 400, *fields)

    @pytest.mark.parametrize(
        ("query", "field"), [("state=gone", "state"), ("state=%00", "state"), ("question=%00", "question")]
    )
    def test_say_what_they_cannot_be_narrowed_by(self, bobs_agent: APIClient, query: str, field: str) -> None:
        refused(bobs_agent.get(f"{PAIRS}?{query}"), 400, field)

    @pytest.mark.parametrize("body", [{}, {"keep": ONE, "scope": "here"}, {"keep": THIRD}])
    def test_say_how_they_are_settled(self, pair: Pair, alices_agent: APIClient, body: dict[str, str]) -> None:
        refused(alices_agent.post(f"{PAIRS}{pair.pk}/resolve/", body), 400, "keep")

    def test_are_settled_by_leads(self, pair: Pair, bobs_agent: APIClient) -> None:
        before = contents()
        refused(bobs_agent.post(f"{PAIRS}{pair.pk}/resolve/", {"keep": ONE}), 403)
        refused(bobs_agent.post(f"{PAIRS}{pair.pk}/dismiss/", {}), 403)
        assert changed(before) == []

    def test_are_nothing_to_charlie(self, pair: Pair, charlies_agent: APIClient) -> None:
        before = contents()
        assert charlies_agent.get(PAIRS, {"state": "all"}).json()["results"] == []
        refused(charlies_agent.post(PAIRS, {"a": ONE, "b": OTHER, "reason": "so"}), 400, "a")
        refused(charlies_agent.post(PAIRS, {"a": "MOB-1", "b": OTHER, "reason": "so"}), 400, "b")
        refused(charlies_agent.post(f"{PAIRS}{pair.pk}/resolve/", {"keep": ONE}), 404)
        refused(charlies_agent.post(f"{PAIRS}{pair.pk}/dismiss/", {}), 404)
        assert changed(before) == []


class TestAQuestion:
    def test_takes_no_more_statements_for_ratings_and_merged_words(
        self, alice: Member, bob: Member, now: datetime, bobs_agent: APIClient, alices_agent: APIClient
    ) -> None:
        """Eight: who asks, their teams, the word counts, the candidates, the rows served, what was told again of them,
        the question, preferences.
        """
        stock(alice, now)
        merge(ref=OTHER, into=ONE, by=alice, now=now)
        asked = {"query": "celery jobs fire twice", "explain": True, "limit": 50, "include": ["insights"]}
        query_id = alices_agent.post(QUERY, asked).json()["query_id"]
        alices_agent.post(RATINGS, {**HELPFUL, "query_id": query_id})
        bobs_agent.post(QUERY, asked)  # the first use of a token is written down
        with CaptureQueriesContext(connection) as caught:
            found = bobs_agent.post(QUERY, asked).json()["insights"]
        statements = [query["sql"] for query in caught if "SAVEPOINT" not in query["sql"]]
        assert len(statements) <= 8, statements
        first = next(row for row in found if row["ref"] == ONE)
        assert any("1 × helpful" in part["why"] for part in first["parts"])
        assert Insight.objects.get(ref=ONE).corroboration_count == 2
