from math import log

import numpy as np
import pytest

from knowledge.retrieval.rules import relevance
from knowledge.retrieval.rules.bm25 import idf, total_idf
from knowledge.retrieval.rules.relevance import (
    EXACT_WEIGHT,
    SAME_MESSAGE,
    answers,
    distinct,
    evidence,
    floor,
    fuse,
    keyword_weight,
    prose,
    room,
    trimmed,
)
from tests.cases import cases


def column(*values):
    return np.array(values, dtype=np.float64)


class TestProse:
    @cases(
        ("text", "share"),
        [
            ("The worker hangs, as it waits for a lock.", 1.0),
            ("It's a well-known trap (don't panic)!", 1.0),
            ("Das Schloß klemmt über Nacht", 1.0),
            ("find . -name '*.py' | xargs wc -l", 3 / 8),
            ("SQL readCsv user_id x=1 3.11", 0.0),
            ("", 1.0),
        ],
    )
    def test_is_the_share_of_plain_words(self, text, share):
        assert prose(text) == pytest.approx(share)


class TestKeywordWeight:
    def test_is_small_for_code_and_large_for_prose(self):
        assert keyword_weight(0.65) == pytest.approx(0.03)
        assert keyword_weight(0.95) == pytest.approx(0.09)

    def test_is_interpolated_between_and_held_beyond(self):
        assert keyword_weight(0.80) == pytest.approx(0.06)
        assert keyword_weight(0.1) == keyword_weight(0.65)
        assert keyword_weight(1.0) == keyword_weight(0.95)


class TestFuse:
    def test_measures_keywords_in_their_own_spread(self):
        bm25 = column(4, 2, 0, 2)
        found = fuse(column(0.5, 0.4, 0.3, 0.2), bm25, column(1, 1, 1, 1))
        assert found.keywords == pytest.approx(bm25 / bm25.std())
        assert found.total == pytest.approx(found.similarity + 0.09 * bm25 / bm25.std())

    def test_does_not_change_when_all_keyword_scores_double(self):
        cosine, bm25, words = column(0.5, 0.4, 0.3), column(4, 2, 0), column(0.8, 0.8, 0.8)
        assert fuse(cosine, bm25, words).total == pytest.approx(fuse(cosine, 2 * bm25, words).total)

    def test_bounds_what_a_single_match_among_many_is_worth(self):
        bm25 = np.zeros(200)
        bm25[7] = 5.0
        assert fuse(np.zeros(200), bm25, np.ones(200)).keywords[7] == pytest.approx(relevance.SPREAD_FLOOR)

    def test_is_the_cosine_where_no_word_matches(self):
        assert fuse(column(0.5, 0.1), column(0, 0), column(1, 1)).total == pytest.approx([0.5, 0.1])

    def test_counts_a_candidate_without_a_vector_by_its_keywords(self):
        assert fuse(column(np.nan, 0.2), column(3, 1), column(1, 1)).total[0] > 0

    def test_trusts_shared_words_less_among_code(self):
        cosine, bm25 = column(0.50, 0.40), column(0, 2)
        assert fuse(cosine, bm25, column(0.95, 0.95)).total.argmax() == 1
        assert fuse(cosine, bm25, column(0.3, 0.3)).total.argmax() == 0

    def test_takes_no_candidates(self):
        assert len(fuse(column(), column(), column()).total) == 0


class TestFloor:
    def test_rises_with_the_collection(self):
        assert floor(100) == pytest.approx(0.385)
        assert floor(1871) == pytest.approx(0.385 + 0.04 * log(18.71))

    def test_stays_within_the_sizes_it_was_measured_on(self):
        assert floor(0) == floor(30)
        assert floor(1_000_000) == floor(10_000)


class TestAnswers:
    N = 100

    def evidence(self, question, cosine, has=(), exact=0.0, df=None):
        """What one candidate has, that contains the words `has` once each and is of average length."""
        df = df or {}
        score = sum(idf(self.N, df[word]) for word in has)
        return evidence(column(cosine), column(score), column(exact), total_idf(question, self.N, df))

    def test_answers_one_rare_word_that_is_there(self):
        assert answers(self.evidence(["zephyrus"], 0.15, ["zephyrus"], df={"zephyrus": 1}), self.N)

    def test_abstains_when_only_a_common_word_of_many_matches(self):
        question = ["recip", "sourdough", "bread", "rye", "caraway", "seed"]
        assert not answers(self.evidence(question, 0.16, ["seed"], df={"seed": 8}), self.N)

    def test_answers_other_words_for_the_same_thing(self):
        question = ["schema", "chang", "block", "reader", "releas"]
        assert answers(self.evidence(question, 0.45), self.N)

    def test_abstains_on_half_the_similarity(self):
        assert not answers(self.evidence(["schema", "chang"], 0.22), self.N)

    @cases(("cosine", "answered"), [(0.384, False), (0.386, True)])
    def test_turns_at_the_floor(self, cosine, answered):
        assert answers(self.evidence(["schema"], cosine), self.N) is answered

    def test_answers_an_exact_match_however_it_is_worded(self):
        assert answers(self.evidence(["traceback"], -0.1, exact=1.0), 1_000_000)

    def test_answers_an_error_that_says_the_same_and_adds_nothing_to_it(self):
        assert answers(self.evidence(["traceback"], -0.1, exact=SAME_MESSAGE), 1_000_000)
        for cosine in (0.1, 0.7):
            alike = self.evidence(["traceback"], cosine, exact=SAME_MESSAGE)
            assert alike == max(self.evidence(["traceback"], cosine)[0], EXACT_WEIGHT)

    def test_abstains_without_candidates(self):
        assert not answers(evidence(column(), column(), column(), 3.0), self.N)

    def test_needs_more_in_a_larger_collection(self):
        found = self.evidence(["schema"], 0.45)
        assert answers(found, 100)
        assert not answers(found, 2000)

    def test_bears_a_question_of_stop_words(self):
        assert not answers(evidence(column(0.1), column(0), column(0), 0.0), self.N)


class TestTrimmed:
    def test_keeps_what_is_within_the_share_of_the_strongest(self):
        assert trimmed([1.0, 0.651, 0.649, 0.66]) == [0, 1, 3]

    def test_measures_by_the_strongest_even_if_another_ranks_first(self):
        assert trimmed([0.5, 1.0]) == [1]

    def test_takes_none(self):
        assert trimmed([]) == []


class TestRoom:
    def test_is_one_fewer_when_two_weak_ones_tie(self):
        assert room(3, [0.43, 0.43, 0.41], n=100) == 2

    def test_is_the_limit_when_one_stands_out(self):
        assert room(3, [0.43, 0.40, 0.40], n=100) == 3

    def test_is_the_limit_when_the_tie_is_strong(self):
        assert room(3, [0.80, 0.80, 0.41], n=100) == 3

    def test_never_takes_the_only_one(self):
        assert room(1, [0.43, 0.43], n=100) == 1
        assert room(3, [0.43], n=100) == 3


class TestDistinct:
    def test_drops_what_repeats_a_better_one(self):
        vectors = np.array([[1, 0], [0, 1], [0.96, 0.28]])
        assert distinct(vectors, [2, 1, 0]) == [2, 1]

    @cases(("cosine", "kept"), [(0.949, [0, 1]), (0.951, [0])])
    def test_turns_at_the_bound(self, cosine, kept):
        vectors = np.array([[1, 0], [cosine, (1 - cosine**2) ** 0.5]])
        assert distinct(vectors, [0, 1]) == kept

    def test_keeps_rows_without_a_vector(self):
        assert distinct(np.zeros((3, 2)), [0, 1, 2]) == [0, 1, 2]
