"""Whether a collector takes what it would be sent, as the doctor tells it."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from config.monitoring import collectors
from config.monitoring.system_part import SystemPart


class Answering(BaseHTTPRequestHandler):
    """Takes OTLP at its own paths, from whom it knows."""

    heard: ClassVar[list[tuple[str, bytes]]] = []

    def do_POST(self) -> None:
        self.heard.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        there = self.path in ("/v1/traces", "/v1/metrics")
        self.send_response(404 if not there else 200 if self.headers["X-Key"] == "a key" else 401)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def address(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    settings.LOAM_TRACES = "otlp"
    Answering.heard.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20key")
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def part() -> SystemPart:
    (found,) = collectors.parts()
    return found


class TestACollector:
    def test_that_takes_what_it_is_sent_is_well(self, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        assert (part().ok, part().said) == (True, f"taken by {address}/v1/traces")
        assert set(Answering.heard) == {("/v1/traces", b"")}

    def test_may_have_an_address_for_traces_alone(self, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{address}/v1/traces")
        assert part().ok

    @pytest.mark.parametrize(
        ("path", "headers", "said", "mend"),
        [
            ("/other", "x-key=a%20key", "/other/v1/traces answers 404: traces are lost.", "_ENDPOINT"),
            ("", "x-key=another", "/v1/traces answers 401: traces are lost.", "_HEADERS"),
        ],
    )
    def test_that_refuses_is_wrong(
        self, address: str, monkeypatch: pytest.MonkeyPatch, path: str, headers: str, said: str, mend: str
    ) -> None:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address + path)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", headers)
        found = part()
        assert (found.ok, found.said) == (False, address + said)
        assert mend in found.mend and "another" not in found.said

    def test_that_is_away_is_wrong_and_no_password_is_repeated(
        self, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.LOAM_TRACES = "otlp"
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:g3h31m@127.0.0.1:9")
        found = part()
        assert (found.ok, "cannot be reached" in found.said, "127.0.0.1:9" in found.said) == (False, True, True)
        assert "g3h31m" not in found.said + found.mend

    def test_of_metrics_is_looked_at_as_well(
        self, address: str, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.LOAM_METRICS = "otlp"
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"{address}/")
        assert [(one.name, one.ok) for one in collectors.parts()] == [("traces", True), ("metrics", True)]
        assert {path for path, _ in Answering.heard} == {"/v1/traces", "/v1/metrics"}

    def test_that_nothing_is_sent_to_is_not_looked_at(self, settings: Any) -> None:
        for settings.LOAM_TRACES in ("", "console"):
            assert list(collectors.parts()) == []

    def test_of_missing_packages_is_the_settings_check(self, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        settings.LOAM_TRACES = "otlp"
        monkeypatch.setattr(collectors, "tracing_faults", lambda: ["not installed"])
        assert list(collectors.parts()) == []
