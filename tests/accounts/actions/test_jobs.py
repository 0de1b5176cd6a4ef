"""A job's run is kept, however it ends."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest

from accounts.actions import jobs
from accounts.actions.jobs import Work, run_job
from accounts.models import JobRun


@pytest.fixture
def clock(db: None, now: datetime) -> Callable[[], datetime]:
    """Two seconds pass between one look and the next."""

    def ticks() -> Iterator[datetime]:
        at = now
        while True:
            yield at
            at += timedelta(seconds=2)

    ticking = ticks()
    return lambda: next(ticking)


class TestARun:
    def test_is_recorded_with_what_it_did(self, clock: Callable[[], datetime], now: datetime) -> None:
        run_job(name="fade", work=lambda: Work({"deprecated": 3}), clock=clock)
        run = JobRun.objects.get()
        assert (run.name, run.outcome, run.counts, run.detail) == ("fade", "done", {"deprecated": 3}, "")
        assert (run.started_at, run.finished_at) == (now, now + timedelta(seconds=2))

    def test_that_stopped_says_why(self, clock: Callable[[], datetime]) -> None:
        run = run_job(name="fade", work=lambda: Work({"deprecated": 1}, stopped="too many"), clock=clock)
        assert (run.outcome, run.counts, run.detail) == ("stopped", {"deprecated": 1}, "too many")

    def test_names_what_was_down(self, clock: Callable[[], datetime]) -> None:
        run = run_job(name="embed", work=lambda: Work(down="the embedder"), clock=clock)
        assert (run.outcome, run.detail) == ("done", "the embedder")

    def test_that_fails_is_recorded_and_fails(self, clock: Callable[[], datetime]) -> None:
        def fails() -> Work:
            raise ValueError("no such thing")

        with pytest.raises(ValueError, match="no such thing"):
            run_job(name="fade", work=fails, clock=clock)
        run = JobRun.objects.get()
        assert (run.outcome, run.detail) == ("failed", "ValueError: no such thing")
        assert run.finished_at

    def test_is_seen_while_it_goes_on(self, clock: Callable[[], datetime]) -> None:
        seen = []

        def looks() -> Work:
            seen.append(JobRun.objects.get().outcome)
            return Work()

        run_job(name="fade", work=looks, clock=clock)
        assert seen == ["running"]


class TestRuns:
    def test_are_kept_so_many_deep_for_each_job(
        self, clock: Callable[[], datetime], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "KEEP", 2)
        run_job(name="recount", work=Work, clock=clock)
        made = [run_job(name="fade", work=Work, clock=clock).pk for _ in range(4)]
        assert list(JobRun.objects.filter(name="fade").order_by("pk").values_list("pk", flat=True)) == made[2:]
        assert JobRun.objects.filter(name="recount").count() == 1
