"""How many of a team's passages have a word follows every write, no matter who makes it."""

import pytest

from accounts.rules.rights import Member
from sessions_app.conversations.actions.forget import forget_conversation
from sessions_app.conversations.actions.share import share, unshare
from sessions_app.models import Passage, PassageTerm
from sessions_app.querysets.passage_terms import ALL
from sessions_app.transcripts.rules.speakers import SharedTurns
from tests.conftest import NOW
from tests.sessions_app.conversations.talk import on_day, talk

pytestmark = pytest.mark.django_db


def counts(team_id: int) -> tuple[int, int]:
    """How many passages a team has, and how many of them have the word batch."""
    total, df = PassageTerm.objects.all().counted([team_id], ["batch"])
    return total, df.get("batch", 0)


class TestCounts:
    def test_follow_what_is_kept_and_what_is_forgotten(self, alice: Member) -> None:
        first, _ = talk(alice), talk(alice, on_day(9))
        assert counts(alice.home_id) == (8, 4)
        forget_conversation(name=first.ref, by=alice, now=NOW)
        assert counts(alice.home_id) == (4, 2)
        Passage.objects.all().delete()
        assert not PassageTerm.objects.exists()

    def test_follow_passages_from_team_to_team(self, alice: Member) -> None:
        talk(alice)
        platform = alice.named("platform").id
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
        assert (counts(platform), counts(alice.home_id)) == ((4, 2), (0, 0))
        unshare(repo="shop", by=alice, now=NOW)
        assert (counts(platform), counts(alice.home_id)) == ((0, 0), (4, 2))
        assert not PassageTerm.objects.filter(team_id=platform).exists()

    def test_do_not_change_with_a_vector(self, alice: Member) -> None:
        talk(alice)
        before = dict(PassageTerm.objects.values_list("term", "passages"))
        Passage.objects.update(embedding=None, embedded_by="")
        assert dict(PassageTerm.objects.values_list("term", "passages")) == before
        assert before[ALL] == 4
