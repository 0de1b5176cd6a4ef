"""What signals and time make of an insight."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.lifecycle.rules.decay import INITIAL, effective
from knowledge.lifecycle.rules.lifecycle import (
    ARCHIVED_BELOW,
    DEPRECATED_BELOW,
    Given,
    SignalKind,
    SignalTally,
    counts_as_used,
    delta,
    faded,
    fades_at,
    objected,
    of_two_teams,
    over_budget,
    raised_by_hand,
    room_for_anchors,
    signal_counts,
    status_after,
    strengthened,
    tally,
)
from knowledge.rules.vocabulary import Kind, Stability, Status
from tests.cases import cases

NOON = datetime(2025, 3, 14, 12, tzinfo=UTC)
UP, DOWN, AGAIN, USED = SignalKind.HELPFUL, SignalKind.UNHELPFUL, SignalKind.CORROBORATED, SignalKind.USED


class TestDelta:
    @cases(
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
    def test_is_threefold_for_a_persons_rating(self, signal: SignalKind, human: bool, points: float) -> None:
        assert delta(signal, human) == points


class TestStrengthened:
    @cases(
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
    def test_stays_between_0_and_100(self, left: float, signal: SignalKind, human: bool, strength: float) -> None:
        assert strengthened(left, signal, human) == strength


class TestCountsAsUsed:
    @cases(
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


AUTHOR, ALICE, BOB, CHARLIE = 0, 1, 2, 3
GIVEN = st.builds(
    Given,
    st.sampled_from(SignalKind),
    st.just(False),
    st.sampled_from([AUTHOR, ALICE, BOB, CHARLIE, None]),
)


class TestTally:
    """A promotion counted sessions, of two users or with a person's word; since decision 0020 it counts people. Of the
    cases of before, those stay that did not take sessions of one person for several.
    """

    @cases(
        ("signals", "promoted"),
        [
            ([(UP, "a"), (UP, "a"), (UP, "b")], True),
            ([(UP, "a"), (UP, "b")], True),
            ([(UP, "a"), (UP, "a"), (UP, "a")], False),
            ([(UP, "a"), (AGAIN, "b"), (AGAIN, "c")], True),
            ([(UP, "a"), (USED, "c"), (USED, "d")], False),
            ([(UP, "a"), (UP, "a"), (UP, "a"), (DOWN, "b")], False),
            ([(UP, "a"), (UP, "a"), (UP, "b"), (DOWN, "c"), (DOWN, "d")], True),
            ([(UP, "a"), (UP, "a"), (UP, "b"), (DOWN, "c"), (DOWN, "d"), (DOWN, "e")], False),
            ([], False),
        ],
    )
    def test_promotes_for_two_people_beside_the_author_with_more_for_than_against(
        self, signals: list[tuple[SignalKind, str]], promoted: bool
    ) -> None:
        given = [Given(signal, user=ord(who)) for signal, who in signals]
        assert tally(given, AUTHOR).earns_promotion is promoted

    @cases(
        ("signals", "promoted"),
        [
            pytest.param([(UP, ALICE), (UP, ALICE), (UP, ALICE)], False, id="one user, three sessions"),
            pytest.param([(AGAIN, ALICE), (AGAIN, ALICE), (UP, ALICE)], False, id="repeats and rates"),
            pytest.param([(UP, ALICE), (UP, ALICE), (UP, BOB)], True, id="two users"),
            pytest.param([(UP, AUTHOR), (AGAIN, AUTHOR), (UP, BOB)], False, id="the author and one other"),
            pytest.param([(UP, ALICE), (UP, ALICE), (USED, BOB)], False, id="the second only used it"),
            pytest.param([(UP, ALICE), (UP, ALICE), (DOWN, BOB)], False, id="the second objects"),
            pytest.param([(UP, ALICE), (UP, BOB), (DOWN, BOB)], False, id="the second thinks better of it"),
            pytest.param([(UP, ALICE), (UP, ALICE), (UP, None)], True, id="the second has left"),
            pytest.param([(UP, None), (UP, None), (UP, None)], False, id="all have left"),
        ],
    )
    def test_promotes_for_the_agents_of_two_users(
        self, signals: list[tuple[SignalKind, int | None]], promoted: bool
    ) -> None:
        given = [Given(signal, user=user) for signal, user in signals]
        assert tally(given, AUTHOR).earns_promotion is promoted

    @cases("human", [True, False])
    def test_takes_a_persons_word_for_no_second_person(self, human: bool) -> None:
        """One person alone does not promote: not in the browser either."""
        assert not tally([Given(UP, user=ALICE), Given(AGAIN, human, ALICE)], AUTHOR).earns_promotion
        assert tally([Given(UP, user=ALICE), Given(UP, human, BOB)], AUTHOR).earns_promotion

    def test_takes_what_somebody_who_left_says_for_the_authors_where_the_author_has_left(self) -> None:
        assert tally([Given(UP, user=None)], None).people == 1

    @given(st.lists(GIVEN, max_size=12), st.sampled_from([AUTHOR, ALICE, None]))
    def test_never_promotes_for_the_agents_of_one_user(self, signals: list[Given], user: int | None) -> None:
        assert not tally((replace(one, user=user) for one in signals), AUTHOR).earns_promotion

    @given(st.lists(GIVEN, max_size=12), st.permutations([ALICE, BOB, CHARLIE]))
    def test_does_not_depend_on_the_order_or_on_who_is_who(self, signals: list[Given], others: list[int]) -> None:
        known = dict(zip((ALICE, BOB, CHARLIE), others, strict=True))
        renamed = [replace(one, user=known.get(one.user, one.user) if one.user else one.user) for one in signals[::-1]]
        assert tally(renamed, AUTHOR) == tally(signals, AUTHOR)

    @given(st.lists(GIVEN, max_size=12))
    def test_promotes_no_less_for_one_more_in_favour(self, signals: list[Given]) -> None:
        if tally(signals, AUTHOR).earns_promotion:
            assert tally([*signals, Given(UP, user=ALICE)], AUTHOR).earns_promotion

    def test_weighs_a_persons_objection_threefold(self) -> None:
        signals = [Given(UP, user=ALICE), Given(UP, user=ALICE), Given(UP, user=BOB), Given(DOWN, True, CHARLIE)]
        assert tally(signals, AUTHOR) == SignalTally(people=3, balance=-6)
        assert not tally(signals, AUTHOR).earns_promotion

    def test_takes_what_says_nothing_for_no_voice(self) -> None:
        signals = [Given(UP, user=ALICE), Given(UP, user=BOB)]
        assert not tally(signals, AUTHOR, says_something=False).earns_promotion
        assert tally([*signals, Given(UP, user=CHARLIE)], AUTHOR, says_something=False).earns_promotion

    def test_needs_more_than_an_even_balance(self) -> None:
        assert not SignalTally(people=4, balance=0).earns_promotion
        assert SignalTally(people=4, balance=0.1).earns_promotion

    def test_says_why(self) -> None:
        assert SignalTally(3, 22).why == "3 people in support, including the author; balance +22"


class TestVoiceCounts:
    @cases(
        ("signal", "days", "today", "counts"),
        [
            (UP, None, 0, True),
            (UP, 6.99, 0, False),
            (UP, 7, 0, True),
            (DOWN, 7, 19, True),
            (DOWN, 7, 20, False),
            (UP, None, 49, True),
            (UP, None, 50, False),
            (AGAIN, None, 500, True),
        ],
    )
    def test_once_a_week_and_so_often_a_day(
        self, signal: SignalKind, days: float | None, today: int, counts: bool
    ) -> None:
        last = None if days is None else NOON - timedelta(days=days)
        assert signal_counts(signal, last, today, NOON) is counts


class TestObjected:
    @cases(
        ("before", "after", "status", "people", "lead", "expected"),
        [
            (40, 16, Status.PROMOTED, 1, False, 25),
            (40, 16, Status.PROMOTED, 2, False, 25),
            (40, 16, Status.PROMOTED, 3, False, 16),
            (20, 12, Status.PROMOTED, 3, False, 15),
            (14, 6, Status.PROMOTED, 9, False, 14),
            (20, 12, Status.PROMOTED, 3, True, 12),
            (40, 16, Status.PROMOTED, 1, True, 16),
            (40, 32, Status.PROMOTED, 1, False, 32),
            (20, 12, Status.PROMOTED, 2, False, 20),
            (40, 16, Status.DRAFT, 1, False, 16),
        ],
    )
    def test_demotes_what_is_promoted_for_a_lead_alone(
        self, before: float, after: float, status: Status, people: int, lead: bool, expected: float
    ) -> None:
        assert objected(before, after, status, people, lead) == expected


class TestRoomForAnchors:
    @pytest.mark.parametrize(
        ("anchors", "given", "room"), [(0, 0, 12), (5, 12, 0), (55, 0, 5), (150, 0, 0), (10, 8, 4)]
    )
    def test_is_what_one_and_all_together_may_add(self, anchors: int, given: int, room: int) -> None:
        assert room_for_anchors(anchors, given) == room


class TestOfTwoTeams:
    @cases(
        ("leads", "enough"),
        [
            ({}, False),
            ({ALICE: {1}}, False),
            ({ALICE: {1, 2}}, False),
            ({ALICE: {1}, BOB: {1}}, False),
            ({ALICE: {1}, BOB: set()}, False),
            ({ALICE: {1}, BOB: {2}}, True),
            ({ALICE: {1}, BOB: {1, 2}}, True),
        ],
    )
    def test_takes_two_people_and_two_teams(self, leads: dict[int, set[int]], enough: bool) -> None:
        assert of_two_teams(leads) is enough


class TestStatusAfter:
    @cases(
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
        self, signal: SignalKind, status: Status, before: float, after: float, expected: Status
    ) -> None:
        assert status_after(signal, status, before, after) is expected


class TestFaded:
    @cases(
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

    @cases(
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
    @cases(
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
        assert raised_by_hand(3) == INITIAL
        assert raised_by_hand(80) == 80


class TestOverBudget:
    @cases(
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

    @cases("promoted", [1, 2, 3, 4, 10, 15])
    def test_lets_three_of_any_team_fall(self, promoted: int) -> None:
        assert not over_budget(min(3, promoted), promoted)
        assert promoted < 4 or over_budget(4, promoted)
