"""Pages of accounts: tokens and teams."""

import re

import pytest
from allauth.mfa.totp.internal import auth
from django.test import Client
from django.utils import timezone

from accounts.actions.tokens import find_token, issue_token
from accounts.models import ApiToken, GuardTerm, LogEntry, Membership, Team, User
from accounts.rules.rights import Level, Member
from tests.pages import Faults, signed_in

TOKEN = {"name": "laptop", "scopes": ["read", "write"], "expires": "90"}


def text(response: object) -> str:
    return response.content.decode()  # type: ignore[attr-defined]


def code(secret: str) -> str:
    """What an authenticator app shows for that secret now."""
    return auth.format_hotp_value(auth.hotp_value(secret, next(auth.yield_hotp_counters_from_time())))


class TestVisitors:
    @pytest.mark.parametrize("path", ["/tokens/", "/teams/", "/teams/platform/"])
    def test_are_asked_to_sign_in(self, path: str, platform: Team) -> None:
        response = Client().get(path)
        assert response.status_code == 302
        assert response.url == f"/accounts/login/?next={path}"

    def test_cannot_sign_up(self, db: None) -> None:
        assert "Sign-up by invitation only" in text(Client().get("/accounts/signup/"))


class TestSigningIn:
    def test_lets_a_person_in_by_name_and_password(self, alice_user: User) -> None:
        client = Client()
        form = {"login": "alice", "password": "alices-own-password"}
        assert client.post("/accounts/login/", form).url == "/"
        assert client.get("/tokens/").status_code == 200

    def test_says_when_the_password_is_wrong(self, alice_user: User) -> None:
        page = text(Client().post("/accounts/login/", {"login": "alice", "password": "guess"}))
        assert "not correct" in page
        assert 'role="alert"' in page


class TestTwoFactor:
    def test_is_set_up_and_then_asked_for(self, alice_user: User) -> None:
        client = Client()
        login = {"login": "alice", "password": "alices-own-password"}
        client.post("/accounts/login/", login)
        asked = client.get("/accounts/2fa/totp/activate/")
        assert "Confirm your identity" in text(client.get(asked.url))
        page = text(client.post(asked.url, {"password": login["password"]}, follow=True))
        assert Faults(page).found == []
        assert 'src="data:image/svg+xml' in page
        secret = re.search(r'id="authenticator_secret"[^>]*value="([A-Z2-7]+)"', page, re.S)
        assert secret
        page = text(client.post("/accounts/2fa/totp/activate/", {"code": code(secret[1])}, follow=True))
        assert "Recovery codes" in page
        assert Faults(page).found == []
        client.post("/accounts/logout/")
        page = text(client.post("/accounts/login/", login, follow=True))
        assert "authenticator code" in page
        assert Faults(page).found == []
        assert client.get("/tokens/").status_code == 302


class TestTokens:
    def test_are_shown_with_their_secret_once(self, alice_user: User, alice: Member) -> None:
        client = signed_in(alice_user)
        response = client.post("/tokens/", TOKEN)
        secret = re.search(r"loam_[0-9a-f]{8}_[\w-]{43}", text(response))
        assert secret
        assert "no-store" in response["Cache-Control"]
        token = find_token(secret=secret[0], now=timezone.now())
        assert token and token.user == alice_user and token.scopes == ["read", "write"]
        assert secret[0] not in text(client.get("/tokens/"))

    def test_can_be_narrowed_to_a_team(self, alice_user: User, alice: Member) -> None:
        signed_in(alice_user).post("/tokens/", {**TOKEN, "team_slugs": ["platform"], "expires": ""})
        token = ApiToken.objects.get()
        assert [team.slug for team in token.teams.all()] == ["platform"]
        assert token.expires_at is None

    @pytest.mark.parametrize(
        ("over", "fault"),
        [
            ({"name": ""}, "This field is required"),
            ({"name": "   "}, "This field is required"),
            ({"name": "x" * 81}, "at most 80 characters"),
            ({"scopes": []}, "This field is required"),
            ({"scopes": ["root"]}, "root is not one of the available choices"),
            ({"team_slugs": ["mobile"]}, "mobile is not one of the available choices"),
            ({"expires": "1000000"}, "not one of the available choices"),
        ],
    )
    def test_are_not_made_with_a_fault(
        self, over: dict[str, object], fault: str, alice_user: User, alice: Member, mobile: Team
    ) -> None:
        page = text(signed_in(alice_user).post("/tokens/", {**TOKEN, **over}))
        assert fault in page
        assert not ApiToken.objects.exists()

    def test_end_when_revoked(self, alice_user: User, alice: Member) -> None:
        issued = issue_token(name="lost", scopes=["read"], by=alice, now=timezone.now())
        response = signed_in(alice_user).post(f"/tokens/{issued.token.pk}/revoke/", follow=True)
        assert "revoked. It can no longer be used" in text(response)
        assert find_token(secret=issued.secret, now=timezone.now()) is None

    def test_are_nobody_elses_to_see_or_revoke(self, alice: Member, bob_user: User) -> None:
        token = issue_token(name="alices-own", scopes=["read"], by=alice, now=timezone.now()).token
        client = signed_in(bob_user)
        assert "alices-own" not in text(client.get("/tokens/"))
        assert client.post(f"/tokens/{token.pk}/revoke/").status_code == 404
        token.refresh_from_db()
        assert token.revoked_at is None

    def test_are_not_revoked_by_a_link(self, alice_user: User, alice: Member) -> None:
        token = issue_token(name="laptop", scopes=["read"], by=alice, now=timezone.now()).token
        assert signed_in(alice_user).get(f"/tokens/{token.pk}/revoke/").status_code == 405


class TestTeams:
    def test_are_the_members_own(self, alice_user: User, alice: Member, charlie: Member) -> None:
        page = text(signed_in(alice_user).get("/teams/"))
        assert "Platform" in page
        assert "Everyone" in page
        assert "Mobile" not in page

    def test_show_a_contributor_who_is_in_them_and_no_form(self, bob_user: User, alice: Member) -> None:
        page = text(signed_in(bob_user).get("/teams/platform/"))
        assert "alice" in page
        assert "Add member" not in page
        assert "<select" not in page

    def test_take_in_whom_a_lead_adds(self, alice_user: User, charlie_user: User) -> None:
        form = {"username": "charlie", "level": Level.READER.value}
        page = text(signed_in(alice_user).post("/teams/platform/", form, follow=True))
        assert "charlie is a reader of Platform now" in page
        assert Membership.objects.get(user=charlie_user, team__slug="platform").level == Level.READER

    def test_say_beside_the_field_that_there_is_no_such_person(self, alice_user: User) -> None:
        page = text(signed_in(alice_user).post("/teams/platform/", {"username": "nobody", "level": 2}))
        assert "There is no account" in page
        assert 'value="nobody"' in page

    def test_let_a_lead_change_a_level(self, alice_user: User, bob_user: User) -> None:
        signed_in(alice_user).post("/teams/platform/", {"username": "bob", "level": 3, "was": 2})
        assert Membership.objects.get(user=bob_user, team__slug="platform").level == Level.LEAD

    def test_let_a_lead_remove_somebody(self, alice_user: User, bob_user: User) -> None:
        response = signed_in(alice_user).post("/teams/platform/members/bob/remove/", follow=True)
        assert "bob was removed from the team" in text(response)
        assert not Membership.objects.filter(user=bob_user, team__slug="platform").exists()

    def test_keep_their_last_lead(self, alice_user: User) -> None:
        response = signed_in(alice_user).post("/teams/platform/members/alice/remove/")
        assert response.status_code == 409
        assert "at least one lead" in text(response)
        assert Membership.objects.filter(user=alice_user, team__slug="platform").exists()

    def test_refuse_a_contributor_who_posts_anyway(self, bob_user: User, alice_user: User) -> None:
        client = signed_in(bob_user)
        assert client.post("/teams/platform/", {"username": "bob", "level": 3, "was": 2}).status_code == 403
        assert client.post("/teams/platform/members/alice/remove/").status_code == 403
        assert Membership.objects.get(user=bob_user, team__slug="platform").level == Level.CONTRIBUTOR

    def test_do_not_exist_for_a_stranger(self, charlie_user: User, alice_user: User) -> None:
        client = signed_in(charlie_user)
        assert client.get("/teams/platform/").status_code == 404
        assert client.post("/teams/platform/", {"username": "charlie", "level": 3}).status_code == 404
        assert client.post("/teams/platform/members/alice/remove/").status_code == 404

    def test_do_not_take_anybody_in_when_personal(self, alice_user: User, alice: Member, bob_user: User) -> None:
        client = signed_in(alice_user)
        slug = alice.personal.slug  # type: ignore[union-attr]
        assert "Add member" not in text(client.get(f"/teams/{slug}/"))
        assert client.post(f"/teams/{slug}/", {"username": "bob", "level": 2}).status_code == 400
        assert Membership.objects.filter(team__slug=slug).count() == 1


class TestActivity:
    def test_is_the_teams_log(self, alice_user: User, bob_user: User, charlie_user: User) -> None:
        signed_in(alice_user).post("/teams/platform/", {"username": "bob", "level": 3, "was": 2})
        page = text(signed_in(bob_user).get("/activity/?team=platform"))
        assert "bob is lead of Platform" in page
        line = LogEntry.objects.get(line__startswith="bob is lead")
        changes = text(signed_in(bob_user).get(f"/activity/{line.pk}/"))
        assert "<del>contributor</del><ins>lead</ins>" in changes
        assert signed_in(charlie_user).get("/teams/platform/activity/").status_code == 404


class TestReviewedTerms:
    FORM = {"term": "hunter2-hunter2", "reason": "a joke"}

    def test_are_allowed_and_withdrawn_by_a_lead(self, alice_user: User) -> None:
        client = signed_in(alice_user)
        page = text(client.post("/teams/platform/terms/", self.FORM, follow=True))
        assert "hunter2-hunter2" in page
        row = GuardTerm.objects.get()
        client.post(f"/teams/platform/terms/{row.pk}/withdraw/")
        assert not GuardTerm.objects.exists()

    def test_are_not_for_a_contributor_or_a_stranger(
        self, alice_user: User, bob_user: User, charlie_user: User
    ) -> None:
        signed_in(alice_user).post("/teams/platform/terms/", self.FORM)
        pk = GuardTerm.objects.get().pk
        for user, status in ((bob_user, 403), (charlie_user, 404)):
            client = signed_in(user)
            assert client.get("/teams/platform/terms/").status_code == status
            assert client.post("/teams/platform/terms/", self.FORM).status_code == status
            assert client.post(f"/teams/platform/terms/{pk}/withdraw/").status_code == status
        assert GuardTerm.objects.exists()
