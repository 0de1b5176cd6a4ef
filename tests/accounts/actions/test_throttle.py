"""Calls are counted for all processes, and few of them cost a statement."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.actions import throttle as module
from accounts.actions.throttle import throttle, throttle_each
from accounts.models import Tally
from accounts.rules.throttle import window_of


@pytest.fixture(autouse=True)
def another_process(db: None) -> Iterator[None]:
    """One that has counted nothing yet."""
    module._counts.clear()
    yield
    module._counts.clear()


class TestSpend:
    def test_lets_so_many_through_and_then_says_how_long_to_wait(self, now: datetime) -> None:
        at = now + timedelta(seconds=20)
        assert [throttle(key="a", limit=5, now=at) for _ in range(7)] == [0] * 5 + [40] * 2

    def test_begins_anew_with_the_next_minute(self, now: datetime) -> None:
        assert [throttle(key="a", limit=1, now=now) for _ in range(2)] == [0, 60]
        assert throttle(key="a", limit=1, now=now + timedelta(minutes=1)) == 0

    def test_refuses_nobody_when_the_clock_is_moved_back(self, now: datetime) -> None:
        """By an hour, for twenty minutes; each minute has its own count again."""
        for _ in range(2):
            assert throttle(key="a", limit=2, now=now) == 0
        back = now - timedelta(hours=1)
        for minute in range(20):
            at = back + timedelta(minutes=minute)
            assert [throttle(key="a", limit=2, now=at) for _ in range(3)] == [0, 0, 60]

    def test_counts_what_a_process_with_a_lagging_clock_lets_through(self, now: datetime) -> None:
        assert [throttle(key="a", limit=2, now=now) for _ in range(2)] == [0, 0]
        module._counts.clear()
        assert throttle(key="a", limit=2, now=now - timedelta(seconds=10)) > 0

    def test_counts_each_key_for_itself(self, now: datetime) -> None:
        assert [throttle(key=key, limit=1, now=now) for key in "abab"] == [0, 0, 60, 60]

    def test_counts_what_other_processes_let_through(self, now: datetime) -> None:
        assert [throttle(key="a", limit=4, now=now) for _ in range(3)] == [0, 0, 0]
        module._counts.clear()
        assert [throttle(key="a", limit=4, now=now) for _ in range(3)] == [0, 60, 60]

    def test_lets_at_most_a_twentieth_more_through_for_each_process(self, now: datetime) -> None:
        through = 0
        for _ in range(4):
            module._counts.clear()
            through += sum(throttle(key="a", limit=100, now=now) == 0 for _ in range(100))
        assert 100 <= through <= 115

    def test_costs_a_statement_for_twenty_calls(self, now: datetime, django_assert_num_queries: Any) -> None:
        with django_assert_num_queries(2):
            assert not any(throttle(key="a", limit=400, now=now) for _ in range(40))
        assert Tally.objects.get().count == 40

    def test_is_off_at_0(self, now: datetime, django_assert_num_queries: Any) -> None:
        with django_assert_num_queries(0):
            assert not any(throttle(key="a", limit=0, now=now) for _ in range(100))

    def test_forgets_keys_before_they_are_too_many(self, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "MOST_KEYS", 3)
        for number in range(10):
            throttle(key=f"k{number}", limit=100, now=now)
        assert len(module._counts) <= 3


class TestSeveralLimits:
    def test_of_one_call_say_which_is_reached(self, now: datetime) -> None:
        limits = {"token:1": 5, "team:1": 3}
        assert [throttle_each(limits=limits, now=now) for _ in range(4)] == [("", 0)] * 3 + [("team:1", 60)]

    def test_a_token_in_a_loop_uses_up_no_more_of_its_team_than_its_own_limit(self, now: datetime) -> None:
        for _ in range(50):
            throttle_each(limits={"token:1": 3, "team:1": 10}, now=now)
        others = [throttle_each(limits={"token:2": 99, "team:1": 10}, now=now)[0] for _ in range(8)]
        assert others == [""] * 7 + ["team:1"]

    def test_a_limit_of_0_is_none(self, now: datetime) -> None:
        assert {throttle_each(limits={"token:1": 0, "team:1": 0}, now=now) for _ in range(50)} == {("", 0)}


class TestATally:
    def test_of_a_clock_that_lags_counts_into_the_newer_window(self, now: datetime) -> None:
        window = window_of(now)
        adds = [Tally.objects.all().add("a", at, 2) for at in (window, window + 1, window, window + 2)]
        assert adds == [2, 2, 4, 2]


class TestAnAgent:
    def test_that_calls_too_often_is_told_when_to_come_again(
        self, alices_agent: APIClient, bobs_agent: APIClient, settings: Any, one_minute: None
    ) -> None:
        settings.LOAM_RATE_LIMIT = 2
        answers = [alices_agent.get("/api/v1/me/") for _ in range(3)]
        told = answers[-1]
        assert (told.status_code, told.json()["code"]) == (429, "rate_limited")
        assert told["Content-Type"] == "application/problem+json"
        assert 1 <= int(told["Retry-After"]) <= 60
        assert bobs_agent.get("/api/v1/me/").status_code == 200

    def test_needs_no_pace_where_it_needs_no_token(self, settings: Any) -> None:
        settings.LOAM_RATE_LIMIT = 1
        assert {APIClient().get("/api/v1/health/").status_code for _ in range(3)} == {200}
