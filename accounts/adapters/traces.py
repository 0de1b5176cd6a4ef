"""Traces: what a request is made of and how long each part took, for anyone who set LOAM_TRACES; else next to nothing.

What is told of a span are names, numbers and ids, never a text, a parameter of a statement or what an error says: a
text may be an insight, or have a secret in it. `config/monitoring/tracing.py` puts OpenTelemetry in; without it a span
is one look at a variable.
"""

import functools
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Annotate(Protocol):
    """Says more of the span one is in; `name` renames it."""

    def __call__(self, name: str = "", **attributes: str | int | float | bool) -> None: ...


class Begin(Protocol):
    """Opens a span. `carrier`: headers of anyone who asked from outside, whose trace it goes on with. `client`: another
    program is waited for within.
    """

    def __call__(
        self, name: str, carrier: Mapping[str, str] | None = None, *, client: bool = False
    ) -> AbstractContextManager[Annotate]: ...


def _ignore(name: str = "", **attributes: str | int | float | bool) -> None:
    pass


_NOTHING: AbstractContextManager[Annotate] = nullcontext(_ignore)
_begin: Begin | None = None


def use(begin: Begin | None) -> None:
    """From now on spans are opened by this, or by nobody."""
    global _begin
    _begin = begin


def span(
    name: str, carrier: Mapping[str, str] | None = None, *, client: bool = False
) -> AbstractContextManager[Annotate]:
    return _NOTHING if _begin is None else _begin(name, carrier, client=client)


def traced(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A function as a span of its own."""

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            if _begin is None:
                return function(*args, **kwargs)
            with _begin(name):
                return function(*args, **kwargs)

        return run

    return wrap
