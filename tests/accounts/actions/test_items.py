"""The items of a job: one that fails is left out and named, the others are done."""

import logging
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from accounts.actions.jobs import Items, TookTooLong, Work, run_job
from accounts.models import JobRun
from accounts.rules.time_limit import TimeUp


def done_of(items: Items, names: str, fault: BaseException) -> list[str]:
    """The items that were done, of letters of which `x` fails."""
    done = []
    for name in items.each(names):
        with items.guard(name):
            if name == "x":
                raise fault
            done.append(name)
    return done


class TestItems:
    def test_leaves_one_out_with_its_name_and_does_the_others(self, db: None, caplog: Any) -> None:
        items = Items("a_job")
        with caplog.at_level(logging.ERROR, "loam.jobs"):
            assert done_of(items, "axb", ValueError("poison")) == ["a", "b"]
        assert "a_job leaves x out" in caplog.text
        assert "ValueError: poison" in caplog.text
        assert items.work({"done": 2}) == Work({"done": 2}, found="Skipped (see the log): x.")

    def test_takes_a_statement_that_failed_for_the_items_fault(self, db: None) -> None:
        assert done_of(Items("a_job"), "axb", OperationalError("stack depth limit exceeded")) == ["a", "b"]

    def test_does_not_take_a_database_that_is_away_for_the_items_fault(self, db: None, monkeypatch: Any) -> None:
        monkeypatch.setattr(connection, "is_usable", lambda: False)
        for fault in (OperationalError("server closed the connection"), InterfaceError("connection already closed")):
            with pytest.raises(type(fault)):
                done_of(Items("a_job"), "axb", fault)

    def test_ends_when_its_time_is_up_and_says_so(self) -> None:
        items = Items("a_job", within=-1)
        assert done_of(items, "ab", ValueError()) == []
        assert items.work({}).found == "The time limit was reached; the next run continues."

    def test_names_ten_and_counts_the_rest(self, db: None) -> None:
        items = Items("a_job")
        done_of(items, "x" * 12, ValueError())
        assert items.work({}).found.endswith("x, x and 2 more.")


class TestARunThatTookTooLong:
    def test_is_recorded_and_is_no_items_fault(self, db: None) -> None:
        def work() -> Work:
            done_of(Items("a_job"), "axb", TimeUp("Timed out after 900 s."))
            raise AssertionError

        with pytest.raises(TookTooLong):
            run_job(name="knowledge.fade", work=work, clock=timezone.now)
        run = JobRun.objects.get()
        assert (run.outcome, run.detail) == (JobRun.Outcome.FAILED, "Timed out after 900 s.")
