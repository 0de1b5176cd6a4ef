"""People come into a team by a link."""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.actions.anonymise import anonymise
from accounts.actions.invitations import (
    BadInvitation,
    InvitationOver,
    Invited,
    NotToInviteTo,
    invite,
    join,
    offered,
    revoke_invitation,
)
from accounts.actions.members import member_of, remove_member, set_level
from accounts.models import Invitation, InvitationUse, LogEntry, Membership, Team, User
from accounts.rules.invitations import MOST_OPEN, digest_of
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member
from tests.conftest import person
from tests.database import contents
from tests.together import together


def link(by: Member, now: datetime, **over: Any) -> Invited:
    return invite(**{"team_slug": "platform", "level": Level.CONTRIBUTOR, "uses": 1, "days": 7, **over}, by=by, now=now)


def come(invited: Invited, by: Member, now: datetime) -> Any:
    return join(digest=digest_of(invited.secret), by=by, now=now)


def level_of(username: str) -> int | None:
    return (
        Membership.objects.filter(team__slug="platform", user__username=username)
        .values_list("level", flat=True)
        .first()
    )


class TestInvite:
    def test_keeps_the_digest_and_leaves_a_line_without_the_secret(self, alice: Member, now: datetime) -> None:
        made = link(alice, now, uses=3)
        assert made.secret not in str(contents())
        line = LogEntry.objects.get(verb="invitation made")
        assert (line.actor, line.line) == ("alice", f"Invitation {made.invitation.pk} created: contributor, 3 uses")
        assert made.invitation.digest not in f"{line.line} {line.after}"

    def test_is_a_leads_act(self, bob: Member, charlie: Member, platform: Team, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            link(bob, now)
        with pytest.raises(NotFound):
            link(charlie, now)
        assert not Invitation.objects.exists()

    def test_is_for_no_personal_team_and_not_for_everyone(self, alice: Member, root: Member, now: datetime) -> None:
        for by, slug in ((alice, alice.personal.slug), (root, "everyone"), (root, root.personal.slug)):  # type: ignore[union-attr]
            with pytest.raises(NotToInviteTo):
                link(by, now, team_slug=slug)
        with pytest.raises(NotFound):
            link(root, now, team_slug=alice.personal.slug)  # type: ignore[union-attr]

    @pytest.mark.parametrize(
        ("over", "field"),
        [
            ({"level": Level.LEAD}, "level"),
            ({"uses": 0}, "uses"),
            ({"uses": 51}, "uses"),
            ({"days": 0}, "days"),
            ({"days": 31}, "days"),
        ],
    )
    def test_refuses_what_a_link_may_not_be(
        self, over: dict[str, Any], field: str, alice: Member, now: datetime
    ) -> None:
        with pytest.raises(BadInvitation) as refused:
            link(alice, now, **over)
        assert list(refused.value.errors) == [field]

    def test_has_an_end_of_open_links(self, alice: Member, bob: Member, charlie: Member, now: datetime) -> None:
        made = [link(alice, now) for _ in range(MOST_OPEN)]
        with pytest.raises(BadInvitation):
            link(alice, now)
        come(made[0], charlie, now)
        link(alice, now)
        revoke_invitation(team_slug="platform", invitation_id=made[1].invitation.pk, by=alice, now=now)
        link(alice, now)
        with pytest.raises(BadInvitation):
            link(alice, now)
        link(alice, now + timedelta(days=8))


class TestJoin:
    def test_gives_the_level_and_leaves_a_line(self, alice: Member, charlie: Member, now: datetime) -> None:
        made = link(alice, now, level=Level.READER)
        joined = come(made, charlie, now)
        assert asdict(joined) == {"team_slug": "platform", "team_name": "Platform", "level": "reader", "new": True}
        assert level_of("charlie") == Level.READER
        line = LogEntry.objects.get(verb="member joined")
        assert (line.actor, line.line) == ("charlie", f"charlie joined as reader, by invitation {made.invitation.pk}")
        assert InvitationUse.objects.get().user_id == charlie.user_id

    @pytest.mark.parametrize("level", list(Level))
    @pytest.mark.parametrize("offers", [Level.READER, Level.CONTRIBUTOR])
    def test_leaves_a_member_at_their_level_and_uses_up_nothing(
        self, level: Level, offers: Level, alice: Member, bob: Member, now: datetime
    ) -> None:
        set_level(team_slug="platform", username="bob", level=level, by=alice, now=now)
        joined = come(link(alice, now, level=offers), bob, now)
        assert (joined.new, joined.level, level_of("bob")) == (False, level.name.lower(), level)
        assert not InvitationUse.objects.exists()
        assert not LogEntry.objects.filter(verb="member joined").exists()

    def test_ends_with_the_moment_and_with_the_last_use(
        self, alice: Member, charlie: Member, root: Member, now: datetime
    ) -> None:
        made = link(alice, now, days=1)
        end = now + timedelta(days=1)
        assert offered(digest=made.invitation.digest, now=end - timedelta(seconds=1))
        assert offered(digest=made.invitation.digest, now=end) is None
        with pytest.raises(InvitationOver):
            come(made, charlie, end)
        come(made, charlie, now)
        assert offered(digest=made.invitation.digest, now=now) is None
        with pytest.raises(InvitationOver):
            come(made, root, now)

    def test_ends_when_revoked(self, alice: Member, charlie: Member, now: datetime) -> None:
        made = link(alice, now)
        for _ in range(2):
            revoke_invitation(team_slug="platform", invitation_id=made.invitation.pk, by=alice, now=now)
        with pytest.raises(InvitationOver):
            come(made, charlie, now)
        assert LogEntry.objects.filter(verb="invitation revoked").count() == 1
        assert level_of("charlie") is None

    def test_knows_no_secret_but_its_own(self, alice: Member, charlie: Member, now: datetime) -> None:
        made = link(alice, now)
        for digest in ("", made.secret, made.invitation.digest.upper(), digest_of(""), "\x00"[:0] + "x"):
            assert offered(digest=digest, now=now) is None
            with pytest.raises(InvitationOver):
                join(digest=digest, by=charlie, now=now)

    def test_ends_with_the_leadership_of_its_maker(
        self, alice: Member, alice_user: User, bob: Member, charlie: Member, now: datetime
    ) -> None:
        """Or who is removed would come back by a link of their own."""
        set_level(team_slug="platform", username="bob", level=Level.LEAD, by=alice, now=now)
        lead = member_of(user=User.objects.get(username="bob"))
        made = link(lead, now, uses=5)
        remove_member(team_slug="platform", username="bob", by=alice, now=now)
        for who in (bob, charlie):
            with pytest.raises(InvitationOver):
                come(made, who, now)
        assert level_of("bob") is None

    def test_ends_with_the_account_of_its_maker(
        self, alice: Member, charlie: Member, root: Member, now: datetime
    ) -> None:
        made = [link(alice, now), link(root, now)]
        User.objects.filter(username__in=["alice", "root"]).update(is_active=False)
        for one in made:
            with pytest.raises(InvitationOver):
                come(one, charlie, now)

    def test_takes_nobody_twice_by_one_link(self, alice: Member, charlie: Member, now: datetime) -> None:
        made = link(alice, now, uses=5)
        come(made, charlie, now)
        remove_member(team_slug="platform", username="charlie", by=alice, now=now)
        with pytest.raises(InvitationOver):
            come(made, charlie, now)
        assert level_of("charlie") is None
        assert come(link(alice, now), charlie, now).new

    def test_keeps_a_use_of_somebody_who_is_forgotten(self, alice: Member, charlie_user: User, now: datetime) -> None:
        made = link(alice, now)
        come(made, member_of(user=charlie_user), now)
        anonymise(user=charlie_user, now=now)
        assert InvitationUse.objects.get().user_id is None
        assert offered(digest=made.invitation.digest, now=now) is None
        assert "charlie" not in LogEntry.objects.get(verb="member joined").line


class TestAtTheSameMoment:
    @pytest.mark.parametrize("uses", [1, 2])
    def test_no_more_come_in_than_it_is_for(
        self, uses: int, transactional_db: None, alice: Member, mobile: Team, now: datetime
    ) -> None:
        made = link(alice, now, uses=uses)
        people = [member_of(user=person(f"guest-{n}", mobile)) for n in range(4)]
        done = together(*(lambda who=who: come(made, who, now) for who in people))
        assert [type(one) for one in done if isinstance(one, Exception)] == [InvitationOver] * (4 - uses)
        assert Membership.objects.filter(team__slug="platform").count() == 1 + uses
        assert InvitationUse.objects.count() == uses

    def test_one_person_comes_once(self, transactional_db: None, alice: Member, charlie: Member, now: datetime) -> None:
        made = link(alice, now, uses=3)
        done = together(*(lambda: come(made, charlie, now) for _ in range(3)))
        assert sorted(one.new for one in done) == [False, False, True]
        assert InvitationUse.objects.count() == 1

    def test_a_lead_who_names_them_and_the_link_agree(
        self, transactional_db: None, alice: Member, charlie: Member, now: datetime
    ) -> None:
        made = link(alice, now)
        named = {"team_slug": "platform", "username": "charlie", "level": Level.LEAD, "by": alice, "now": now}
        done = together(lambda: set_level(**named), lambda: come(made, charlie, now))
        assert [one for one in done if isinstance(one, Exception)] == []
        assert level_of("charlie") == Level.LEAD


class TestRevoking:
    def test_is_a_leads_act_in_their_team(
        self, alice: Member, bob: Member, charlie: Member, root: Member, now: datetime
    ) -> None:
        made = link(alice, now)
        sent: dict[str, Any] = {"invitation_id": made.invitation.pk, "now": now}
        for by, team, refused in (
            (bob, "platform", NotAllowed),
            (charlie, "platform", NotFound),
            (charlie, "mobile", NotFound),
            (root, "mobile", NotFound),
        ):
            with pytest.raises(refused):
                revoke_invitation(team_slug=team, by=by, **sent)
        assert Invitation.objects.get().revoked_at is None
