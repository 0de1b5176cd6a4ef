"""How long the steps of the benchmark take, for an estimate from its first minute on."""

from collections.abc import Sequence

from sessions_app.lab.metrics.outlook import ExpectedStep

# In their order. Seconds of each step at a million insights (two cores, 26 Nov 2026), and what it takes at any size.
EXPECTED = {
    "embed": (0, 0),
    "load": (780, 0),
    "index insight_text": (180, 0),
    "index insight_near": (1_500, 0),
    "count words": (90, 0),
    "vacuum": (60, 0),
    "sessions": (60, 0),
    "ask": (40, 15),
    "ask at once": (60, 15),
    "measure all vectors": (120, 5),
    "activity": (400, 5),
    "pages": (60, 30),
}


def expected(sizes: Sequence[int]) -> list[ExpectedStep]:
    """The steps of these sizes in turn, with how long each may take."""
    return [
        ExpectedStep(name, at_a_million * size / 1_000_000 + always)
        for size in sizes
        for name, (at_a_million, always) in EXPECTED.items()
    ]
