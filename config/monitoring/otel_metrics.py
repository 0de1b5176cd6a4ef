"""OpenTelemetry metrics, if LOAM_METRICS is set: requests, questions, deposits, calls of language models, and the
gauges of `/metrics`.

Names and units follow OpenTelemetry's conventions where there are any (`http.server.request.duration`,
`gen_ai.client.operation.duration`, `gen_ai.client.token.usage`); the others are those of `/metrics` with dots.
Destination and interval are set by OpenTelemetry's own variables, such as OTEL_METRIC_EXPORT_INTERVAL. As with traces,
the provider is Loam's own, and this module is imported only if it is used.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.module_loading import import_string
from opentelemetry.metrics import CallbackOptions, Meter, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from prometheus_client import Counter
from prometheus_client.core import Metric

from accounts.adapters import model_calls
from accounts.adapters.model_calls import ModelRequest, ModelUsage
from config.middleware.replica import READS
from config.monitoring import metrics
from config.monitoring.resource import described

EXPORTERS = {
    "otlp": "opentelemetry.exporter.otlp.proto.http.metric_exporter.OTLPMetricExporter",
    "console": "opentelemetry.sdk.metrics.export.ConsoleMetricExporter",
}
COUNTERS: tuple[tuple[str, Counter], ...] = (
    ("loam.queries", metrics.QUERIES),
    ("loam.insights.served", metrics.SERVED),
    ("loam.deposits", metrics.DEPOSITS),
    ("loam.degraded", metrics.DEGRADED),
    ("loam.replica.reads", READS),
)
# The figures on stored rows at /metrics; jobs are in traces.
GAUGES = (
    "loam_database_up", "loam_insights_waiting", "loam_insights_waiting_seconds", "loam_pairs_open",
    "loam_audit_faults", "loam_job_seconds", "loam_sync_standbys", "loam_sync_standbys_needed",
    "loam_standby_behind_bytes", "loam_read_standby_behind_bytes", "loam_archive_failing",
    "loam_replication_slot_held_bytes", "loam_backup_timestamp_seconds", "loam_backup_max_age_seconds",
    "loam_team_stopped_seconds",
)  # fmt: skip
UNITS = {"seconds": "s", "bytes": "By"}
# As the conventions recommend.
CALL_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
CALL_TOKENS = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576)
# Seconds for which the stored figures are cached: all gauges are read in one go.
HOLDS = 2.0


def start(reader: MetricReader | None = None, *, store: bool = True) -> Callable[[], None]:
    """Start sending metrics, by `reader` or to the exporter that LOAM_METRICS names; return the function that stops it.
    `store`: include the figures on stored rows.
    """
    exporter = EXPORTERS.get(settings.LOAM_METRICS, settings.LOAM_METRICS)
    chosen = reader or PeriodicExportingMetricReader(import_string(exporter)())
    provider = MeterProvider(metric_readers=[chosen], resource=described())
    meter = provider.get_meter("loam", settings.VERSION)
    noted, phased = _requests(meter), _phases(meter)
    metrics.also_noted.append(noted)
    metrics.also_phased.append(phased)
    model_calls.use(_model_calls(meter))
    for name, counter in COUNTERS:
        meter.create_observable_counter(name, [_counted(counter)], description=counter._documentation)
    if store:
        stored = Stored()
        for name in GAUGES:
            unit = UNITS.get(name.rpartition("_")[2], "")
            meter.create_observable_gauge(name.replace("_", ".", 1), [stored.gauge(name)], unit=unit)

    def stop() -> None:
        metrics.also_noted.remove(noted)
        metrics.also_phased.remove(phased)
        model_calls.use(None)
        provider.shutdown()

    return stop


def _requests(meter: Meter) -> Callable[[str, str, int, float], None]:
    seconds = meter.create_histogram(
        "http.server.request.duration",
        "s",
        "Requests by endpoint.",
        explicit_bucket_boundaries_advisory=metrics.BUCKETS,
    )

    def note(endpoint: str, method: str, status: int, took: float) -> None:
        told: dict[str, str | int] = {"http.request.method": method, "http.route": endpoint}
        told["http.response.status_code"] = status
        seconds.record(took, told)

    return note


def _phases(meter: Meter) -> Callable[[str, float], None]:
    seconds = meter.create_histogram(
        "loam.query.duration", "s", "Questions by phase.", explicit_bucket_boundaries_advisory=metrics.BUCKETS
    )
    return lambda phase, took: seconds.record(took, {"phase": phase})


def _model_calls(meter: Meter) -> Callable[[ModelRequest, ModelUsage, float, str], None]:
    seconds = meter.create_histogram(
        "gen_ai.client.operation.duration", "s", "Calls of language models.",
        explicit_bucket_boundaries_advisory=CALL_SECONDS,
    )  # fmt: skip
    tokens = meter.create_histogram(
        "gen_ai.client.token.usage", "{token}", "Tokens of a call.", explicit_bucket_boundaries_advisory=CALL_TOKENS
    )

    def record(asked: ModelRequest, used: ModelUsage, took: float, error: str) -> None:
        told: dict[str, str | int] = {
            "gen_ai.operation.name": asked.operation,
            "gen_ai.provider.name": asked.provider,
            "gen_ai.request.model": asked.model,
            "server.address": asked.server,
            "server.port": asked.port,
            "loam.purpose": asked.purpose,
        }
        seconds.record(took, told | ({"error.type": error} if error else {}))
        tokens.record(used.input_tokens, told | {"gen_ai.token.type": "input"})
        tokens.record(used.output_tokens, told | {"gen_ai.token.type": "output"})

    return record


Observe = Callable[[CallbackOptions], Iterable[Observation]]


def _counted(counter: Counter) -> Observe:
    """Return the values of a counter of this process, without its creation times."""

    def observe(options: CallbackOptions) -> Iterable[Observation]:
        samples = (sample for family in counter.collect() for sample in family.samples)
        return [Observation(one.value, dict(one.labels)) for one in samples if one.name.endswith("_total")]

    return observe


class Stored:
    """The figures on stored rows, read once for all gauges of one export."""

    def __init__(self) -> None:
        self._at, self._found = float("-inf"), dict[str, Metric]()

    def gauge(self, name: str) -> Observe:
        def observe(options: CallbackOptions) -> Iterable[Observation]:
            found = self._read().get(name)
            return [Observation(one.value, dict(one.labels)) for one in (found.samples if found else ())]

        return observe

    def _read(self) -> dict[str, Any]:
        """Read them in the exporter's own thread, whose connection nobody else returns to the pool."""
        if time.monotonic() - self._at > HOLDS:
            try:
                self._found = {metric.name: metric for metric in metrics.Store().collect()}
            finally:
                connection.close()
            self._at = time.monotonic()
        return self._found
