"""Record calls of language models by OpenTelemetry's conventions (`gen_ai`), if LOAM_TRACES or LOAM_METRICS is set;
otherwise nearly without cost.

Only names and numbers are recorded: the model, its provider, the purpose, the number of tokens, the duration, and the
type of an error. Never a prompt, an answer, a key or an endpoint's message.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from accounts.adapters.traces import span


@dataclass(frozen=True)
class ModelRequest:
    """The called model. `provider` and `operation`: values of OpenTelemetry's lists; `server`: a host name; `purpose`:
    ours.
    """

    purpose: str
    model: str
    provider: str
    server: str
    port: int
    most_tokens: int
    operation: str = "chat"


@dataclass
class ModelUsage:
    """The tokens used, filled in by the caller; also for a failed call."""

    input_tokens: int = 0
    output_tokens: int = 0
    tries: int = 0


Record = Callable[[ModelRequest, ModelUsage, float, str], None]


_record: Record | None = None


def use(record: Record | None) -> None:
    """Set the function that records each call (request, usage, seconds, type of the error if any), or None."""
    global _record
    _record = record


@contextmanager
def model_call(request: ModelRequest) -> Iterator[ModelUsage]:
    """Record one call, with all its retries, as a span and as one measurement."""
    used, began, error = ModelUsage(), time.perf_counter(), ""
    try:
        with span(f"{request.operation} {request.model}", client=True) as mark:
            try:
                yield used
            finally:
                mark(
                    gen_ai__operation__name=request.operation,
                    gen_ai__provider__name=request.provider,
                    gen_ai__system=request.provider,  # the attribute's name until version 1.37 of the conventions
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
