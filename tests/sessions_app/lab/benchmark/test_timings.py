"""Percentiles of what was measured."""

import pytest

from sessions_app.lab.benchmark.timings import Timings
from tests.cases import cases


class TestTimings:
    @cases(
        ("seconds", "expected"),
        [
            ([0.003], (1, 3.0, 3.0, 3.0, 3.0)),
            ([0.004, 0.001, 0.002, 0.003], (4, 2.0, 4.0, 4.0, 4.0)),
            ([n / 1000 for n in range(100, 0, -1)], (100, 50.0, 95.0, 99.0, 100.0)),
            ([n / 1000 for n in range(1, 1001)], (1000, 500.0, 950.0, 990.0, 1000.0)),
        ],
    )
    def test_are_values_that_were_measured(self, seconds, expected):
        made = Timings.of(seconds)
        assert (made.count, made.p50, made.p95, made.p99, made.most) == expected

    def test_of_nothing_are_refused(self):
        with pytest.raises(ValueError, match="nothing was measured"):
            Timings.of([])
