"""Who is near a deposit besides its nearest by vector."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from knowledge.judging.rules.neighbours import (
    LOOKED_UP,
    MOST_SCORED,
    NeighbourStanding,
    conflict_free_batches,
    looked_up,
    lookup,
    rare,
)
from knowledge.rules.vectors import two_of
from tests.cases import cases


class TestRare:
    @cases(
        ("documents", "df", "is_rare"),
        [(10, 0, True), (10, 3, True), (10, 4, False), (1000, 20, True), (1000, 21, False)],
    )
    def test_is_what_few_insights_have(self, documents: int, df: int, is_rare: bool) -> None:
        assert ("vitest" in rare({"vitest"}, documents, {"vitest": df})) is is_rare


class TestLookedUp:
    def test_are_the_rarest_that_occur(self) -> None:
        assert looked_up({"a", "b", "c"}, {"a": 3, "b": 1}) == ["b", "a"]

    def test_are_few(self) -> None:
        words = {f"w{n}" for n in range(40)}
        assert len(looked_up(words, dict.fromkeys(words, 1))) == LOOKED_UP


class TestLookup:
    WORDS = ("vitest", "tsx", "vite")

    @cases(("rows", "with_two"), [(MOST_SCORED - 2, False), (MOST_SCORED - 1, True)])
    def test_is_by_any_word_unless_that_is_many_rows(self, rows: int, with_two: bool) -> None:
        df = {"vitest": 1, "tsx": 1, "vite": rows}
        assert lookup(self.WORDS, df) == (two_of(self.WORDS) if with_two else "'tsx' | 'vite' | 'vitest'")

    def test_is_none_for_a_single_word_that_many_have(self) -> None:
        assert lookup(["vite"], {"vite": MOST_SCORED + 1}) == ""

    def test_is_empty_for_no_words(self) -> None:
        assert lookup([], {}) == ""


def at(angle: float, **over: object) -> NeighbourStanding:
    return NeighbourStanding(np.array([np.cos(angle), np.sin(angle)]), **over)  # type: ignore[arg-type]


class TestConflictFreeBatches:
    def test_keeps_strangers_together_and_neighbours_in_turn(self) -> None:
        assert conflict_free_batches([at(0), at(1.5), at(0.1), at(0.2)], band=0.9) == [[0, 1], [2], [3]]

    def test_parts_what_has_the_same_error_or_place(self) -> None:
        place = {"files": frozenset({"a.py"}), "symbols": frozenset({"f"})}
        assert conflict_free_batches([at(0, error="x"), at(1.5, error="x")], band=0.9) == [[0], [1]]
        assert conflict_free_batches([at(0, **place), at(1.5, **place)], band=0.9) == [[0], [1]]
        assert conflict_free_batches(
            [at(0, files=frozenset({"a.py"})), at(1.5, files=frozenset({"a.py"}))], band=0.9
        ) == [[0, 1]]

    def test_of_nothing_are_none(self) -> None:
        assert conflict_free_batches([], band=0.9) == []

    @given(st.lists(st.floats(0, 6.28), max_size=12))
    def test_hold_each_once_and_no_two_neighbours(self, angles: list[float]) -> None:
        batch = [at(angle) for angle in angles]
        rounds = conflict_free_batches(batch, band=0.9)
        assert sorted(place for some in rounds for place in some) == list(range(len(batch)))
        for some in rounds:
            assert all(batch[a].vector @ batch[b].vector < 0.9 for a in some for b in some if a != b)
