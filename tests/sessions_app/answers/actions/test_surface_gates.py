"""Eighty labelled prompts through the gates, in sessions of their own and in one that is under way."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from accounts.rules.rights import Member
from knowledge.rules.vocabulary import Kind
from sessions_app.actions.start import Opening, start
from sessions_app.answers.actions.surface import surface
from sessions_app.models import SurfaceDecision
from tests.conftest import NOW
from tests.factories import make_insights
from tests.sessions_app.gate_prompts import CONTINUATIONS, KNOWN, NOTES, SOCIAL

# Task prompts on known subjects that are answered, at least; continuations and friendly words that are, at most.
LEAST_SURFACED, MOST_SURFACED = 0.85, 0.02


@pytest.fixture
def team(alice: Member) -> None:
    drafts = (
        {"kind": Kind(kind), "body": body, "files": files, "error": error, "reasoning": "It cost us a day."}
        for kind, body, files, error in NOTES
    )
    make_insights(alice, NOW, *drafts)


def surfaced(prompts: Sequence[str], by: Member, now: datetime, *, opened: bool) -> list[str]:
    """The prompts that notes were put beside, each in a session of its own; `opened`: an earlier prompt was about
    something that nobody knows anything of.
    """
    found = []
    for prompt in prompts:
        inside = replace(
            by, session=start(opening=Opening(repo="acme/shop", team="platform"), by=by, now=now).session.key
        )
        if opened:
            surface(prompt="Write a haiku about the sourdough in our kitchen", by=inside, now=now)
        if surface(prompt=prompt, by=inside, now=now).decision.surfaced:
            found.append(prompt)
    return found


@pytest.mark.parametrize("opened", [False, True], ids=["first", "later"])
class TestEightyPrompts:
    def test_on_known_subjects_are_answered_also_when_they_are_orders(
        self, team: None, bob: Member, now: datetime, opened: bool
    ) -> None:
        found = surfaced(KNOWN, bob, now, opened=opened)
        missed = {
            prompt: SurfaceDecision.objects.filter(prompt=prompt).latest("pk").reason
            for prompt in set(KNOWN) - set(found)
        }
        assert len(found) >= LEAST_SURFACED * len(KNOWN), missed

    @pytest.mark.parametrize("prompts", [CONTINUATIONS, SOCIAL], ids=["continuations", "social"])
    def test_that_only_go_on_or_are_friendly_are_left_alone(
        self, team: None, bob: Member, now: datetime, opened: bool, prompts: Sequence[str]
    ) -> None:
        assert len(surfaced(prompts, bob, now, opened=opened)) <= MOST_SURFACED * len(prompts)

    def test_are_eighty(self, opened: bool) -> None:
        assert len({*KNOWN, *CONTINUATIONS, *SOCIAL}) == 80
