"""Drafts made of a transcript link to the conversation, and one decision told in several sessions is one insight."""

import pytest
from django.test import Client

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.models import Insight
from sessions_app.models import Quotation
from sessions_app.transcripts.rules.turn import Turn
from tests.sessions_app.conversations.talk import on_day, talk

pytestmark = pytest.mark.django_db

DECIDED = "We decided to parse tariff files with **iterparse**, because the worker has only 512 MB."
SAID = [
    Turn("user", "It falls over on 2 GB.", "2026-11-20T09:00:00Z"),
    Turn("assistant", f"I looked. {DECIDED} Next I test it.", "2026-11-20T09:01:00Z"),
]


class TestADraftFromATranscript:
    def test_quotes_the_passage_that_says_it(self, bob: Member) -> None:
        session = talk(bob, SAID)
        (draft,) = Insight.objects.all()
        (quoted,) = Quotation.objects.select_related("passage")
        assert (quoted.insight_id, quoted.session_id, quoted.proposed) == (draft.pk, session.pk, False)
        assert DECIDED in quoted.passage.text
        assert draft.body == "We decided to parse tariff files with iterparse"

    def test_links_to_the_conversation_for_who_may_read_it(self, bob: Member, bob_user: User, alice_user: User) -> None:
        session = talk(bob, SAID)
        (draft,) = Insight.objects.all()
        pages = {}
        for user in (bob_user, alice_user):
            client = Client()
            client.force_login(user)
            pages[user.username] = client.get(f"/insights/{draft.ref}/").content.decode()
        assert f"/sessions/{session.ref}/conversation" in pages["bob"]
        assert "I looked." in pages["bob"]
        assert "I looked." not in pages["alice"]

    def test_that_is_told_again_elsewhere_corroborates_the_first(self, bob: Member, alice: Member) -> None:
        first, second, third = talk(bob, SAID), talk(alice, SAID), talk(bob, on_day(9, SAID))
        (draft,) = Insight.objects.all()
        assert draft.corroboration_count == 3
        cited = set(Quotation.objects.filter(insight=draft).values_list("session_id", flat=True))
        assert cited == {first.pk, second.pk, third.pk}

    def test_without_a_reason_is_told_and_not_deposited(self, bob: Member) -> None:
        session = talk(bob, [Turn("assistant", "We decided to drop Node 16.")])
        assert [one["statement"] for one in session.digest["decisions"]] == ["We decided to drop Node 16."]
        assert (Insight.objects.count(), Quotation.objects.count()) == (0, 0)
