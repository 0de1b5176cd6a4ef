"""Who may do what, in which team."""

from dataclasses import replace

import pytest

from accounts.rules.refused import NotAllowed
from accounts.rules.rights import (
    Level,
    Member,
    NoSuchTeam,
    Scope,
    TeamAccess,
    TeamKind,
    TeamUnclear,
    team_for_write,
)
from tests.cases import cases

READ, WRITE, CURATE = Scope.READ, Scope.WRITE, Scope.CURATE
EVERYONE = TeamAccess(1, "everyone", "Everyone", "ALL", TeamKind.EVERYONE, Level.CONTRIBUTOR)
PERSONAL = TeamAccess(2, "personal-7", "alice, personal", "ME7", TeamKind.PERSONAL, Level.LEAD)
PLATFORM = TeamAccess(3, "platform", "Platform", "PLAT", TeamKind.SHARED, Level.CONTRIBUTOR)
MOBILE = TeamAccess(4, "mobile", "Mobile", "MOB", TeamKind.SHARED, Level.CONTRIBUTOR)


def member(*teams: TeamAccess, scopes: frozenset[Scope] = frozenset(Scope), token: int | None = None) -> Member:
    return Member(7, "alice", False, PERSONAL.id, teams, scopes, token, "laptop" if token else "")


def at(level: Level) -> TeamAccess:
    return replace(PLATFORM, level=level)


class TestMay:
    @cases(
        ("level", "scopes", "acts"),
        [
            (Level.READER, {READ, WRITE, CURATE}, {Level.READER}),
            (Level.CONTRIBUTOR, {READ, WRITE, CURATE}, {Level.READER, Level.CONTRIBUTOR}),
            (Level.LEAD, {READ, WRITE, CURATE}, set(Level)),
            (Level.LEAD, {READ, WRITE}, {Level.READER, Level.CONTRIBUTOR}),
            (Level.LEAD, {READ}, {Level.READER}),
            (Level.LEAD, {CURATE}, {Level.LEAD}),
            (Level.LEAD, set(), set()),
        ],
    )
    def test_takes_both_the_level_and_the_scope(self, level: Level, scopes: set[Scope], acts: set[Level]) -> None:
        someone = member(at(level), scopes=frozenset(scopes))
        assert {act for act in Level if someone.may(PLATFORM.id, act)} == acts

    def test_is_never_of_another_team(self) -> None:
        assert not any(member(at(Level.LEAD)).may(MOBILE.id, act) for act in Level)

    def test_refuses_in_words_that_name_what_is_missing(self) -> None:
        with pytest.raises(NotAllowed, match="lead of the team"):
            member(PLATFORM).require(PLATFORM.id, Level.LEAD)
        with pytest.raises(NotAllowed, match=r"scope “curate”.*on the page Tokens"):
            member(at(Level.LEAD), scopes=frozenset({READ, WRITE})).require(PLATFORM.id, Level.LEAD)
        member(at(Level.LEAD)).require(PLATFORM.id, Level.LEAD)


class TestMember:
    def test_has_one_session_for_each_token_or_one_in_the_browser(self) -> None:
        assert member(token=5).session_key == "token:5"
        assert member().session_key == "user:7"

    def test_is_named_with_the_token_in_the_log(self) -> None:
        assert member(token=5).actor == "alice (laptop)"
        assert member().actor == "alice"

    def test_has_no_personal_team_through_a_token_for_others(self) -> None:
        assert member(EVERYONE, PERSONAL).personal == PERSONAL
        assert member(PLATFORM).personal is None

    def test_calls_their_own_team_personal_and_nobody_elses(self) -> None:
        assert member(PLATFORM, PERSONAL).named("personal") == PERSONAL
        with pytest.raises(NoSuchTeam):
            member(PLATFORM).named("personal")
        with pytest.raises(NoSuchTeam) as refused:
            member(PLATFORM).named("mobile")
        assert list(refused.value.errors) == ["team"]


class TestTeamForWrite:
    @cases(
        ("teams", "named", "goes_to"),
        [
            ((EVERYONE, PERSONAL, PLATFORM), "", PLATFORM),
            ((EVERYONE, PERSONAL, PLATFORM), None, PLATFORM),
            ((EVERYONE, PERSONAL, PLATFORM), "everyone", EVERYONE),
            ((EVERYONE, PERSONAL, PLATFORM), "personal", PERSONAL),
            ((EVERYONE, PERSONAL, PLATFORM), "personal-7", PERSONAL),
            ((EVERYONE, PERSONAL, PLATFORM, MOBILE), "mobile", MOBILE),
            ((EVERYONE, PERSONAL, PLATFORM, replace(MOBILE, level=Level.READER)), "", PLATFORM),
            ((EVERYONE,), "", EVERYONE),
            ((PERSONAL,), "", PERSONAL),
            ((PLATFORM,), "", PLATFORM),
        ],
    )
    def test_is_the_one_named_else_the_only_one_else_the_only_shared_one(
        self, teams: tuple[TeamAccess, ...], named: str, goes_to: TeamAccess
    ) -> None:
        assert team_for_write(member(*teams), named) == goes_to

    @cases(
        ("teams", "choices"),
        [
            ((EVERYONE, PERSONAL, PLATFORM, MOBILE), ["mobile, platform"]),
            ((EVERYONE, PERSONAL), ["personal"]),
            ((EVERYONE, PERSONAL, at(Level.READER)), ["personal"]),
            ((EVERYONE, at(Level.READER)), ["personal"]),
        ],
    )
    def test_must_be_named_when_there_is_a_choice(self, teams: tuple[TeamAccess, ...], choices: list[str]) -> None:
        with pytest.raises(TeamUnclear) as refused:
            team_for_write(member(*teams), "")
        assert refused.value.status == 400
        assert all(choice in refused.value.errors["team"][0] for choice in choices)

    @cases("named", ["mobile", "Platform", "PLAT", " platform", "3"])
    def test_is_no_team_of_another_name(self, named: str) -> None:
        with pytest.raises(NoSuchTeam):
            team_for_write(member(EVERYONE, PERSONAL, PLATFORM), named)

    @cases("named", ["", "platform"])
    def test_is_not_one_they_only_read(self, named: str) -> None:
        with pytest.raises(NotAllowed):
            team_for_write(member(at(Level.READER)), named)

    def test_is_none_through_a_token_that_only_reads(self) -> None:
        with pytest.raises(NotAllowed, match="scope “write”"):
            team_for_write(member(PLATFORM, scopes=frozenset({READ})), "")
