"""The rows of an answer, what belongs together beside each other."""

from collections.abc import Callable
from itertools import permutations

from knowledge.retrieval.rules.arrangement import arrange, brought_before, chains, held_behind
from tests.cases import cases


def greater(row: int, other: int) -> bool | None:
    """The greater one is the newer one."""
    return other > row


def neither(row: int, other: int) -> bool | None:
    return None


class TestArrange:
    @cases(
        ("order", "companions", "first", "expected"),
        [
            ([1, 2, 3], {}, greater, [1, 2, 3]),
            ([1, 2, 3], {1: [3]}, greater, [3, 1, 2]),
            ([3, 2, 1], {3: [1]}, greater, [3, 1, 2]),
            ([1, 2, 3], {1: [3]}, neither, [1, 3, 2]),
            ([1, 2], {1: [9]}, greater, [9, 1, 2]),
            ([1, 2], {1: [9], 2: [9]}, greater, [9, 1, 2]),
            ([1, 2], {1: [2], 2: [1]}, greater, [2, 1]),
            ([1], {1: [2, 3]}, greater, [3, 2, 1]),
            ([2], {2: [1, 3]}, greater, [3, 2, 1]),
            ([1], {1: [2, 2]}, greater, [2, 1]),
            ([1], {1: [2], 2: [1, 3]}, greater, [3, 2, 1]),
            ([1, 3], {1: [2], 2: [3], 3: [4]}, greater, [4, 3, 2, 1]),
            ([2], {2: [1], 1: [5]}, greater, [2, 1]),
            ([1], {1: [2], 2: [3]}, neither, [1, 2]),
            ([], {1: [2]}, greater, []),
        ],
    )
    def test_puts_companions_beside_a_row_the_current_one_first(
        self,
        order: list[int],
        companions: dict[int, list[int]],
        first: Callable[[int, int], bool | None],
        expected: list[int],
    ) -> None:
        assert arrange(order, companions, first) == expected

    @cases("order", list(permutations(range(4))))
    def test_names_each_row_once_and_loses_none(self, order: tuple[int, ...]) -> None:
        companions = {0: [2, 9], 1: [3], 2: [0, 1], 3: [8]}
        found = arrange(order, companions, greater)
        assert len(found) == len(set(found))
        assert set(order) <= set(found) <= {*order, 8, 9}


class TestChains:
    @cases(
        ("links", "expected"),
        [
            ({}, {}),
            ({1: [], 2: []}, {1: 1, 2: 2}),
            ({1: [2], 2: [1, 3], 3: [2], 4: []}, {1: 1, 2: 1, 3: 1, 4: 4}),
            ({1: [2], 2: [1], 3: [4], 4: [3, 1]}, {1: 1, 2: 1, 3: 3, 4: 3}),
        ],
    )
    def test_number_what_hangs_together(self, links: dict[int, list[int]], expected: dict[int, int]) -> None:
        assert chains(links) == expected


class TestHeldBehind:
    def test_is_right_behind_the_last_of_those_it_must_not_come_before(self) -> None:
        assert held_behind([5, 1, 2, 3], {5: [1]}) == [1, 5, 2, 3]
        assert held_behind([5, 1, 2, 3], {5: [1, 3]}) == [1, 2, 3, 5]
        assert held_behind([1, 5, 6, 2], {5: [1], 6: [2, 1]}) == [1, 5, 2, 6]
        assert held_behind([1, 2], {}) == [1, 2]


class TestBroughtBefore:
    def test_comes_up_to_right_before_the_first_that_must_not_precede_it(self) -> None:
        assert brought_before([5, 2, 3, 1], {5: 1}) == [1, 5, 2, 3]
        assert brought_before([2, 5, 6, 1], {5: 1, 6: 1}) == [2, 1, 5, 6]
        assert brought_before([1, 5, 2], {5: 1}) == [1, 5, 2]
        assert brought_before([1, 2], {}) == [1, 2]
