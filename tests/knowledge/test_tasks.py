"""The tasks: each runs a sweep and leaves a record of its run."""

from typing import Any

import pytest

from accounts.models import JobRun
from accounts.rules.rights import Member
from knowledge import tasks
from knowledge.adapters.embedder import current
from knowledge.jobs.actions import sweeps
from knowledge.jobs.actions.sweeps import SWEEPS
from knowledge.models import Insight
from tests.factories import make_insight


class TestATask:
    @pytest.mark.parametrize("name", SWEEPS)
    def test_runs_its_sweep_and_records_it(self, bob: Member, name: str) -> None:
        make_insight(bob)
        getattr(tasks, name)()
        run = JobRun.objects.get()
        assert (run.name, run.outcome) == (f"knowledge.{name}", "done")
        assert run.finished_at

    def test_says_how_much_it_did(self, bob: Member) -> None:
        make_insight(bob)
        Insight.objects.update(embedding=None, embedded_by="")
        tasks.embed_waiting()
        assert JobRun.objects.get().counts == {"changed": 1}
        assert Insight.objects.get().embedded_by == current().name

    def test_says_what_was_down(self, bob: Member, embedder_down: str) -> None:
        make_insight(bob)
        tasks.embed_waiting()
        assert JobRun.objects.get().detail == embedder_down

    def test_that_fails_is_on_record(self, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(*_: Any) -> None:
            raise OSError("disk full")

        monkeypatch.setitem(sweeps.SWEEPS, "recount", fails)
        with pytest.raises(OSError, match="disk full"):
            tasks.recount()
        assert (JobRun.objects.get().outcome, JobRun.objects.get().detail) == ("failed", "OSError: disk full")
