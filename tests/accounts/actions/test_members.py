"""Who is of which team."""

from datetime import datetime

import pytest
from django.db import IntegrityError, transaction

from accounts.actions.members import (
    LastLead,
    NoSuchPerson,
    NotThisTeam,
    TeamTaken,
    create_team,
    enrol,
    member_of,
    remove_member,
    set_level,
)
from accounts.models import LogEntry, Membership, Team, User
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member, Scope, TeamKind
from tests.conftest import person
from tests.together import together

READ_WRITE = frozenset({Scope.READ, Scope.WRITE})


def levels(team: Team) -> dict[str, int]:
    return dict(Membership.objects.filter(team=team).values_list("user__username", "level"))


def rows_of(user: User) -> str:
    """Their personal team and memberships, no matter who they are and when they came."""
    apart = {"pk", "id", "created_at", "user", "team"}
    team = {name: value for name, value in Team.objects.filter(owner=user).values().get().items() if name not in apart}
    places = Membership.objects.filter(user=user).order_by("pk").values_list("team__kind", "level")
    return f"{team}".replace(str(user.pk), "PK").replace(user.username, "NAME") + f" {list(places)}"


class TestEnrol:
    def test_gives_a_personal_team_and_a_place_in_everyone(self, db: None) -> None:
        user = User.objects.create_user("dora")
        enrol(user=user)
        access = {team.kind: team for team in member_of(user=user).teams}
        assert set(access) == {TeamKind.PERSONAL, TeamKind.EVERYONE}
        assert access[TeamKind.PERSONAL].level is Level.LEAD
        assert access[TeamKind.EVERYONE].level is Level.CONTRIBUTOR
        assert Team.objects.get(owner=user).prefix == f"ME{user.pk}"

    def test_makes_the_rows_that_every_person_of_the_tests_has(self, db: None) -> None:
        dora, fred = User.objects.create_user("dora"), person("fred", None)
        enrol(user=dora)
        assert rows_of(dora) == rows_of(fred)

    def test_makes_the_rows_that_the_superuser_of_the_tests_has(self, root: Member) -> None:
        user = User.objects.create_superuser("dora")
        enrol(user=user)
        rooted = User.objects.get(pk=root.user_id)
        assert rows_of(user) == rows_of(rooted)
        assert (user.is_superuser, user.is_staff) == (rooted.is_superuser, rooted.is_staff) == (True, True)

    def test_changes_nothing_the_second_time(self, alice_user: User) -> None:
        before = list(Membership.objects.values_list("pk", "team", "level"))
        enrol(user=alice_user)
        assert list(Membership.objects.values_list("pk", "team", "level")) == before

    def test_keeps_a_level_that_was_given_since(self, alice_user: User) -> None:
        Membership.objects.filter(user=alice_user, team__kind=TeamKind.EVERYONE).update(level=Level.LEAD)
        enrol(user=alice_user)
        assert Membership.objects.get(user=alice_user, team__kind=TeamKind.EVERYONE).level == Level.LEAD

    def test_happens_by_itself_at_the_first_door(self, db: None) -> None:
        user = User.objects.create_user("dora")
        member = member_of(user=user)
        assert member.personal and member.home_id == user.personal_team.pk

    def test_makes_one_personal_team_of_ten_first_calls_at_once(self, transactional_db: None) -> None:
        user = User.objects.create_user("dora")
        done = together(*[lambda: member_of(user=User.objects.get(pk=user.pk)) for _ in range(6)])
        assert len({member.home_id for member in done}) == 1
        assert Team.objects.filter(owner=user).count() == 1
        assert Membership.objects.filter(user=user).count() == 2


class TestMemberOf:
    def test_sees_their_own_teams_with_their_levels(self, bob: Member, mobile: Team) -> None:
        assert {team.slug: team.level for team in bob.teams} == {
            "everyone": Level.CONTRIBUTOR,
            f"personal-{bob.user_id}": Level.LEAD,
            "platform": Level.CONTRIBUTOR,
        }

    def test_is_narrowed_but_keeps_their_home(self, bob_user: User, platform: Team) -> None:
        narrow = member_of(user=bob_user, only=frozenset({platform.pk}))
        assert narrow.team_ids == (platform.pk,)
        assert narrow.home_id == bob_user.personal_team.pk

    def test_gains_nothing_by_narrowing_to_a_team_they_are_not_of(self, bob_user: User, mobile: Team) -> None:
        assert member_of(user=bob_user, only=frozenset({mobile.pk})).teams == ()

    def test_leads_every_shared_team_as_a_superuser_and_reads_no_personal_one(
        self, alice: Member, charlie: Member, root: Member
    ) -> None:
        access = {team.slug: team for team in root.teams}
        assert set(access) == {"everyone", "platform", "mobile", f"personal-{root.user_id}"}
        assert all(team.level is Level.LEAD for team in access.values())
        assert alice.home_id not in root.team_ids

    def test_as_a_superuser_is_narrowed_too(self, alice: Member, root: Member, platform: Team) -> None:
        user = User.objects.get(pk=root.user_id)
        assert member_of(user=user, only=frozenset({platform.pk, alice.home_id})).team_ids == (platform.pk,)


class TestCreateTeam:
    def test_makes_its_maker_the_lead_and_says_so(self, bob: Member, now: datetime) -> None:
        team = create_team(name="Data", slug="data", prefix="DATA", by=bob, now=now)
        assert levels(team) == {"bob": Level.LEAD}
        line = LogEntry.objects.get(team=team)
        assert (line.verb, line.actor, line.at) == ("team created", "bob", now)

    @pytest.mark.parametrize(
        ("slug", "prefix", "faults"),
        [
            ("platform", "NEW", {"slug"}),
            ("new-one", "PLAT", {"prefix"}),
            ("platform", "PLAT", {"slug", "prefix"}),
            ("everyone", "NEW", {"slug"}),
            ("new-one", "lower", {"prefix"}),
            ("new-one", "1ST", {"prefix"}),
            ("new-one", "X", {"prefix"}),
            ("new-one", "THIRTEENCHARS", {"prefix"}),
            ("with space", "NEW", {"slug"}),
            ("", "NEW", {"slug"}),
        ],
    )
    def test_refuses_a_taken_or_impossible_name(
        self, alice: Member, now: datetime, slug: str, prefix: str, faults: set[str]
    ) -> None:
        with pytest.raises(TeamTaken) as refused:
            create_team(name="New", slug=slug, prefix=prefix, by=alice, now=now)
        assert set(refused.value.errors) == faults
        assert Team.objects.filter(kind=TeamKind.SHARED).count() == 1

    @pytest.mark.parametrize("slug", ["personal", "new"])
    def test_refuses_a_slug_that_means_something_else(self, alice: Member, now: datetime, slug: str) -> None:
        with pytest.raises(TeamTaken):
            create_team(name="New", slug=slug, prefix="NEW", by=alice, now=now)


class TestSetLevel:
    def test_adds_a_person_and_changes_their_level(self, alice: Member, platform: Team, now: datetime) -> None:
        person("dora", None)
        set_level(team_slug="platform", username="dora", level=Level.READER, by=alice, now=now)
        set_level(team_slug="platform", username="dora", level=Level.LEAD, by=alice, now=now)
        assert levels(platform) == {"alice": Level.LEAD, "dora": Level.LEAD}
        first, second = LogEntry.objects.filter(team=platform).order_by("pk")
        assert (first.before, first.after) == ({"level": None}, {"level": 1})
        assert (second.before, second.after) == ({"level": 1}, {"level": 3})

    def test_is_a_leads_act(self, bob: Member, alice_user: User, platform: Team, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            set_level(team_slug="platform", username="bob", level=Level.LEAD, by=bob, now=now)
        assert levels(platform)["bob"] == Level.CONTRIBUTOR

    def test_takes_the_scope_to_curate(self, alice_user: User, bob_user: User, now: datetime) -> None:
        without = member_of(user=alice_user, scopes=READ_WRITE)
        with pytest.raises(NotAllowed, match="curate"):
            set_level(team_slug="platform", username="bob", level=Level.LEAD, by=without, now=now)

    def test_does_not_know_a_strangers_team(self, charlie: Member, bob_user: User, now: datetime) -> None:
        with pytest.raises(NotFound):
            set_level(team_slug="platform", username="charlie", level=Level.LEAD, by=charlie, now=now)
        with pytest.raises(NotFound):
            remove_member(team_slug="platform", username="bob", by=charlie, now=now)

    @pytest.mark.parametrize("username", ["nobody", "ALICE", ""])
    def test_does_not_know_who_has_no_account(self, alice: Member, now: datetime, username: str) -> None:
        with pytest.raises(NoSuchPerson) as refused:
            set_level(team_slug="platform", username=username, level=Level.READER, by=alice, now=now)
        assert list(refused.value.errors) == ["username"]

    def test_does_not_add_an_account_that_was_closed(self, alice: Member, now: datetime) -> None:
        User.objects.create_user("gone", is_active=False)
        with pytest.raises(NoSuchPerson):
            set_level(team_slug="platform", username="gone", level=Level.READER, by=alice, now=now)

    def test_keeps_the_last_lead(self, alice: Member, bob_user: User, platform: Team, now: datetime) -> None:
        with pytest.raises(LastLead):
            set_level(team_slug="platform", username="alice", level=Level.CONTRIBUTOR, by=alice, now=now)
        set_level(team_slug="platform", username="bob", level=Level.LEAD, by=alice, now=now)
        set_level(team_slug="platform", username="alice", level=Level.CONTRIBUTOR, by=alice, now=now)
        assert levels(platform) == {"alice": Level.CONTRIBUTOR, "bob": Level.LEAD}

    def test_keeps_a_lead_when_two_step_down_at_once(self, transactional_db: None, now: datetime) -> None:
        team = Team.objects.create(name="Pair", slug="pair", prefix="PAIR")
        both = [member_of(user=person(name, team, Level.LEAD)) for name in ("ann", "ben")]
        done = together(
            *[
                lambda who=who: set_level(team_slug="pair", username=who.username, level=Level.READER, by=who, now=now)
                for who in both
            ]
        )
        assert sum(isinstance(answer, LastLead) for answer in done) == 1
        assert sorted(levels(team).values()) == [Level.READER, Level.LEAD]

    @pytest.mark.parametrize(("slug", "refusal"), [("personal-{}", NotThisTeam), ("everyone", NotAllowed)])
    def test_leaves_personal_teams_and_everyone_as_they_are(
        self, alice: Member, bob_user: User, now: datetime, slug: str, refusal: type[Exception]
    ) -> None:
        slug = slug.format(alice.user_id)
        with pytest.raises(refusal):
            set_level(team_slug=slug, username="bob", level=Level.READER, by=alice, now=now)
        with pytest.raises(refusal):
            remove_member(team_slug=slug, username="alice", by=alice, now=now)

    def test_lets_a_superuser_name_the_leads_of_everyone(self, root: Member, bob_user: User, now: datetime) -> None:
        set_level(team_slug="everyone", username="bob", level=Level.LEAD, by=root, now=now)
        assert Membership.objects.get(user=bob_user, team__kind=TeamKind.EVERYONE).level == Level.LEAD

    def test_lets_a_superuser_into_nobodys_personal_team(self, root: Member, alice: Member, now: datetime) -> None:
        with pytest.raises(NotFound):
            set_level(team_slug=f"personal-{alice.user_id}", username="root", level=Level.LEAD, by=root, now=now)
        assert Membership.objects.filter(team_id=alice.home_id).count() == 1


class TestRemoveMember:
    def test_ends_the_membership_and_says_so(
        self, alice: Member, bob_user: User, platform: Team, now: datetime
    ) -> None:
        remove_member(team_slug="platform", username="bob", by=alice, now=now)
        assert levels(platform) == {"alice": Level.LEAD}
        assert member_of(user=bob_user).access(platform.pk) is None
        assert LogEntry.objects.get(verb="member removed").before == {"level": Level.CONTRIBUTOR}

    def test_keeps_the_last_lead(self, alice: Member, platform: Team, now: datetime) -> None:
        with pytest.raises(LastLead):
            remove_member(team_slug="platform", username="alice", by=alice, now=now)
        assert levels(platform) == {"alice": Level.LEAD}

    def test_does_not_know_who_is_not_of_the_team(self, alice: Member, charlie: Member, now: datetime) -> None:
        with pytest.raises(NoSuchPerson):
            remove_member(team_slug="platform", username="charlie", by=alice, now=now)

    def test_is_a_leads_act(self, bob: Member, alice_user: User, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            remove_member(team_slug="platform", username="alice", by=bob, now=now)


class TestTheDatabase:
    """What holds even if an action forgets."""

    @pytest.mark.parametrize(
        "fields",
        [
            {"kind": TeamKind.EVERYONE},
            {"kind": TeamKind.PERSONAL},
            {"slug": "personal"},
            {"slug": "new"},
            {"slug": "platform"},
            {"prefix": "PLAT"},
        ],
    )
    def test_refuses_a_second_everyone_and_a_personal_team_of_nobody(
        self, platform: Team, fields: dict[str, str]
    ) -> None:
        with pytest.raises(IntegrityError), transaction.atomic():
            Team.objects.create(**{"name": "X", "slug": "x", "prefix": "XX", **fields})

    def test_refuses_a_shared_team_with_an_owner_and_a_second_personal_one(self, alice_user: User) -> None:
        for kind in (TeamKind.SHARED, TeamKind.PERSONAL):
            with pytest.raises(IntegrityError), transaction.atomic():
                Team.objects.create(name="X", slug="x", prefix="XX", kind=kind, owner=alice_user)

    def test_refuses_a_second_membership_and_a_second_address(self, alice_user: User, platform: Team) -> None:
        with pytest.raises(IntegrityError), transaction.atomic():
            Membership.objects.create(team=platform, user=alice_user)
        User.objects.create_user("one", email="one@example.org")
        with pytest.raises(IntegrityError), transaction.atomic():
            User.objects.create_user("two", email="ONE@example.org")
        User.objects.create_user("three")
        User.objects.create_user("four")
