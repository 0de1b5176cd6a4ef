"""The time axis, and what falls on it."""

from datetime import UTC, date, datetime, timedelta

from sessions_app.rules.figures import MOST_STEPS, OpenSpans, medians, open_at, steps, strengths, summed

LAST = date(2026, 11, 21)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


class TestSteps:
    def test_are_days_while_they_can_be_seen(self) -> None:
        axis = steps(LAST - 2 * DAY, LAST)
        assert [(step.first, step.last) for step in axis] == [(LAST - n * DAY, LAST - n * DAY) for n in (2, 1, 0)]
        assert summed({LAST: 3, LAST - 2 * DAY: 1}, axis) == (1, 0, 3)
        assert len(steps(LAST - (MOST_STEPS - 1) * DAY, LAST)) == MOST_STEPS

    def test_are_weeks_beyond_that_end_today_and_leave_no_day_out(self) -> None:
        axis = steps(LAST - MOST_STEPS * DAY, LAST)
        assert [step.days for step in axis] == [4, 7, 7, 7, 7]
        assert summed({LAST: 1, LAST - 6 * DAY: 1, LAST - 7 * DAY: 1, LAST - 31 * DAY: 5}, axis) == (5, 0, 0, 1, 2)

    def test_have_a_median_where_something_falls_on_them(self) -> None:
        found = [(LAST, HOUR), (LAST, 3 * HOUR), (LAST - 2 * DAY, DAY), (LAST - 9 * DAY, DAY)]
        assert medians(found, steps(LAST - 2 * DAY, LAST)) == (DAY, None, 2 * HOUR)


def test_what_was_open_at_a_moment_was_raised_by_then_and_settled_later() -> None:
    noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    found = [(noon - DAY, None), (noon - DAY, noon - HOUR), (noon - HOUR, noon + HOUR), (noon + HOUR, None)]
    spells = [(one.timestamp(), end and end.timestamp()) for one, end in found]
    both, later = open_at(spells, [noon, noon + DAY], noon + DAY)
    assert (both.count, both.median, both.longest) == (2, 12.5 * HOUR, DAY)
    assert (later.count, later.median, later.longest) == (2, 35.5 * HOUR, 2 * DAY)
    assert open_at(spells, [noon - 2 * DAY], noon) == (OpenSpans(0, None, None),)


def test_what_is_open_at_the_end_of_today_has_been_so_until_now() -> None:
    noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert open_at([((noon - DAY).timestamp(), None)], [noon + 11 * HOUR], noon) == (OpenSpans(1, DAY, DAY),)


class TestStrengths:
    def test_count_each_in_its_band_of_ten(self) -> None:
        assert strengths([0, 9.9, 10, 99, 100], whole=True).bands == (2, 1, 0, 0, 0, 0, 0, 0, 0, 2)
