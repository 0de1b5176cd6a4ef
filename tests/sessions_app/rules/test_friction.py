"""Errors that keep coming back."""

from datetime import UTC, datetime
from typing import Any

from sessions_app.rules.friction import Met, modules_of, report
from tests.cases import cases

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def met(name: str = "a" * 32, **over: Any) -> Met:
    fields: dict[str, Any] = {
        "fingerprint": name, "template": "KeyError: 'x'", "count": 2, "sessions": 2, "people": 1, "first_at": AT,
        "last_at": AT, "overcome": 0, "last_open": AT, "paths": ("src/web/a.py",), "repos": ("acme/web",),
    }  # fmt: skip
    return Met(**{**fields, **over})


class TestAnError:
    @cases(
        ("over", "known", "shown"),
        [
            ({}, [], True),
            ({"count": 2, "sessions": 1}, [], False),
            ({"count": 3, "sessions": 1}, [], True),
            ({"last_open": None, "overcome": 2}, [], True),
            ({"last_open": None, "overcome": 2}, ["PLAT-1"], False),
            ({}, ["PLAT-1"], True),
        ],
    )
    def test_is_shown_while_it_recurs_and_is_unresolved(
        self, over: dict[str, Any], known: list[str], shown: bool
    ) -> None:
        found = report([met(**over)], {"a" * 32: known}).errors
        assert bool(found) is shown
        assert not found or found[0].insights == tuple(known)

    def test_met_in_more_sessions_comes_first(self) -> None:
        found = report([met("a", sessions=2, count=9), met("b", sessions=4, count=4)], {}).errors
        assert [one.met.fingerprint for one in found] == ["b", "a"]


class TestModules:
    def test_are_the_leading_folders(self) -> None:
        paths = ("src/web/forms/a.py", "src/web/b.py", "manage.py", "", "./src/api/c.py")
        assert modules_of(paths) == ("src/web", "manage.py", "src/api")

    def test_with_the_most_kinds_of_errors_come_first(self) -> None:
        rows = report([met("a"), met("b"), met("c", paths=("src/api/x.py",) * 9)], {}).modules
        assert [(row.module, row.errors, row.count) for row in rows] == [("src/web", 2, 2), ("src/api", 1, 9)]
