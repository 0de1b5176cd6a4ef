"""`topics/` and `insights/?topic=`: what is sent, what is answered. The verbs are in actions/test_topics."""

from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from accounts.rules.rights import Member
from knowledge.models import Insight
from tests.factories import make_insight
from tests.knowledge.library import stock

TOPICS = "/api/v1/topics/"
INSIGHTS = "/api/v1/insights/"


@pytest.fixture
def library(alice: Member, now: datetime) -> dict[str, str]:
    return stock(alice, now)


def topic_id(ref: str) -> str:
    return str(Insight.objects.get(ref=ref).topic_id)


class TestReading:
    def test_lists_them_largest_first(
        self, library: dict[str, str], bobs_agent: APIClient, bob: Member, now: datetime
    ) -> None:
        make_insight(bob, now=now, body="Celery beat is a scheduler: run it in one process.", kind="PITFALL")
        body = bobs_agent.get(TOPICS).json()
        assert body["total"] == len(body["results"]) >= 6
        first = body["results"][0]
        assert first["id"] == topic_id(library["beat"])
        assert (first["team"], first["count"], first["kinds"]) == ("platform", 2, {"PITFALL": 1, "SOLUTION": 1})
        assert (first["named"], bool(first["label"]), bool(first["terms"])) == (False, True, True)

    def test_shows_one(self, library: dict[str, str], bobs_agent: APIClient) -> None:
        id = topic_id(library["beat"])
        listed = next(row for row in bobs_agent.get(TOPICS).json()["results"] if row["id"] == id)
        assert bobs_agent.get(f"{TOPICS}{id}/").json() == listed

    def test_narrows_the_insights(self, library: dict[str, str], bobs_agent: APIClient) -> None:
        rows = bobs_agent.get(INSIGHTS, {"topic": topic_id(library["beat"])}).json()["results"]
        assert [row["ref"] for row in rows] == [library["beat"]]
        assert rows[0]["topic"] == topic_id(library["beat"])

    @pytest.mark.parametrize(
        ("parameters", "fault"),
        [
            ({"limit": 0}, "limit"),
            ({"limit": 501}, "limit"),
            ({"team": "mobile"}, "team"),
            ({"team": "\x00"}, "team"),
            ({"colour": "red"}, "colour"),
        ],
    )
    def test_names_the_faults(self, bobs_agent: APIClient, parameters: dict[str, Any], fault: str) -> None:
        answer = bobs_agent.get(TOPICS, parameters)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [fault])

    def test_refuses_a_topic_that_is_no_id(self, bobs_agent: APIClient) -> None:
        answer = bobs_agent.get(INSIGHTS, {"topic": "git"})
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["topic"])

    def test_shows_charlie_none_of_it(self, library: dict[str, str], charlies_agent: APIClient) -> None:
        id = topic_id(library["beat"])
        assert charlies_agent.get(TOPICS).json() == {"results": [], "total": 0}
        assert charlies_agent.get(f"{TOPICS}{id}/").status_code == 404
        assert charlies_agent.get(INSIGHTS, {"topic": id}).json()["results"] == []


class TestRename:
    def test_gives_it_a_name(self, library: dict[str, str], alices_agent: APIClient) -> None:
        answer = alices_agent.post(f"{TOPICS}{topic_id(library['beat'])}/rename/", {"label": "Schedulers"})
        assert (answer.status_code, answer.json()["label"], answer.json()["named"]) == (200, "Schedulers", True)

    def test_is_a_leads_and_nobody_elses(
        self, library: dict[str, str], bobs_agent: APIClient, charlies_agent: APIClient
    ) -> None:
        path = f"{TOPICS}{topic_id(library['beat'])}/rename/"
        assert bobs_agent.post(path, {"label": "Mine"}).status_code == 403
        assert charlies_agent.post(path, {"label": "Mine"}).status_code == 404

    @pytest.mark.parametrize("label", ["", "  ", "x" * 121])
    def test_needs_a_name(self, library: dict[str, str], alices_agent: APIClient, label: str) -> None:
        answer = alices_agent.post(f"{TOPICS}{topic_id(library['beat'])}/rename/", {"label": label})
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["label"])


class TestMerge:
    def test_answers_with_the_one_that_stays(
        self, library: dict[str, str], alices_agent: APIClient, bobs_agent: APIClient
    ) -> None:
        gone, kept = topic_id(library["beat"]), topic_id(library["locks"])
        answer = alices_agent.post(f"{TOPICS}{gone}/merge/", {"into": kept, "reason": "one subject"})
        assert (answer.status_code, answer.json()["id"], answer.json()["count"]) == (200, kept, 2)
        assert bobs_agent.get(f"{TOPICS}{gone}/").json()["id"] == kept
        rows = bobs_agent.get(INSIGHTS, {"topic": gone}).json()["results"]
        assert {row["ref"] for row in rows} == {library["beat"], library["locks"]}
        answered = bobs_agent.post("/api/v1/query/", {"query": "set lock_timeout", "topic": gone}).json()
        assert [row["ref"] for row in answered["insights"]] == [library["locks"]]

    def test_refuses_one_that_is_not_there(self, library: dict[str, str], alices_agent: APIClient) -> None:
        answer = alices_agent.post(f"{TOPICS}{topic_id(library['beat'])}/merge/", {"into": str(uuid4())})
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["into"])
