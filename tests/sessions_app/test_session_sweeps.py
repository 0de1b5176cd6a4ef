"""The sweeps of sessions: silence is noticed though nobody starts, and old things go."""

from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.models import JobRun, LogEntry
from accounts.rules.rights import Member
from sessions_app import tasks
from sessions_app.actions.capture import Report
from sessions_app.actions.claims import claim
from sessions_app.actions.sweeps import SWEEPS, drop_old, recover_silent
from sessions_app.models import AgentSession, Claim, Handoff, SessionEvent
from tests.sessions_app.sitting import LONG, MINUTE, begin, sit, stop


class TestTheSweepOfSilence:
    def test_recovers_what_left_something_and_gives_up_the_rest(self, bob: Member, now: datetime) -> None:
        left, empty, alive = sit(bob, now), begin(bob, now).session, sit(bob, now + LONG, repo="acme/api")
        assert recover_silent(now=now + LONG + MINUTE).counts == {"abandoned": 2, "recovered": 1}
        states = dict(AgentSession.objects.values_list("pk", "state"))
        assert states == {left.pk: "abandoned", empty.pk: "abandoned", alive.pk: "live"}
        assert Handoff.objects.get().session == left
        assert {line.actor for line in LogEntry.objects.filter(verb="session abandoned")} == {"loam"}

    def test_twice_changes_nothing_more(self, bob: Member, now: datetime) -> None:
        sit(bob, now)
        recover_silent(now=now + LONG)
        lines = LogEntry.objects.count()
        assert recover_silent(now=now + 2 * LONG).counts == {"abandoned": 0, "recovered": 0}
        assert LogEntry.objects.count() == lines

    def test_frees_what_was_claimed(self, bob: Member, now: datetime) -> None:
        claim(name=begin(bob, now).session.key, files=["a.py"], release=[], minutes=600, by=bob, now=now)
        recover_silent(now=now + LONG)
        assert not Claim.objects.exists()


class TestTheSweepOfOldThings:
    def test_drops_events_of_a_quarter_ago_and_claims_that_ran_out(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now, Report("edit", path="old.py"), Report("edit", path="new.py"))
        SessionEvent.objects.filter(path="old.py").update(at=now - timedelta(days=121))
        claim(name=session.key, files=["a.py"], release=[], minutes=1, by=bob, now=now)
        assert drop_old(now=now + 2 * MINUTE).counts == {"events": 0, "claims": 1, "decisions": 0}
        stop(session, bob, now)
        assert drop_old(now=now).counts == {"events": 1, "claims": 0, "decisions": 0}
        assert SessionEvent.objects.get().path == "new.py"


class TestATask:
    @pytest.mark.parametrize("name", SWEEPS)
    def test_runs_its_sweep_and_so_does_the_command(self, db: None, name: str) -> None:
        getattr(tasks, name)()
        out = StringIO()
        call_command("sweep", name, stdout=out)
        assert out.getvalue().startswith(f"{name}: 0 ")
        assert set(JobRun.objects.values_list("name", "outcome")) == {(f"sessions.{name}", "done")}

    def test_looks_for_silence(self, bob: Member) -> None:
        sit(bob, timezone.now() - LONG)
        tasks.recover_silent()
        assert JobRun.objects.get().counts == {"abandoned": 1, "recovered": 1}
