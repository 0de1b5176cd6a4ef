"""What a session leaves, put together from what was recorded."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sessions_app.handoffs.rules.last_state import RecordedEvent
from sessions_app.handoffs.rules.recovery import (
    AgentWords,
    Deposit,
    SessionRecord,
    TranscriptFacts,
    Uncommitted,
    completeness,
    compose,
    open_errors,
)
from tests.cases import cases

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def event(kind: str, minute: int = 0, **over: Any) -> RecordedEvent:
    return RecordedEvent(kind=kind, at=AT + timedelta(minutes=minute), **over)


EDIT = event("edit", 1, path="src/a.py")
FAILED = event("test", 2, command="pytest", outcome="failed", error="AssertionError: <n> != <n>")
PASSED = event("test", 9, command="pytest", outcome="passed")
COMMIT = event("commit", 10, command="git commit -m done")
SAID = AgentWords(summary="It streams.", at=AT + timedelta(minutes=5))
TOLD = TranscriptFacts(topics=("stream the input",), files=("src/b.py",), next_steps=("cover empty files",), turns=4)


class TestFacts:
    def test_count_the_edits_of_each_file(self) -> None:
        facts = compose(SessionRecord(events=[EDIT, EDIT, event("write", 3, path="b.py")])).facts
        assert facts == ["Edited src/a.py (2 times)", "Edited b.py"]

    def test_tell_how_each_check_ended_last(self) -> None:
        assert "`pytest` passed (last run 2026-11-21 12:09)" in compose(SessionRecord(events=[FAILED, PASSED])).facts
        assert "`pytest` failed (last run 2026-11-21 12:02)" in compose(SessionRecord(events=[FAILED])).facts

    def test_name_errors_that_were_not_overcome(self) -> None:
        assert "Error, 2 times: AssertionError: <n> != <n>" in compose(SessionRecord(events=[FAILED, FAILED])).facts
        assert not [fact for fact in compose(SessionRecord(events=[FAILED, PASSED])).facts if fact.startswith("Error")]

    def test_name_commits_and_deposits_and_no_question(self) -> None:
        record = SessionRecord(
            events=[COMMIT], deposits=[Deposit("PLAT-1", "PITFALL", "No DDL by day")], questions=["why?"]
        )
        assert compose(record).facts == [
            "Committed: git commit -m done",
            "Deposited PLAT-1 (PITFALL)",
        ]

    def test_stay_a_page_however_much_happened(self) -> None:
        events = [event("edit", n % 50, path=f"src/{n}.py") for n in range(500)]
        done = compose(SessionRecord(events=events, questions=[f"q{n}" for n in range(99)]))
        assert len(done.facts) < 20
        assert "… and 492 more files edited" in done.facts
        assert len(done.files) == 20

    def test_hold_nothing_that_was_concluded(self) -> None:
        done = compose(SessionRecord(events=[EDIT, FAILED], transcript=TOLD))
        assert not set(done.facts) & set(done.interpretation)
        assert not [fact for fact in done.facts if "Probably" in fact or "Next" in fact]


class TestInterpretation:
    def test_says_what_was_failing_when_it_stopped(self) -> None:
        assert "It stopped while `pytest` was failing." in compose(SessionRecord(events=[FAILED])).interpretation
        assert not compose(SessionRecord(events=[FAILED, PASSED])).interpretation

    def test_says_what_is_probably_not_committed(self) -> None:
        loose = "Probably not committed: src/a.py (edited, and no commit was seen since)."
        assert compose(SessionRecord(events=[EDIT])).interpretation == [loose]
        assert not compose(SessionRecord(events=[EDIT, COMMIT])).interpretation
        assert compose(SessionRecord(events=[COMMIT, EDIT])).interpretation == [loose]

    def test_takes_the_next_steps_from_the_transcript(self) -> None:
        assert compose(SessionRecord(transcript=TOLD)).next_steps == ["cover empty files"]

    def test_counts_what_came_after_the_last_word(self) -> None:
        lines = compose(SessionRecord(events=[EDIT, PASSED], agent_words=SAID)).interpretation
        assert lines[-1] == "1 events came after its last word of 2026-11-21 12:05."


class TestCompleteness:
    @cases(
        ("record", "figure"),
        [
            (SessionRecord(), 0.0),
            (SessionRecord(topic="imports"), 0.1),
            (SessionRecord(questions=["why?"]), 0.2),
            (SessionRecord(deposits=[Deposit("PLAT-1", "PITFALL", "x")]), 0.3),
            (SessionRecord(events=[EDIT]), 0.4),
            (SessionRecord(agent_words=SAID), 0.7),
            (SessionRecord(agent_words=SAID, events=[PASSED]), 0.64),
            (SessionRecord(agent_words=SAID, events=[EDIT]), 0.82),
            (SessionRecord(transcript=TOLD), 0.8),
            (SessionRecord(transcript=TOLD, agent_words=SAID, events=[EDIT], questions=["x"]), 0.95),
        ],
    )
    def test_grows_with_what_is_known(self, record: SessionRecord, figure: float) -> None:
        assert completeness(record) == pytest.approx(figure, abs=0.011)

    def test_of_a_session_that_was_ended_is_whole(self) -> None:
        assert compose(SessionRecord(agent_words=SAID), complete=True).completeness == 1.0


class TestWhatWasAskedLast:
    FIRST = "Stream the importer"

    @cases(
        ("recorded", "of_transcript", "last"),
        [
            ("", "Skip the empty lines", "Skip the empty lines"),
            # A prompt that came after the agent's last word is in no transcript.
            ("Cap the retries at 4", "Skip the empty lines", "Cap the retries at 4"),
            ("", "", ""),
            ("", "Stream the \n importer", ""),
        ],
    )
    def test_is_the_latest_prompt_that_is_not_the_first(self, recorded: str, of_transcript: str, last: str) -> None:
        told = TranscriptFacts(asked_last=of_transcript, turns=3)
        assert compose(SessionRecord(asked=self.FIRST, asked_last=recorded, transcript=told)).asked_last == last


class TestNothing:
    def test_is_left_by_a_session_without_work(self) -> None:
        asked = SessionRecord(
            topic="imports", questions=["why?"], agent_words=SAID, transcript=TranscriptFacts(topics=("why?",), turns=9)
        )
        assert not SessionRecord(agent_words=SAID).trivial  # an agent with tools alone says so, and no hook tells more
        for record in (
            SessionRecord(),
            asked,
            SessionRecord(events=[PASSED]),
            SessionRecord(events=[event("edit", 1, outcome="failed")]),
        ):
            assert record.trivial

    @cases(
        "record",
        [
            SessionRecord(events=[EDIT]),
            SessionRecord(events=[COMMIT]),
            SessionRecord(events=[FAILED]),
            SessionRecord(transcript=TOLD),
            SessionRecord(transcript=TranscriptFacts(failure={"command": "make", "error": "Error 1"})),
            SessionRecord(transcript=TranscriptFacts(decisions=({"statement": "Use Redis"},))),
            SessionRecord(deposits=[Deposit("PLAT-1", "DECISION", "Use Redis")]),
            SessionRecord(agent_words=AgentWords(note="Look at the lock first.")),
            SessionRecord(agent_words=AgentWords(pending=("write the test",))),
            SessionRecord(agent_words=AgentWords(blockers=("no access",))),
        ],
    )
    def test_is_not_what_an_edit_a_decision_a_failure_or_a_step_leaves(self, record: SessionRecord) -> None:
        assert not record.trivial


class TestOpenErrors:
    def test_are_those_whose_check_did_not_pass_later(self) -> None:
        assert open_errors([FAILED, PASSED]) == []
        assert open_errors([PASSED, event("test", 11, command="pytest", error="E", outcome="failed")])
        assert open_errors([FAILED, event("test", 9, command="pytest -k other", outcome="passed")]) == [FAILED]


class TestTheLastState:
    def test_names_the_check_that_fails_with_its_error(self) -> None:
        printed = "tests/test_a.py:54: in test_a\nE   AssertionError: assert 2 == 1\nFAILED tests/test_a.py::test_a"
        failing = event("test", 2, command="pytest -q", outcome="failed", printed=printed)
        assert compose(SessionRecord(events=[EDIT, failing])).failure == {
            "command": "pytest -q",
            "error": "AssertionError: assert 2 == 1 | FAILED tests/test_a.py::test_a",
            "at": "2026-11-21 12:02",
            "edited_since": False,
        }
        assert compose(SessionRecord(events=[failing, event("edit", 5, path="b.py")])).failure["edited_since"]

    def test_prefers_a_check_to_a_command_that_failed_in_passing(self) -> None:
        passing = event("error", 8, command="./deploy staging", outcome="failed", printed="No such host")
        assert compose(SessionRecord(events=[FAILED, passing])).failure["command"] == "pytest"
        assert compose(SessionRecord(events=[passing])).failure["command"] == "./deploy staging"

    @cases(
        ("command", "looks"),
        [("ls nowhere", True), ("cd src && grep -rn float .", True), ("git log --oneline | head", True),
         ("ls nowhere && ./deploy", False), ("find . -name x; make", False), ("lsof -i", False), ("git push", False)],
    )  # fmt: skip
    def test_is_no_command_that_only_looks_something_up(self, command: str, looks: bool) -> None:
        failing = event("error", 8, command=command, outcome="failed", printed="No such file")
        assert bool(compose(SessionRecord(events=[EDIT, failing])).failure) is not looks

    def test_is_the_transcripts_where_no_event_was_captured(self) -> None:
        told = TranscriptFacts(failure={"command": "make check", "error": "Error 2"}, turns=3)
        assert compose(SessionRecord(events=[EDIT], transcript=told)).failure["error"] == "Error 2"
        assert not compose(
            SessionRecord(events=[event("test", 9, command="make check", outcome="passed")], transcript=told)
        ).failure


class TestUncommittedFiles:
    def test_are_recorded_as_the_client_saw_them(self) -> None:
        done = compose(SessionRecord(events=[EDIT], uncommitted=Uncommitted(("src/z.py",), AT + timedelta(minutes=20))))
        assert (done.uncommitted, done.uncommitted_known, done.interpretation) == (["src/z.py"], True, [])

    def test_are_concluded_again_once_something_was_changed_since(self) -> None:
        before = Uncommitted(("src/z.py",), AT)
        done = compose(SessionRecord(events=[EDIT], uncommitted=before))
        assert (done.uncommitted, done.uncommitted_known) == (["src/a.py", "src/z.py"], False)
        done = compose(SessionRecord(events=[EDIT, COMMIT], uncommitted=before))
        assert (done.uncommitted, done.uncommitted_known) == ([], False)

    def test_are_those_of_the_transcript_after_its_last_commit(self) -> None:
        told = TranscriptFacts(files=("a.py", "b.py"), uncommitted=("b.py",), turns=5)
        assert compose(SessionRecord(events=[event("edit", 1, path="a.py")], transcript=told)).uncommitted == ["b.py"]
