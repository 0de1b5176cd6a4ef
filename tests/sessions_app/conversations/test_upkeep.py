"""What waits for a vector gets one from the worker, no matter who runs, and whatever fails."""

import pytest
from django.test import override_settings

from accounts.models import GuardTerm
from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from sessions_app.actions.scan import scan_all
from sessions_app.conversations.actions import write
from sessions_app.conversations.actions.upkeep import embed_passages
from sessions_app.models import Passage
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW
from tests.counted import CountedEmbedder
from tests.sessions_app.conversations.talk import on_day, passages, talk
from tests.together import together

pytestmark = pytest.mark.django_db


def counted() -> CountedEmbedder:
    inner = current().inner
    assert isinstance(inner, CountedEmbedder)
    return inner


class TestEmbedding:
    def test_of_a_long_session_is_left_to_the_worker(self, alice: Member, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(write, "MOST_EMBEDDED", 2)
        talk(alice)
        assert [row.embedding for row in passages(alice)] == [None] * 4
        assert embed_passages(most=2).counts == {"embedded": 4}
        assert all(row.embedding for row in passages(alice))
        assert embed_passages().counts == {"embedded": 0}

    def test_embeds_once_what_was_said_twice(self, alice: Member) -> None:
        with override_settings(LOAM_EMBEDDER="tests.fakes.DownEmbedder"):
            first, second = talk(alice), talk(alice, on_day(9))
        with override_settings(LOAM_EMBEDDER="tests.counted.CountedEmbedder"):
            before = counted().texts
            assert embed_passages().counts == {"embedded": 8}
            assert counted().texts - before == 4
        vectors = [[row.embedding for row in one.passages.order_by("position")] for one in (first, second)]
        assert vectors[0] == vectors[1] and None not in vectors[0]

    def test_catches_up_when_the_embedder_is_back(self, alice: Member) -> None:
        with override_settings(LOAM_EMBEDDER="tests.fakes.DownEmbedder"):
            talk(alice)
            assert embed_passages().down
        assert embed_passages().counts == {"embedded": 4}

    @pytest.mark.django_db(transaction=True)
    def test_is_shared_by_runs_at_once(self, alice: Member, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(write, "MOST_EMBEDDED", 0)
        for day in range(1, 21):
            talk(alice, on_day(day))
        done = together(embed_passages, embed_passages)
        assert sum(run.counts["embedded"] for run in done) == 80
        assert not Passage.objects.filter(embedding=None).exists()


class TestScan:
    def test_masks_what_is_a_secret_by_now_and_indexes_it_anew(self, alice: Member) -> None:
        talk(alice, [Turn("user", "The pass phrase is written below.")])
        row = passages(alice)[0]
        secret = "AKIAZ3MPL7Q4RNUYV2WX"
        Passage.objects.filter(pk=row.pk).update(text=f"The key is {secret} for now.")
        GuardTerm.allow(team_id=row.team_id, term=secret, reason="a test key", by=alice, at=NOW)
        scan_all(now=NOW)
        assert secret in passages(alice)[0].text
        GuardTerm.objects.get().withdraw(by=alice, at=NOW)
        scan_all(now=NOW)
        kept = passages(alice)[0]
        assert secret not in kept.text
        assert "phrase" not in str(kept.lexemes)
        assert kept.embedding is None
        assert embed_passages().counts == {"embedded": 1}
