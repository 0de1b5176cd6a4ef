"""Links into a team, as people use them."""

import logging
import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.actions.invitations import Invited, invite
from accounts.models import Invitation, Membership, Team, User
from accounts.rules.invitations import digest_of
from accounts.rules.rights import Level, Member
from tests.accounts.test_views import text
from tests.pages import Faults, signed_in

PAGE = "/teams/platform/invitations/"
FORM = {"level": "2", "uses": "1", "days": "7"}
LINK = re.compile(r"http://testserver/join/\?invitation=(loam_[0-9a-f]{8}_[\w-]{43})")
EVE = {"username": "eve", "password1": "eves-own-password", "password2": "eves-own-password"}


@pytest.fixture(autouse=True)
def forget_attempts(db: None) -> None:
    cache.clear()


@pytest.fixture
def made(alice: Member) -> Invited:
    return invite(team_slug="platform", level=Level.CONTRIBUTOR, uses=1, days=7, by=alice, now=timezone.now())


def opened(made: Invited, client: Client | None = None) -> Client:
    """A browser in which the link was opened."""
    client = client or Client()
    assert client.get("/join/", {"invitation": made.secret}).url == "/join/"
    return client


def members() -> set[str]:
    return set(Membership.objects.filter(team__slug="platform").values_list("user__username", flat=True))


class TestALead:
    def test_is_shown_the_link_once(self, alice_user: User) -> None:
        client = signed_in(alice_user)
        answer = client.post(PAGE, FORM)
        assert "no-store" in answer["Cache-Control"]
        found = LINK.search(text(answer))
        assert found
        assert Invitation.objects.get().digest == digest_of(found[1])
        assert Faults(text(answer)).found == []
        for path in (PAGE, "/teams/platform/", "/activity/?team=platform"):
            assert found[1] not in text(client.get(path))

    def test_sees_who_came_by_it_and_takes_it_back(
        self, alice_user: User, bob_user: User, charlie_user: User, alice: Member
    ) -> None:
        made = invite(team_slug="platform", level=Level.READER, uses=2, days=7, by=alice, now=timezone.now())
        opened(made, signed_in(charlie_user)).post("/join/")
        client = signed_in(alice_user)
        page = text(client.get("/teams/platform/"))
        assert re.search(r"Used by\s+charlie\b", page)
        assert "Invitation links" not in text(signed_in(bob_user).get("/teams/platform/"))
        page = text(client.post(f"{PAGE}{made.invitation.pk}/revoke/", follow=True))
        assert "Link revoked" in page
        assert "revoked" in page

    @pytest.mark.parametrize(
        ("over", "fault"),
        [
            ({"level": "3"}, "Select a valid choice"),
            ({"level": "x"}, "Select a valid choice"),
            ({"uses": "0"}, "greater than or equal to 1"),
            ({"uses": "51"}, "less than or equal to 50"),
            ({"uses": "9" * 400}, "less than or equal to 50"),
            ({"uses": "1e1"}, "Enter a whole number"),
            ({"days": "365"}, "Select a valid choice"),
            ({"days": ""}, "This field is required"),
        ],
    )
    def test_is_told_beside_the_field(self, over: dict[str, str], fault: str, alice_user: User) -> None:
        assert fault in text(signed_in(alice_user).post(PAGE, {**FORM, **over}))
        assert not Invitation.objects.exists()

    def test_alone_makes_and_revokes(
        self, made: Invited, alice_user: User, bob_user: User, charlie_user: User, root: Member
    ) -> None:
        """Lead, contributor, reader, stranger, superuser."""
        revoke = f"{PAGE}{made.invitation.pk}/revoke/"
        for user, status in ((bob_user, 403), (charlie_user, 404)):
            client = signed_in(user)
            answers = [client.get(PAGE), client.post(PAGE, FORM), client.post(revoke)]
            assert [answer.status_code for answer in answers] == [status] * 3
        Membership.objects.filter(user=bob_user, team__slug="platform").update(level=Level.READER)
        assert signed_in(bob_user).post(PAGE, FORM).status_code == 403
        assert [row.revoked_at for row in Invitation.objects.all()] == [None]
        client = signed_in(User.objects.get(username="root"))
        assert LINK.search(text(client.post(PAGE, FORM)))
        assert client.post(revoke).status_code == 302

    def test_invites_nobody_to_a_team_of_ones_own(self, alice_user: User, alice: Member) -> None:
        answer = signed_in(alice_user).post(f"/teams/{alice.personal.slug}/invitations/", FORM)  # type: ignore[union-attr]
        assert answer.status_code == 400
        assert not Invitation.objects.exists()

    def test_needs_a_bounded_number_of_statements(
        self, alice_user: User, alice: Member, charlie_user: User, django_assert_max_num_queries: Any
    ) -> None:
        for _ in range(6):
            some = invite(team_slug="platform", level=Level.READER, uses=2, days=7, by=alice, now=timezone.now())
        opened(some, signed_in(charlie_user)).post("/join/")
        client = signed_in(alice_user)
        client.get("/teams/platform/")
        with django_assert_max_num_queries(9):
            client.get("/teams/platform/")


class TestTheLink:
    def test_goes_on_without_the_secret_in_the_address(self, made: Invited) -> None:
        client = Client()
        for secret in (made.secret, made.secret[:-1], "", "\x00", "🙂", "x" * 3_000, "<script>"):
            answer = client.get("/join/", {"invitation": secret})
            assert (answer.status_code, answer["Location"]) == (302, "/join/")
            assert answer["Referrer-Policy"] == "no-referrer"
            assert "no-store" in answer["Cache-Control"]

    def test_keeps_its_digest_for_the_browser_and_nothing_of_one_that_is_no_link(self, made: Invited) -> None:
        assert dict(opened(made).session.items()) == {"invitation": digest_of(made.secret)}
        client = Client()
        client.get("/join/", {"invitation": "nonsense"})
        assert "sessionid" not in client.cookies

    def test_says_what_it_offers_and_no_more(self, made: Invited) -> None:
        answer = opened(made).get("/join/")
        page = text(answer)
        assert "Join Platform" in page
        assert "alice invited you as a" in page
        assert made.secret not in page
        assert "bob" not in page
        assert answer["Referrer-Policy"] == "same-origin"
        assert "no-store" in answer["Cache-Control"]
        assert Faults(page).found == []

    def test_shows_names_as_text(self, made: Invited, alice_user: User, charlie_user: User) -> None:
        Team.objects.filter(slug="platform").update(name="<script>alert(1)</script>\u202e" + "x" * 40)
        User.objects.filter(pk=alice_user.pk).update(username="<img src=x onerror=alert(1)>" + "y" * 100)
        alice = User.objects.get(pk=alice_user.pk)
        client = opened(made, signed_in(charlie_user))
        pages = [text(client.get("/join/")), text(client.post("/join/", follow=True))]
        pages += [text(signed_in(alice).get(path)) for path in ("/teams/platform/", "/activity/?team=platform")]
        for page in pages:
            assert "<script>alert" not in page
            assert "<img src=x" not in page
            assert Faults(page).found == []
        assert "\u202e" not in pages[0]

    def test_that_is_over_says_so_in_the_words_of_one_that_never_was(self, made: Invited) -> None:
        client = opened(made)
        Invitation.objects.update(expires_at=timezone.now())
        answers = [client.get("/join/"), client.post("/join/"), Client().get("/join/")]
        assert [answer.status_code for answer in answers] == [404] * 3
        assert [text(answer) for answer in answers] == [text(answers[2])] * 3

    def test_leaves_no_line_in_the_log_with_its_secret(
        self, made: Invited, caplog: pytest.LogCaptureFixture, charlie_user: User
    ) -> None:
        caplog.set_level(logging.DEBUG)
        for client in (Client(), signed_in(charlie_user), Client(enforce_csrf_checks=True)):
            client.raise_request_exception = False
            client.get("/join/", {"invitation": made.secret + "x"})
            client.get("/join/", {"invitation": made.secret}, follow=True)
            client.post(f"/join/?invitation={made.secret}")
            client.put(f"/join/?invitation={made.secret}")
            client.post("/join/", {"invitation": made.secret})
            client.get(f"/join/{made.secret}/")
        # The last has it in the path, where it never belongs: nothing of ours makes such an address.
        lines = [record.getMessage() for record in caplog.records]
        assert lines
        assert [line for line in lines if made.secret in line and f"/join/{made.secret}/" not in line] == []

    def test_is_not_taken_by_looking_at_it(self, made: Invited, charlie_user: User) -> None:
        client = opened(made, signed_in(charlie_user))
        client.get("/join/")
        assert "charlie" not in members()


class TestSomebodyWithAnAccount:
    def test_comes_in_by_a_button(self, made: Invited, charlie_user: User) -> None:
        client = opened(made, signed_in(charlie_user))
        assert "Join as charlie" in text(client.get("/join/"))
        page = text(client.post("/join/", follow=True))
        assert "Welcome! You are now a contributor of Platform." in page
        assert "charlie" in members()
        assert client.get("/join/").status_code == 404

    def test_signs_in_on_the_way(self, made: Invited, charlie_user: User) -> None:
        client = opened(made)
        assert "/accounts/login/?next=/join/" in text(client.get("/join/"))
        form = {"login": "charlie", "password": "charlies-own-password", "next": "/join/"}
        page = text(client.post("/accounts/login/", form, follow=True))
        assert "Join as charlie" in page
        client.post("/join/")
        assert "charlie" in members()

    def test_must_be_signed_in(self, made: Invited, alice_user: User) -> None:
        before = members()
        assert opened(made).post("/join/").status_code == 200
        assert members() == before

    def test_keeps_the_level_they_have(self, made: Invited, alice_user: User) -> None:
        page = text(opened(made, signed_in(alice_user)).post("/join/", follow=True))
        assert "as lead. Nothing was changed." in page
        assert Membership.objects.get(user=alice_user, team__slug="platform").level == Level.LEAD

    def test_is_not_lured_in_by_another_site(self, made: Invited, charlie_user: User) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(charlie_user)
        assert opened(made, client).post("/join/").status_code == 403
        assert "charlie" not in members()


class TestSomebodyNew:
    def test_makes_an_account_and_is_of_the_team_at_once(self, made: Invited) -> None:
        client = opened(made)
        page = text(client.get("/accounts/signup/"))
        assert "Create an account" in page
        assert Faults(page).found == []
        page = text(client.post("/accounts/signup/", EVE, follow=True))
        assert "Welcome! You are a contributor of Platform." in page
        eve = User.objects.get(username="eve")
        assert set(eve.memberships.values_list("team__kind", flat=True)) == {"shared", "personal", "everyone"}
        assert not eve.is_staff
        assert not eve.is_superuser

    def test_makes_none_without_a_link_or_when_it_is_over(self, made: Invited, alice_user: User) -> None:
        late = opened(made)
        opened(made).post("/accounts/signup/", EVE)
        for client in (late, Client()):
            assert "Sign-up by invitation only" in text(client.get("/accounts/signup/"))
            client.post("/accounts/signup/", {**EVE, "username": "mallory"})
        assert set(User.objects.values_list("username", flat=True)) == {"alice", "eve"}

    def test_makes_none_when_the_last_use_goes_while_they_type(
        self, made: Invited, charlie_user: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Open when the form was sent, and not any more when the account is made."""
        late = opened(made)
        opened(made, signed_in(charlie_user)).post("/join/")
        monkeypatch.setattr("accounts.authentication.InvitedAdapter.is_open_for_signup", lambda *given: True)
        answer = late.post("/accounts/signup/", EVE)
        assert answer.status_code == 410
        assert "This invitation is no longer valid" in text(answer)
        assert not User.objects.filter(username="eve").exists()

    def test_makes_none_where_the_operator_makes_them(self, made: Invited, settings: Any) -> None:
        settings.LOAM_INVITED_SIGN_UP = False
        client = opened(made)
        assert "/accounts/signup/" not in text(client.get("/join/"))
        client.post("/accounts/signup/", EVE)
        assert not User.objects.filter(username="eve").exists()

    @pytest.mark.parametrize(
        "username",
        [
            "",
            "alice",
            "ALICE",
            "a@example.org",
            "..",
            ".",
            "-",
            "\u0430lice",
            "a\u202eb",
            "a/b",
            "<b>",
            "x" * 40,
            "a b",
            "a\x00",
        ],
    )
    def test_is_called_nothing_that_misleads(self, username: str, made: Invited) -> None:
        before = User.objects.count()
        assert opened(made).post("/accounts/signup/", {**EVE, "username": username}).status_code == 200
        assert User.objects.count() == before

    def test_does_not_get_the_address_of_somebody_else(self, made: Invited, alice_user: User) -> None:
        User.objects.filter(pk=alice_user.pk).update(email="alice@example.org")
        client = opened(made)
        assert client.post("/accounts/signup/", {**EVE, "email": "Alice@Example.org"}).status_code == 200
        assert not User.objects.filter(username="eve").exists()
        assert client.post("/accounts/signup/", {**EVE, "email": "eve@example.org"}).status_code == 302
        assert "_auth_user_id" in client.session
