"""How much two notes stand out as a pair."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.rules.judging.closeness import SURELY, UNRELATED, closeness, may_reach, shared, surroundings

part = st.floats(0, 1)


class TestSurroundings:
    @pytest.mark.parametrize(
        ("cosines", "mean"),
        [
            ([0.5] * 5, 0.5),
            ([0.5] * 5 + [0.1] * 20, 0.5),
            ([], UNRELATED),
            ([0.8], (0.8 + 4 * UNRELATED) / 5),
            ([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], 0.7),
        ],
    )
    def test_are_the_mean_of_the_five_nearest(self, cosines: list[float], mean: float) -> None:
        assert surroundings(cosines) == pytest.approx(mean)


class TestShared:
    DF = {"deploy": 90, "run": 90, "flyway": 1, "lock": 2}

    @pytest.mark.parametrize(
        ("one", "other", "part"),
        [
            (["flyway", "run"], ["flyway", "run"], 1.0),
            (["flyway"], ["flyway", "run", "deploy"], 1.0),
            (["flyway"], ["lock"], 0.0),
            ([], ["lock"], 0.0),
            ([], [], 0.0),
        ],
    )
    def test_is_the_part_of_the_shorter_one(self, one: list[str], other: list[str], part: float) -> None:
        assert shared(one, other, 100, self.DF) == shared(other, one, 100, self.DF) == pytest.approx(part)

    def test_counts_rare_words_for_more(self) -> None:
        rare = shared(["flyway", "run"], ["flyway", "lock"], 100, self.DF)
        common = shared(["flyway", "run"], ["lock", "run"], 100, self.DF)
        assert rare > 0.9 > 0.1 > common > 0

    def test_counts_a_repeated_word_once(self) -> None:
        assert shared(["flyway"] * 5, ["flyway", "lock"], 100, self.DF) == pytest.approx(1.0)


class TestCloseness:
    @pytest.mark.parametrize(
        ("cosine", "words", "around", "close"),
        [(0.8, 1.0, 1.0, 0.6), (0.6, 0.6, 0.6, 0.6), (0.75, 0.3, 1.2, -0.15), (1.0, 1.0, 0.6, 1.6)],
    )
    def test_is_what_is_near_less_what_is_around(
        self, cosine: float, words: float, around: float, close: float
    ) -> None:
        assert closeness(cosine, words, around) == pytest.approx(close)

    def test_a_changed_fact_in_other_words_stands_out_more_than_a_crowd(self) -> None:
        """.6 between two notes on a subject of their own, and .75 among a thousand notes on Git."""
        assert closeness(0.6, 0.4, 0.35 + 0.35) > closeness(0.75, 0.4, 0.7 + 0.7)

    @given(part, part, st.floats(0, 2))
    def test_grows_with_likeness_and_shared_words(self, cosine: float, words: float, around: float) -> None:
        close = closeness(cosine, words, around)
        assert closeness(cosine + 0.1, words, around) > close
        assert closeness(cosine, words + 0.1, around) > close
        assert closeness(cosine, words, around + 0.1) < close


class TestMayReach:
    @given(part, part, part, st.floats(UNRELATED, 1))
    def test_never_drops_what_would_have_reached(self, cosine: float, words: float, own: float, other: float) -> None:
        close = closeness(cosine, words, own + other)
        assert may_reach(cosine, words, own, close)

    @pytest.mark.parametrize(("cosine", "may"), [(0.5, True), (0.49, False), (SURELY, True), (SURELY - 0.001, True)])
    def test_is_pinned_from_both_sides(self, cosine: float, may: bool) -> None:
        assert may_reach(cosine, 0.0, 0.3, closeness(0.5, 0.0, 0.6)) is may

    @pytest.mark.parametrize(("cosine", "may"), [(0.92, True), (0.919, False)])
    def test_what_is_nearly_the_same_is_looked_at_whatever_surrounds_it(self, cosine: float, may: bool) -> None:
        assert may_reach(cosine, 1.0, 0.95, 5.0) is may
