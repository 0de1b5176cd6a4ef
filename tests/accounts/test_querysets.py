"""The only way to rows."""

from datetime import datetime, timedelta

import pytest

from accounts.actions.members import member_of
from accounts.actions.tokens import issue_token
from accounts.models import ApiToken, LogEntry, Membership, Team, User
from accounts.rules.rights import Member


class TestVisibleTo:
    def test_shows_rows_of_ones_own_teams_only(self, alice: Member, bob: Member, charlie: Member) -> None:
        assert set(Team.objects.visible_to(bob).values_list("slug", flat=True)) == {
            "everyone",
            "platform",
            f"personal-{bob.user_id}",
        }
        rows = Membership.objects.visible_to(charlie).values_list("team__slug", "user__username")
        assert set(rows) == {
            ("mobile", "charlie"),
            (f"personal-{charlie.user_id}", "charlie"),
            ("everyone", "alice"),
            ("everyone", "bob"),
            ("everyone", "charlie"),
        }

    def test_shows_nothing_to_who_is_of_no_team(self, alice_user: User) -> None:
        nowhere = member_of(user=alice_user, only=frozenset())
        for rows in (Team.objects, Membership.objects, LogEntry.objects):
            assert not rows.visible_to(nowhere).exists()

    def test_shows_ones_own_tokens_only(self, alice: Member, bob: Member, root: Member, now: datetime) -> None:
        for who in (alice, bob):
            issue_token(name=who.username, scopes=["read"], by=who, now=now)
        assert [token.name for token in ApiToken.objects.visible_to(bob)] == ["bob"]
        assert not ApiToken.objects.visible_to(root).exists()

    def test_shows_a_superuser_shared_teams_and_no_personal_one(self, alice: Member, root: Member) -> None:
        slugs = set(Team.objects.visible_to(root).values_list("slug", flat=True))
        assert slugs == {"everyone", "platform", f"personal-{root.user_id}"}
        assert not Team.objects.all().readable_by_superusers().filter(pk=alice.home_id).exists()


class TestTheLog:
    def test_is_read_newest_first_and_by_subject(self, alice: Member, platform: Team, now: datetime) -> None:
        for minute, subject in enumerate(["PLAT-1", "PLAT-2", "PLAT-1", "PLAT-1"]):
            at = now + timedelta(minutes=min(minute, 2))
            fields = {"team_id": platform.pk, "verb": "noted", "by": alice, "at": at, "subject": subject}
            LogEntry.write(line=f"line {minute}", **fields)
        lines = [entry.line for entry in LogEntry.objects.visible_to(alice).about("PLAT-1")]
        assert lines == ["line 3", "line 2", "line 0"]

    def test_of_another_team_is_not_there(self, alice: Member, charlie: Member, platform: Team, now: datetime) -> None:
        LogEntry.write(team_id=platform.pk, verb="noted", line="hers", subject="PLAT-1", by=alice, at=now)
        assert not LogEntry.objects.visible_to(charlie).about("PLAT-1").exists()

    @pytest.mark.parametrize("length", [400, 401, 5_000])
    def test_takes_lines_and_names_of_any_length(
        self, alice: Member, platform: Team, now: datetime, length: int
    ) -> None:
        line = LogEntry.write(team_id=platform.pk, verb="noted", line="x" * length, by=alice, at=now)
        assert LogEntry.objects.get(pk=line.pk).line == "x" * 400
