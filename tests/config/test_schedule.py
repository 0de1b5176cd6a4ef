"""The table of scheduled jobs and beat's rows: they agree, and what an operator changed stays."""

import logging
from collections.abc import Iterable
from typing import Any

import pytest
from django.conf import settings
from django.utils.module_loading import import_string
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from accounts.actions.sweeps import SWEEPS as ACCOUNTS
from config.celery import app
from config.schedule import JOBS, Job, sync
from knowledge.evidence.actions.sweeps import SWEEPS as EVIDENCE
from knowledge.jobs.actions.sweeps import SWEEPS as KNOWLEDGE
from sessions_app.actions.sweeps import SWEEPS as SESSIONS
from skills.actions.sweeps import SWEEPS as SKILLS
from tests.cases import cases

SWEEPS = {"accounts": ACCOUNTS, "evidence": EVIDENCE, "knowledge": KNOWLEDGE, "sessions": SESSIONS, "skills": SKILLS}
JOB = Job("knowledge.fade", "20 3 * * *", "Archive what has faded.")
MOVED = JOB._replace(when="0 4 * * 1")


def stored() -> dict[str, str]:
    """The time of each row, as the table writes it."""
    rows: Iterable[Any] = PeriodicTask.objects.select_related("crontab")
    return {row.name: _cron(row.crontab) for row in rows if not row.name.startswith("celery.")}


def _cron(when: CrontabSchedule) -> str:
    return f"{when.minute} {when.hour} {when.day_of_month} {when.month_of_year} {when.day_of_week}"


class TestTheTable:
    def test_names_each_task_once(self) -> None:
        app.loader.import_default_modules()
        ours = [name for name in app.tasks if name.split(".")[0] in SWEEPS]
        assert sorted(job.task for job in JOBS) == sorted(ours)

    @cases("name", [f"{first}.{name}" for first, sweeps in SWEEPS.items() for name in sweeps])
    def test_has_every_sweep(self, name: str) -> None:
        assert name in {job.task for job in JOBS}

    def test_audits_before_the_jobs_that_repair(self) -> None:
        nightly = {job.task: job.when.split()[:2] for job in JOBS if job.when.split()[1] != "*"}
        times = {task: (int(hour), int(minute)) for task, (minute, hour) in nightly.items()}
        assert min(times, key=lambda task: times[task]) == "knowledge.audit"

    def test_says_what_each_job_is_for(self) -> None:
        assert [job.task for job in JOBS if not job.purpose.endswith(".") or len(job.description) > 120] == []


@pytest.mark.django_db
class TestTheDatabase:
    def test_agrees_after_the_migrations(self) -> None:
        """As an upgraded database has it: rows made by the migrations of earlier versions."""
        expected = {job.task: job.when for job in JOBS}
        assert stored().items() <= expected.items()
        sync()
        assert stored() == expected

    def test_agrees_when_it_was_empty(self) -> None:
        PeriodicTask.objects.all().delete()
        sync()
        sync()
        assert stored() == {job.task: job.when for job in JOBS}
        assert all(row.enabled and row.description for row in PeriodicTask.objects.all())

    def test_is_synced_when_beat_starts(self, transactional_db: None) -> None:
        PeriodicTask.objects.all().delete()
        import_string(settings.CELERY_BEAT_SCHEDULER.replace(":", "."))(app=app)
        assert stored() == {job.task: job.when for job in JOBS}


@pytest.mark.django_db
class TestWhatAnOperatorChanged:
    @pytest.fixture(autouse=True)
    def one_job(self) -> None:
        PeriodicTask.objects.all().delete()
        sync((JOB,))

    def test_stays(self) -> None:
        row = PeriodicTask.objects.get()
        row.enabled, row.crontab = False, CrontabSchedule.objects.create(minute="7", hour="*")
        row.save()
        for jobs in [(JOB,), (MOVED,), (MOVED,)]:
            sync(jobs)
            assert (PeriodicTask.objects.get().enabled, stored()) == (False, {JOB.task: "7 * * * *"})
        assert PeriodicTask.objects.get().description == "Archive what has faded. Default: 0 4 * * 1"

    def test_stays_when_it_is_an_interval(self) -> None:
        row = PeriodicTask.objects.get()
        row.crontab, row.interval = None, IntervalSchedule.objects.create(every=2, period="hours")
        row.save()
        sync((MOVED,))
        assert str(PeriodicTask.objects.get().schedule) == "<freq: 2.00 hours>"

    def test_stays_on_a_database_of_the_version_before(self) -> None:
        PeriodicTask.objects.update(description="", crontab=CrontabSchedule.objects.create(minute="7", hour="*"))
        sync((JOB,))
        assert stored() == {JOB.task: "7 * * * *"}

    def test_may_be_rows_of_their_own(self) -> None:
        when = CrontabSchedule.objects.create(minute="0", hour="12")
        PeriodicTask.objects.create(name="At noon too", task=JOB.task, crontab=when)
        PeriodicTask.objects.create(name="Theirs", task="acme.report", crontab=when)
        sync((JOB,))
        assert stored() == {JOB.task: JOB.when, "At noon too": "0 12 * * *", "Theirs": "0 12 * * *"}


@pytest.mark.django_db
class TestANewVersion:
    def test_moves_a_job_that_nobody_moved(self) -> None:
        sync((JOB,))
        sync((MOVED,))
        assert stored() == {JOB.task: MOVED.when}

    def test_deletes_the_rows_of_a_task_that_is_gone(self, caplog: pytest.LogCaptureFixture) -> None:
        when = CrontabSchedule.objects.create(minute="0", hour="12")
        PeriodicTask.objects.create(name="errands at noon", task="knowledge.errands", crontab=when)
        with caplog.at_level(logging.WARNING, "loam.beat"):
            sync()
        assert "errands at noon" not in stored()
        assert "errands at noon" in caplog.text

    def test_shares_the_crontabs(self) -> None:
        CrontabSchedule.objects.create(minute="20", hour="3")
        CrontabSchedule.objects.create(minute="20", hour="3")
        PeriodicTask.objects.all().delete()
        count = CrontabSchedule.objects.count()
        sync((JOB,))
        assert (stored(), CrontabSchedule.objects.count()) == ({JOB.task: JOB.when}, count)
