"""Calls of language models, in OpenTelemetry's words for them (`gen_ai`), for anyone who set LOAM_TRACES or
LOAM_METRICS; else next to nothing.

They carry names and numbers: which model of which provider, for what purpose, how many tokens, how long, and the
kind of an error. Never a prompt, an answer, a key or what an endpoint says.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from accounts.adapters.traces import span


@dataclass(frozen=True)
class ModelRequest:
    """Who is asked: `provider` and `operation` are of OpenTelemetry's lists, `server` a host's name, `purpose` ours."""

    purpose: str
    model: str
    provider: str
    server: str
    port: int
    most_tokens: int
    operation: str = "chat"


@dataclass
class ModelUsage:
    """What it took, filled in by the caller: also of a call in vain."""

    input_tokens: int = 0
    output_tokens: int = 0
    tries: int = 0


Record = Callable[[ModelRequest, ModelUsage, float, str], None]


_record: Record | None = None


def use(record: Record | None) -> None:
    """From now on each call is counted by this, or by nobody: what was asked, what it took, its seconds, and
    the kind of its error, if any.
    """
    global _record
    _record = record


@contextmanager
def model_call(request: ModelRequest) -> Iterator[ModelUsage]:
    """One call, all its tries together, as a span and as one of the figures."""
    used, began, error = ModelUsage(), time.perf_counter(), ""
    try:
        with span(f"{request.operation} {request.model}", client=True) as mark:
            try:
                yield used
            finally:
                mark(
                    gen_ai__operation__name=request.operation,
                    gen_ai__provider__name=request.provider,
                    gen_ai__system=request.provider,  # what it was called until version 1.37 of the conventions
                    gen_ai__request__model=request.model,
                    gen_ai__request__max_tokens=request.most_tokens,
                    gen_ai__output__type="json",
                    gen_ai__usage__input_tokens=used.input_tokens,
                    gen_ai__usage__output_tokens=used.output_tokens,
                    server__address=request.server,
                    server__port=request.port,
                    loam__purpose=request.purpose,
                    loam__tries=used.tries,
                )
    except BaseException as failure:
        error = type(failure).__name__
        raise
    finally:
        if _record:
            _record(request, used, time.perf_counter() - began, error)
