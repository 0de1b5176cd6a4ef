"""A nearly full disk: writes are refused in words, reads go on, and writing comes back."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.actions.jobs import Work, run_job
from accounts.adapters.disk_space import free_bytes
from accounts.adapters.failing_programs import FailingPrograms
from accounts.models import JobRun, User
from accounts.rules.rights import Member
from config.monitoring.readiness import parts
from knowledge.models import Insight, Query
from tests.conftest import agent


@pytest.fixture
def full(settings: Any) -> None:
    """No disk has so much room."""
    settings.LOAM_LEAST_FREE = free_bytes() * 1000


class TestANearlyFullDisk:
    def test_refuses_a_write_and_says_why(self, bob: Member, full: None) -> None:
        answer = agent(bob).post("/api/v1/insights/", {})
        assert (answer.status_code, answer["Content-Type"]) == (507, "application/problem+json")
        assert answer.json()["code"] == "no_room"
        assert "nearly full" in answer.json()["detail"]
        assert not Insight.objects.exists()

    def test_answers_questions_and_says_that_it_is_degraded(self, bob: Member, full: None) -> None:
        answer = agent(bob).post("/api/v1/query/", {"query": "when do ferries run"})
        assert answer.status_code == 200
        assert [part["component"] for part in answer.json()["degraded"]] == ["disk"]
        assert not Query.objects.exists()  # that it was asked is a write, and a full disk refuses it
        assert agent(bob).get("/api/v1/me/").status_code == 200
        health = Client().get("/api/v1/health/").json()
        assert (health["status"], health["degraded"][0]["component"]) == ("degraded", "disk")
        assert Client().get("/readyz").json()["parts"]["disk"] == "failing"

    def test_writes_again_once_there_is_room(self, bob: Member, full: None, settings: Any) -> None:
        assert agent(bob).post("/api/v1/insights/", {}).status_code == 507
        settings.LOAM_LEAST_FREE = 0
        assert agent(bob).post("/api/v1/insights/", {}).status_code == 400  # its fields are looked at

    def test_lets_a_person_sign_in_and_read_and_keeps_what_they_typed(
        self, bob: Member, client: Client, full: None
    ) -> None:
        user = User.objects.get(pk=bob.user_id)
        user.set_password("ferries on the hour")
        user.save()
        signed = client.post("/accounts/login/", {"login": "bob", "password": "ferries on the hour"})
        assert signed.status_code == 302
        assert client.get("/insights/").status_code == 200
        answer = client.post("/filters/", {"name": "A long name that somebody typed"})
        assert answer.status_code == 507
        assert "nearly full" in answer.content.decode()
        assert "A long name that somebody typed" in answer.content.decode()

    def test_lets_background_jobs_wait(self, db: None, full: None) -> None:
        ran = []
        run = run_job(name="knowledge.fade", work=lambda: ran.append(1) or Work(), clock=timezone.now)
        assert (ran, run.outcome) == ([], JobRun.Outcome.STOPPED)
        assert "nearly full" in run.detail


class TestFailingPrograms:
    def test_are_named_by_health_readiness_and_answers(self, bob: Member, tmp_path: Any, monkeypatch: Any) -> None:
        record = FailingPrograms(tmp_path / "failing.json")
        monkeypatch.setenv(*next(iter(record.environment.items())))
        assert Client().get("/api/v1/health/").json()["status"] == "ok"
        record.write({"worker": "died 3 times, now of exit code 1"})
        assert Client().get("/api/v1/health/").json()["degraded"] == [
            {"component": "worker", "reason": "background jobs are waiting; it died 3 times, now of exit code 1"}
        ]
        assert "worker died 3 times" in next(one.said for one in parts(now=timezone.now()) if one.name == "programs")
        answer = agent(bob).post("/api/v1/query/", {"query": "when do ferries run"})
        assert answer.json()["degraded"][0]["component"] == "worker"
        record.write({})
        assert Client().get("/api/v1/health/").json()["status"] == "ok"
        record.close()
