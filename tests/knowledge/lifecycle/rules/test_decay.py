"""What is left of a strength after a while."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.lifecycle.rules import decay
from knowledge.lifecycle.rules.decay import MAXIMUM, holds
from knowledge.rules.vocabulary import Kind, Stability, Status
from tests.cases import cases


def half_life(status: Status, stability: Stability, pinned: bool, kind: Kind = Kind.PITFALL) -> float:
    return decay.half_life(status, stability, pinned, kind)


def effective(
    strength: float, days: float, status: Status, stability: Stability, pinned: bool, kind: Kind = Kind.PITFALL
) -> float:
    return decay.effective(strength, days, status, stability, pinned, kind)


def days_until(
    strength: float, threshold: float, status: Status, stability: Stability, pinned: bool, kind: Kind = Kind.PITFALL
) -> float:
    return decay.days_until(strength, threshold, status, stability, pinned, kind)


KINDS = st.sampled_from(Kind)
STATUSES = st.sampled_from(Status)
STABILITIES = st.sampled_from(Stability)
STRENGTHS = st.floats(0, MAXIMUM)
DAYS = st.floats(0, 10_000)


class TestHalfLife:
    @cases(
        ("status", "stability", "pinned", "days"),
        [
            (Status.DRAFT, Stability.STABLE, False, 14),
            (Status.DRAFT, Stability.EVERGREEN, False, 14),
            (Status.DRAFT, Stability.STABLE, True, 14),
            (Status.DRAFT, Stability.EVOLVING, False, 7),
            (Status.PROMOTED, Stability.STABLE, False, 90),
            (Status.PROMOTED, Stability.EVOLVING, False, 45),
            (Status.PROMOTED, Stability.EVERGREEN, False, math.inf),
            (Status.PROMOTED, Stability.STABLE, True, math.inf),
            (Status.PROMOTED, Stability.EVOLVING, True, math.inf),
            (Status.DEPRECATED, Stability.STABLE, False, 7),
            (Status.DEPRECATED, Stability.EVERGREEN, True, 7),
            (Status.DEPRECATED, Stability.EVOLVING, False, 3.5),
            (Status.ARCHIVED, Stability.STABLE, False, 7),
        ],
    )
    def test_follows_status_stability_and_pin(
        self, status: Status, stability: Stability, pinned: bool, days: float
    ) -> None:
        assert half_life(status, stability, pinned) == days

    @cases("pinned", [False, True])
    @cases("stability", Stability)
    @cases("status", Status)
    @cases("kind", Kind)
    def test_has_no_end_for_a_decision_that_is_draft_or_promoted(
        self, kind: Kind, status: Status, stability: Stability, pinned: bool
    ) -> None:
        held = kind is Kind.DECISION and status in (Status.DRAFT, Status.PROMOTED)
        assert holds(status, kind) is held
        usual = half_life(status, stability, pinned)
        assert half_life(status, stability, pinned, kind) == (math.inf if held else usual)


class TestEffective:
    @cases(
        ("status", "days"), [(Status.DRAFT, 14), (Status.PROMOTED, 90), (Status.DEPRECATED, 7), (Status.ARCHIVED, 7)]
    )
    def test_is_half_at_the_half_life_more_before_and_less_after(self, status: Status, days: float) -> None:
        left = [effective(50, days + step, status, Stability.STABLE, False) for step in (-0.01, 0, 0.01)]
        assert left[1] == 25
        assert left[0] > 25 > left[2]

    def test_crosses_ten_when_a_new_draft_is_thirty_two_and_a_half_days_old(self) -> None:
        crossing = 14 * math.log2(5)
        assert effective(50, crossing - 0.001, Status.DRAFT, Stability.STABLE, False) > 10
        assert effective(50, crossing + 0.001, Status.DRAFT, Stability.STABLE, False) < 10
        assert 32.5 < crossing < 32.6

    def test_is_all_there_at_once_and_from_the_future(self) -> None:
        assert effective(50, 0, Status.DRAFT, Stability.STABLE, False) == 50
        assert effective(50, -3, Status.DRAFT, Stability.STABLE, False) == 50

    def test_never_fades_while_promoted_and_evergreen(self) -> None:
        assert effective(73.5, 1e6, Status.PROMOTED, Stability.EVERGREEN, False) == 73.5
        assert effective(73.5, 1e6, Status.DEPRECATED, Stability.EVERGREEN, False) == pytest.approx(0)

    @given(STRENGTHS, DAYS, st.sampled_from([Status.DRAFT, Status.PROMOTED]), STABILITIES, st.booleans())
    def test_never_fades_while_it_is_a_decision(
        self, strength: float, days: float, status: Status, stability: Stability, pinned: bool
    ) -> None:
        assert effective(strength, days, status, stability, pinned, Kind.DECISION) == strength

    @given(STRENGTHS, DAYS, DAYS, STATUSES, STABILITIES, st.booleans(), KINDS)
    def test_only_ever_falls(
        self, strength: float, one: float, other: float, status: Status, stability: Stability, pinned: bool, kind: Kind
    ) -> None:
        early, late = sorted((one, other))
        before = effective(strength, early, status, stability, pinned, kind)
        after = effective(strength, late, status, stability, pinned, kind)
        assert 0 <= after <= before <= strength

    @given(STRENGTHS, STRENGTHS, DAYS, STATUSES, STABILITIES, st.booleans())
    def test_never_turns_two_strengths_round(
        self, one: float, other: float, days: float, status: Status, stability: Stability, pinned: bool
    ) -> None:
        weak, strong = sorted((one, other))
        left = [effective(strength, days, status, stability, pinned) for strength in (weak, strong)]
        assert left[0] <= left[1]

    @given(STRENGTHS, st.floats(0, 300), st.floats(0, 300))
    def test_does_not_depend_on_how_often_it_was_looked_at(self, strength: float, first: float, then: float) -> None:
        halfway = effective(strength, first, Status.PROMOTED, Stability.STABLE, False)
        twice = effective(halfway, then, Status.PROMOTED, Stability.STABLE, False)
        once = effective(strength, first + then, Status.PROMOTED, Stability.STABLE, False)
        assert twice == pytest.approx(once, rel=1e-9, abs=1e-12)


class TestDaysUntil:
    @cases(
        ("strength", "threshold", "days"),
        [(50, 25, 14), (40, 10, 28), (10, 10, 0), (9.99, 10, 0), (0, 10, 0), (100, 50, 14)],
    )
    def test_counts_half_lives(self, strength: float, threshold: float, days: float) -> None:
        assert days_until(strength, threshold, Status.DRAFT, Stability.STABLE, False) == pytest.approx(days)

    def test_never_comes_for_what_does_not_fade(self) -> None:
        assert days_until(50, 10, Status.PROMOTED, Stability.STABLE, True) == math.inf
        assert days_until(10, 10, Status.PROMOTED, Stability.EVERGREEN, False) == math.inf
        assert days_until(50, 10, Status.DRAFT, Stability.EVOLVING, False, Kind.DECISION) == math.inf

    @given(st.floats(0.1, MAXIMUM), st.floats(0.1, MAXIMUM), STATUSES, st.sampled_from(["stable", "evolving"]))
    def test_is_when_the_threshold_is_left(
        self, strength: float, threshold: float, status: Status, stability: str
    ) -> None:
        days = days_until(strength, threshold, status, Stability(stability), False)
        assert effective(strength, days, status, Stability(stability), False) == pytest.approx(min(strength, threshold))
