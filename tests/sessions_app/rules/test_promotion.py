"""Which events are worth remembering."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sessions_app.rules.promotion import lessons
from sessions_app.rules.recovery import Event

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ERROR = "KeyError: 'tenant'"


def events(*rows: tuple[str, str, str, str]) -> list[Event]:
    """(kind, path or command, outcome, error), a minute apart."""
    made: list[Event] = []
    for minute, (kind, what, outcome, error) in enumerate(rows):
        where: dict[str, Any] = {"path" if kind in ("edit", "write") else "command": what}
        made.append(Event(kind=kind, at=AT + timedelta(minutes=minute), outcome=outcome, error=error, **where))
    return made


FAILED, PASSED = ("test", "pytest", "failed", ERROR), ("test", "pytest", "passed", "")
EDIT = ("edit", "src/a.py", "", "")


class TestAnErrorThatWasOvercome:
    def test_is_a_solution_that_says_what_was_recorded(self) -> None:
        [lesson] = lessons(events(FAILED, EDIT, ("write", "src/b.py", "", ""), PASSED))
        assert (lesson.kind, lesson.error, lesson.files) == ("SOLUTION", ERROR, ("src/a.py", "src/b.py"))
        assert lesson.body == f"`pytest` failed with: {ERROR}\nAfter editing src/a.py, src/b.py it passed."

    @pytest.mark.parametrize(
        "rows",
        [
            [FAILED, EDIT],
            [FAILED, PASSED],
            [EDIT, FAILED, PASSED],
            [FAILED, EDIT, ("test", "pytest -k one", "passed", "")],
            [FAILED, *(("edit", f"src/{n}.py", "", "") for n in range(9)), PASSED],
            [("test", "pytest", "failed", ""), EDIT, PASSED],
            [EDIT, PASSED, ("commit", "git commit", "", "")],
        ],
    )
    def test_is_not_claimed_of_less(self, rows: list[tuple[str, str, str, str]]) -> None:
        assert lessons(events(*rows)) == []


class TestAnErrorThatKeptComing:
    def test_is_a_pitfall_the_third_time(self) -> None:
        assert lessons(events(FAILED, EDIT, FAILED)) == []
        [lesson] = lessons(events(FAILED, EDIT, FAILED, EDIT, FAILED))
        assert lesson.kind == "PITFALL"
        assert "came 3 times in one session and was not overcome" in lesson.body
        assert "Seen when running `pytest`." in lesson.body

    def test_and_was_overcome_at_last_is_a_solution_alone(self) -> None:
        assert [one.kind for one in lessons(events(FAILED, FAILED, FAILED, EDIT, PASSED))] == ["SOLUTION"]


def test_no_session_has_more_than_three() -> None:
    rows = [("test", f"pytest {n}", "failed", f"Error{n}") for n in range(9)]
    passed = [("test", f"pytest {n}", "passed", "") for n in range(9)]
    assert len(lessons(events(*rows, EDIT, *passed))) == 3
