"""`surface/`: what is sent, what is answered. The verb itself is in tests/sessions_app/actions/."""

from datetime import datetime

import pytest
from rest_framework.test import APIClient

from accounts.rules.rights import Member
from tests.factories import make_insight

URL = "/api/v1/surface/"
BEAT = "Celery beat must run as one process, or every job of the crontab fires twice."
ASKED = "Why does celery beat fire the jobs of our crontab twice?"


class TestPost:
    def test_answers_with_notes(self, alice: Member, bobs_agent: APIClient, now: datetime) -> None:
        ref = make_insight(alice, body=BEAT).ref
        answer = bobs_agent.post(URL, {"prompt": ASKED, "team": "platform"})
        assert answer.status_code == 200
        body = answer.json()
        assert (body["surfaced"], body["gate"], body["insights"], body["degraded"]) == (True, "open", [ref], [])
        assert BEAT in body["text"]
        assert 0 < body["tokens"] <= 800
        assert body["query_id"]
        assert "POST query/" in body["coaching"]
        assert body["coaching"] in body["text"]

    def test_names_calls_that_its_reader_has(self, alice: Member, bobs_agent: APIClient, now: datetime) -> None:
        make_insight(alice, body=BEAT)
        asked = {"prompt": ASKED, "team": "platform"}
        hook = bobs_agent.post(URL, asked, headers={"X-Loam-Interface": "mcp"}).json()["text"]
        assert 'rate_insight(insights=["PLAT-1"]' in hook
        assert "POST" not in hook

    def test_answers_with_the_gate_and_its_reason(self, bobs_agent: APIClient) -> None:
        assert bobs_agent.post(URL, {"prompt": "ok thanks that sounds good to me now"}).json() == {
            "surfaced": False,
            "text": "",
            "tokens": 0,
            "gate": "conversational",
            "reason": "The prompt is only small talk.",
            "insights": [],
            "conversations": [],
            "query_id": None,
            "degraded": [],
        }

    def test_takes_an_empty_prompt_for_a_short_one(self, bobs_agent: APIClient) -> None:
        assert bobs_agent.post(URL, {"prompt": ""}).json()["gate"] == "min_chars"

    def test_rates_by_the_query_it_names(self, alice: Member, bobs_agent: APIClient, now: datetime) -> None:
        ref = make_insight(alice, body=BEAT).ref
        query_id = bobs_agent.post(URL, {"prompt": ASKED}).json()["query_id"]
        rating = {"insight": ref, "verdict": "helpful", "query_id": query_id}
        assert bobs_agent.post("/api/v1/ratings/", rating).status_code == 200

    def test_takes_the_session_it_is_in(self, alice: Member, bobs_agent: APIClient, now: datetime) -> None:
        make_insight(alice, body=BEAT)
        session = bobs_agent.post("/api/v1/sessions/", {"repo": "acme/web", "team": "platform"}).json()["session"]
        first = bobs_agent.post(URL, {"prompt": ASKED, "session": session}).json()
        again = bobs_agent.post(URL, {"prompt": ASKED, "session": session}).json()
        assert (first["gate"], again["gate"]) == ("open", "topic_change")

    @pytest.mark.parametrize("session", ["made-up", "S-1"])
    def test_refuses_a_session_that_was_made_up(self, bobs_agent: APIClient, session: str) -> None:
        answer = bobs_agent.post(URL, {"prompt": ASKED, "session": session})
        assert answer.status_code == 400
        assert list(answer.json()["errors"]) == ["session"]

    def test_refuses_a_team_that_is_not_the_callers(self, platform: object, charlies_agent: APIClient) -> None:
        answer = charlies_agent.post(URL, {"prompt": ASKED, "team": "platform"})
        assert answer.status_code == 400
        assert list(answer.json()["errors"]) == ["team"]


class TestGet:
    def test_tells_why_something_was_surfaced_or_not(
        self, bobs_agent: APIClient, alices_agent: APIClient, alice: Member
    ) -> None:
        make_insight(alice, body=BEAT)
        bobs_agent.post(URL, {"prompt": "ok"})
        bobs_agent.post(URL, {"prompt": ASKED})
        rows = bobs_agent.get(URL).json()["results"]
        assert [(row["gate"], row["surfaced"], row["prompt"]) for row in rows] == [
            ("open", True, ASKED),
            ("min_chars", False, "ok"),
        ]
        assert bobs_agent.get(URL, {"limit": 1}).json()["results"] == rows[:1]
        assert alices_agent.get(URL).json()["results"] == []
