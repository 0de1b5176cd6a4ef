"""Beat goes on when the clock is set back."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string
from django_celery_beat.models import PeriodicTask

from config.celery import app
from config.processes import clock
from config.processes.clock import Scheduler


@pytest.fixture
def scheduler(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Scheduler:
    """With every job last run an hour from now, by a clock that was an hour ahead."""
    PeriodicTask.objects.update(last_run_at=timezone.now() + timedelta(hours=1))
    scheduler = Scheduler(app=app, lazy=True)
    monkeypatch.setattr(scheduler, "apply_entry", lambda *given, **more: None)
    return scheduler


def first(scheduler: Scheduler) -> float:
    """Seconds until the first job."""
    return min(event.time for event in scheduler._heap) - time.time()


class TestAClockSetBack:
    def test_is_beats_scheduler(self) -> None:
        assert import_string(settings.CELERY_BEAT_SCHEDULER.replace(":", ".")) is Scheduler

    def test_before_the_start_keeps_no_job_waiting(self, scheduler: Scheduler) -> None:
        scheduler.tick()
        assert first(scheduler) <= 60

    def test_while_it_runs_keeps_no_job_waiting(self, scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
        scheduler.tick()
        scheduler._heap = [event._replace(time=event.time + 3_600) for event in scheduler._heap]
        assert first(scheduler) > 3_000
        scheduler.tick()
        assert first(scheduler) > 3_000
        scheduler._before = time.time() + 3_600
        scheduler.tick()
        assert first(scheduler) <= 60

    @pytest.mark.parametrize("ahead", [0.0, clock.STEP - 1])
    def test_by_less_than_a_step_is_no_matter(self, transactional_db: None, ahead: float) -> None:
        moment = timezone.now() + timedelta(seconds=ahead)
        PeriodicTask.objects.update(last_run_at=moment)
        entries: Any = Scheduler(app=app, lazy=True).schedule.values()
        for entry in entries:
            entry.is_due()
        assert {entry.last_run_at for entry in entries} == {moment}


class TestAClockSetForward:
    def test_has_each_job_run_once_and_keeps_none_waiting(
        self, transactional_db: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """By a day: all are due at once, and none as often as was missed."""
        PeriodicTask.objects.update(last_run_at=timezone.now() - timedelta(days=1))
        scheduler, sent = Scheduler(app=app, lazy=True), []
        monkeypatch.setattr(scheduler, "apply_entry", lambda entry, *given, **more: sent.append(entry.name))
        for _ in range(3 * PeriodicTask.objects.count()):
            scheduler.tick()
        assert sent and len(sent) == len(set(sent))
        assert first(scheduler) <= 60
