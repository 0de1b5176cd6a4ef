"""What colluding accounts achieve among honest ones: a few days of the month that `evaluate adversary` lives."""

from datetime import datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from sessions_app.lab.measurements.adversary import begin, month
from sessions_app.lab.metrics.adversary import MOST_LED, MOST_ROWS_A_DAY, missed, noise
from sessions_app.lab.suites import run
from sessions_app.lab.suites.adversary import cast_of, joined
from sessions_app.lab.suites.suite import SuiteOutcome, SuiteRequest
from tests.cases import cases

DAYS, HONEST = 1, 4


def lived(crew: int, now: datetime) -> dict:
    wanted = SuiteRequest(data=Path(), now=now, progress=lambda what, done, total: None)
    begun = begin(cast=cast_of(wanted, HONEST), start=now, seed=1)
    return month(lived=joined(begun, crew, now), start=now, days=DAYS)


class TestTwoAccounts:
    def test_promote_nothing_bury_nothing_and_reach_no_other_team(self, db: None, now: datetime) -> None:
        found = lived(2, now)
        assert (found["junk promoted"], found["below review"], found["leaked"]) == (0, 0, [])
        assert found["weakest"] > 20
        assert found["led by the crew"] <= MOST_LED[2]
        assert found["linked by the crew"] == 0
        assert found["told"] >= found["confirmed"] - 1
        # It did what it came for: nothing of this was refused on the way.
        assert all(found["deeds"][deed] for deed in ("junk", "praise", "objections", "reports", "proposals"))
        assert found["deeds"]["unlike statements"] == 2 * DAYS * 3
        assert found["deeds"].get("leaks", 0) == 0
        assert found["deeds"]["leaks, refused"] == 2 * DAYS * 3 * 7


@pytest.mark.slow_trial
class TestOneAccount:
    """Another such month. What one account puts into the inbox is also in tests/journeys/test_one_account.py."""

    def test_leaves_the_inbox_readable(self, db: None, now: datetime) -> None:
        found = lived(1, now)
        assert max(found["waiting"]) <= MOST_ROWS_A_DAY
        # After the first evening, on which the lead rejects ten of its proposals.
        assert found["led by the crew"] <= MOST_LED[1]


def figures(**over: object) -> dict:
    found = {"junk promoted": 0, "below review": 0, "demoted": 0, "leaked": [], "waiting": [0], "led by the crew": 0}
    found |= {"linked by the crew": 0}
    return found | over


class TestTheBars:
    def test_are_held_by_what_achieves_nothing(self) -> None:
        assert missed({0: figures(), 1: figures(waiting=[MOST_ROWS_A_DAY]), 2: figures()}) == []

    @cases("size", [1, 2])
    @cases(
        "over",
        [
            {"junk promoted": 1},
            {"below review": 2},
            {"leaked": ["rate"]},
            {"led by the crew": 5},
            {"linked by the crew": 1},
        ],
    )
    def test_are_missed_by_what_one_or_two_achieve(self, size: int, over: dict) -> None:
        assert len(missed({0: figures(), size: figures(**over)})) == 1

    def test_are_missed_by_an_inbox_that_nobody_reads(self) -> None:
        assert missed({0: figures(waiting=[5]), 1: figures(waiting=[MOST_ROWS_A_DAY + 6])})
        assert not missed({0: figures(waiting=[6]), 1: figures(waiting=[MOST_ROWS_A_DAY + 6])})

    def test_let_five_promote_and_reach_no_other_team(self) -> None:
        assert missed({0: figures(), 5: figures(**{"junk promoted": 3})}) == []
        assert missed({0: figures(), 5: figures(leaked=["rate"])})
        assert missed({0: figures(), 5: figures(demoted=1)})
        assert missed({0: figures(), 5: figures(**{"linked by the crew": 1})})

    def test_look_at_the_worst_day(self) -> None:
        assert noise([4, 9, 3], [4, 2, 5]) == 7

    def test_that_are_missed_end_the_command_with_one(
        self, db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        outcome = SuiteOutcome({}, [], ["crew of 1: 3 of its notes promoted"])
        monkeypatch.setitem(run.SUITES, "adversary", lambda wanted: outcome)
        with pytest.raises(CommandError, match="crew of 1: 3 of its notes promoted"):
            call_command("evaluate", "adversary", "--cache", str(tmp_path))
