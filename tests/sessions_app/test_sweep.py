"""`manage.py sweep`: by hand what beat runs by the clock."""

from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.models import JobRun
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.review.actions import curate
from tests.factories import make_insight


def sweep(*words: str) -> str:
    out = StringIO()
    call_command("sweep", *words, stdout=out, stderr=out)
    return out.getvalue()


@pytest.fixture
def faded(alice: Member, now: datetime) -> None:
    """All that its team has promoted, of which next to nothing is left."""
    for _ in range(4):
        curate.promote(ref=make_insight(alice, now=now).ref, by=alice, now=now)
    Insight.objects.update(strength=2, fades_at=now - timedelta(days=1))


class TestSweep:
    def test_says_what_it_did_and_leaves_a_record(self, db: None) -> None:
        assert sweep("recount") == "recount: 0 changed.\n"
        assert JobRun.objects.get().name == "knowledge.recount"

    def test_says_what_was_down(self, alice: Member, embedder_down: str) -> None:
        make_insight(alice)
        assert embedder_down in sweep("embed_waiting")

    def test_stops_where_too_much_would_fall_until_it_is_forced(self, faded: None) -> None:
        with pytest.raises(CommandError, match="platform: 4 of 4 promoted would be deprecated"):
            sweep("fade")
        assert Insight.objects.filter(status="promoted").count() == 4
        assert sweep("fade", "--force", "platform") == "fade: 4 deprecated.\n"
        assert Insight.objects.filter(status="deprecated").count() == 4
        assert sorted(JobRun.objects.values_list("outcome", flat=True)) == ["done", "stopped"]

    @pytest.mark.parametrize(
        ("words", "fault"),
        [
            (["nonsense"], "invalid choice"),
            (["fade", "--force", "nowhere"], "There is no team 'nowhere'."),
            (["recount", "--force", "platform"], "--force is only for fade."),
        ],
    )
    def test_says_what_it_cannot_do(self, faded: None, words: list[str], fault: str) -> None:
        with pytest.raises(CommandError, match=fault):
            sweep(*words)
        assert not JobRun.objects.exists()
