"""What Prometheus is told, and who may ask."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families
from rest_framework.test import APIClient

from accounts.models import JobRun
from accounts.rules.rights import Member
from config.monitoring import metrics
from tests.factories import make_insight

HERE = {"REMOTE_ADDR": "127.0.0.1"}
QUERY = "/api/v1/query/"


@pytest.fixture(autouse=True)
def _one_process(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)
    yield


def figures(client: Client) -> dict[tuple[str, ...], float]:
    """Name and labels' values → value."""
    text = client.get("/metrics", **HERE).content.decode()
    samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
    return {(one.name, *one.labels.values()): one.value for one in samples}


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0


class TestWhoMayAsk:
    def test_is_this_machine(self, client: Client) -> None:
        assert client.get("/metrics", **HERE).status_code == 200
        assert client.get("/metrics", REMOTE_ADDR="192.0.2.1").status_code == 404

    @pytest.mark.parametrize("header", ["HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP"])
    def test_is_not_whoever_a_proxy_here_passes_on(self, client: Client, header: str) -> None:
        assert client.get("/metrics", **HERE, **{header: "192.0.2.1"}).status_code == 404

    def test_is_whoever_has_the_token_if_there_is_one(self, client: Client, settings: Any) -> None:
        settings.METRICS_TOKEN = "a-token-of-prometheus"
        far = {"REMOTE_ADDR": "192.0.2.1"}
        assert client.get("/metrics", **far, HTTP_AUTHORIZATION="Bearer a-token-of-prometheus").status_code == 200
        assert client.get("/metrics", **far, HTTP_AUTHORIZATION="Bearer another").status_code == 404
        assert client.get("/metrics", **HERE).status_code == 404


class TestTheFigures:
    def test_tell_what_became_of_questions(self, alice: Member, alices_agent: APIClient) -> None:
        make_insight(alice, body="Celery beat must run as one process, or jobs fire twice.")
        names = [("loam_queries_total", {"outcome": word}) for word in ("answered", "abstained")]
        before = [value(name, **labels) for name, labels in names]
        served, phases = value("loam_insights_served_total"), value("loam_query_seconds_count", phase="database")
        assert alices_agent.post(QUERY, {"query": "why do celery beat jobs fire twice"}).json()["insights"]
        assert alices_agent.post(QUERY, {"query": "the recipe of a lemon cake"}).json()["abstained"]
        assert [value(name, **labels) for name, labels in names] == [before[0] + 1, before[1] + 1]
        assert value("loam_insights_served_total") == served + 1
        assert value("loam_query_seconds_count", phase="database") == phases + 2
        assert value("loam_query_seconds_sum", phase="database") < value("loam_query_seconds_sum", phase="whole")

    def test_tell_what_became_of_deposits_also_in_batches(self, bobs_agent: APIClient) -> None:
        before = value("loam_deposits_total", outcome="inserted")
        one = {
            "kind": "PITFALL",
            "body": "Celery beat must run as one process, or jobs fire twice.",
            "team": "platform",
        }
        bobs_agent.post("/api/v1/insights/", one)
        batch = [{**one, "body": "Freeze the importer before a release of the mobile app."}, {**one, "kind": "?"}]
        bobs_agent.post("/api/v1/insights/batch/", {"insights": batch})
        assert value("loam_deposits_total", outcome="inserted") == before + 2

    def test_name_endpoints_and_never_addresses(self, client: Client, alice: Member, alices_agent: APIClient) -> None:
        row = make_insight(alice)
        alices_agent.get(f"/api/v1/insights/{row.ref}/?q=kestrel")
        alices_agent.get("/api/v1/kestrel/")
        client.get("/kestrel/")
        text = client.get("/metrics", **HERE).content.decode()
        assert 'endpoint="api:insight"' in text and 'endpoint="none"' in text
        assert row.ref not in text and "kestrel" not in text

    def test_tell_what_waits_and_how_jobs_ended(self, client: Client, alice: Member) -> None:
        row = make_insight(alice)
        type(row).objects.update(embedded_by="", created_at=timezone.now() - timedelta(minutes=3))
        now = timezone.now()
        JobRun.objects.create(name="knowledge.fade", started_at=now, finished_at=now, outcome="stopped")
        found = figures(client)
        assert found["loam_insights_waiting",] == 1
        assert 179 < found["loam_insights_waiting_seconds",] < 240
        assert found["loam_job_outcome", "knowledge.fade", "stopped"] == 1
        assert found["loam_job_started_timestamp_seconds", "knowledge.fade"] == pytest.approx(now.timestamp())
        assert found["loam_pairs_open", "contradiction"] == 0
        assert found["loam_database_up",] == 1

    def test_are_there_without_a_database(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(*_: object) -> None:
            raise OperationalError("the server closed the connection")

        monkeypatch.setattr(metrics, "_waiting", fails)
        found = figures(client)
        assert found["loam_database_up",] == 0
        assert ("loam_pairs_open", "contradiction") not in found
