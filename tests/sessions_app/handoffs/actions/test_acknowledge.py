"""A handoff is taken over."""

from datetime import datetime, timedelta

import pytest

from accounts.actions.members import member_of
from accounts.models import LogEntry, Team
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member
from sessions_app.handoffs.actions.acknowledge import MOST_TAKEN, Action, NothingOffered, acknowledge
from sessions_app.models import AgentSession, Handoff
from tests.conftest import person
from tests.sessions_app.sitting import EDIT, MINUTE, begin, do, sit, stop


@pytest.fixture
def left(bob: Member, now: datetime) -> AgentSession:
    session = sit(bob, now)
    stop(session, bob, now)
    return session


class TestAnAcknowledgement:
    def test_is_of_what_the_session_was_offered(self, left: AgentSession, alice: Member, now: datetime) -> None:
        receiver = begin(alice, now + MINUTE).session
        acknowledge(name=receiver.key, by=alice, now=now + MINUTE)
        row = Handoff.objects.get()
        assert (row.acknowledged_by.username, row.acknowledged_in) == ("alice", receiver)  # type: ignore[union-attr]
        assert LogEntry.objects.get(verb="handoff acknowledged").actor == "alice"

    def test_again_changes_nothing(self, left: AgentSession, alice: Member, bob: Member, now: datetime) -> None:
        receivers = [(who, begin(who, now).session) for who in (alice, bob)]
        for minute, (who, receiver) in enumerate(receivers):
            acknowledge(name=receiver.key, by=who, now=now + minute * MINUTE)
        assert (
            Handoff.objects.get().acknowledged_at,
            LogEntry.objects.filter(verb="handoff acknowledged").count(),
        ) == (
            now,
            1,
        )

    def test_may_name_another_handoff(self, left: AgentSession, alice: Member, now: datetime) -> None:
        receiver = begin(alice, now, repo="acme/other").session
        with pytest.raises(NothingOffered):
            acknowledge(name=receiver.key, by=alice, now=now)
        acknowledge(name=receiver.key, handoff_of=left.ref, by=alice, now=now)
        assert Handoff.objects.get().acknowledged_in == receiver

    def test_by_a_person_is_of_the_session_they_look_at(self, left: AgentSession, alice: Member, now: datetime) -> None:
        acknowledge(name=left.ref, by=alice, now=now)
        row = Handoff.objects.get()
        assert (row.acknowledged_by_id, row.acknowledged_in) == (alice.user_id, None)

    def test_is_no_readers_nor_a_strangers(
        self, left: AgentSession, charlie: Member, platform: Team, now: datetime
    ) -> None:
        with pytest.raises(NotAllowed):
            acknowledge(name=left.ref, by=member_of(user=person("rita", platform, Level.READER)), now=now)
        with pytest.raises(NotFound):
            acknowledge(name=left.ref, by=charlie, now=now)
        own = begin(charlie, now, team="mobile").session
        with pytest.raises(NotFound):
            acknowledge(name=own.key, handoff_of=left.ref, by=charlie, now=now)
        assert Handoff.objects.get().acknowledged_at is None

    def test_of_a_session_that_left_none_is_refused(self, alice: Member, bob: Member, now: datetime) -> None:
        with pytest.raises(NotFound):
            acknowledge(name=begin(bob, now).session.ref, by=alice, now=now)


class TestClosing:
    @pytest.fixture
    def dora(self, platform: Team) -> Member:
        return member_of(user=person("dora", platform, Level.CONTRIBUTOR))

    def test_is_no_colleagues(self, left: AgentSession, dora: Member, now: datetime) -> None:
        """It would be offered to nobody, and nobody would have gone on with it."""
        own = begin(dora, now).session
        for name, of in ((left.ref, ""), (own.key, ""), (own.key, left.ref)):
            with pytest.raises(NotAllowed) as refused:
                acknowledge(name=name, handoff_of=of, action=Action.CLOSE, by=dora, now=now)
            assert left.ref in refused.value.message and "left by bob" in refused.value.message
            assert refused.value.team_id == left.team_id
        assert Handoff.objects.get().acknowledged_at is None

    def test_is_its_users_or_a_leads(self, left: AgentSession, alice: Member, bob: Member, now: datetime) -> None:
        for who in (bob, alice):
            acknowledge(name=left.ref, handoff_of=left.ref, action=Action.CLOSE, by=who, now=now)
            row = Handoff.objects.get()
            assert (row.closed_as, row.acknowledged_by_id) == ("closed", who.user_id)
            assert LogEntry.objects.filter(verb="handoff closed").latest("pk").actor == who.username
            acknowledge(name=left.ref, handoff_of=left.ref, action=Action.REOPEN, by=who, now=now)

    def test_is_whose_took_it_over_and_has_worked_on_it(
        self, left: AgentSession, dora: Member, platform: Team, now: datetime
    ) -> None:
        own = begin(dora, now).session
        acknowledge(name=own.key, by=dora, now=now)
        emil = member_of(user=person("emil", platform, Level.CONTRIBUTOR))
        with pytest.raises(NotAllowed):
            acknowledge(name=left.ref, action=Action.CLOSE, by=emil, now=now)
        with pytest.raises(NotAllowed) as refused:
            acknowledge(name=own.key, handoff_of=left.ref, action=Action.CLOSE, by=dora, now=now)
        assert "changed files" in refused.value.message
        assert Handoff.objects.get().closed_as == "taken_over"
        do(own, dora, now + MINUTE, EDIT)
        acknowledge(name=own.key, handoff_of=left.ref, action=Action.CLOSE, by=dora, now=now + MINUTE)
        row = Handoff.objects.get()
        assert (row.closed_as, row.acknowledged_by_id) == ("closed", dora.user_id)
        stop(own, dora, now + 2 * MINUTE)
        assert Handoff.objects.get(session=left).closed_as == "closed"

    def test_is_undone_by_any_contributor(self, left: AgentSession, bob: Member, dora: Member, now: datetime) -> None:
        acknowledge(name=left.ref, handoff_of=left.ref, action=Action.CLOSE, by=bob, now=now)
        acknowledge(name=left.ref, action=Action.REOPEN, by=dora, now=now)
        assert Handoff.objects.get().acknowledged_at is None


class TestTakingOverMany:
    def test_of_colleagues_ends_at_a_number_a_day(
        self, alice: Member, bob: Member, platform: Team, now: datetime
    ) -> None:
        """What is taken over is offered to nobody else: one account must not do that to all there is."""
        dora = member_of(user=person("dora", platform, Level.CONTRIBUTOR))
        sessions = [sit(bob, now, checkout=f"c{number}") for number in range(MOST_TAKEN + 1)]
        for session in sessions:
            stop(session, bob, now)
        own = sit(dora, now)
        stop(own, dora, now)
        acknowledge(name=own.ref, handoff_of=own.ref, by=dora, now=now)
        for session in sessions[:MOST_TAKEN]:
            acknowledge(name=session.ref, by=dora, now=now)
        with pytest.raises(NotAllowed) as refused:
            acknowledge(name=sessions[-1].ref, by=dora, now=now)
        assert sessions[-1].ref in refused.value.message
        acknowledge(name=sessions[0].ref, action=Action.REOPEN, by=dora, now=now)
        acknowledge(name=sessions[-1].ref, by=dora, now=now)
        with pytest.raises(NotAllowed):
            acknowledge(name=sessions[0].ref, by=dora, now=now)
        acknowledge(name=sessions[0].ref, by=dora, now=now + timedelta(days=1, seconds=1))
        acknowledge(name=sessions[0].ref, action=Action.REOPEN, by=alice, now=now)
        acknowledge(name=sessions[0].ref, by=alice, now=now)

    def test_counts_what_was_closed_since_and_what_another_has_reopened(
        self, bob: Member, platform: Team, now: datetime
    ) -> None:
        """An edit that a client reports of itself made any number of them one's own to close."""
        dora = member_of(user=person("dora", platform, Level.CONTRIBUTOR))
        sessions = [sit(bob, now, checkout=f"c{number}") for number in range(MOST_TAKEN + 1)]
        for session in sessions:
            stop(session, bob, now)
        for number, session in enumerate(sessions[:MOST_TAKEN]):
            own = begin(dora, now, repo=f"acme/{number}").session
            acknowledge(name=own.key, handoff_of=session.ref, by=dora, now=now)
            do(own, dora, now + MINUTE, EDIT)
            acknowledge(name=own.key, handoff_of=session.ref, action=Action.CLOSE, by=dora, now=now + MINUTE)
        first = sessions[0].ref
        acknowledge(name=first, handoff_of=first, action=Action.REOPEN, by=bob, now=now + MINUTE)
        for session in (sessions[-1], sessions[0]):
            with pytest.raises(NotAllowed) as refused:
                acknowledge(name=session.ref, by=dora, now=now + MINUTE)
            assert "at most 5 handoffs of colleagues a day" in refused.value.message
        acknowledge(name=sessions[1].ref, action=Action.REOPEN, by=dora, now=now + MINUTE)
        acknowledge(name=sessions[-1].ref, by=dora, now=now + MINUTE)
        acknowledge(name=sessions[0].ref, by=dora, now=now + timedelta(days=1, minutes=2))
