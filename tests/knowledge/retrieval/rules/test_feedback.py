"""What past ratings do to the rank."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.retrieval.rules.feedback import LEAST_OF_CONFIRMED, feedback
from tests.cases import cases

Rating = tuple[bool, float, float]
RATINGS = st.lists(st.tuples(st.booleans(), st.floats(-1, 1), st.floats(0, 400)), max_size=8)


def factor(*ratings: Rating) -> float:
    helpful, cosine, days = zip(*ratings, strict=True) if ratings else ((), (), ())
    return float(feedback(1, [0] * len(ratings), helpful, cosine, days).factors[0])


class TestFeedback:
    @cases(
        ("ratings", "expected"),
        [
            ((), 1.0),
            (((False, 1.0, 0),), 0.2),
            (((True, 1.0, 0),), 1.3),
            (((False, 0.9, 0),), 0.28),
            (((True, 0.9, 0),), 1.27),
            (((True, 1.0, 0), (False, 1.0, 0)), 1.0),
            (((True, 1.0, 0), (False, 1.0, 0), (False, 1.0, 0)), 1 - 0.8 / 3),
            (((True, 1.0, 0), (False, 0.8, 0)), 1.03),
        ],
    )
    def test_is_the_similarity_weighted_balance(self, ratings: tuple[Rating, ...], expected: float) -> None:
        assert factor(*ratings) == pytest.approx(expected)

    @cases(("cosine", "counts"), [(0.799, False), (0.8, True)])
    def test_counts_from_cosine_80_on(self, cosine: float, counts: bool) -> None:
        assert (factor((False, cosine, 0)) < 1) is counts

    @cases(("days", "counts"), [(90, True), (90.01, False)])
    def test_counts_for_90_days(self, days: float, counts: bool) -> None:
        assert (factor((False, 1.0, days)) < 1) is counts

    def test_ignores_a_question_without_a_vector(self) -> None:
        assert factor((False, float("nan"), 0)) == 1.0

    def test_rates_each_candidate_by_its_own(self) -> None:
        found = feedback(4, [2, 0, 2], [False, True, False], [1.0, 1.0, 0.5], [1, 2, 3])
        assert found.factors == pytest.approx([1.3, 1.0, 0.2, 1.0])
        assert found.why(0) == "rated for a similar question: 1 × helpful"
        assert found.why(2) == "rated for a similar question: 1 × unhelpful"
        assert found.why(3) == "not rated for a similar question"

    def test_takes_no_candidates(self) -> None:
        assert len(feedback(0, [], [], [], []).factors) == 0

    @given(RATINGS)
    def test_stays_in_its_bounds(self, ratings: list[Rating]) -> None:
        assert 0.2 - 1e-9 <= factor(*ratings) <= 1.3 + 1e-9

    @given(RATINGS, st.floats(0.8, 1))
    def test_never_rises_by_one_more_unhelpful(self, ratings: list[Rating], cosine: float) -> None:
        balance = feedback(1, [0] * len(ratings), *(zip(*ratings, strict=True) if ratings else ((), (), ()))).factors[0]
        if balance >= 1:
            assert factor(*ratings, (False, cosine, 0)) <= balance + 1e-9

    def test_takes_arrays(self) -> None:
        rows = np.arange(200)
        assert (feedback(200, rows, rows % 2 == 0, np.full(200, 0.9), np.zeros(200)).factors[::2] > 1).all()


class TestWhatTheTeamHasConfirmed:
    @cases(
        ("who", "confirmed", "expected"),
        [
            (["1", "1", "1", "1"], True, LEAST_OF_CONFIRMED),
            (["1", "2", "1", "2"], True, LEAST_OF_CONFIRMED),
            (["1", "2", "3", "1"], True, 0.2),
            (["1", "1", "1", "1"], False, 0.2),
        ],
    )
    def test_takes_three_people_to_be_pushed_down(self, who: list[str], confirmed: bool, expected: float) -> None:
        found = feedback(1, [0] * 4, [False] * 4, [1.0] * 4, [0.0] * 4, who=who, confirmed=[confirmed])
        assert found.factors[0] == pytest.approx(expected)

    def test_counts_no_objection_to_another_question(self) -> None:
        cosine = [1.0, 0.1, 0.1]
        found = feedback(1, [0] * 3, [False] * 3, cosine, [0.0] * 3, who=["1", "2", "3"], confirmed=[True])
        assert found.factors[0] == pytest.approx(LEAST_OF_CONFIRMED)
