"""What the next agent reads of a colleague's session that was killed: what was decided in it, as far as they may."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from accounts.rules.rights import Member
from sessions_app.actions.begin import Opening
from sessions_app.actions.capture import Report, capture
from sessions_app.actions.end import SessionWords, checkpoint
from sessions_app.actions.start import start
from sessions_app.answers.actions.surface import surface
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


class TestPromptsThatNoTranscriptHas:
    def test_are_asked_last_if_they_came_after_it(self, bob: Member, now: datetime) -> None:
        """The machine was lost before the log of the session reached anyone; what its hooks sent is known."""
        made = start(opening=Opening(repo="shop", team="platform"), by=bob, now=now - HOUR).session
        mine = replace(bob, session=made.key)
        prompts = [
            "Stream the importer, it needs 8 GB",
            "Cap its retries at 4, as the vendor wants",
            "yes, go on",
            "/cost",
        ]
        for minute, prompt in enumerate(prompts):
            surface(prompt=prompt, by=mine, now=now - HOUR + timedelta(minutes=minute))
        capture(name=made.ref, reports=[Report("edit", path="importer.py")], by=mine, now=now - HOUR / 2)
        checkpoint(name=made.ref, words=SessionWords(), by=mine, now=now)
        text = _text(Handoff.objects.get(session=made), bob)
        assert "Asked last (the user's words): Cap its retries at 4, as the vendor wants" in text


class TestTheConversation:
    def test_is_read_by_its_own_member(self, killed: Handoff, bob: Member) -> None:
        text = _text(killed, bob)
        assert f"From its conversation, in order (more: GET sessions/{killed.session.ref}/conversation/):" in text
        decided = text.index("(user) make it 5, the wait capped at 2h, then a row in hooks_dlq")
        assert decided < text.index("Last message: I'll look at the footer next.")

    def test_is_told_once(self, killed: Handoff, bob: Member) -> None:
        text = _text(killed, bob)
        for once in ("look at the footer next", "hammered their endpoint", "fine. the footer of the page"):
            assert text.count(once) == 1

    def test_follows_what_was_asked_first_and_last(self, killed: Handoff, bob: Member, alice: Member) -> None:
        lines = _text(killed, bob).splitlines()
        first = "Asked for (the user's words): Nordhaus complains that we hammered their endpoint all weekend."
        last = "Asked last (the user's words): fine. the footer of the page is broken on phones as well"
        assert lines[lines.index(first) + 1] == last
        assert "Asked last" not in _text(killed, alice)

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
