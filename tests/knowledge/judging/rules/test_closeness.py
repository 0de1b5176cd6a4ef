"""How much two notes stand out as a pair."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.judging.rules.closeness import UNRELATED, closeness, lead, own_words, shared, stands_alone, surroundings
from tests.cases import cases

part = st.floats(0, 1)


class TestSurroundings:
    @cases(
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

    @cases(
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


class TestLead:
    @cases(("cosine", "others", "by"), [(0.8, [0.6, 0.7], 0.1), (0.6, [0.7], -0.1), (0.5, [], 0.5 - UNRELATED)])
    def test_is_over_the_nearest_other(self, cosine: float, others: list[float], by: float) -> None:
        assert lead(cosine, others) == pytest.approx(by)


class TestOwnWords:
    """Six services, each with a region: the note is about the one that has its name, and none of the others has."""

    DF = {"runs": 60, "region": 60, "indexer": 2, "billing": 2, "frankfurt": 1}
    NOTE = ["indexer", "runs", "frankfurt"]

    def test_are_those_that_no_other_near_has(self) -> None:
        others = [["billing", "runs", "region"]]
        mine = own_words(self.NOTE, ["indexer", "runs", "region"], others, 100, self.DF)
        theirs = own_words(self.NOTE, ["billing", "runs", "region"], [["indexer", "runs"]], 100, self.DF)
        assert mine > 0.4 > theirs == 0.0

    @cases(("words", "neighbour", "part"), [([], ["indexer"], 0.0), (["indexer"], ["indexer"], 1.0)])
    def test_are_a_share(self, words: list[str], neighbour: list[str], part: float) -> None:
        assert own_words(words, neighbour, [], 100, self.DF) == pytest.approx(part)


class TestCloseness:
    @cases(
        ("ahead", "own", "words", "around", "close"),
        [(0.1, 0.5, 1.0, 0.5, 0.58), (0.0, 0.0, 0.0, UNRELATED, 0.0), (-0.2, 0.1, 0.5, 0.6, -0.4)],
    )
    def test_is_what_sets_it_apart_less_what_is_around(
        self, ahead: float, own: float, words: float, around: float, close: float
    ) -> None:
        assert closeness(ahead, own, words, around) == pytest.approx(close)

    @given(st.floats(-1, 1), part, part, part)
    def test_grows_with_all_but_what_is_around(self, ahead: float, own: float, words: float, around: float) -> None:
        close = closeness(ahead, own, words, around)
        assert closeness(ahead + 0.1, own, words, around) > close
        assert closeness(ahead, own + 0.1, words, around) > close
        assert closeness(ahead, own, words + 0.1, around) > close
        assert closeness(ahead, own, words, around + 0.1) < close


class TestStandsAlone:
    @cases(
        ("lead", "own_words", "alone"),
        [(0.2, 0.12, True), (0.5, 0.5, True), (0.199, 0.5, False), (0.5, 0.119, False), (-0.1, 0.5, False)],
    )
    def test_takes_a_lead_and_words_of_its_own(self, lead: float, own_words: float, alone: bool) -> None:
        assert stands_alone(lead, own_words) is alone
