"""Give every request an id, count it (config/monitoring/metrics.py), and log it in one line
(config/monitoring/logs.py).
"""

import logging
import re
import time
import uuid
from collections.abc import Callable
from typing import Any

from django.db import connection
from django.http import HttpRequest, HttpResponse

from accounts.adapters.traces import Annotate, span
from config.monitoring.logs import CURRENT
from config.monitoring.metrics import note

logger = logging.getLogger("loam.requests")

# An id that a proxy or a client may set; anything else could forge log lines.
NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RequestLog:
    """The outermost middleware, so that no answer is missed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        request.id = given if NAME.fullmatch(given) else uuid.uuid4().hex  # type: ignore[attr-defined]
        began, clock = time.perf_counter(), Clock()
        token = CURRENT.set(request)
        try:
            with span("request", request.headers) as mark, connection.execute_wrapper(clock):
                answer = self.get_response(request)
                _tell(mark, request, answer)
            seconds = time.perf_counter() - began
            endpoint, method = _endpoint(request), str(request.method)
            note(endpoint=endpoint, method=method, answer=answer, seconds=seconds, in_database=clock.seconds)
            logger.info(
                "answered",
                extra={"endpoint": endpoint, "method": method, "status": answer.status_code, "ms": _ms(seconds)}
                | {"database_ms": _ms(clock.seconds), "statements": clock.statements},
            )
        finally:
            CURRENT.reset(token)
        answer["X-Request-ID"] = request.id  # type: ignore[attr-defined]
        return answer


def _tell(mark: Annotate, request: HttpRequest, answer: HttpResponse) -> None:
    """Set the name of the URL on a request's trace, never the URL itself."""
    endpoint, method = _endpoint(request), str(request.method)
    mark(
        f"{method} {endpoint}",
        http__request__method=method,
        http__route=endpoint,
        http__response__status_code=answer.status_code,
        loam__request=request.id,  # type: ignore[attr-defined]
        loam__member=getattr(getattr(request, "member", None), "user_id", 0) or 0,
    )


class Clock:
    """Counts statements and the time spent in them; wraps each of them."""

    def __init__(self) -> None:
        self.seconds, self.statements = 0.0, 0

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        began = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.seconds += time.perf_counter() - began
            self.statements += 1


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)


def _endpoint(request: HttpRequest) -> str:
    """Return the name of the URL, never the URL, which contains references and search texts."""
    match = request.resolver_match
    if match is None:
        return "none"
    if "admin" in match.app_names:
        return "admin"
    return match.view_name if match.url_name else getattr(match.func, "__name__", "none")
