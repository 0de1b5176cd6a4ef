"""The API against its own OpenAPI schema: requests made from it, each answer held against it (Schemathesis).

Every case begins in the same world: whatever it wrote is rolled back before the next.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import schemathesis
from django.core.signals import got_request_exception, request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    missing_required_header,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

SCHEMA = "/api/v1/schema/"
# Tokens are ours to bring; and whichever refusal the schema has is one for a request that violates it.
CONFIG = {
    "generation": {"with-security-parameters": False},
    "checks": {"negative_data_rejection": {"expected-statuses": ["4xx"]}},
}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    missing_required_header,
    negative_data_rejection,
]
# Of a request's names so many are of things that are there: any other is a 404, and one sort of 404 is like another.
KNOWN_OF_TEN = 8


@dataclass(frozen=True)
class Caller:
    """Somebody with a token, or without; and `known`, field or path part → values that mean something to them."""

    name: str
    headers: dict[str, str]
    known: dict[str, list[Any]]


@dataclass
class Held:
    """What came of a run: how many cases, with which statuses, and each sort of violation with its first request."""

    cases: int = 0
    accepted: set[str] = field(default_factory=set)
    statuses: Counter[int] = field(default_factory=Counter)
    violations: dict[str, str] = field(default_factory=dict)

    def note(self, operation: str, failure: Failure, request: str) -> None:
        told = f"{operation}: {failure.title}: {failure.message}"
        self.violations.setdefault(told[:600], request[:4000])


def operations() -> list[Any]:
    """Every operation of the schema as the running application serves it."""
    with _in_one_connection():
        schema = schemathesis.openapi.from_wsgi(
            SCHEMA, get_wsgi_application(), config=SchemathesisConfig.from_dict(CONFIG)
        )
    return [found.ok() for found in schema.get_all_operations()]


def hold(operation: Any, caller: Caller, *, cases: int, held: Held, seeded: int | None = None) -> None:
    """Send `cases` requests of an operation in a transaction; two of three are valid by the schema.

    `seeded`: None for the same requests every time.
    """
    can_be_wrong = bool(operation.body) or any(one.location != "path" for one in operation.iter_parameters())
    shape = settings(
        max_examples=cases,
        derandomize=seeded is None,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    @shape
    @given(st.data())
    def send(data: st.DataObject) -> None:
        mode = data.draw(st.sampled_from([GenerationMode.POSITIVE] * 2 + [GenerationMode.NEGATIVE]))
        case = data.draw(operation.as_strategy(generation_mode=mode if can_be_wrong else GenerationMode.POSITIVE))
        if case.meta.generation.mode is GenerationMode.POSITIVE:
            _name_known(case, caller, lambda values: _pick(data, values))
        _judge(case, caller, held)

    (send if seeded is None else seed(seeded)(send))()


def _pick(data: st.DataObject, values: list[Any]) -> Any:
    """One of them, or None for what was made up."""
    known = data.draw(st.integers(1, 10)) <= KNOWN_OF_TEN
    return data.draw(st.sampled_from(values)) if known else None


def _name_known(case: Any, caller: Caller, pick: Callable[[list[Any]], Any]) -> None:
    """Put names of things that are there into the path, the parameters and the body, where the schema has room."""
    shapes = [one.raw_schema for one in case.operation.body if isinstance(one.raw_schema, dict)]
    room = [name for shape in shapes for name in _properties(shape)]
    for part in (case.path_parameters, case.query, case.headers, case.body):
        names = [*part, *(room if part is case.body else ())] if hasattr(part, "keys") else []
        for name in dict.fromkeys(names):
            value = pick(caller.known[name]) if name in caller.known else None
            if value is not None:
                part[name] = value


def _properties(shape: dict[str, Any]) -> list[str]:
    bundled = shape.get("x-bundled", {})
    name = str(shape.get("$ref", "")).rpartition("/")[2]
    return list({**shape, **bundled.get(name, {})}.get("properties", {}))


def _judge(case: Any, caller: Caller, held: Held) -> None:
    with transaction.atomic(), _in_one_connection() as raised:
        answer = case.call(headers=caller.headers)
        transaction.set_rollback(True)
    held.cases += 1
    held.statuses[answer.status_code] += 1
    if answer.status_code < 300:
        held.accepted.add(case.operation.label)
    request = f"{caller.name}: {case.as_curl_command()} {raised or ''}"
    try:
        case.validate_response(answer, checks=CHECKS, headers=caller.headers)
    except FailureGroup as group:
        for failure in group.exceptions:
            held.note(case.operation.label, failure, request)
    except Failure as failure:
        held.note(case.operation.label, failure, request)


@contextmanager
def _in_one_connection() -> Iterator[list[BaseException | None]]:
    """A request neither opens nor closes a connection, so that it is part of the transaction around it.

    Yields what it died of, if it did.
    """
    raised: list[BaseException | None] = []

    def note(**more: Any) -> None:
        raised.append(sys.exc_info()[1])

    got_request_exception.connect(note)
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        yield raised
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)
        got_request_exception.disconnect(note)
