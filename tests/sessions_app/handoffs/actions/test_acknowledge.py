"""A handoff is taken over."""

from datetime import datetime

import pytest

from accounts.actions.members import member_of
from accounts.models import LogEntry, Team
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member
from sessions_app.handoffs.actions.acknowledge import NothingOffered, acknowledge
from sessions_app.models import AgentSession, Handoff
from tests.conftest import person
from tests.sessions_app.sitting import MINUTE, begin, sit, stop


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
