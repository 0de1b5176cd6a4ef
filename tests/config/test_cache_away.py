"""With `CACHE_URL` at a Redis that is away: agents, who is signed in and who signs in go on."""

import pytest
from django.conf import settings as own
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from config.monitoring.readiness import _cache
from knowledge.models import Insight
from tests.factories import make_draft
from tests.pages import signed_in

AWAY = {"BACKEND": "config.database.fallback_cache.FallbackRedisCache", "LOCATION": "redis://127.0.0.1:1/0"}


@pytest.fixture
def away(settings: object) -> None:
    settings.CACHES = {"default": AWAY}  # type: ignore[attr-defined]
    assert own.CACHES["default"] == AWAY


class TestACacheThatIsAway:
    def test_loses_no_write_and_no_question_of_an_agent(self, away: None, bobs_agent: APIClient) -> None:
        body = {"kind": "SOLUTION", "body": make_draft().body, "team": "platform"}
        assert bobs_agent.post("/api/v1/insights/", body, format="json").status_code == 201
        assert Insight.objects.count() == 1
        assert bobs_agent.post("/api/v1/query/", {"query": "lock_timeout before ALTER"}).status_code == 200

    def test_leaves_who_is_signed_in_where_they_are(self, alice_user: User, away: None) -> None:
        assert signed_in(alice_user).get("/insights/").status_code == 200

    def test_lets_people_sign_in(self, alice_user: User, away: None) -> None:
        answer = Client().post("/accounts/login/", {"login": "alice", "password": "alices-own-password"})
        assert (answer.status_code, answer["Location"]) == (302, "/")

    def test_counts_wrong_passwords_all_the_same(self, alice_user: User, away: None) -> None:
        client = Client()
        for _ in range(6):
            client.post("/accounts/login/", {"login": "alice", "password": "wrong"})
        answer = client.post("/accounts/login/", {"login": "alice", "password": "alices-own-password"})
        assert answer.status_code == 200  # the form again: too many failed attempts

    def test_is_named_among_the_parts(self, away: None) -> None:
        part = _cache()
        assert (part.name, part.ok, part.needed) == ("cache", False, False)
        assert "sign in" in part.said
        assert "CACHE_URL" in part.mend
