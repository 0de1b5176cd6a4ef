"""A rule's table in one test: every case is tried, and each that fails is named."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

# What a case says of itself where it has no id: the longest of the tables are texts of thousands of characters.
LONGEST = 200
PARAM = type(pytest.param())
FAILURES = (Exception, pytest.fail.Exception)


def cases(
    names: str | Sequence[str], table: Iterable[Any], ids: Iterable[Any] | Callable[[Any], Any] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """`pytest.mark.parametrize` for a test without set-up: one test, which fails with every case that failed.

    A test of its own costs some milliseconds in each process of a run, more than most rules take for a whole table. One
    above another tries each case of the one with each of the other. A test that changes what its next case finds
    (rows, files, settings) stays with `parametrize`.
    """
    called = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    alone = isinstance(names, str) and len(called) == 1
    rows = [_case(row, alone) for row in table]
    if ids is not None and not callable(ids):
        rows = [(given or name, values) for given, (name, values) in zip(ids, rows, strict=True)]
    elif ids is not None:
        rows = [(", ".join(str(ids(value)) for value in values), values) for _, values in rows]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def try_each(*args: Any, **given: Any) -> None:
            assert rows, "a table without a case"
            failed: list[BaseException] = []
            for name, values in rows:
                try:
                    test(*args, **given, **dict(zip(called, values, strict=True)))
                except FAILURES as failure:
                    failure.add_note(f"case: {name}")
                    failed.append(failure)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(rows)} cases of {test.__name__}", failed)

        signature = inspect.signature(test)
        assert set(called) <= set(signature.parameters), f"{test.__name__} does not take {called}"
        kept = [parameter for name, parameter in signature.parameters.items() if name not in called]
        try_each.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return try_each

    return decorate


def _case(row: Any, alone: bool) -> tuple[str, tuple[Any, ...]]:
    """How a case is named, and its values."""
    if isinstance(row, PARAM):
        return row.id or ", ".join(map(repr, row.values))[:LONGEST], tuple(row.values)
    values = (row,) if alone else tuple(row)
    return ", ".join(map(repr, values))[:LONGEST], values
