"""Traces: the parts of a request and their durations, if LOAM_TRACES is set; otherwise nearly without cost.

A span has names, numbers and ids only, never a text, a parameter of a statement or an error's message: a text may be an
insight, or contain a secret. `config/monitoring/tracing.py` connects OpenTelemetry; without it a span costs one look at
a variable.
"""

import functools
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Annotate(Protocol):
    """Adds attributes to the current span; `name` renames it."""

    def __call__(self, name: str = "", **attributes: str | int | float | bool) -> None: ...


class Begin(Protocol):
    """Opens a span. `carrier`: the headers of an outside caller, whose trace it continues. `client`: the span waits for
    another program.
    """

    def __call__(
        self, name: str, carrier: Mapping[str, str] | None = None, *, client: bool = False
    ) -> AbstractContextManager[Annotate]: ...


def _ignore(name: str = "", **attributes: str | int | float | bool) -> None:
    pass


_NOTHING: AbstractContextManager[Annotate] = nullcontext(_ignore)
_begin: Begin | None = None


def use(begin: Begin | None) -> None:
    """Set the function that opens spans, or None."""
    global _begin
    _begin = begin


def span(
    name: str, carrier: Mapping[str, str] | None = None, *, client: bool = False
) -> AbstractContextManager[Annotate]:
    return _NOTHING if _begin is None else _begin(name, carrier, client=client)


def traced(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that runs a function in a span of its own."""

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            if _begin is None:
                return function(*args, **kwargs)
            with _begin(name):
                return function(*args, **kwargs)

        return run

    return wrap
