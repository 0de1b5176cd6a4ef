"""Of several beats on one database one rings."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from accounts.models import Lease
from accounts.querysets import LeaseQuerySet
from config.celery import app
from config.processes import clock
from config.processes.clock import LEASE, NAME, RENEW, Scheduler
from tests.together import together


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Who rang, in their order."""
    rung: list[str] = []
    monkeypatch.setattr(Scheduler, "apply_entry", lambda self, *given, **more: rung.append(self.holder))
    monkeypatch.setattr(Scheduler, "sync", lambda self: self._dirty.clear())  # it would save when the tests end
    return rung


def beat() -> Scheduler:
    return Scheduler(app=app, lazy=True)


def minutes_pass(*beats: Scheduler) -> None:
    """Everything is due again, and the leases are to be renewed."""
    PeriodicTask.objects.update(last_run_at=timezone.now() - timedelta(minutes=10))
    for one in beats:
        one._heap = one._heap and [event._replace(time=0) for event in one._heap]
        for entry in one.schedule.values():
            entry.last_run_at = entry.model.last_run_at = timezone.now() - timedelta(minutes=10)
        if one._renewed is not None:
            one._renewed -= RENEW


def lapse() -> None:
    Lease.objects.update(until=timezone.now() - timedelta(seconds=1))


class TestTwoBeats:
    def test_ring_once(self, transactional_db: None, rung: list[str]) -> None:
        first, second = beat(), beat()
        for _ in range(3):
            minutes_pass(first, second)
            first.tick()
            assert second.tick() == RENEW
        assert set(rung) == {first.holder}

    def test_take_over_from_one_that_ends(self, transactional_db: None, rung: list[str]) -> None:
        first, second = beat(), beat()
        first.tick()
        second.tick()
        first.close()
        minutes_pass(second)
        second.tick()
        assert rung[-1] == second.holder

    def test_take_over_from_one_that_was_killed_when_its_lease_ends(
        self, transactional_db: None, rung: list[str]
    ) -> None:
        first, second = beat(), beat()
        first.tick()
        assert second.tick() == RENEW
        lapse()
        minutes_pass(second)
        second.tick()
        assert rung[-1] == second.holder
        # The first was only stopped for a while: it finds that it is no longer the one.
        minutes_pass(first)
        before = list(rung)
        assert first.tick() == RENEW
        assert rung == before
        first.close()
        assert Lease.objects.get().holder == second.holder

    def test_that_start_at_once_agree(self, transactional_db: None) -> None:
        """Sixteen on connections of their own."""
        takes = [lambda name=f"beat {n}": Lease.objects.all().take(NAME, name, LEASE) for n in range(16)]
        assert sorted(together(*takes)) == [False] * 15 + [True]

    def test_go_by_the_clock_of_the_database(self, transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        """Whatever a machine's own says."""
        assert Lease.objects.all().take(NAME, "one", LEASE)
        monkeypatch.setattr(timezone, "now", lambda: datetime(2036, 1, 1, tzinfo=UTC))
        assert not Lease.objects.all().take(NAME, "other", LEASE)
        with connection.cursor() as cursor:
            cursor.execute("SELECT extract(epoch FROM until - clock_timestamp()) FROM accounts_lease")
            assert 0 < cursor.fetchone()[0] <= LEASE


class TestABeat:
    def test_waits_while_the_database_is_away(
        self, transactional_db: None, rung: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away(*given: Any) -> bool:
            raise DatabaseError("the server closed the connection")

        one = beat()
        with monkeypatch.context() as patch:
            patch.setattr(LeaseQuerySet, "take", away)
            assert one.tick() == RENEW
        assert rung == []
        minutes_pass(one)
        one.tick()
        assert rung

    def test_asks_for_its_lease_now_and_then(
        self, transactional_db: None, rung: list[str], django_assert_max_num_queries: Any
    ) -> None:
        one = beat()
        one.tick()
        with django_assert_max_num_queries(0):
            assert one._has_lease()
        assert clock.RENEW * 3 <= clock.LEASE
