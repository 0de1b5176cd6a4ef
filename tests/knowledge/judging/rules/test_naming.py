"""Which notes are named to the agent of a deposit."""

from knowledge.judging.rules.naming import CHANCE, ServedNote, named

NEAREST = {1: 0.5, 2: 0.45, 3: 0.42}


def served(pk: int, similarity: float, *, first: bool = False) -> dict[int, ServedNote]:
    return {pk: ServedNote(pk, f"PLAT-{pk}", similarity, first)}


class TestNamed:
    def test_are_the_nearest(self) -> None:
        assert named(NEAREST, {}) == [1, 2, 3]
        assert named({}, {}) == []

    def test_is_what_was_served_beside_them(self) -> None:
        assert named({1: 0.5}, served(4, 0.2)) == [1, 4]

    def test_is_the_likeliest_of_what_was_served_in_any_case(self) -> None:
        assert named(NEAREST, served(4, CHANCE) | served(5, CHANCE + 0.01)) == [1, 2, 5]

    def test_is_nothing_served_that_is_farther_than_chance(self) -> None:
        assert named(NEAREST, served(4, CHANCE - 0.01, first=True)) == [1, 2, 3]

    def test_puts_first_what_came_first_in_an_answer(self) -> None:
        assert named(NEAREST, served(4, 0.35) | served(5, 0.32, first=True)) == [5, 1, 2]

    def test_are_two_at_most_that_were_only_served(self) -> None:
        some = {pk: note for pk in (4, 5, 6) for pk, note in served(pk, 0.4, first=True).items()}
        assert named({1: 0.3}, some) == [4, 5, 1]

    def test_are_the_nearest_where_one_of_them_was_served(self) -> None:
        assert named(NEAREST, served(3, 0.42)) == [1, 3, 2]
