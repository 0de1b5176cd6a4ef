"""Counts as columns."""

from datetime import date, timedelta

from sessions_app.rules.figures import MOST_STEPS, steps, strengths

LAST = date(2026, 11, 21)


class TestSteps:
    def test_are_days_while_they_can_be_seen(self) -> None:
        found = steps({LAST: 3, LAST - timedelta(days=2): 1}, LAST - timedelta(days=2), LAST)
        assert [(step.start.day, step.count) for step in found] == [(19, 1), (20, 0), (21, 3)]

    def test_are_weeks_beyond_and_end_today(self) -> None:
        first = LAST - timedelta(days=MOST_STEPS)
        found = steps({LAST: 1, LAST - timedelta(days=6): 1, LAST - timedelta(days=7): 1}, first, LAST)
        assert [step.days for step in found] == [7] * 4
        assert [step.count for step in found] == [0, 0, 1, 2]


class TestStrengths:
    def test_count_each_in_its_band_of_ten(self) -> None:
        assert strengths([0, 9.9, 10, 99, 100], whole=True).bands == (2, 1, 0, 0, 0, 0, 0, 0, 0, 2)
