from math import log2

import pytest

from sessions_app.lab.metrics.ranked_lists import Quality, held_out, mean, mrr, ndcg, quality, recall


class TestNdcg:
    def test_is_one_for_the_best_order(self):
        assert ndcg(["a", "b", "c"], {"a": 2, "b": 1}) == pytest.approx(1.0)

    def test_discounts_by_the_logarithm_of_the_rank(self):
        assert ndcg(["x", "a"], {"a": 1}) == pytest.approx(1 / log2(3))

    def test_uses_the_grade_as_gain(self):
        ideal = 2 + 1 / log2(3)
        assert ndcg(["b", "a"], {"a": 2, "b": 1}) == pytest.approx((1 + 2 / log2(3)) / ideal)

    def test_looks_at_ten_and_expects_no_more_than_ten(self):
        assert ndcg([*"1234567890", "a"], {"a": 1}) == 0
        assert ndcg([f"r{n}" for n in range(10)], {f"r{n}": 1 for n in range(20)}) == pytest.approx(1.0)


class TestMrr:
    def test_is_one_over_the_first_relevant_rank(self):
        assert mrr(["x", "y", "a", "b"], {"a": 1, "b": 1}) == pytest.approx(1 / 3)

    def test_is_zero_past_ten(self):
        assert mrr([*"1234567890", "a"], {"a": 1}) == 0


class TestRecall:
    def test_is_the_share_among_the_first_k(self):
        assert recall(["a", "x", "b"], {"a": 1, "b": 1, "c": 1, "d": 0}, 2) == pytest.approx(1 / 3)


class TestMean:
    def test_counts_each_question_the_same(self):
        good, bad = quality(["a"], {"a": 1}), quality(["x"], {"a": 1})
        assert mean([good, bad]) == Quality(0.5, 0.5, 0.5, 0.5)

    def test_refuses_no_questions(self):
        with pytest.raises(ZeroDivisionError):
            mean([])


class TestHeldOut:
    def test_is_the_same_in_every_run(self):
        assert [held_out(f"q{n}") for n in range(8)] == [False, True, False, False, True, False, True, True]

    def test_splits_about_in_half(self):
        assert 450 < sum(held_out(f"q{n}") for n in range(1000)) < 550
