"""A database that outlives a run which was cut off, and what the next run finds in it."""

import os
import re
import signal
import subprocess
import sys
import time

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from accounts.models import Team
from knowledge.models import Insight
from sessions_app.adapters.steps import StepLog, StoredStepLog
from sessions_app.adapters.web import database_url
from sessions_app.lab import throwaway
from sessions_app.lab.corpora.chunk_processes import WORTH_IT
from sessions_app.lab.corpora.synthetic_corpus import CHUNK, RECIPE, chunk_step
from sessions_app.lab.resumable import resumable_database
from sessions_app.lab.throwaway import RESUMABLE, NoDatabase, throwaway_database
from tests.sessions_app.lab.test_throwaway import databases


@pytest.fixture
def usual(django_db_setup, django_db_blocker, migrated):
    with django_db_blocker.unblock():
        yield connection.settings_dict["NAME"]
        connection.close()


class TestResumableDatabase:
    def test_is_gone_after_a_whole_run(self, usual):
        with resumable_database("whole", recipe="1") as steps:
            assert steps.once("count", Insight.objects.count) == 0
            name = connection.settings_dict["NAME"]
            assert name == f"{usual}{RESUMABLE}whole"
        assert connection.settings_dict["NAME"] == usual
        assert name not in databases()

    def test_stays_after_a_failure_with_the_steps_that_were_done(self, usual):
        with pytest.raises(ZeroDivisionError), resumable_database("failed", recipe="1") as steps:
            steps.once("team", lambda: Team.objects.create(name="Mine", slug="mine", prefix="MINE").pk, whole=True)
            steps.once("more", lambda: 1 // 0)
        assert connection.settings_dict["NAME"] == usual
        assert f"{usual}{RESUMABLE}failed" in databases()
        with resumable_database("failed", recipe="1") as steps:
            assert steps.once("team", lambda: None) == Team.objects.get(slug="mine").pk
            assert not steps.has("more")
            with throwaway_database(copied=True) as copy:
                assert copy.startswith(f"{usual}_throwaway_")
                assert Team.objects.filter(slug="mine").exists()

    @pytest.mark.parametrize("over", [{"recipe": "2"}, {"recipe": "1", "afresh": True}])
    def test_begins_with_nothing_for_another_recipe_or_when_told_to(self, usual, over):
        with pytest.raises(ZeroDivisionError), resumable_database("other", recipe="1") as steps:
            Team.objects.create(name="Mine", slug="mine", prefix="MINE")
            steps.once("more", lambda: 1 // 0)
        with resumable_database("other", **over) as steps:
            assert not Team.objects.filter(slug="mine").exists()
            assert steps.result("recipe") == over["recipe"]

    def test_begins_as_a_copy_of_the_template_as_a_throwaway_one_does(self, usual, monkeypatch):
        """So that tests name a migrated one (conftest.py): from nothing each would be migrated for seconds."""
        monkeypatch.setattr(throwaway, "TEMPLATE", "of_nobody")
        with pytest.raises(NoDatabase, match="of_nobody"), resumable_database("copied", recipe="1"):
            raise AssertionError

    def test_is_of_one_run_at_a_time(self, usual, monkeypatch):
        monkeypatch.setattr("sessions_app.lab.resumable.PATIENCE", 0.2)
        with psycopg.connect(**connection.get_connection_params(), autocommit=True) as other:
            other.execute("SELECT pg_advisory_lock(hashtext(%s))", [f"{usual}{RESUMABLE}held"])
            with pytest.raises(NoDatabase, match="Another run"), resumable_database("held", recipe="1"):
                raise AssertionError


@pytest.mark.slow_trial
@pytest.mark.slow
class TestKilledBenchmark:
    """`manage.py benchmark` with kill -9, while two processes write its rows. It embeds 10,000 notes first, for
    minutes. That a step which was done is not done again, and one that was cut off is, is told above.
    """

    def test_goes_on_where_it_was(self, usual):
        size = (WORTH_IT + 2) * CHUNK
        run = begin(size)
        try:
            wait_for(run, lambda: written(usual, size) >= 2 * CHUNK)
            os.killpg(run.pid, signal.SIGKILL)
        finally:
            run.wait()
        assert written(usual, size) < size
        with pytest.raises(ZeroDivisionError), resumable_database(f"benchmark_{size}", recipe=RECIPE) as steps:
            there = Insight.objects.count()
            assert there == sum(steps.has(chunk_step(chunk)) for chunk in range(size // CHUNK)) * CHUNK > 0
            steps.once("stop", lambda: 1 // 0)
        run = begin(size)
        try:
            line = next(line for line in run.stderr if line.startswith("load:"))
            found = re.match(rf"load: ([\d,]+) of {size:,} .* left in all", line)
            assert found and int(found[1].replace(",", "")) >= there
            wait_for(run, lambda: written(usual, size) == size)
        finally:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
        with resumable_database(f"benchmark_{size}", recipe=RECIPE):
            assert Insight.objects.count() == size


def begin(size: int) -> "subprocess.Popen[str]":
    environment = os.environ | {"DATABASE_URL": database_url(), "LOAM_VAR": str(settings.VAR), "PRODUCTION": "off"}
    return subprocess.Popen(
        [sys.executable, "manage.py", "benchmark", "--sizes", str(size), "--queries", "1"],
        cwd=settings.BASE_DIR,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(run: "subprocess.Popen[str]", there: "object") -> None:
    end = time.monotonic() + 400
    while not there():
        assert time.monotonic() < end and run.poll() is None
        time.sleep(0.1)


def written(usual: str, size: int) -> int:
    """Rows that are committed; none while there is no database."""
    parameters = connection.get_connection_params() | {"dbname": f"{usual}{RESUMABLE}benchmark_{size}"}
    try:
        with psycopg.connect(**parameters, autocommit=True) as server:
            found = server.execute("SELECT count(*) FROM knowledge_insight").fetchone()
    except (psycopg.OperationalError, psycopg.errors.UndefinedTable):
        return 0
    return int(found[0]) if found else 0


class TestStepLog:
    @pytest.mark.parametrize("made", [StepLog, StoredStepLog])
    def test_does_a_step_once(self, db, made):
        steps, done = made(), []
        for _ in range(2):
            assert steps.once("one", lambda: done.append(1) or {"n": len(done)}) == {"n": 1}
        steps.forget("one")
        assert not steps.has("one")
        assert steps.once("one", lambda: {"n": 2}) == {"n": 2}

    def test_is_kept_in_the_database(self, db):
        StoredStepLog().once("one", lambda: [1, "two"])
        assert StoredStepLog().result("one") == [1, "two"]
