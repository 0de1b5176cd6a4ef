"""Windows of a minute, and who looks when."""

from datetime import UTC, datetime

from accounts.rules.rights import Level, Member, TeamAccess, TeamKind
from accounts.rules.throttle import CallCount, seconds_left, teams_charged, window_of
from tests.cases import cases

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class TestAWindow:
    @cases(("second", "left"), [(0, 60), (1, 59), (59, 1)])
    def test_ends_with_the_minute(self, second: int, left: int) -> None:
        assert seconds_left(NOON.replace(second=second)) == left
        assert window_of(NOON.replace(second=second)) == window_of(NOON)

    def test_is_followed_by_the_next(self) -> None:
        assert window_of(NOON.replace(minute=1)) == window_of(NOON) + 1


class TestACount:
    @cases(("known", "own", "over"), [(0, 9, False), (0, 10, True), (7, 2, False), (7, 3, True)])
    def test_is_over_when_one_more_would_be_too_many(self, known: int, own: int, over: bool) -> None:
        assert CallCount(0, known, own).over(10) is over

    @cases(("limit", "own", "due"), [(600, 29, False), (600, 30, True), (39, 1, True), (1, 1, True), (1, 0, False)])
    def test_is_shared_each_twentieth_of_the_limit(self, limit: int, own: int, due: bool) -> None:
        assert CallCount(0, 0, own).due(limit) is due


def team(number: int, slug: str, kind: TeamKind = TeamKind.SHARED) -> TeamAccess:
    return TeamAccess(number, slug, slug, slug.upper(), kind, Level.CONTRIBUTOR)


EVERYONE, OWN = team(1, "everyone", TeamKind.EVERYONE), team(2, "personal-7", TeamKind.PERSONAL)
PLATFORM, MOBILE = team(3, "platform"), team(4, "mobile")


class TestACallCounts:
    @cases(
        ("teams", "named", "for_these"),
        [
            ((EVERYONE, OWN, PLATFORM), set(), ["platform"]),
            ((EVERYONE, OWN, PLATFORM, MOBILE), set(), ["platform", "mobile"]),
            ((EVERYONE, OWN, PLATFORM, MOBILE), {"mobile"}, ["mobile"]),
            ((EVERYONE, OWN, PLATFORM, MOBILE), {"platform", "mobile"}, ["platform", "mobile"]),
            ((EVERYONE, OWN, PLATFORM, MOBILE), {"personal"}, ["personal-7"]),
            ((EVERYONE, OWN, PLATFORM, MOBILE), {"personal-7"}, ["personal-7"]),
            ((EVERYONE, OWN, PLATFORM, MOBILE), {"personal", "mobile"}, ["mobile"]),
            # Naming a team one is not of, or everybody's, is no way out.
            ((EVERYONE, OWN, PLATFORM, MOBILE), {"finance"}, ["platform", "mobile"]),
            ((EVERYONE, OWN, PLATFORM, MOBILE), {"everyone"}, ["platform", "mobile"]),
            ((EVERYONE, OWN), set(), ["personal-7"]),
            ((EVERYONE,), set(), []),
            # A token narrowed to one team has no other.
            ((MOBILE,), {"personal"}, ["mobile"]),
        ],
    )
    def test_for_the_teams_it_names_else_for_all(
        self, teams: tuple[TeamAccess, ...], named: set[str], for_these: list[str]
    ) -> None:
        member = Member(7, "alice", False, 2, teams)
        assert [one.slug for one in teams_charged(member, named)] == for_these
