"""OpenTelemetry traces, if LOAM_TRACES is set: requests, statements, background jobs and the phases of a question.

The provider is Loam's own and not the global one, so that only the spans written here are sent, and none of libraries,
which may contain arguments. The destination is set by OpenTelemetry's own variables, such as
OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME and OTEL_TRACES_SAMPLER. This module is imported only if traces are on.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

from celery import signals
from django.conf import settings
from django.db import connections
from django.db.backends.signals import connection_created
from django.utils.module_loading import import_string
from opentelemetry.context import Context
from opentelemetry.sdk.trace import Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from accounts.adapters import traces
from accounts.adapters.traces import Annotate
from config.monitoring.resource import described

EXPORTERS = {
    "otlp": "opentelemetry.exporter.otlp.proto.http.trace_exporter.OTLPSpanExporter",
    "console": "opentelemetry.sdk.trace.export.ConsoleSpanExporter",
}
TOLD_ON = ("traceparent", "tracestate")
# The verb and the table of a statement. Its text is not sent, although it contains no values.
_STATEMENT = re.compile(r"\s*(?:WITH\b.*?\b)?(SELECT|INSERT|UPDATE|DELETE)\b", re.IGNORECASE | re.DOTALL)
_TABLE = re.compile(r'\b(?:FROM|INTO|UPDATE)\s+"?([a-z_]{1,63})"?', re.IGNORECASE)
# The part of a statement that is searched for these.
_LOOKED_AT = 20_000


def start(processor: SpanProcessor | None = None) -> Callable[[], None]:
    """Start tracing, to `processor` or to the exporter that LOAM_TRACES names; return the function that stops it."""
    provider = TracerProvider(resource=described())
    exporter = EXPORTERS.get(settings.LOAM_TRACES, settings.LOAM_TRACES)
    provider.add_span_processor(processor or BatchSpanProcessor(import_string(exporter)()))
    tracer = provider.get_tracer("loam")
    jobs: dict[str, AbstractContextManager[Annotate]] = {}

    @contextmanager
    def begin(name: str, carrier: Mapping[str, str] | None = None, *, client: bool = False) -> Iterator[Annotate]:
        context = None if carrier is None else _context_of_caller(carrier)
        kind = SpanKind.SERVER if carrier is not None else SpanKind.CLIENT if client else SpanKind.INTERNAL
        opened = tracer.start_as_current_span(
            name, context, kind, record_exception=False, set_status_on_exception=False
        )
        with opened as span:
            try:
                yield _marking(span)  # type: ignore[arg-type]
            except BaseException as error:
                _failed(span, error)
                raise

    def job_began(task_id: str = "", task: Any = None, **more: Any) -> None:
        jobs[task_id] = begin(f"job {task.name}", {})
        jobs[task_id].__enter__()

    def job_ended(task_id: str = "", state: str = "", **more: Any) -> None:
        job = jobs.pop(task_id, None)
        if job:
            failed = None if state == "SUCCESS" else JobFailed(state)
            with suppress(JobFailed):
                job.__exit__(type(failed) if failed else None, failed, None)

    signals.task_prerun.connect(job_began, weak=False)
    signals.task_postrun.connect(job_ended, weak=False)
    connection_created.connect(_watch, weak=False)
    for connection in connections.all(initialized_only=True):
        _watch(connection=connection)
    traces.use(begin)

    def stop() -> None:
        traces.use(None)
        signals.task_prerun.disconnect(job_began)
        signals.task_postrun.disconnect(job_ended)
        connection_created.disconnect(_watch)
        for connection in connections.all(initialized_only=True):
            if _statement in connection.execute_wrappers:
                connection.execute_wrappers.remove(_statement)
        provider.shutdown()

    return stop


class JobFailed(Exception):
    """A job that did not end well; the reason is in the log."""


def _context_of_caller(carrier: Mapping[str, str]) -> Context:
    said = {name.lower(): value for name, value in carrier.items()}
    return TraceContextTextMapPropagator().extract({name: said[name] for name in TOLD_ON if name in said})


def _marking(span: Span) -> Annotate:
    def mark(name: str = "", **attributes: str | int | float | bool) -> None:
        if name:
            span.update_name(name)
        span.set_attributes({key.replace("__", "."): value for key, value in attributes.items()})

    return mark


def _failed(span: Any, error: BaseException) -> None:
    """Set the type of the error. Its message is not sent, because it may contain what somebody wrote."""
    span.set_attribute("error.type", type(error).__name__)
    span.set_status(StatusCode.ERROR)


def _watch(connection: Any, **more: Any) -> None:
    if _statement not in connection.execute_wrappers:
        connection.execute_wrappers.append(_statement)


def _statement(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
    said = str(sql)[:_LOOKED_AT]
    verb, table = _STATEMENT.match(said), _TABLE.search(said)
    with traces.span("statement") as mark:
        operation = verb[1].upper() if verb else "other"
        mark(
            f"{operation} {table[1]}" if table else operation,
            db__system__name="postgresql",
            db__operation__name=operation,
            db__collection__name=table[1] if table else "",
        )
        return execute(sql, params, many, context)
