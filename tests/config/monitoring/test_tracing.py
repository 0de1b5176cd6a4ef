"""Traces: each part of a request, a statement and a job is told of, and nothing of what was written."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from celery import shared_task
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from rest_framework.test import APIClient

from accounts.adapters import traces
from accounts.models import User
from accounts.rules.rights import Member
from config import checks
from config.monitoring import tracing
from tests.factories import make_insight
from tests.otlp import collecting

WORD = "kestrel"
SECRET = "AKIA" + "IOSFODNN7ABCDEFG"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@shared_task(name="tests.traced")
def job(text: str, fails: bool = False) -> None:
    if fails:
        raise ValueError(text)


@pytest.fixture
def memory() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    stop = tracing.start(SimpleSpanProcessor(exporter))
    yield exporter
    stop()


def told(memory: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in memory.get_finished_spans()}


def everything(memory: InMemorySpanExporter) -> str:
    return " ".join(span.to_json() for span in memory.get_finished_spans())


class TestARequest:
    def test_is_one_trace_of_its_phases_and_statements(
        self, memory: InMemorySpanExporter, alice: Member, bobs_agent: APIClient, bob_user: User
    ) -> None:
        make_insight(alice, body=f"The {WORD} release ships on Friday.")
        memory.clear()
        answer = bobs_agent.post("/api/v1/query/", {"query": f"when does {WORD} ship?"}, HTTP_X_REQUEST_ID="abc-1")
        assert answer.json()["insights"]
        spans = told(memory)
        phases = {"query", "query embed", "query candidates", "query rank", "query cut", "query pack"}
        assert phases | {"POST api:query", "INSERT knowledge_query"} <= set(spans)
        assert len({span.context.trace_id for span in memory.get_finished_spans()}) == 1
        root = spans["POST api:query"]
        assert dict(root.attributes or {}) == {
            "http.request.method": "POST",
            "http.route": "api:query",
            "http.response.status_code": 200,
            "loam.request": "abc-1",
            "loam.member": bob_user.pk,
        }
        assert spans["query rank"].parent.span_id == spans["query"].context.span_id

    def test_says_nothing_of_what_was_written_asked_or_carried(
        self, memory: InMemorySpanExporter, alice: Member, alices_agent: APIClient
    ) -> None:
        make_insight(alice, body=f"The {WORD} release ships on Friday.", tags=[WORD])
        alices_agent.post("/api/v1/query/", {"query": f"when does {WORD} ship?", "tags": [WORD]})
        alices_agent.get("/api/v1/insights/", {"q": WORD, "tag": WORD})
        alices_agent.get(f"/api/v1/insights/{WORD}/")
        assert alices_agent.post("/api/v1/insights/", {"kind": "PITFALL", "body": SECRET}).status_code == 400
        said = everything(memory)
        bearer = alices_agent._credentials["HTTP_AUTHORIZATION"].split()[1]
        assert len(memory.get_finished_spans()) > 40
        assert [word for word in (WORD, SECRET, bearer, bearer[-20:]) if word in said] == []

    def test_goes_on_with_the_trace_of_whoever_asked(self, memory: InMemorySpanExporter, bobs_agent: APIClient) -> None:
        memory.clear()
        bobs_agent.get("/api/v1/me/", HTTP_TRACEPARENT=f"00-{TRACE}-00f067aa0ba902b7-01")
        assert format(told(memory)["GET api:me"].context.trace_id, "032x") == TRACE


class TestAJob:
    def test_is_a_trace_of_its_own_and_tells_that_it_failed_not_why(self, memory: InMemorySpanExporter) -> None:
        job.apply(kwargs={"text": WORD})
        job.apply(kwargs={"text": WORD, "fails": True})
        ended = [(span.name, span.status.is_ok, dict(span.attributes or {})) for span in memory.get_finished_spans()]
        assert ended == [
            ("job tests.traced", True, {}),
            ("job tests.traced", False, {"error.type": "JobFailed"}),
        ]
        assert WORD not in everything(memory)


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[list[tuple[str, str, bytes]]]:
    settings.LOAM_TRACES = "otlp"
    with collecting() as (address, heard):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        yield heard


class TestACollector:
    def test_is_sent_the_spans_and_nothing_of_what_was_written(
        self, heard: list[tuple[str, str, bytes]], alice: Member, alices_agent: APIClient
    ) -> None:
        reason = "what LOAM_TRACES=otlp needs is in requirements-traces.lock and requirements-dev.lock"
        service = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2", reason=reason)
        stop = tracing.start()
        made = alices_agent.post("/api/v1/insights/", {"kind": "PITFALL", "body": f"The {WORD} ships on Friday."})
        assert made.status_code == 201
        assert (
            alices_agent.post("/api/v1/query/", {"query": f"when does {WORD} ship?", "tags": [WORD]}).status_code == 200
        )
        alices_agent.get(f"/api/v1/insights/?q={WORD}")
        job.apply(kwargs={"text": WORD, "fails": True})
        stop()
        spans: dict[str, Any] = {}
        for path, media, body in heard:
            assert (path, media) == ("/v1/traces", "application/x-protobuf")
            assert WORD.encode() not in body
            for of_resource in service.ExportTraceServiceRequest.FromString(body).resource_spans:
                assert "loam" in str(of_resource.resource)
                spans |= {span.name: span for scope in of_resource.scope_spans for span in scope.spans}
        expected = {"POST api:insights", "POST api:query", "query", "query embed", "INSERT knowledge_query"}
        assert expected | {"GET api:insights", "job tests.traced"} <= set(spans)
        assert {one.key for one in spans["POST api:query"].attributes} >= {"http.route", "loam.member", "loam.request"}


class TestTheSetting:
    def test_is_off_and_then_nothing_of_it_is_imported(self) -> None:
        code = "import django; django.setup(); import sys; print([m for m in sys.modules if 'opentelemetry.sdk' in m])"
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == "[]"

    def test_when_off_a_span_is_nothing(self) -> None:
        assert traces.span("one") is traces.span("other")
        with traces.span("one") as mark:
            mark("name", some=1)

    def test_without_the_packages_is_told_with_how_to_mend_it(
        self, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.LOAM_TRACES = "otlp"
        monkeypatch.setattr(checks, "find_spec", lambda name: None if "exporter" in name else find_spec(name))
        (fault,) = checks.tracing_faults()
        assert "requirements-traces.lock" in (fault.hint or "")
        settings.LOAM_TRACES = "console"
        assert checks.tracing_faults() == []
