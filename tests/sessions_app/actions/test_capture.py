"""What a session does, as its hooks report it."""

from datetime import datetime, timedelta

import pytest

from accounts.rules.refused import NotAllowed
from accounts.rules.rights import Member
from sessions_app.actions.capture import Report
from sessions_app.models import AgentSession, Handoff, SessionEvent
from tests.sessions_app.sitting import EDIT, FAILED, LONG, MINUTE, PASSED, begin, do, sit, stop
from tests.together import together

SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"


class TestEvents:
    def test_are_kept_with_a_fingerprint_of_their_error(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now, Report("test", command="pytest", outcome="Failed", error="AssertionError: 3 != 4"))
        do(session, bob, now, Report("test", command="pytest", error="AssertionError: 5 != 6"))
        one, other = SessionEvent.objects.order_by("pk")
        assert (one.kind, one.outcome, one.at) == ("test", "failed", now)
        assert one.fingerprint and one.fingerprint == other.fingerprint

    def test_that_only_look_are_counted_and_dropped(self, bob: Member, now: datetime) -> None:
        session = begin(bob, now).session
        done = do(session, bob, now, Report("read", path="a.py"), EDIT, Report("grep"))
        assert (done.stored, done.skipped, done.repeated) == (1, 2, 0)

    def test_are_redacted(self, bob: Member, now: datetime) -> None:
        sit(
            bob,
            now,
            Report(
                "error", path=SECRET, command=f"curl -H {SECRET}", error=f"KeyError: jane.doe@acme-corp.io {SECRET}"
            ),
        )
        row = SessionEvent.objects.get()
        assert SECRET not in str(vars(row)) and "jane.doe" not in str(vars(row))

    def test_sent_again_are_known_by_their_ids_or_the_key_of_the_call(self, bob: Member, now: datetime) -> None:
        session = begin(bob, now).session
        mine = Report("edit", path="src/a.py", id="e1")
        assert do(session, bob, now, mine, mine, EDIT, key="k1").stored == 2
        again = do(session, bob, now, mine, mine, EDIT, key="k1")
        assert (again.stored, again.repeated) == (0, 3)
        assert do(session, bob, now, EDIT, key="k2").stored == 1

    def test_sent_twice_at_once_are_kept_once(self, transactional_db: None, bob: Member, now: datetime) -> None:
        session = begin(bob, now).session
        together(*[lambda: do(session, bob, now, EDIT, FAILED, key="k1") for _ in range(3)])
        assert SessionEvent.objects.count() == 2

    def test_are_of_the_moment_they_say_but_never_of_the_future(self, bob: Member, now: datetime) -> None:
        past, future = now - timedelta(hours=1), now + timedelta(days=1)
        sit(bob, now, Report("edit", path="a.py", at=past), Report("edit", path="b.py", at=future))
        assert dict(SessionEvent.objects.values_list("path", "at")) == {"a.py": past, "b.py": now}

    def test_of_a_check_that_passes_now_overcome_its_errors(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now, FAILED, Report("test", command="pytest -k other", error="KeyError: 'x'"))
        do(session, bob, now + MINUTE, PASSED)
        assert dict(SessionEvent.objects.exclude(error="").values_list("command", "overcome")) == {
            "pytest": True,
            "pytest -k other": False,
        }

    def test_of_an_ended_session_were_on_their_way(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        stop(session, bob, now)
        do(session, bob, now + MINUTE, FAILED)
        assert SessionEvent.objects.count() == 2
        assert AgentSession.objects.get().state == "ended"

    def test_of_an_abandoned_session_that_come_late_are_no_sign_of_life_now(self, bob: Member, now: datetime) -> None:
        """A spool delivered by the next session: the crashed one stays what it was, and knows more."""
        session = sit(bob, now)
        begin(bob, now + LONG)
        do(session, bob, now + 2 * LONG, Report("edit", path="src/late.py", at=now + MINUTE))
        begin(bob, now + 2 * LONG)
        row = Handoff.objects.get(session=session)
        assert (row.state, row.as_of) == ("recovered", now + MINUTE)
        assert "src/late.py" in row.files

    def test_are_a_sign_of_life(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        do(session, bob, now + timedelta(minutes=20), EDIT)
        begin(bob, now + timedelta(minutes=45))
        assert AgentSession.objects.get(pk=session.pk).state == "live"

    def test_are_ones_own_to_report(self, alice: Member, bob: Member, now: datetime) -> None:
        session = begin(bob, now).session
        with pytest.raises(NotAllowed):
            do(session, alice, now, EDIT)
        assert not SessionEvent.objects.exists()
