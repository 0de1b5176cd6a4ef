"""From what went wrong to what the caller is told."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from redis.exceptions import RedisError
from rest_framework.test import APIClient

from accounts.middleware import MemberMiddleware
from accounts.models import User
from accounts.rules.refused import NotAllowed, Refused
from accounts.rules.rights import Member
from knowledge.api.insights import History
from knowledge.review.actions import curate
from knowledge.review.actions.forget import forget
from tests.factories import make_insight
from tests.pages import signed_in

PROBLEM = "application/problem+json"
FIELDS = {"type", "title", "status", "detail", "code", "errors"}


class Boom(Exception):
    """Nothing anybody foresaw."""


class TestUnderTheApi:
    @pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "options", "head"])
    @pytest.mark.parametrize("path", ["nonsense/", "insights", "insights/PLAT-1/fly/", "", "query/7/why-not/", "%00/"])
    def test_an_unknown_address_is_a_problem_document_whatever_the_method(
        self, db: None, method: str, path: str
    ) -> None:
        answer = getattr(Client(), method)(f"/api/v1/{path}")
        assert (answer.status_code, answer["Content-Type"]) == (404, PROBLEM)

    def test_another_version_too(self, db: None) -> None:
        answer = Client().get("/api/v2/insights/")
        assert (answer.status_code, answer["Content-Type"], answer.json()["code"]) == (404, PROBLEM, "not_found")

    def test_a_post_without_the_last_slash_is_not_lost_in_a_redirect(self, bobs_agent: APIClient) -> None:
        assert bobs_agent.post("/api/v1/query", {"query": "x"}).status_code == 404

    def test_a_wrong_method_says_which_are_right(self, alices_agent: APIClient) -> None:
        answer = alices_agent.delete("/api/v1/insights/")
        assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
        assert answer["Allow"] == "GET, POST, HEAD, OPTIONS"
        assert set(answer.json()) == FIELDS

    def test_what_nobody_foresaw_is_a_500_that_tells_nothing(
        self, alice: Member, alices_agent: APIClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def fall(*args: Any, **more: Any) -> None:
            raise Boom("connection string postgres://loam:hunter2@db")

        monkeypatch.setattr(History, "get", fall)
        alices_agent.raise_request_exception = False
        with caplog.at_level(logging.ERROR):
            answer = alices_agent.get("/api/v1/insights/PLAT-1/history/")
        assert (answer.status_code, answer["Content-Type"], answer.json()["code"]) == (500, PROBLEM, "internal")
        assert "hunter2" not in answer.content.decode()
        assert "Boom" in caplog.text

    @pytest.mark.parametrize(
        "away", [OperationalError("server closed the connection of loam:hunter2"), RedisError("x")]
    )
    def test_what_passes_by_itself_is_a_503_that_says_when_to_come_again(
        self, away: Exception, alices_agent: APIClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fall(*args: Any, **more: Any) -> None:
            raise away

        monkeypatch.setattr(History, "get", fall)
        alices_agent.raise_request_exception = False
        answer = alices_agent.get("/api/v1/insights/PLAT-1/history/")
        assert (answer.status_code, answer["Content-Type"], answer.json()["code"]) == (503, PROBLEM, "unavailable")
        assert answer["Retry-After"] == "5"
        assert "hunter2" not in answer.content.decode()

    def test_a_refusal_is_told_with_all_it_has_to_say(
        self, alices_agent: APIClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(**fields: Any) -> None:
            raise NotAllowed("Not like this.", errors={"ref": ["Not this one."]}, hint="ask a lead")

        monkeypatch.setattr(curate, "promote", refuse)
        answer = alices_agent.post("/api/v1/insights/PLAT-1/promote/")
        assert answer.json() == {
            "type": "about:blank",
            "title": "Forbidden",
            "status": 403,
            "detail": "Not like this.",
            "code": "not_allowed",
            "errors": {"ref": ["Not this one."]},
            "hint": "ask a lead",
        }

    def test_a_host_that_is_not_ours_is_a_problem_document(self, db: None) -> None:
        answer = Client().get("/api/v1/health/", HTTP_HOST="evil.example")
        assert (answer.status_code, answer["Content-Type"]) == (400, PROBLEM)


class TestOnPages:
    @pytest.fixture
    def page(self, alice_user: User, alice: Member) -> Iterator[Client]:
        yield signed_in(alice_user)

    @pytest.mark.parametrize("path", ["/nonsense/", "/insights/PLAT-999/", "/teams/mobile/", "/insights/%00/"])
    def test_what_is_not_there_is_a_page(self, page: Client, path: str) -> None:
        answer = page.get(path)
        assert answer.status_code == 404
        assert answer["Content-Type"].startswith("text/html")

    def test_a_refusal_is_a_page_with_its_words(
        self, page: Client, alice: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(**fields: Any) -> None:
            raise Refused("Not on a Sunday.")

        ref = make_insight(alice).ref
        monkeypatch.setattr(curate, "promote", refuse)
        answer = page.post(f"/insights/{ref}/promote/")
        assert answer.status_code == 400
        assert "Not on a Sunday." in answer.content.decode()

    def test_what_nobody_foresaw_is_a_page_that_tells_nothing(
        self, page: Client, alice: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fall(**fields: Any) -> None:
            raise Boom("hunter2")

        ref = make_insight(alice).ref
        monkeypatch.setattr(curate, "promote", fall)
        page.raise_request_exception = False
        answer = page.post(f"/insights/{ref}/promote/")
        assert answer.status_code == 500
        assert "hunter2" not in answer.content.decode()

    def test_what_was_typed_for_what_is_gone_comes_back(self, page: Client, alice: Member) -> None:
        row = make_insight(alice)
        forget(ref=row.ref, why="private", by=alice, now=timezone.now())
        typed = {"title": "A <new> title of mine", "body": "Twenty words and more of mine.", "initial-body": "o" * 40}
        answer = page.post(f"/insights/{row.ref}/edit/", typed | {"old_password": "p" * 40, "kind": "PITFALL"})
        told = answer.content.decode()
        assert answer.status_code == 404
        assert "It was not saved" in told
        assert "A &lt;new&gt; title of mine</textarea>" in told
        assert "Twenty words and more of mine.</textarea>" in told
        assert "o" * 40 not in told and "p" * 40 not in told
        assert "It was not saved" not in page.get("/insights/PLAT-999/").content.decode()

    def test_a_form_that_is_too_large_is_no_nonsense(self, page: Client, alice: Member) -> None:
        row = make_insight(alice)
        answer = page.post(f"/insights/{row.ref}/edit/", "body=" + "x" * 1_100_000, "application/x-www-form-urlencoded")
        assert answer.status_code == 413
        assert "Request too large" in answer.content.decode()
        row.refresh_from_db()
        assert row.revision == 1

    def test_a_database_that_is_away_is_a_page_that_says_so_even_before_the_view(
        self, page: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fall(*args: Any, **more: Any) -> None:
            raise OperationalError("hunter2")

        monkeypatch.setattr(MemberMiddleware, "__call__", fall)
        page.raise_request_exception = False
        answer = page.get("/insights/")
        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert "hunter2" not in answer.content.decode()
        assert "Service unavailable" in answer.content.decode()
