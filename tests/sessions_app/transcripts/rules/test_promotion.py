"""Which events are worth remembering."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from knowledge.errors.rules.fingerprint import fingerprint
from knowledge.rules.quality import GATE, quality
from sessions_app.handoffs.rules.last_state import RecordedEvent
from sessions_app.transcripts.rules.promotion import Lesson, lessons
from tests.cases import cases

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ERROR = "KeyError: 'tenant'"


def events(*rows: tuple[str, str, str, str]) -> list[RecordedEvent]:
    """(kind, path or command, outcome, error), a minute apart."""
    made: list[RecordedEvent] = []
    for minute, (kind, what, outcome, error) in enumerate(rows):
        where: dict[str, Any] = {"path" if kind in ("edit", "write") else "command": what}
        found = fingerprint(error)
        where |= {"error": found.template if found else "", "printed": error}
        made.append(RecordedEvent(kind=kind, at=AT + timedelta(minutes=minute), outcome=outcome, **where))
    return made


FAILED, PASSED = ("test", "pytest", "failed", ERROR), ("test", "pytest", "passed", "")
EDIT = ("edit", "src/a.py", "", "")


class TestAnErrorThatWasOvercome:
    def test_is_a_solution_that_says_what_was_recorded(self) -> None:
        [lesson] = lessons(events(FAILED, EDIT, ("write", "src/b.py", "", ""), PASSED))
        assert (lesson.kind, lesson.error, lesson.files) == ("SOLUTION", ERROR, ("src/a.py", "src/b.py"))
        assert lesson.body == f'`pytest` failed with "{ERROR}"; it passed after editing src/a.py and src/b.py.'
        assert lesson.title == f"{ERROR}, gone after editing src/a.py and src/b.py"

    def test_keeps_the_errors_own_words_of_a_whole_trace(self) -> None:
        trace = (
            'Traceback (most recent call last):\n  File "/srv/tests/test_export.py", line 7, in test_rows\n'
            "    assert rows == 4\nAssertionError: 3 != 4"
        )
        check = "pytest tests/test_export.py"
        rows = [("test", check, "failed", trace), ("edit", "src/export.py", "", ""), ("edit", "src/io.py", "", "")]
        [lesson] = lessons(events(*rows, ("test", check, "passed", "")))
        assert lesson.body == (
            f"`{check}` failed with 'AssertionError: 3 != 4'; it passed after editing src/export.py and src/io.py."
        )
        assert (lesson.printed, "<num>" in lesson.error) == (trace, True)
        assert "<" not in lesson.title + lesson.body

    def test_names_the_cause_of_a_chain(self) -> None:
        trace = (
            "java.lang.IllegalStateException: Failed to load order 17\n\tat a.B.c(B.java:4)\n"
            "Caused by: java.sql.SQLException: pool is empty\n\tat a.B.d(B.java:9)"
        )
        [lesson] = lessons(events(("test", "mvn test", "failed", trace), EDIT, ("test", "mvn test", "passed", "")))
        assert (
            "failed with 'java.lang.IllegalStateException: Failed to load order 17', caused by"
            " 'java.sql.SQLException: pool is empty'; it passed"
        ) in lesson.body

    @cases(
        ("command", "said"),
        [
            ('git commit -am "Round totals half up"', "'Round totals half up'"),
            ('git add -A && git commit -m "Don\'t round"', '"Don\'t round"'),
            ("git commit --message='Round totals'", "'Round totals'"),
            (
                "git commit -m \"$(cat <<'EOF'\nRound totals half up\n\nThe till does.\nEOF\n)\"",
                "'Round totals half up'",
            ),
            ("git commit --amend --no-edit", ""),
        ],
    )
    def test_names_the_change_by_the_next_commit(self, command: str, said: str) -> None:
        [lesson] = lessons(events(FAILED, EDIT, PASSED, ("commit", command, "", "")))
        assert lesson.body.endswith(f"src/a.py. The next commit says {said}." if said else "editing src/a.py.")

    def test_is_cut_between_words_where_it_is_long(self) -> None:
        error = "ValueError: " + "word " * 200
        command = "pytest " + "tests/test_one.py " * 40
        [lesson] = lessons(events(("test", command, "failed", error), EDIT, ("test", command, "passed", "")))
        assert len(lesson.title) <= 160 and len(lesson.body) < 450
        assert "word…" in lesson.title and "word…'" in lesson.body and ".py…`" in lesson.body

    def test_has_a_command_of_several_lines_by_its_first(self) -> None:
        command = "python - <<'EOF'\nimport `x`\nEOF"
        [lesson] = lessons(events(("test", command, "failed", ERROR), EDIT, ("test", command, "passed", "")))
        assert lesson.body.startswith("`python - <<'EOF' …` failed with")

    def test_is_not_made_below_the_quality_gate(self) -> None:
        vague = [
            ("test", "test it", "failed", "Error: it failed"),
            ("edit", "app", "", ""),
            ("test", "test it", "passed", ""),
        ]
        assert all(quality(one.title, one.body, "", 2).total >= GATE for one in lessons(events(*vague)))
        telling = Lesson("SOLUTION", "KeyError: 'tenant'", "`pytest` failed with KeyError.", "KeyError", "KeyError", ())
        assert telling.is_telling
        assert not replace(telling, title="Fixed it", body="It failed and then it was fixed.").is_telling

    @cases(
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
        assert lesson.body == (
            f'`pytest` failed 3 times in one session with "{ERROR}", and it was not solved.'
            " Editing src/a.py in between did not help."
        )
        assert lesson.title == f"{ERROR}, keeps coming back in `pytest`"
        assert lesson.files == ("src/a.py",)

    def test_and_was_overcome_at_last_is_a_solution_alone(self) -> None:
        assert [one.kind for one in lessons(events(FAILED, FAILED, FAILED, EDIT, PASSED))] == ["SOLUTION"]


def test_no_session_has_more_than_three() -> None:
    rows = [("test", f"pytest {n}", "failed", f"KeyError: 'tenant_{name}'") for n, name in enumerate("abcdefghi")]
    passed = [("test", f"pytest {n}", "passed", "") for n in range(9)]
    assert len(lessons(events(*rows, EDIT, *passed))) == 3
