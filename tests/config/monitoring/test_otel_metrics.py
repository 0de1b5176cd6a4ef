"""What OpenTelemetry is told beside /metrics, by whom, and that nothing of it is anybody's words."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from rest_framework.test import APIClient

from accounts.models import JobRun
from accounts.rules.rights import Member
from config import checks
from config.database import server_state
from config.database.backup_record import record_backup
from config.database.server_state import ReplicationSlot, Standby
from config.monitoring import database_metrics, metrics, otel_metrics, resource
from tests.factories import make_insight
from tests.otlp import collecting

WORD = "kestrel"
QUERY = "/api/v1/query/"


@pytest.fixture
def reader(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemoryMetricReader]:
    """The store is asked in this thread, whose connection has what the test wrote."""
    monkeypatch.setattr(otel_metrics.connection, "close", lambda: None)
    database_metrics.kept.forget()
    made = InMemoryMetricReader()
    stop = otel_metrics.start(made)
    yield made
    stop()


def points(reader: InMemoryMetricReader) -> dict[str, list[Any]]:
    """By name, each series that is sent now."""
    data = reader.get_metrics_data()
    scopes = [scope for one in (data.resource_metrics if data else ()) for scope in one.scope_metrics]
    return {metric.name: list(metric.data.data_points) for scope in scopes for metric in scope.metrics}


def answered(found: dict[str, list[Any]]) -> float:
    """Questions that were; none where nobody has asked in this process."""
    return sum(one.value for one in found.get("loam.queries", ()) if one.attributes["outcome"] == "answered")


class TestTheFigures:
    def test_tell_of_requests_and_questions(
        self, reader: InMemoryMetricReader, alice: Member, alices_agent: APIClient
    ) -> None:
        make_insight(alice, body=f"The {WORD} release ships on Friday.")
        before = answered(points(reader))
        assert alices_agent.post(QUERY, {"query": f"when does {WORD} ship?"}).json()["insights"]
        alices_agent.get(f"/api/v1/insights/{WORD}/")
        found = points(reader)
        requests = {tuple(one.attributes.values()): one for one in found["http.server.request.duration"]}
        assert requests["POST", "api:query", 200].count == 1
        assert requests["GET", "api:insight", 404].count == 1
        phases = {one.attributes["phase"]: one.sum for one in found["loam.query.duration"]}
        assert set(phases) == {"whole", "database", "web"} and phases["database"] < phases["whole"]
        assert answered(found) == before + 1
        assert WORD not in str(reader.get_metrics_data())

    def test_tell_what_the_store_says(self, reader: InMemoryMetricReader, alice: Member) -> None:
        row = make_insight(alice)
        type(row).objects.update(embedded_by="", created_at=timezone.now() - timedelta(minutes=3))
        found = points(reader)
        assert found["loam.insights_waiting"][0].value == 1
        assert 179 < found["loam.insights_waiting_seconds"][0].value < 240
        assert found["loam.pairs_open"][0].attributes["question"]
        assert found["loam.archive_failing"][0].value == 0

    def test_have_every_gauge_of_the_store_but_when_jobs_ran(
        self, db: None, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = timezone.now()
        monkeypatch.setattr(server_state, "standbys", lambda: [Standby("node2", True, 0)])
        monkeypatch.setattr(server_state, "replication_slots", lambda: [ReplicationSlot("node2", True, 0, False)])
        JobRun.objects.create(name="lifecycle.fade", started_at=now, finished_at=now, outcome="done")
        record_backup("/backups/a.dump", began=now, now=now, size=1)
        database_metrics.kept.forget()
        there = {metric.name for metric in metrics.Store().collect()} | {"loam_read_standby_behind_bytes"}
        assert there - {"loam_job_started_timestamp_seconds", "loam_job_outcome"} == set(otel_metrics.GAUGES)

    def test_end_with_it(self, db: None, alices_agent: APIClient) -> None:
        stop = otel_metrics.start(InMemoryMetricReader(), store=False)
        stop()
        assert (metrics.also_noted, metrics.also_phased) == ([], [])
        alices_agent.get("/api/v1/me/")


class TestAProcess:
    def test_is_told_apart_from_the_others_of_its_service(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"):
            monkeypatch.delenv(name, raising=False)
        told = dict(resource.described().attributes)
        assert (told["service.name"], len(str(told["service.instance.id"]))) == ("loam", 32)

    def test_is_called_what_the_environment_says(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OTEL_SERVICE_NAME", "loam-eu")
        monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test,service.version=7")
        told = dict(resource.described().attributes)
        assert (told["service.name"], told["deployment.environment"], told["service.version"]) == (
            "loam-eu",
            "test",
            "7",
        )


class TestACollector:
    def test_is_sent_the_figures(
        self, settings: Any, alice: Member, alices_agent: APIClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reason = "what LOAM_METRICS=otlp needs is in requirements-traces.lock and requirements-dev.lock"
        service = pytest.importorskip("opentelemetry.proto.collector.metrics.v1.metrics_service_pb2", reason=reason)
        settings.LOAM_METRICS = "otlp"
        with collecting() as (address, heard):
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
            stop = otel_metrics.start(store=False)
            alices_agent.post(QUERY, {"query": f"when does {WORD} ship?"})
            stop()
        names = set()
        for path, media, body in heard:
            assert (path, media) == ("/v1/metrics", "application/x-protobuf")
            assert WORD.encode() not in body
            for of_resource in service.ExportMetricsServiceRequest.FromString(body).resource_metrics:
                assert "loam" in str(of_resource.resource)
                names |= {metric.name for scope in of_resource.scope_metrics for metric in scope.metrics}
        assert {"http.server.request.duration", "loam.query.duration", "loam.queries"} <= names


PRINTED = "import sys; print('config.monitoring.otel_metrics' in sys.modules)"


class TestTheSetting:
    @pytest.mark.parametrize(("given", "sends"), [("", [False, False]), ("console", [False, True])])
    def test_is_for_programs_that_serve(self, given: str, sends: list[bool]) -> None:
        """A command sets Django up, a web process goes on from there. The exporter's address is nobody's: what would be
        sent at the end goes to the output.
        """
        done = subprocess.run(
            [sys.executable, "-c", f"import django; django.setup(); {PRINTED}; import config.wsgi; {PRINTED}"],
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "LOAM_METRICS": given},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines()[:2] == [str(sent) for sent in sends]

    def test_without_the_packages_is_told_with_how_to_mend_it(
        self, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.LOAM_METRICS = "otlp"
        monkeypatch.setattr(checks, "find_spec", lambda name: None)
        (fault,) = checks.metrics_faults()
        assert "LOAM_METRICS is set" in fault.msg and "requirements-traces.lock" in (fault.hint or "")
