"""Windows of a minute, and who looks when."""

from datetime import UTC, datetime

import pytest

from accounts.rules.throttle import CallCount, seconds_left, window_of

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class TestAWindow:
    @pytest.mark.parametrize(("second", "left"), [(0, 60), (1, 59), (59, 1)])
    def test_ends_with_the_minute(self, second: int, left: int) -> None:
        assert seconds_left(NOON.replace(second=second)) == left
        assert window_of(NOON.replace(second=second)) == window_of(NOON)

    def test_is_followed_by_the_next(self) -> None:
        assert window_of(NOON.replace(minute=1)) == window_of(NOON) + 1


class TestACount:
    @pytest.mark.parametrize(("known", "own", "over"), [(0, 9, False), (0, 10, True), (7, 2, False), (7, 3, True)])
    def test_is_over_when_one_more_would_be_too_many(self, known: int, own: int, over: bool) -> None:
        assert CallCount(0, known, own).over(10) is over

    @pytest.mark.parametrize(
        ("limit", "own", "due"), [(600, 29, False), (600, 30, True), (39, 1, True), (1, 1, True), (1, 0, False)]
    )
    def test_is_shared_each_twentieth_of_the_limit(self, limit: int, own: int, due: bool) -> None:
        assert CallCount(0, 0, own).due(limit) is due
