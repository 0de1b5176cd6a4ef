"""Progress of a long command where there is no terminal."""

from io import StringIO

import pytest

from sessions_app.lab.metrics.outlook import ExpectedStep, Outlook
from sessions_app.management import progress
from sessions_app.management.progress import Bars


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


class TestBars:
    def test_says_a_line_at_once_and_every_ten_seconds(self, clock):
        stream = StringIO()
        with Bars(Outlook([ExpectedStep("load", 1_000)]), stream=stream) as bars:
            for second in range(0, 26):
                clock[0] = second
                bars.show("load", second * 1_000, 100_000)
        assert stream.getvalue().splitlines() == [
            "load: 0 of 100,000 (0%); about 17 min left in all",
            "load: 10,000 of 100,000 (10%); about 90 s left in all".replace("90 s", "2 min"),
            "load: 20,000 of 100,000 (20%); about 80 s left in all",
        ]

    def test_says_the_first_line_of_each_step_that_takes_a_second(self, clock):
        stream = StringIO()
        bars = Bars(stream=stream)
        for second, step in [(0, "one"), (0.2, "two"), (1.5, "three")]:
            clock[0] = second
            bars.show(step, 0, 1)
        assert stream.getvalue().splitlines() == ["one: begun", "three: begun"]
