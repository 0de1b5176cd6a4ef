"""Which fields of an address or a form a page reads: what no code asks for can do no harm, whatever it says."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.http import QueryDict

# How code asks for one field, and for all of them at once.
ONE = ("__getitem__", "__contains__", "get", "getlist", "pop", "setdefault")
ALL = ("__iter__", "keys", "values", "items", "lists", "dict", "copy", "urlencode")


@contextmanager
def noting(fields: list[str]) -> Iterator[set[str]]:
    """A set that fills with those of `fields` that are read from any query string or form meanwhile."""
    read: set[str] = set()

    def of_one(method: Callable[..., Any]) -> Callable[..., Any]:
        def ask(self: QueryDict, key: str, *rest: Any, **named: Any) -> Any:
            read.add(key)
            return method(self, key, *rest, **named)

        return ask

    def of_all(method: Callable[..., Any]) -> Callable[..., Any]:
        def ask(self: QueryDict, *rest: Any, **named: Any) -> Any:
            read.update(fields)
            return method(self, *rest, **named)

        return ask

    def filled(self: QueryDict, key: str, value: str) -> None:
        """As appendlist, which looks what is there: filling in is no reading."""
        before = set(read)
        fill(self, key, value)
        read.intersection_update(before)

    fill = QueryDict.appendlist
    with pytest.MonkeyPatch.context() as patch:
        for names, spy in ((ONE, of_one), (ALL, of_all)):
            for name in names:
                patch.setattr(QueryDict, name, spy(getattr(QueryDict, name)))
        patch.setattr(QueryDict, "appendlist", filled)
        yield read
    read.intersection_update(fields)
