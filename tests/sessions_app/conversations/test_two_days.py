"""Two days: decisions are spoken, never deposited, and the agent is killed; a colleague's model context holds them."""

from dataclasses import replace
from datetime import timedelta

import pytest

from accounts.rules.rights import Member
from knowledge.models import Insight
from sessions_app.actions.begin import Opening
from sessions_app.actions.start import start
from sessions_app.answers.actions.surface import surface
from sessions_app.answers.rules.calls import Interface
from sessions_app.conversations.actions.share import share, unshare
from sessions_app.handoffs.actions.recover_killed import Killed, recover_killed
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW
from tests.sessions_app.conversations.talk import talk

pytestmark = pytest.mark.django_db

SPOKEN = [
    Turn("user", "Why does the carrier of the Lindqvist account reject our parcels at night?"),
    Turn(
        "assistant",
        "The carrier's gateway closes after 19 seconds, so retries of the carrier API stop at seven, with 40 seconds "
        "between them; a longer pause would run into the nightly settlement.",
    ),
    Turn("tool", "Edit importer/carrier.py"),
    Turn("assistant", "The night run is explained. I have not touched anything else yet."),
]
# What else the team's agents talked about on the same repository.
OTHERS = ("The invoice export", "The login page's dark theme", "The backup of the catalogue", "The stock report")
QUESTION = "What did we decide on retries of the carrier API?"


def told_to(colleague: Member, question: str = QUESTION) -> str:
    """What a colleague's agent is told by its start and by its first prompt, the next day."""
    tomorrow = NOW + timedelta(days=1)
    opening = Opening(repo="acme/shop", team="platform", branch="main", handoff_tokens=400)
    begun = start(opening=opening, by=colleague, now=tomorrow, via=Interface.MCP)
    me = replace(colleague, session=begun.session.key)
    done = surface(prompt=question, by=me, now=tomorrow, via=Interface.MCP)
    return f"{begun.orientation.text}\n{done.text}"


class TestTwoDays:
    @pytest.fixture
    def killed(self, bob: Member) -> None:
        said = [replace(turn, at=f"2026-11-21T09:0{number}:00Z") for number, turn in enumerate(SPOKEN)]
        opening = Opening(repo="acme/shop", team="platform", agent_session="claude-code:1", transcript=said)
        recover_killed(killed=Killed(opening), by=bob, now=NOW)
        for subject in OTHERS:
            talk(
                bob,
                [Turn("assistant", f"{subject} is done. Its tests pass, and nothing else was touched.")],
                "acme/shop",
            )

    def test_a_colleague_is_told_what_was_decided(self, killed: None, bob: Member, alice: Member) -> None:
        share(repo="acme/shop", team="platform", turns=SharedTurns.AGENT, by=bob, now=NOW)
        told = told_to(alice)
        assert "stop at seven" in told
        assert "40 seconds" in told
        assert "Lindqvist" not in told
        assert not Insight.objects.filter(team__slug="platform").exists()

    def test_nobody_is_told_what_is_not_shared_any_more(self, killed: None, bob: Member, alice: Member) -> None:
        share(repo="acme/shop", team="platform", turns=SharedTurns.AGENT, by=bob, now=NOW)
        unshare(repo="acme/shop", by=bob, now=NOW)
        assert "stop at seven" not in told_to(alice)
