"""The map of topics: nothing over anything else, like near like, and the same each time."""

import math

import numpy as np

from knowledge.topics.rules.layout import circles, wishes


class TestCircles:
    def test_never_overlap(self) -> None:
        sizes = sorted(np.random.default_rng(1).integers(1, 60, 36).tolist(), reverse=True)
        found = circles(sizes, [(0.0, 0.0)] * 36)
        for place, one in enumerate(found):
            for other in found[:place]:
                assert math.hypot(one.x - other.x, one.y - other.y) >= one.r + other.r

    def test_are_as_large_as_what_they_hold(self) -> None:
        large, half, tiny = circles([100, 25, 1], [(0.0, 0.0)] * 3)
        assert math.isclose(half.r, large.r / 2)
        assert tiny.r < half.r

    def test_are_none_of_nothing(self) -> None:
        assert circles([], []) == []


class TestWishes:
    def test_put_like_near_like(self) -> None:
        a, b, c = wishes([[1.0, 0.1, 0.0], [1.0, 0.0, 0.1], [-1.0, 0.5, 0.0]])
        assert math.dist(a, b) < math.dist(a, c)

    def test_leave_what_has_no_centre_in_the_middle(self) -> None:
        assert wishes([None, [1.0, 0.0]]) == [(0.0, 0.0), (0.0, 0.0)]
