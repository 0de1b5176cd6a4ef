"""What a session says of itself, and the handoff made of it."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from accounts.models import LogEntry
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from sessions_app.actions.session_lookup import SessionEnded
from sessions_app.handoffs.actions.acknowledge import acknowledge
from sessions_app.models import AgentSession, Handoff
from sessions_app.transcripts.rules.turn import Turn
from tests.factories import make_insight
from tests.sessions_app.sitting import EDIT, FAILED, LONG, MINUTE, PASSED, REPO, begin, do, pause, sit, stop
from tests.sessions_app.test_continuity import TALK

SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"


class TestACheckpoint:
    def test_writes_a_provisional_handoff_and_the_session_goes_on(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        done = pause(session, bob, now + MINUTE, summary="Half done.", pending=["the rest"], blockers=["no access"])
        assert done.handoff
        row = Handoff.objects.get()
        assert (row.state, row.summary, row.pending, row.blockers) == (
            "provisional", "Half done.", ["the rest"], ["no access"],
        )  # fmt: skip
        assert (row.as_of, row.files, row.completeness) == (now + MINUTE, ["src/a.py"], 0.82)
        assert AgentSession.objects.get().state == "live"

    def test_written_again_takes_the_place_of_the_first(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        pause(session, bob, now, summary="Half done.", handoff_note="Mind the locks.")
        pause(session, bob, now + MINUTE, summary="Nearly done.")
        row = Handoff.objects.get()
        assert (row.summary, row.note) == ("Nearly done.", "Mind the locks.")

    def test_sent_again_changes_nothing_and_is_not_offered_again(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        session = sit(bob, now)
        words = {"summary": "Half done.", "pending": ["the rest"], "at": now + MINUTE}
        pause(session, bob, now + MINUTE, **words)
        other = begin(alice, now + 2 * MINUTE).session
        acknowledge(name=other.key, by=alice, now=now + 2 * MINUTE)
        pause(session, bob, now + 3 * MINUTE, **words)
        row = Handoff.objects.get()
        assert (row.as_of, row.acknowledged_in) == (now + MINUTE, other)
        assert LogEntry.objects.filter(verb="handoff written").count() == 1

    def test_that_comes_late_does_not_unsay_what_was_said_after_it(self, bob: Member, now: datetime) -> None:
        """The answer to the first one was lost, so it is sent again behind the second."""
        session = sit(bob, now)
        late = {"summary": "Half done.", "blockers": ["no access"], "at": now + MINUTE}
        pause(session, bob, now + 2 * MINUTE, summary="Nearly done.", pending=["the rest"], at=now + 2 * MINUTE)
        pause(session, bob, now + 3 * MINUTE, **late)
        row = Handoff.objects.get()
        assert (row.summary, row.pending, row.blockers) == ("Nearly done.", ["the rest"], ["no access"])
        assert row.as_of == now + 2 * MINUTE

    def test_is_kept_by_the_recovery_of_a_crash(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        pause(session, bob, now, handoff_note="Mind the locks.")
        do(session, bob, now + MINUTE, FAILED)
        begin(bob, now + MINUTE + LONG)
        row = Handoff.objects.get()
        assert (row.state, row.note) == ("recovered", "Mind the locks.")
        assert "1 events came after its last word of 2026-11-21 12:00." in row.interpretation
        assert row.completeness < 0.82

    def test_finds_decisions_and_deposits_each_once(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        first = pause(session, bob, now, transcript=TALK).decisions
        again = stop(session, bob, now + MINUTE, transcript=TALK).decisions
        assert [one["ref"] for one in first] == [one["ref"] for one in again] == ["PLAT-1"]
        [row] = Insight.objects.all()
        assert (row.kind, row.status, row.repo, row.session_key) == ("DECISION", "draft", REPO, session.key)
        assert "memory is capped" in row.reasoning

    def test_comes_too_late_for_an_ended_session(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        stop(session, bob, now)
        with pytest.raises(SessionEnded):
            pause(session, bob, now + MINUTE, summary="More.")


class TestAnEnd:
    def test_leaves_a_clean_handoff_of_all_that_was_done(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now, EDIT, FAILED, PASSED, prompt="Fix the importer")
        from_here = Member(**{**vars(bob), "session": session.key})
        make_insight(from_here, now=now, body="The importer needs chunks of 5,000 rows.")
        retrieve(ask=Ask("how do I stream a CSV"), by=from_here, now=now)
        stop(session, bob, now + MINUTE, summary="It streams.", handoff_note="Cover empty files.", transcript=TALK)
        row = Handoff.objects.get()
        assert (row.state, row.completeness, row.as_of) == ("clean", 1.0, now + MINUTE)
        assert (row.summary, row.note, row.topics[0]) == ("It streams.", "Cover empty files.", "Fix the importer")
        assert [one["ref"] for one in row.deposits] == list(
            Insight.objects.order_by("pk").values_list("ref", flat=True)
        )
        assert "Edited src/a.py" in row.facts
        assert "stream a CSV" not in str(row.facts)
        session.refresh_from_db()
        assert (session.state, session.ended_at) == ("ended", now + MINUTE)

    def test_names_nothing_that_is_not_the_teams(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        from_here = Member(**{**vars(bob), "session": session.key})
        make_insight(from_here, body="My salary talk is on Friday.", team="personal")
        retrieve(ask=Ask("when is my salary talk", teams=["personal"]), by=from_here, now=now)
        stop(session, bob, now)
        row = Handoff.objects.get()
        assert (row.deposits, "salary" in str(row.facts)) == ([], False)

    def test_keeps_no_secret_and_loses_no_word_for_it(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        told = f"Ask jane.doe@acme-corp.io for {SECRET}\u200b."
        turns = [Turn("assistant", f"Decision: we use {SECRET} because jane.doe@acme-corp.io says so.")]
        stop(session, bob, now, summary=told, handoff_note=told, pending=[told], blockers=[told], transcript=turns)
        row = Handoff.objects.get()
        assert row.summary == row.note == row.pending[0] == row.blockers[0] == "Ask [EMAIL] for [SECRET]."
        session.refresh_from_db()
        for kept in (str(vars(row)), str(session.said), str(session.digest), str(Insight.objects.get().body)):
            assert SECRET not in kept
            assert "jane.doe" not in kept

    def test_sent_again_changes_nothing_and_is_not_offered_again(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        stop(session, bob, now, transcript=TALK)
        Handoff.objects.update(acknowledged_at=now)
        lines = LogEntry.objects.count()
        done = stop(session, bob, now + LONG, transcript=TALK)
        assert (done.handoff.as_of, done.handoff.acknowledged_at) == (now, now)  # type: ignore[union-attr]
        assert LogEntry.objects.count() == lines

    def test_of_a_session_that_left_nothing_leaves_no_handoff(self, bob: Member, now: datetime) -> None:
        session = begin(bob, now, prompt="Hello").session
        assert stop(session, bob, now, summary="").handoff is None
        assert not Handoff.objects.exists()

    def test_told_late_is_of_the_moment_it_happened(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        stop(session, bob, now + timedelta(days=2), at=now + MINUTE)
        assert Handoff.objects.get().as_of == now + MINUTE
        assert AgentSession.objects.get().ended_at == now + MINUTE

    def test_told_of_the_future_or_of_before_the_start_is_of_what_can_be(self, bob: Member, now: datetime) -> None:
        for at, seen in ((now + LONG, now + MINUTE), (now - LONG, now)):
            session = sit(bob, now)
            stop(session, bob, now + MINUTE, at=at)
            assert Handoff.objects.get(session=session).as_of == seen

    def test_of_an_abandoned_session_is_clean_after_all(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        begin(bob, now + LONG)
        stop(session, bob, now + LONG + MINUTE, summary="It streams.")
        row = Handoff.objects.get()
        assert (row.state, row.summary, row.completeness) == ("clean", "It streams.", 1.0)

    def test_makes_a_draft_of_an_error_that_was_overcome(self, bob: Member, now: datetime) -> None:
        session = begin(bob, now).session
        for minute, report in enumerate((FAILED, EDIT, PASSED)):
            do(session, bob, now + minute * MINUTE, report)
        assert stop(session, bob, now + LONG).promoted == ("PLAT-1",)
        row = Insight.objects.get()
        assert (row.kind, row.status, row.files) == ("SOLUTION", "draft", ["src/a.py"])
        assert row.body == "`pytest` failed with 'AssertionError: 3 != 4'; it passed after editing src/a.py."
        assert row.title == "AssertionError: 3 != 4, gone after editing src/a.py"
        assert row.anchors.get(kind="error").detail == "AssertionError: 3 != 4"
        assert stop(session, bob, now + LONG).promoted == ("PLAT-1",)
        assert Insight.objects.count() == 1

    def test_masks_what_a_draft_would_tell(self, bob: Member, now: datetime) -> None:
        session = begin(bob, now).session
        failed = replace(FAILED, error=f"ValueError: no order of jane.doe@acme-corp.io with {SECRET}")
        for minute, report in enumerate((failed, EDIT, PASSED)):
            do(session, bob, now + minute * MINUTE, report)
        [ref] = stop(session, bob, now + LONG).promoted
        row = Insight.objects.get(ref=ref)
        assert "'ValueError: no order of [EMAIL] with [SECRET]'" in row.body

    def test_deposits_no_decision_that_says_next_to_nothing(
        self, bob: Member, now: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        session = sit(bob, now)
        monkeypatch.setattr("sessions_app.transcripts.actions.harvest.GATE", 1.1)
        done = stop(session, bob, now, transcript=TALK)
        assert [one["ref"] for one in done.decisions] == [None]
        assert not Insight.objects.exists()

    def test_is_ones_own(self, alice: Member, bob: Member, charlie: Member, now: datetime) -> None:
        session = sit(bob, now)
        with pytest.raises(NotAllowed):
            stop(session, alice, now)
        with pytest.raises(NotFound):
            stop(session, charlie, now)
        assert AgentSession.objects.get().state == "live"
