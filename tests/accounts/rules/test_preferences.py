"""Of all that was stated and inferred, what holds, and why."""

from dataclasses import replace
from datetime import timedelta
from itertools import permutations
from typing import Any

from accounts.rules.preferences import Effective, Stated, effective, key_of
from accounts.rules.rights import Level, TeamAccess, TeamKind
from tests.cases import cases
from tests.conftest import NOW

TEAMS = {
    name: TeamAccess(n, name, name.title(), name.upper()[:4], kind, Level.CONTRIBUTOR)
    for n, (name, kind) in enumerate(
        {
            "mine": TeamKind.PERSONAL,
            "platform": TeamKind.SHARED,
            "mobile": TeamKind.SHARED,
            "everyone": TeamKind.EVERYONE,
        }.items(),
        1,
    )
}


def one(team: str, value: str = "jest", **over: Any) -> Stated:
    base = Stated(TEAMS[team].id, "runner", value, "", "general", "explicit", 1.0, NOW, TEAMS[team])
    return replace(base, **over)


def inferred(team: str, value: str = "jest") -> Stated:
    return one(team, value, source="inferred", confidence=0.8, id=9)


def holds(*stated: Stated) -> Effective:
    """What holds, whatever order they come in."""
    found = [effective(order) for order in permutations(stated)]
    assert all(held == found[0] for held in found)
    assert len(found[0]) == 1
    return found[0][0]


class TestWhatHolds:
    @cases(
        ("stated", "value"),
        [
            ([one("mine", "vitest"), one("platform"), one("everyone")], "vitest"),
            ([one("platform", "vitest"), one("everyone")], "vitest"),
            ([one("everyone", "vitest"), inferred("mine")], "vitest"),
            ([one("everyone", "vitest"), inferred("mine"), inferred("platform")], "vitest"),
            ([inferred("mine", "vitest")], "vitest"),
            ([one("platform", "vitest", changed_at=NOW + timedelta(days=1)), one("mobile")], "vitest"),
            ([one("platform"), one("mobile", "vitest", changed_at=NOW + timedelta(days=1))], "vitest"),
            ([one("mine", "vitest"), one("platform", changed_at=NOW + timedelta(days=1))], "vitest"),
        ],
    )
    def test_is_the_said_before_the_inferred_then_the_nearer_then_the_later(
        self, stated: list[Stated], value: str
    ) -> None:
        held = holds(*stated)
        assert held.stated.value == value
        assert sorted(row.team.id for row in held.over) == sorted(row.team.id for row in stated if row.value != value)

    def test_of_two_teams_at_the_same_moment_is_always_the_same_one(self) -> None:
        assert holds(one("platform"), one("mobile", "mocha")).stated.team.slug == "mobile"

    def test_is_decided_key_by_key(self) -> None:
        rows = [one("mine", key="b"), one("platform", key="a"), inferred("mine"), one("everyone", key="c")]
        assert [held.stated.key for held in effective(rows)] == ["b", "a", "c", "runner"]

    def test_is_nothing_of_nothing(self) -> None:
        assert effective([]) == []


class TestWhy:
    @cases(
        ("stated", "why"),
        [
            ([one("mine")], "Set by you."),
            ([one("platform")], "Set for team Platform."),
            ([inferred("mine")], "Inferred from your deposits and ratings."),
            (
                [one("mine", "vitest"), one("platform")],
                "Set by you; the narrower scope overrides the wider (“jest”, platform).",
            ),
            (
                [one("everyone", "vitest"), inferred("mine")],
                "Set for team Everyone; explicit overrides inferred (“jest”, inferred).",
            ),
            (
                [one("platform", "vitest", changed_at=NOW + timedelta(days=1)), one("mobile")],
                "Set for team Platform on 2026-11-22, later than in Mobile (“jest”, mobile).",
            ),
        ],
    )
    def test_is_said(self, stated: list[Stated], why: str) -> None:
        assert holds(*stated).why == why

    def test_names_nobody_who_says_the_same(self) -> None:
        held = holds(one("mine"), one("platform"))
        assert (held.why, [row.team.slug for row in held.over]) == ("Set by you.", ["platform"])


class TestKeys:
    @cases(
        ("text", "key"),
        [
            ("test_runner", "test_runner"),
            ("Test runner", "test_runner"),
            ("test-runner", "test_runner"),
            ("__test--runner. ", "test_runner"),
            ("テスト", "テスト"),
            ("C++", "c"),
            ("…", ""),
            ("x" * 90, "x" * 80),
        ],
    )
    def test_are_snake_case(self, text: str, key: str) -> None:
        assert key_of(text) == key
