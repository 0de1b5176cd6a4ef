"""The baselines, on collections small enough to be ranked by hand."""

import numpy as np
import pytest

from sessions_app.lab.metrics.baselines import BM25, COSINE, FIXED_SUM, RRF, WAYS, Baselines


def plane(*degrees):
    """Vectors of length 1 at these angles, so that the cosine of two is that of the angle between."""
    turns = np.radians(degrees)
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


# Four texts of like length; `lock` is in two of them, `wait` in one.
WORDS = [["lock", "wait", "row"], ["lock", "row", "row"], ["cat", "sat", "mat"], ["row", "row", "row"]]
VECTORS = plane(60, 20, 10, 80)
QUESTION = plane(0)[0]


@pytest.fixture
def four():
    return Baselines(WORDS, VECTORS)


class TestKeyword:
    def test_is_lucenes_formula(self, four):
        # n 4, df 1, tf 1, length as the average: ln(1 + 3.5 / 1.5) · 1 · 1.6 / 1.6
        assert four.keyword(["wait"]) == pytest.approx([np.log(1 + 3.5 / 1.5), 0, 0, 0])

    def test_saturates_with_the_frequency(self, four):
        one, two, none, three = four.keyword(["row"])
        assert none == 0
        assert one < two < three < 3 * one


class TestRank:
    def test_gives_a_list_for_every_way(self, four):
        assert set(four.rank(["lock"], QUESTION, depth=10)) == set(WAYS)

    def test_by_keywords_only_what_matches(self, four):
        assert four.rank(["lock", "wait"], QUESTION, depth=10)[BM25] == [0, 1]

    def test_by_cosine_everything_nearest_first(self, four):
        assert four.rank(["lock"], QUESTION, depth=10)[COSINE] == [2, 1, 0, 3]

    def test_equal_scores_stand_in_the_order_of_the_documents(self, four):
        assert four.rank(["lock"], QUESTION, depth=10)[BM25] == [0, 1]

    def test_adds_reciprocal_ranks(self, four):
        # 1: 1/62 + 1/62; 0: 1/61 + 1/63, which is a little more; 2: 1/61; 3: 1/64
        assert four.rank(["lock", "wait"], QUESTION, depth=10)[RRF] == [0, 1, 2, 3]

    def test_adds_cosine_and_scaled_keywords(self, four):
        # 0: .7 · .5 + .3; 1: .7 · .94 + .3 · .37; 2: .7 · .98; 3: .7 · .17
        assert four.rank(["lock", "wait"], QUESTION, depth=10)[FIXED_SUM] == [1, 2, 0, 3]

    def test_scores_what_either_leg_brings_on_both(self, four):
        assert four.rank(["wait"], QUESTION, depth=1)[FIXED_SUM] == [2, 0]

    def test_leaves_one_document_out_of_every_list(self, four):
        found = four.rank(["lock", "wait"], QUESTION, depth=10, without=0)
        assert all(0 not in rows for rows in found.values())

    def test_finds_the_nearest_when_no_word_is_known(self, four):
        found = four.rank(["unheard"], QUESTION, depth=2)
        assert found == {BM25: [], COSINE: [2, 1], RRF: [2, 1], FIXED_SUM: [2, 1]}

    def test_prefers_what_both_legs_find_late_to_what_one_finds_first(self):
        words = [["lock"] * 3, ["lock", "lock", "pad"], ["lock", "pad", "pad"], ["cat"] * 3, ["mat"] * 3]
        found = Baselines(words, plane(90, 80, 30, 10, 20)).rank(["lock"], QUESTION, depth=3)
        assert (found[BM25], found[COSINE]) == ([0, 1, 2], [3, 4, 2])
        assert found[RRF] == [2, 0, 3, 1, 4]
