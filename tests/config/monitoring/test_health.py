"""Whether this deployment can do its work, for machines and in words."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from accounts.models import JobRun
from accounts.rules.rights import Member
from config.monitoring import readiness
from config.monitoring.readiness import SystemPart, parts
from knowledge.models import Insight, Lexicon
from tests.factories import make_insight


@pytest.fixture(autouse=True)
def beating(db: None, settings: Any, tmp_path: Any) -> None:
    """A worker has its folder, and a job of each queue ran a moment ago."""
    settings.CELERY_BROKER_URL = "filesystem://localhost"
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_in": str(tmp_path)}
    now = timezone.now()
    for name in ("knowledge.background_jobs", "knowledge.embed_waiting"):
        JobRun.objects.create(name=name, started_at=now, finished_at=now, outcome="done")


def part(name: str) -> SystemPart:
    return next(one for one in parts(now=timezone.now()) if one.name == name)


def doctor(*words: str) -> str:
    out = StringIO()
    call_command("doctor", *words, stdout=out, stderr=out)
    return out.getvalue()


class TestHealthz:
    def test_answers_without_looking_at_anything(self, client: Client, django_assert_num_queries: Any) -> None:
        with django_assert_num_queries(0):
            answer = client.get("/healthz")
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


class TestReadyz:
    def test_is_ok_when_all_parts_are(self, client: Client) -> None:
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["status"]) == (200, "ok")
        names = {
            "database",
            "database session",
            "migrations",
            "embedder",
            "broker",
            "cache",
            "disk",
            "git",
            "programs",
            "beat",
        }
        assert set(answer.json()["parts"]) == {*names, "cache", "workers", "jobs", "audit"}

    def test_is_degraded_and_says_no_more_when_a_part_fails(self, client: Client, embedder_down: str) -> None:
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
        assert answer.json()["parts"]["embedder"] == "failing"
        assert embedder_down not in answer.content.decode()

    def test_is_unready_without_a_database(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails() -> SystemPart:
            raise OSError("the server closed the connection")

        monkeypatch.setattr(readiness, "_database", fails)
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["status"]) == (503, "unready")
        assert "migrations" not in answer.json()["parts"]

    def test_alarms_when_the_auditor_has_found_something(self, client: Client) -> None:
        now = timezone.now()
        run = JobRun.objects.create(name="knowledge.audit", started_at=now, finished_at=now, outcome="done")
        run.finish("done", at=now, counts={"faults": 2}, detail="one\ntwo")
        assert client.get("/readyz").json()["parts"]["audit"] == "failing"
        assert part("audit").said == "2 errors found"


class TestAPart:
    def test_of_the_schema_is_needed(self) -> None:
        assert part("migrations").ok
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM django_migrations WHERE id = (SELECT max(id) FROM django_migrations)")
        found = part("migrations")
        assert (found.ok, found.needed, found.mend) == (False, True, "manage.py migrate")

    def test_of_beat_fails_when_no_job_has_run(self) -> None:
        assert part("beat").ok
        JobRun.objects.update(started_at=timezone.now() - timedelta(minutes=6))
        assert part("beat").said == "No job has run for 6 minutes."
        JobRun.objects.all().delete()
        MigrationRecorder.Migration.objects.update(applied=timezone.now() - timedelta(minutes=6))
        assert not part("beat").ok

    def test_of_beat_is_waited_for_on_the_first_start(self) -> None:
        JobRun.objects.all().delete()
        MigrationRecorder.Migration.objects.update(applied=timezone.now() - timedelta(minutes=4))
        assert part("beat").ok

    @pytest.mark.parametrize(
        ("job", "minutes", "queue"),
        [("knowledge.embed_waiting", 6, "celery"), ("knowledge.background_jobs", 23, "bulk")],
    )
    def test_of_the_workers_fails_where_a_queue_has_none(self, job: str, minutes: int, queue: str) -> None:
        """The other goes on: beat is well."""
        assert part("workers").ok
        JobRun.objects.filter(name=job).update(started_at=timezone.now() - timedelta(minutes=minutes))
        assert part("beat").ok
        found = part("workers")
        assert found.said == f"No job of the queue {queue} has run for {minutes} minutes."
        assert found.mend.endswith(f"celery -A config worker -Q {queue} --pool solo")

    def test_of_the_workers_waits_for_one_that_takes_its_full_time(self) -> None:
        bulk = JobRun.objects.filter(name="knowledge.background_jobs")
        bulk.update(started_at=timezone.now() - timedelta(minutes=20))
        assert part("workers").ok

    def test_of_the_jobs_names_the_one_that_failed_last(self) -> None:
        now = timezone.now()
        JobRun.objects.create(name="knowledge.fade", started_at=now - timedelta(days=1), outcome="failed", detail="a")
        assert "knowledge.fade failed: a" in part("jobs").said
        JobRun.objects.create(name="knowledge.fade", started_at=now, outcome="done")
        assert part("jobs").ok

    def test_of_the_audit_fails_when_it_has_not_run_for_a_day(self) -> None:
        long_ago = timezone.now() - timedelta(hours=27)
        JobRun.objects.create(
            name="knowledge.audit", started_at=long_ago, finished_at=long_ago, outcome="done", counts={"faults": 0}
        )
        assert part("audit").said == "It last ran 27 hours ago."

    def test_of_the_broker_fails_without_its_folder(self, settings: Any, tmp_path: Any) -> None:
        assert part("broker").ok
        settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_in": str(tmp_path / "nowhere")}
        assert not part("broker").ok

    def test_of_a_broker_that_nobody_answers_for_fails_soon(self, settings: Any) -> None:
        settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
        assert not part("broker").ok


class TestTheDoctor:
    def test_finds_nothing_in_a_sound_deployment(self, alice: Member) -> None:
        make_insight(alice, now=timezone.now())
        said = doctor()
        assert "database: PostgreSQL" in said and "No problems found." in said

    def test_explains_what_is_wrong_and_how_to_mend_it(self, alice: Member) -> None:
        make_insight(alice, now=timezone.now())
        Lexicon.objects.update(documents=7)
        out = StringIO()
        with pytest.raises(CommandError, match="1 problem found"):
            call_command("doctor", stdout=out)
        assert "statistics" in out.getvalue() and "platform" in out.getvalue()
        assert "Recount (sweep recount). `doctor --mend` fixes it." in out.getvalue()

    def test_mends_what_needs_no_decision(self, alice: Member) -> None:
        make_insight(alice, now=timezone.now())
        Lexicon.objects.update(documents=7)
        said = doctor("--mend")
        assert "fixed statistics" in said and "No problems found." in said
        assert Lexicon.objects.get(team__slug="platform").documents == 1

    def test_leaves_what_needs_one_and_fails(self, alice: Member) -> None:
        make_insight(alice, now=timezone.now())
        Insight.objects.all().delete()
        with pytest.raises(CommandError, match="problems found"):
            doctor("--mend")

    def test_names_settings_that_are_unsafe(self, alice: Member, settings: Any) -> None:
        make_insight(alice, now=timezone.now())
        settings.PRODUCTION, settings.LOAM_TEAM_RATE_LIMIT = True, 0
        settings.SECRET_KEY_GIVEN = "kX8v2mQpL7wRz4TnB6yHc1JfD9sGaUeV0oIiWqNtM3"
        settings.ALLOWED_HOSTS = ["loam.acme.test"]
        said = doctor("--quick")
        assert "unsafe  settings loam.W007: Calls are not limited" in said
        assert "No problems found." in said

    def test_can_be_quick(self) -> None:
        assert "no errors in the stored data" not in doctor("--quick")
        assert "no errors in the stored data" in doctor()
