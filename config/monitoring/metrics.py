"""Prometheus metrics at `/metrics`: the requests to this deployment and their results.

Each web process counts its own requests (config/middleware/request_log.py). If there are several, `serve` gives them a
common folder, PROMETHEUS_MULTIPROC_DIR, and whichever process is scraped answers for all. Figures on stored rows (what
waits, is open, or ended how) are read at each scrape, in a handful of small statements.
"""

import hmac
import os
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from accounts.models import JobRun
from config import errors
from config.monitoring import database_metrics
from knowledge.adapters.embedder import current
from knowledge.jobs.actions.audit import last_audit
from knowledge.models import Insight, Pair

# In seconds. A question takes 20 to 60 ms, a search through files seconds.
BUCKETS = (0.005, 0.01, 0.02, 0.035, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
REQUESTS = Histogram("loam_request_seconds", "Requests by endpoint.", ["endpoint", "method", "status"], buckets=BUCKETS)
PHASES = Histogram("loam_query_seconds", "Questions (query/) by phase.", ["phase"], buckets=BUCKETS)
QUERIES = Counter("loam_queries", "Questions by outcome: answered, abstained.", ["outcome"])
SERVED = Counter("loam_insights_served", "Insights in answers to questions.")
DEPOSITS = Counter("loam_deposits", "Deposits by outcome: inserted, merged, superseding, queued.", ["outcome"])
DEGRADED = Counter("loam_degraded", "Degraded answers by missing component.", ["component"])

# Functions that are called for each request (endpoint, method, status, seconds) and for each phase of a question
# (phase, seconds): see config/monitoring/otel_metrics.py.
also_noted: list[Callable[[str, str, int, float], None]] = []
also_phased: list[Callable[[str, float], None]] = []

LOOPBACK = {"127.0.0.1", "::1"}


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics in Prometheus' text format; 404 to a caller without the right."""
    if not _may_ask(request):
        return errors.handler404(request)
    return HttpResponse(generate_latest(_registry()), content_type=CONTENT_TYPE_LATEST)


def _may_ask(request: HttpRequest) -> bool:
    """Return whether the caller has METRICS_TOKEN as a bearer token; if none is set, whether it is this machine itself,
    not through a proxy.
    """
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return hmac.compare_digest(given.encode(), settings.METRICS_TOKEN.encode())
    forwarded = any(name in request.headers for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP"))
    return request.META.get("REMOTE_ADDR") in LOOPBACK and not forwarded


def _registry() -> CollectorRegistry:
    registry = CollectorRegistry()
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        MultiProcessCollector(registry)
    else:
        registry.register(REGISTRY)
    registry.register(Store())
    return registry


# --- what answers say ---------------------------------------------------------------------------------------
def _of_query(data: Any) -> None:
    QUERIES.labels("abstained" if data["abstained"] else "answered").inc()
    SERVED.inc(len(data["insights"]))
    for part in data["degraded"]:
        DEGRADED.labels(part["component"]).inc()


def _of_deposit(data: Any) -> None:
    for one in data.get("results", [data]):
        if "outcome" in one:
            DEPOSITS.labels(one["outcome"]).inc()


TOLD: dict[str, Callable[[Any], None]] = {
    "api:query": _of_query,
    "api:insights": _of_deposit,
    "api:insight-batch": _of_deposit,
}


def note(*, endpoint: str, method: str, answer: Any, seconds: float, in_database: float) -> None:
    """Count one answered request."""
    REQUESTS.labels(endpoint, method, f"{answer.status_code // 100}xx").observe(seconds)
    for also in also_noted:
        also(endpoint, method, answer.status_code, seconds)
    if method != "POST" or answer.status_code >= 300:
        return
    if endpoint == "api:query":
        for phase, took in (("whole", seconds), ("database", in_database), ("web", seconds - in_database)):
            PHASES.labels(phase).observe(took)
            for also_phase in also_phased:
                also_phase(phase, took)
    if endpoint in TOLD:
        TOLD[endpoint](answer.data)


# --- what is stored -----------------------------------------------------------------------------------------
class Store(Collector):
    """Reads the figures at each scrape. Without a database one figure is left: that it is down."""

    def collect(self) -> Iterable[Metric]:
        try:
            found = list(self._found(timezone.now()))
        except DatabaseError:
            return [GaugeMetricFamily("loam_database_up", "Whether the database answers.", value=0)]
        return [GaugeMetricFamily("loam_database_up", "Whether the database answers.", value=1), *found]

    def _found(self, now: datetime) -> Iterable[Metric]:
        yield from _waiting(now)
        pairs = GaugeMetricFamily("loam_pairs_open", "Open pairs awaiting review.", labels=["question"])
        for question in Pair.Question.values:
            pairs.add_metric([question], Pair.objects.all().open().filter(question=question).count())
        yield pairs
        yield from _jobs()
        yield GaugeMetricFamily("loam_audit_faults", "Errors found by the last audit.", value=last_audit().faults)
        yield from database_metrics.kept.found(now)


def _waiting(now: datetime) -> Iterable[Metric]:
    rows = Insight.objects.all().waiting_for_vector(current().name)
    oldest = rows.aggregate(at=Min("created_at"))["at"]
    age = (now - oldest).total_seconds() if oldest else 0
    yield GaugeMetricFamily("loam_insights_waiting", "Insights without a vector.", value=rows.count())
    yield GaugeMetricFamily("loam_insights_waiting_seconds", "Age of the oldest insight without a vector.", value=age)


def _jobs() -> Iterable[Metric]:
    at = GaugeMetricFamily("loam_job_started_timestamp_seconds", "Start time of each job's last run.", labels=["job"])
    took = GaugeMetricFamily("loam_job_seconds", "Duration of each job's last run.", labels=["job"])
    outcome = GaugeMetricFamily(
        "loam_job_outcome", "Outcome of each job's last run: 1 for the current one.", labels=["job", "outcome"]
    )
    for run in JobRun.objects.all().latest_of_each():
        at.add_metric([run.name], run.started_at.timestamp())
        outcome.add_metric([run.name, run.outcome], 1)
        if run.finished_at:
            took.add_metric([run.name], (run.finished_at - run.started_at).total_seconds())
    return [at, took, outcome]
