"""Reads are answered from a standby, writes never, and everybody reads what they wrote themselves.

Here the standby is the tests' own database on connections that refuse to write, as a standby's do; one that is a server
of its own is in tests/config/database/test_standby.py.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.adapters import replica
from accounts.models import User
from accounts.rules.rights import Member
from config.middleware.replica import READS
from knowledge.models import Insight, Query
from tests.factories import make_draft, make_insight, make_skill
from tests.pages import signed_in

QUERY, INSIGHTS = "/api/v1/query/", "/api/v1/insights/"
NEVER_BEHIND = replica.WRITTEN


@pytest.fixture
def standby(transactional_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A standby that has replayed all there is."""
    given = connection.settings_dict
    options = {**given["OPTIONS"], "options": "-c default_transaction_read_only=on", "pool": False}
    monkeypatch.setitem(connections.settings, replica.ALIAS, {**given, "OPTIONS": options})
    connections[replica.ALIAS].alias = "default"  # others than this one are none of a test's
    monkeypatch.setattr(replica, "REPLAYED", NEVER_BEHIND)
    monkeypatch.setattr(replica, "freshness", replica.Freshness())
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "replica"}}
    yield
    connections[replica.ALIAS].close()
    delattr(connections._connections, replica.ALIAS)


def reads(answered: str) -> float:
    return float(READS.labels(answered)._value.get())


class Counted:
    """How many reads were answered how since it was made."""

    def __init__(self) -> None:
        self.before = {name: reads(name) for name in ("replica", "behind", "failed")}

    def __call__(self) -> dict[str, int]:
        return {name: int(reads(name) - was) for name, was in self.before.items() if reads(name) != was}


class TestAQuestion:
    def test_is_answered_from_the_standby_and_kept_by_the_primary(self, standby: None, bobs_agent: APIClient) -> None:
        made = bobs_agent.post(
            INSIGHTS, {"kind": "SOLUTION", "body": make_draft().body, "team": "platform"}, format="json"
        )
        assert made.status_code == 201
        counted = Counted()
        answer = bobs_agent.post(QUERY, {"query": "lock_timeout before ALTER"}, format="json").json()
        assert [one["ref"] for one in answer["insights"]] == [Insight.objects.get().ref]
        assert answer["degraded"] == []
        assert counted() == {"replica": 1}
        assert Query.objects.filter(pk=answer["query_id"]).exists()

    def test_of_a_skill_counts_its_use(self, standby: None, alice: Member, alices_agent: APIClient) -> None:
        make_skill(alice)
        counted = Counted()
        answers = [
            alices_agent.post(QUERY, {"query": "How do I release the service?"}, format="json") for _ in range(2)
        ]
        assert {answer.status_code for answer in answers} == {200}
        assert counted() == {"replica": 2}

    def test_goes_to_the_primary_when_the_standby_is_behind_the_askers_own_write(
        self,
        standby: None,
        bob: Member,
        bobs_agent: APIClient,
        alices_agent: APIClient,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        with connection.cursor() as cursor:
            cursor.execute(replica.WRITTEN)
            (before,) = cursor.fetchone()
        monkeypatch.setattr(replica, "REPLAYED", f"SELECT {before}::bigint")
        body = {"kind": "SOLUTION", "body": make_draft().body, "team": "platform"}
        # What the primary's log had within the staleness is all replayed.
        monkeypatch.setattr(replica.Freshness, "_recent", lambda self, now: 0)
        assert bobs_agent.post(INSIGHTS, body, format="json").status_code == 201
        counted = Counted()
        answer = bobs_agent.post(QUERY, {"query": "lock_timeout before ALTER"}, format="json").json()
        assert answer["insights"] and counted() == {"behind": 1}
        # Who wrote nothing is answered by what the standby has.
        assert alices_agent.post(QUERY, {"query": "lock_timeout"}, format="json").status_code == 200
        assert counted() == {"behind": 1, "replica": 1}

    @pytest.mark.parametrize("replayed", ["SELECT 1::bigint", "SELECT NULL::bigint", "SELECT 1 / 0"])
    def test_is_answered_by_the_primary_when_the_standby_is_far_behind_or_none_or_broken(
        self, standby: None, bob: Member, bobs_agent: APIClient, monkeypatch: pytest.MonkeyPatch, replayed: str
    ) -> None:
        make_insight(bob)
        monkeypatch.setattr(replica, "REPLAYED", replayed)
        counted = Counted()
        answer = bobs_agent.post(QUERY, {"query": "lock_timeout before ALTER"}, format="json").json()
        assert answer["insights"] and answer["degraded"] == []
        assert counted() == {"behind": 1}

    def test_is_answered_by_the_primary_when_the_standby_dies_meanwhile(
        self, standby: None, bob: Member, bobs_agent: APIClient
    ) -> None:
        make_insight(bob)
        assert bobs_agent.post(QUERY, {"query": "lock_timeout before ALTER"}, format="json").status_code == 200
        connections.settings[replica.ALIAS]["PORT"] = "1"
        connections[replica.ALIAS].close()
        connections[replica.ALIAS].settings_dict["PORT"] = "1"
        connections[replica.ALIAS].settings_dict["HOST"] = "127.0.0.1"
        counted = Counted()
        answers = [bobs_agent.post(QUERY, {"query": "lock_timeout"}, format="json") for _ in range(2)]
        assert all(answer.json()["insights"] for answer in answers)
        assert counted() == {"failed": 1, "behind": 1}  # and then it is left alone for a while

    def test_goes_to_the_primary_while_the_cache_is_away(
        self, standby: None, bob: Member, bobs_agent: APIClient, settings: Any
    ) -> None:
        """Nobody knows then what its asker wrote last."""
        make_insight(bob)
        settings.CACHES = {
            "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}
        }
        counted = Counted()
        answer = bobs_agent.post(QUERY, {"query": "lock_timeout before ALTER"}, format="json")
        assert answer.json()["insights"] and counted() == {"behind": 1}


PAGES = (
    "knowledge:inbox", "knowledge:insights", "knowledge:topics", "sessions:dashboard", "sessions:sessions",
    "sessions:activity", "skills:skills", "accounts:preferences", "accounts:tokens",
)  # fmt: skip


class TestReads:
    @pytest.fixture
    def known(self, standby: None, alice: Member, bob: Member) -> Insight:
        row = make_insight(bob)
        make_skill(alice)
        return row

    @pytest.mark.parametrize("name", PAGES)
    def test_of_pages_come_from_the_standby(self, known: Insight, alice_user: User, name: str) -> None:
        browser, counted = signed_in(alice_user), Counted()
        assert browser.get(reverse(name)).status_code == 200
        assert counted() == {"replica": 1}

    def test_of_an_insight_come_from_the_standby(
        self, known: Insight, alice_user: User, alices_agent: APIClient
    ) -> None:
        counted = Counted()
        assert signed_in(alice_user).get(f"/insights/{known.ref}/").status_code == 200
        for path in (f"{INSIGHTS}{known.ref}/", INSIGHTS, "/api/v1/topics/", "/api/v1/skills/", "/api/v1/me/"):
            assert alices_agent.get(path).status_code == 200
        assert counted() == {"replica": 6}

    def test_of_what_is_not_there_ask_the_primary(self, known: Insight, alices_agent: APIClient) -> None:
        assert alices_agent.get(f"{INSIGHTS}NONE-1/").status_code == 404

    def test_of_a_visitor_and_of_the_admin_are_no_reads_of_the_standby(
        self, known: Insight, django_user_model: Any
    ) -> None:
        counted, root = Counted(), django_user_model.objects.create_superuser("root", password="x")
        assert Client().get("/accounts/login/").status_code == 200
        assert signed_in(root).get("/admin/").status_code == 200
        assert Client().get("/healthz").status_code == 200
        assert counted() == {}


class TestFreshness:
    def test_reaches_back_no_further_than_the_staleness(self, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """The standby must have what the primary had at some moment of the last five seconds."""
        settings.DATABASE_REPLICA_STALENESS = 5.0
        moment, written, replayed = 100.0, 10, 10

        def ask(alias: str, statement: str) -> int:
            return replayed if alias == replica.ALIAS else written

        monkeypatch.setattr(replica, "ask", ask)
        monkeypatch.setattr(replica.time, "monotonic", lambda: moment)
        fresh = replica.Freshness()
        assert fresh.is_enough(0)
        moment, written = 103.0, 20
        assert fresh.is_enough(0)  # what was there three seconds ago is replayed
        assert not fresh.is_enough(20)  # what its caller wrote is not
        moment = 106.0
        assert not fresh.is_enough(0)
        replayed, moment = 20, 106.1
        assert fresh.is_enough(20)
        moment = 4000.0  # an idle hour later
        assert fresh.is_enough(0)
        written, moment = 30, 8000.0
        assert not fresh.is_enough(0)


class TestWithinATransaction:
    def test_the_standby_is_not_read(self, standby: None, bob: Member, bobs_agent: APIClient) -> None:
        counted = Counted()
        with transaction.atomic():
            assert bobs_agent.get("/api/v1/me/").status_code == 200
        assert counted() == {}
