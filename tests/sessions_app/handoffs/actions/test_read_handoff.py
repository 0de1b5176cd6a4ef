"""What the next agent reads of a colleague's session that was killed: what was decided in it, as far as they may."""

from datetime import datetime, timedelta

import pytest

from accounts.rules.rights import Member
from sessions_app.actions.begin import Opening
from sessions_app.conversations.actions.share import share, unshare
from sessions_app.handoffs.actions.read_handoff import text_of
from sessions_app.handoffs.actions.recover_killed import Killed, recover_killed
from sessions_app.models import Handoff
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import ASSISTANT, USER, Turn

HOUR = timedelta(hours=1)
# The figures are in the middle; what was said last is about something else.
SAID = [
    Turn(USER, "Nordhaus complains that we hammered their endpoint all weekend."),
    Turn(ASSISTANT, "The sender in hooks/deliver.py retries for ever. Seven attempts would cover 20 hours."),
    Turn(USER, "make it 5, the wait capped at 2h, then a row in hooks_dlq"),
    Turn("tool", "Edit hooks/deliver.py"),
    Turn(ASSISTANT, "The retries are bounded now, and alert_ops fires at the 4th failure."),
    Turn(USER, "fine. the footer of the page is broken on phones as well"),
    Turn(ASSISTANT, "I'll look at the footer next."),
]


@pytest.fixture
def killed(bob: Member, now: datetime) -> Handoff:
    turns = [Turn(one.role, one.text, (now - HOUR).isoformat()) for one in SAID]
    opening = Opening(repo="shop", agent_session="c-1", transcript=turns, team="platform")
    found = recover_killed(killed=Killed(opening), by=bob, now=now).handoff
    assert found
    return found


def _text(handoff: Handoff, by: Member) -> str:
    told = text_of(handoff.pk, by=by)
    assert told and told.tokens <= 400
    return told.text


class TestTheConversation:
    def test_is_read_by_its_own_member(self, killed: Handoff, bob: Member) -> None:
        text = _text(killed, bob)
        assert f"From its conversation, in order (more: GET sessions/{killed.session.ref}/conversation/):" in text
        decided = text.index("(user) make it 5, the wait capped at 2h, then a row in hooks_dlq")
        last = text.index("(user) fine. the footer of the page is broken on phones as well")
        assert decided < last < text.index("Last message: I'll look at the footer next.")

    def test_is_told_once(self, killed: Handoff, bob: Member) -> None:
        text = _text(killed, bob)
        for once in ("look at the footer next", "hammered their endpoint"):
            assert text.count(once) == 1

    def test_is_no_colleagues_unless_it_is_shared(
        self, killed: Handoff, bob: Member, alice: Member, now: datetime
    ) -> None:
        assert "hooks_dlq" not in _text(killed, alice) and "From its conversation" not in _text(killed, alice)
        share(repo="shop", team="platform", turns=SharedTurns.AGENT, by=bob, now=now)
        text = _text(killed, alice)
        assert "alert_ops fires at the 4th failure" in text and "hooks_dlq" not in text and "(user)" not in text
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=now)
        assert "hooks_dlq" in _text(killed, alice)
        unshare(repo="shop", by=bob, now=now)
        assert "hooks_dlq" not in _text(killed, alice)
