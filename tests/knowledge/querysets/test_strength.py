"""What SQL says is left of a strength is what the rule says."""

from datetime import timedelta
from itertools import product

from accounts.rules.rights import Member
from knowledge.lifecycle.rules import decay
from knowledge.models import Insight
from knowledge.querysets.strength import of_strength
from knowledge.rules.vocabulary import Kind, Stability, Status
from tests.conftest import NOW
from tests.factories import make_insights


def test_each_insight_is_in_the_band_of_its_strength(alice: Member) -> None:
    """Of every status, stability and pin, and of two kinds: one that fades, and one that is held."""
    every = list(product(Status, Stability, (True, False), (Kind.PITFALL, Kind.DECISION)))
    bodies = ({"body": f"Lesson {n} of the importer and its queue."} for n in range(len(every)))
    rows = make_insights(alice, NOW - timedelta(days=40), *bodies)
    for n, (row, (status, stability, pinned, kind)) in enumerate(zip(rows, every, strict=True)):
        row.status, row.stability, row.pinned, row.kind = status, stability, pinned, kind
        row.reasoning = "The team agreed on it."
        row.strength, row.strength_at = 100.0 - n, NOW - timedelta(days=n - 1)
    Insight.objects.bulk_update(rows, ["status", "stability", "pinned", "kind", "reasoning", "strength", "strength_at"])
    gone = rows[0]
    Insight.objects.filter(pk=gone.pk).update(superseded_by=rows[1])
    for name, (least, below) in decay.STRENGTH_BANDS.items():
        found = set(of_strength(Insight.objects.all(), least, below, NOW).values_list("pk", flat=True))
        wanted = {row.pk for row in rows if least <= row.effective_strength(NOW) < below} - {gone.pk}
        assert found == wanted, name
