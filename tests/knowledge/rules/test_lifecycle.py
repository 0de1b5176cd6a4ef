"""What signals and time make of an insight."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.rules.decay import INITIAL, effective
from knowledge.rules.lifecycle import (
    ARCHIVED_BELOW,
    DEPRECATED_BELOW,
    Given,
    Signal,
    Tally,
    counts_as_used,
    delta,
    faded,
    fades_at,
    kept_by_hand,
    over_budget,
    status_after,
    strengthened,
    tally,
)
from knowledge.rules.vocabulary import Kind, Stability, Status

NOON = datetime(2025, 3, 14, 12, tzinfo=UTC)
UP, DOWN, AGAIN, USED = Signal.HELPFUL, Signal.UNHELPFUL, Signal.CORROBORATED, Signal.USED


class TestDelta:
    @pytest.mark.parametrize(
        ("signal", "human", "points"),
        [
            (UP, False, 6),
            (UP, True, 18),
            (DOWN, False, -8),
            (DOWN, True, -24),
            (AGAIN, False, 10),
            (AGAIN, True, 10),
            (USED, False, 1),
            (USED, True, 1),
        ],
    )
    def test_is_threefold_for_a_persons_rating(self, signal: Signal, human: bool, points: float) -> None:
        assert delta(signal, human) == points


class TestStrengthened:
    @pytest.mark.parametrize(
        ("left", "signal", "human", "strength"),
        [
            (50, UP, False, 56),
            (50, DOWN, False, 42),
            (94, UP, False, 100),
            (94.5, UP, False, 100),
            (8, DOWN, False, 0),
            (7.5, DOWN, False, 0),
            (85, UP, True, 100),
            (20, DOWN, True, 0),
            (100, USED, False, 100),
        ],
    )
    def test_stays_between_0_and_100(self, left: float, signal: Signal, human: bool, strength: float) -> None:
        assert strengthened(left, signal, human) == strength


class TestCountsAsUsed:
    @pytest.mark.parametrize(
        ("last", "at", "counts"),
        [
            (None, NOON, True),
            (NOON, NOON + timedelta(hours=11, minutes=59), False),
            (NOON, NOON + timedelta(hours=12), True),
            (NOON, NOON, False),
            (NOON, NOON - timedelta(days=1), False),
        ],
    )
    def test_once_a_day(self, last: datetime | None, at: datetime, counts: bool) -> None:
        assert counts_as_used(last, at) is counts

    def test_counts_days_of_utc_wherever_the_clock_stands(self) -> None:
        east = timezone(timedelta(hours=5))
        assert not counts_as_used(NOON, datetime(2025, 3, 15, 1, tzinfo=east))
        assert counts_as_used(NOON, datetime(2025, 3, 15, 5, tzinfo=east))


ALICE, BOB, CHARLIE = 1, 2, 3
GIVEN = st.builds(
    Given,
    st.sampled_from(Signal),
    st.sampled_from("abcd"),
    st.just(False),
    st.sampled_from([ALICE, BOB, CHARLIE, None]),
)


class TestTally:
    @pytest.mark.parametrize(
        ("signals", "promoted"),
        [
            ([(UP, "a"), (UP, "a"), (UP, "b")], True),
            ([(UP, "a"), (UP, "b")], False),
            ([(UP, "a"), (UP, "a"), (UP, "a")], False),
            ([(UP, "a"), (AGAIN, "b"), (AGAIN, "c")], True),
            ([(UP, "a"), (UP, "b"), (USED, "c"), (USED, "d")], False),
            ([(UP, "a"), (UP, "a"), (UP, "a"), (DOWN, "b")], False),
            ([(UP, "a"), (UP, "a"), (UP, "b"), (DOWN, "c"), (DOWN, "d")], True),
            ([(UP, "a"), (UP, "a"), (UP, "b"), (DOWN, "c"), (DOWN, "d"), (DOWN, "e")], False),
            ([], False),
        ],
    )
    def test_promotes_for_three_from_two_sessions_with_more_for_than_against(
        self, signals: list[tuple[Signal, str]], promoted: bool
    ) -> None:
        """Each session is of a user of its own."""
        given = [Given(signal, session, user=ord(session)) for signal, session in signals]
        assert tally(given).earns_promotion is promoted

    @pytest.mark.parametrize(
        ("signals", "promoted"),
        [
            pytest.param([(UP, "a", ALICE), (UP, "b", ALICE), (UP, "c", ALICE)], False, id="one user, three sessions"),
            pytest.param([(AGAIN, "a", ALICE), (AGAIN, "b", ALICE), (UP, "c", ALICE)], False, id="repeats and rates"),
            pytest.param([(UP, "a", ALICE), (UP, "b", ALICE), (UP, "c", BOB)], True, id="two users"),
            pytest.param([(UP, "a", ALICE), (UP, "b", ALICE), (USED, "c", BOB)], False, id="the second only used it"),
            pytest.param(
                [(UP, "a", ALICE), (UP, "b", ALICE), (UP, "c", ALICE), (DOWN, "d", BOB)], False, id="the second objects"
            ),
            pytest.param([(UP, "a", ALICE), (UP, "b", ALICE), (UP, "c", None)], True, id="the second has left"),
            pytest.param([(UP, "a", None), (UP, "b", None), (UP, "c", None)], False, id="all have left"),
        ],
    )
    def test_promotes_for_the_sessions_of_two_users(
        self, signals: list[tuple[Signal, str, int | None]], promoted: bool
    ) -> None:
        given = [Given(signal, session, user=user) for signal, session, user in signals]
        assert tally(given).earns_promotion is promoted

    @pytest.mark.parametrize(
        ("person", "promoted"),
        [
            (Given(UP, "b", True, ALICE), True),
            (Given(AGAIN, "b", True, ALICE), True),
            (Given(UP, "b", False, ALICE), False),
            (Given(UP, "a", True, ALICE), False),
        ],
    )
    def test_takes_a_persons_signal_for_a_second_user_and_not_for_a_second_session(
        self, person: Given, promoted: bool
    ) -> None:
        assert tally([Given(UP, "a", user=ALICE), Given(UP, "a", user=ALICE), person]).earns_promotion is promoted

    @pytest.mark.parametrize("against", [Given(DOWN, "b", True, BOB), Given(USED, "b", True, BOB)])
    def test_counts_no_person_who_is_not_in_favour(self, against: Given) -> None:
        found = tally([*(Given(AGAIN, session, user=ALICE) for session in "abc"), against])
        assert (found.users, found.human, found.earns_promotion) == (1, False, False)
        assert found.balance > 0

    @given(st.lists(GIVEN, max_size=12), st.sampled_from([ALICE, None]))
    def test_never_promotes_for_the_agents_of_one_user(self, signals: list[Given], user: int | None) -> None:
        assert not tally(replace(one, user=user) for one in signals).earns_promotion

    @given(st.lists(GIVEN, max_size=12), st.permutations([ALICE, BOB, CHARLIE]))
    def test_does_not_depend_on_the_order_or_on_who_is_who(self, signals: list[Given], others: list[int]) -> None:
        known = dict(zip((ALICE, BOB, CHARLIE), others, strict=True))
        renamed = [replace(one, user=known[one.user] if one.user else None) for one in reversed(signals)]
        assert tally(renamed) == tally(signals)

    @given(st.lists(GIVEN, max_size=12))
    def test_promotes_no_less_for_one_more_in_favour(self, signals: list[Given]) -> None:
        if tally(signals).earns_promotion:
            assert tally([*signals, Given(UP, "e", user=ALICE)]).earns_promotion

    def test_weighs_a_persons_objection_threefold(self) -> None:
        signals = [Given(UP, "a"), Given(UP, "a"), Given(UP, "b", user=BOB), Given(DOWN, "c", human=True)]
        assert tally(signals) == Tally(positive=3, sessions=2, users=2, human=False, balance=-6)
        assert not tally(signals).earns_promotion

    def test_needs_more_than_an_even_balance(self) -> None:
        assert not Tally(positive=4, sessions=4, users=2, human=False, balance=0).earns_promotion
        assert Tally(positive=4, sessions=4, users=2, human=False, balance=0.1).earns_promotion

    def test_says_why(self) -> None:
        assert Tally(3, 2, 2, False, 22).why == "3 positive signals from 2 sessions of 2 users, balance +22"
        assert (
            Tally(3, 2, 1, True, 30).why
            == "3 positive signals from 2 sessions of 1 user, a person among them, balance +30"
        )


class TestStatusAfter:
    @pytest.mark.parametrize(
        ("signal", "status", "before", "after", "expected"),
        [
            (UP, Status.DEPRECATED, 4, 10, Status.DRAFT),
            (UP, Status.DEPRECATED, 3.9, 9.9, Status.DEPRECATED),
            (UP, Status.DEPRECATED, 30, 36, Status.DEPRECATED),
            (AGAIN, Status.DEPRECATED, 30, 40, Status.DRAFT),
            (AGAIN, Status.DEPRECATED, 0, 10, Status.DRAFT),
            (DOWN, Status.DRAFT, 12, 4, Status.DRAFT),
            (UP, Status.PROMOTED, 4, 10, Status.PROMOTED),
            (UP, Status.ARCHIVED, 4, 10, Status.ARCHIVED),
        ],
    )
    def test_revives_what_regains_the_threshold_or_is_repeated(
        self, signal: Signal, status: Status, before: float, after: float, expected: Status
    ) -> None:
        assert status_after(signal, status, before, after) is expected


class TestFaded:
    @pytest.mark.parametrize(
        ("status", "left", "expected"),
        [
            (Status.DRAFT, 10, Status.DRAFT),
            (Status.DRAFT, 9.999, Status.DEPRECATED),
            (Status.PROMOTED, 10, Status.PROMOTED),
            (Status.PROMOTED, 9.999, Status.DEPRECATED),
            (Status.PROMOTED, 0, Status.DEPRECATED),
            (Status.DEPRECATED, 9.999, Status.DEPRECATED),
            (Status.DEPRECATED, 1, Status.DEPRECATED),
            (Status.DEPRECATED, 0.999, Status.ARCHIVED),
            (Status.ARCHIVED, 0, Status.ARCHIVED),
        ],
    )
    def test_goes_one_step_down_below_the_threshold(self, status: Status, left: float, expected: Status) -> None:
        assert faded(status, left, Kind.PITFALL) is expected

    @pytest.mark.parametrize(
        ("status", "left", "expected"),
        [
            (Status.DRAFT, 0, Status.DRAFT),
            (Status.PROMOTED, 9.999, Status.PROMOTED),
            (Status.DEPRECATED, 1, Status.DEPRECATED),
            (Status.DEPRECATED, 0.999, Status.ARCHIVED),
            (Status.ARCHIVED, 0, Status.ARCHIVED),
        ],
    )
    def test_takes_no_decision_down_but_one_that_a_lead_has_deprecated(
        self, status: Status, left: float, expected: Status
    ) -> None:
        assert faded(status, left, Kind.DECISION) is expected


class TestFadesAt:
    @pytest.mark.parametrize(
        ("strength", "status", "days"),
        [(40, Status.DRAFT, 28), (40, Status.PROMOTED, 180), (8, Status.DEPRECATED, 21), (10, Status.DRAFT, 0)],
    )
    def test_is_the_second_after_the_threshold(self, strength: float, status: Status, days: float) -> None:
        at = fades_at(strength, NOON, status, Stability.STABLE, False, Kind.PITFALL)
        assert at == NOON + timedelta(days=days, seconds=1)

    def test_is_at_once_for_what_is_below_already(self) -> None:
        assert fades_at(9.9, NOON, Status.DRAFT, Stability.STABLE, False, Kind.PITFALL) == NOON
        assert fades_at(9.9, NOON, Status.PROMOTED, Stability.STABLE, True, Kind.PITFALL) == NOON

    def test_never_comes_for_the_archived_and_the_unfading(self) -> None:
        assert fades_at(0, NOON, Status.ARCHIVED, Stability.STABLE, False, Kind.PITFALL) is None
        assert fades_at(50, NOON, Status.PROMOTED, Stability.EVERGREEN, False, Kind.PITFALL) is None
        assert fades_at(10, NOON, Status.PROMOTED, Stability.EVERGREEN, False, Kind.PITFALL) is None
        assert fades_at(50, NOON, Status.PROMOTED, Stability.EVOLVING, True, Kind.PITFALL) is None
        assert fades_at(50, NOON, Status.DRAFT, Stability.EVOLVING, False, Kind.DECISION) is None
        assert fades_at(5, NOON, Status.PROMOTED, Stability.STABLE, False, Kind.DECISION) is None

    @given(
        st.floats(1, 100),
        st.sampled_from([Status.DRAFT, Status.PROMOTED, Status.DEPRECATED]),
        st.sampled_from(Stability),
        st.booleans(),
        st.sampled_from(Kind),
    )
    def test_agrees_with_what_is_left_by_then(
        self, strength: float, status: Status, stability: Stability, pinned: bool, kind: Kind
    ) -> None:
        at = fades_at(strength, NOON, status, stability, pinned, kind)
        threshold = ARCHIVED_BELOW if status is Status.DEPRECATED else DEPRECATED_BELOW

        def left(moment: datetime) -> float:
            return effective(strength, (moment - NOON).total_seconds() / 86_400, status, stability, pinned, kind)

        if at is None:
            end = left(NOON + timedelta(days=100_000))
            assert faded(status, end, kind) is status
            assert end >= threshold or kind is Kind.DECISION
            return
        assert faded(status, left(at), kind) is not status
        if at > NOON:
            assert left(at - timedelta(seconds=1)) >= threshold - 1e-9


class TestKeptByHand:
    def test_is_at_least_as_strong_as_a_new_one(self) -> None:
        assert kept_by_hand(3) == INITIAL
        assert kept_by_hand(80) == 80


class TestOverBudget:
    @pytest.mark.parametrize(
        ("falling", "promoted", "stops"),
        [
            (4, 20, False),
            (5, 20, True),
            (20, 100, False),
            (21, 100, True),
            (3, 15, False),
            (4, 15, True),
            (0, 0, False),
        ],
    )
    def test_stops_above_a_fifth(self, falling: int, promoted: int, stops: bool) -> None:
        assert over_budget(falling, promoted) is stops

    @pytest.mark.parametrize("promoted", [1, 2, 3, 4, 10, 15])
    def test_lets_three_of_any_team_fall(self, promoted: int) -> None:
        assert not over_budget(min(3, promoted), promoted)
        assert promoted < 4 or over_budget(4, promoted)
