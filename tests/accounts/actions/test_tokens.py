"""Tokens: issued once, checked at every call, revoked for good."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.actions.members import member_of
from accounts.actions.tokens import (
    LAST_USED_STEP,
    BadToken,
    IssuedToken,
    count_by_cell,
    digest_of,
    find_token,
    issue_token,
    note_use,
    revoke_any,
    revoke_token,
)
from accounts.authentication import member_by_token
from accounts.models import ApiToken, LogEntry, Membership, Team, User
from accounts.rules.cell_names import cell_of
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member, NoSuchTeam, Scope

SECRET = re.compile(r"loam_[0-9a-f]{8}_[\w-]{43}")


def issue(by: Member, now: datetime, **over: object) -> IssuedToken:
    fields = {"name": "laptop", "scopes": ["read", "write"], **over}
    return issue_token(by=by, now=now, **fields)  # type: ignore[arg-type]


class TestIssuing:
    def test_gives_the_secret_once_and_keeps_its_digest_only(self, alice: Member, now: datetime) -> None:
        issued = issue(alice, now)
        assert SECRET.fullmatch(issued.secret)
        row = ApiToken.objects.filter(pk=issued.token.pk).values().get()
        assert row["digest"] == digest_of(issued.secret)
        assert issued.secret not in str(row)
        assert issued.secret.startswith(row["prefix"])

    @pytest.mark.parametrize("cell", ["eu1", "a", "abcdef0"])
    def test_names_the_cell_it_is_issued_in(self, alice: Member, now: datetime, settings: Any, cell: str) -> None:
        before = issue(alice, now)
        settings.LOAM_CELL = cell
        issued = issue(alice, now)
        assert re.fullmatch(rf"loam_{cell}_[0-9a-f]{{8}}_[\w-]{{43}}", issued.secret)
        assert issued.token.prefix == issued.secret.rsplit(issued.secret[-44:], 1)[0]
        assert (cell_of(issued.secret), cell_of(before.secret)) == (cell, "")
        assert count_by_cell(now=now) == {"": 1, cell: 1}
        # Both are found, and neither passes the guard in a text.
        for one in (before, issued):
            assert find_token(secret=one.secret, now=now) == one.token
            assert one.secret not in masked(f"export LOAM_TOKEN={one.secret} and go on")
            assert one.secret[-43:] not in masked(f"curl -H 'Authorization: Bearer {one.secret}'")

    def test_is_written_to_ones_own_log_without_the_secret(self, alice: Member, now: datetime) -> None:
        issued = issue(alice, now)
        line = LogEntry.objects.get(verb="token issued")
        assert line.team_id == alice.home_id
        assert issued.token.prefix in line.line
        assert issued.secret[14:] not in str(LogEntry.objects.values().get(pk=line.pk))

    def test_never_gives_the_same_twice(self, alice: Member, now: datetime) -> None:
        assert len({issue(alice, now).secret for _ in range(20)}) == 20

    @pytest.mark.parametrize(
        ("over", "fault"),
        [
            ({"name": ""}, "name"),
            ({"name": "   "}, "name"),
            ({"scopes": []}, "scopes"),
            ({"scopes": ["read", "admin"]}, "scopes"),
            ({"scopes": ["READ"]}, "scopes"),
        ],
    )
    def test_refuses_what_makes_no_token(
        self, alice: Member, now: datetime, over: dict[str, object], fault: str
    ) -> None:
        with pytest.raises(BadToken) as refused:
            issue(alice, now, **over)
        assert list(refused.value.errors) == [fault]
        assert not ApiToken.objects.exists()

    def test_refuses_an_expiry_that_has_passed(self, alice: Member, now: datetime) -> None:
        with pytest.raises(BadToken):
            issue(alice, now, expires_at=now)
        assert issue(alice, now, expires_at=now + timedelta(seconds=1)).token.pk

    def test_refuses_a_team_that_is_not_ones_own(self, alice: Member, mobile: Team, now: datetime) -> None:
        with pytest.raises(NoSuchTeam):
            issue(alice, now, team_slugs=["platform", "mobile"])
        assert not ApiToken.objects.exists()


class TestFinding:
    def test_knows_a_secret_and_nothing_that_resembles_it(self, alice: Member, now: datetime) -> None:
        issued = issue(alice, now)
        assert find_token(secret=issued.secret, now=now) == issued.token
        for wrong in (issued.secret[:-1], issued.secret + "x", issued.secret.upper(), issued.token.digest, "", "é"):
            assert find_token(secret=wrong, now=now) is None

    def test_ends_at_the_very_moment_of_expiry(self, alice: Member, now: datetime) -> None:
        end = now + timedelta(days=1)
        secret = issue(alice, now, expires_at=end).secret
        assert find_token(secret=secret, now=end - timedelta(microseconds=1))
        assert find_token(secret=secret, now=end) is None

    def test_ends_when_revoked(self, alice: Member, now: datetime) -> None:
        issued = issue(alice, now)
        revoke_token(token_id=issued.token.pk, by=alice, now=now)
        assert find_token(secret=issued.secret, now=now) is None

    def test_ends_when_the_account_is_closed(self, alice: Member, now: datetime) -> None:
        secret = issue(alice, now).secret
        User.objects.filter(pk=alice.user_id).update(is_active=False)
        assert find_token(secret=secret, now=now) is None

    @pytest.mark.parametrize(
        ("ends", "revoked", "state"),
        [(None, False, "active"), (1, False, "active"), (0, False, "expired"), (None, True, "revoked"),
         (0, True, "revoked")],
    )  # fmt: skip
    def test_agrees_with_the_state_that_is_shown(
        self, alice: Member, now: datetime, ends: int | None, revoked: bool, state: str
    ) -> None:
        issued = issue(alice, now)
        issued.token.expires_at = None if ends is None else now + timedelta(days=ends)
        issued.token.revoked_at = now if revoked else None
        issued.token.save()
        assert issued.token.state(now) == state
        assert (find_token(secret=issued.secret, now=now) is not None) == (state == "active")


class TestMemberByToken:
    def test_has_no_more_scopes_than_the_token(self, alice: Member, now: datetime) -> None:
        member = member_by_token(issue(alice, now, scopes=["read"]).token)
        assert member.scopes == {Scope.READ}
        assert member.actor == "alice (laptop)"
        assert not any(member.may(team.id, Level.CONTRIBUTOR) for team in member.teams)

    def test_has_no_more_teams_than_the_token(self, alice: Member, now: datetime) -> None:
        member = member_by_token(issue(alice, now, team_slugs=["personal"]).token)
        assert member.team_ids == (alice.home_id,)

    def test_has_no_team_at_all_when_the_only_one_is_gone(
        self, alice: Member, alice_user: User, platform: Team, now: datetime
    ) -> None:
        """A narrowed token never widens: neither by leaving the team, nor when the team is deleted."""
        token = issue(alice, now, team_slugs=["platform"]).token
        Membership.objects.filter(user=alice_user, team=platform).delete()
        assert member_by_token(ApiToken.objects.get(pk=token.pk)).teams == ()
        platform.delete()
        assert member_by_token(ApiToken.objects.get(pk=token.pk)).teams == ()

    def test_follows_a_level_that_changed_since(self, alice: Member, alice_user: User, now: datetime) -> None:
        token = issue(alice, now, scopes=list(Scope)).token
        Membership.objects.filter(user=alice_user, team__slug="platform").update(level=Level.READER)
        team = Team.objects.get(slug="platform")
        assert member_by_token(token).access(team.pk).level is Level.READER  # type: ignore[union-attr]

    def test_of_a_superuser_reads_no_personal_team(self, root: Member, alice: Member, now: datetime) -> None:
        assert alice.home_id not in member_by_token(issue(root, now, scopes=list(Scope)).token).team_ids


class TestRevoking:
    def test_is_said_once(self, alice: Member, now: datetime) -> None:
        token = issue(alice, now).token
        revoke_token(token_id=token.pk, by=alice, now=now)
        again = revoke_token(token_id=token.pk, by=alice, now=now + timedelta(days=1))
        assert again.revoked_at == now
        assert LogEntry.objects.filter(verb="token revoked").count() == 1

    def test_does_not_know_other_peoples_tokens(self, alice: Member, bob: Member, root: Member, now: datetime) -> None:
        token = issue(alice, now).token
        for other in (bob, root):
            with pytest.raises(NotFound):
                revoke_token(token_id=token.pk, by=other, now=now)
        with pytest.raises(NotFound):
            revoke_token(token_id=10**9, by=alice, now=now)
        assert find_token(secret="", now=now) is None
        assert ApiToken.objects.get().revoked_at is None

    def test_by_a_superuser_is_told_to_the_owner(self, alice: Member, root: Member, now: datetime) -> None:
        issued = issue(alice, now)
        revoke_any(token_id=issued.token.pk, by=root, now=now)
        assert find_token(secret=issued.secret, now=now) is None
        line = LogEntry.objects.get(verb="token revoked")
        assert (line.team_id, line.actor) == (alice.home_id, "root")
        assert "revoked by root" in line.line

    def test_of_anybodys_token_takes_a_superuser(self, alice: Member, bob: Member, now: datetime) -> None:
        token = issue(alice, now).token
        with pytest.raises(NotAllowed):
            revoke_any(token_id=token.pk, by=bob, now=now)
        assert ApiToken.objects.get().revoked_at is None

    def test_works_through_a_token_narrowed_to_another_team(
        self, alice: Member, alice_user: User, platform: Team, now: datetime
    ) -> None:
        narrow = member_of(user=alice_user, only=frozenset({platform.pk}))
        issued = issue(narrow, now)
        revoke_token(token_id=issued.token.pk, by=narrow, now=now)
        assert find_token(secret=issued.secret, now=now) is None


class TestUse:
    def test_is_noted_to_the_minute_and_from_where(self, alice: Member, now: datetime) -> None:
        token = issue(alice, now).token

        def used(seconds: float, address: str) -> int:
            row = ApiToken.objects.get(pk=token.pk)
            with CaptureQueriesContext(
                connection,
            ) as caught:
                note_use(token=row, address=address, now=now + timedelta(seconds=seconds))
            return len(caught)

        assert used(0, "192.0.2.1") == 1
        assert used(59.9, "192.0.2.1") == 0
        assert used(60, "192.0.2.1") == 1
        assert used(61, "192.0.2.2") == 1
        token.refresh_from_db()
        assert (token.last_used_at, token.last_used_from) == (now + timedelta(seconds=61), "192.0.2.2")
        assert timedelta(minutes=1) == LAST_USED_STEP
