"""People come in with a password, and guessing one is slow."""

from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import User
from tests.pages import signed_in

PASSWORD = "bobs-own-password"


def log_in(client: Client, password: str, username: str = "bob", **extra: str) -> int:
    form = {"login": username, "password": password}
    return client.post(reverse("account_login"), form, **extra).status_code


@pytest.fixture(autouse=True)
def forget_attempts(db: None) -> None:
    cache.clear()


class TestLogin:
    def test_lets_the_right_password_in(self, client: Client, bob_user: User) -> None:
        assert log_in(client, PASSWORD) == 302
        assert client.session["_auth_user_id"] == str(bob_user.pk)

    def test_is_what_tests_begin_with(self, client: Client, bob_user: User) -> None:
        """`signed_in` writes the row of a session itself."""
        client.force_login(bob_user)
        mine = signed_in(bob_user)
        assert dict(mine.session.items()) == dict(client.session.items())
        assert abs(mine.session.get_expiry_age() - client.session.get_expiry_age()) < 60
        assert mine.get("/insights/").status_code == 200

    def test_locks_an_address_out_of_an_account_after_five_wrong_ones(self, client: Client, bob_user: User) -> None:
        for attempt in range(5):
            assert log_in(client, f"wrong {attempt}") == 200
        assert log_in(client, PASSWORD) != 302
        assert "_auth_user_id" not in client.session

    def test_lets_nobody_lock_somebody_else_out(self, client: Client, bob_user: User) -> None:
        for attempt in range(8):
            log_in(client, f"wrong {attempt}", REMOTE_ADDR="203.0.113.9")
        assert log_in(client, PASSWORD, REMOTE_ADDR="203.0.113.9") != 302
        assert log_in(client, PASSWORD, REMOTE_ADDR="198.51.100.7") == 302

    def test_lets_an_address_guess_at_ten_in_a_minute(self, client: Client, bob_user: User) -> None:
        for attempt in range(10):
            log_in(client, "wrong", f"guess-{attempt}")
        assert log_in(client, PASSWORD) != 302

    def test_locks_the_account_not_the_house(self, client: Client, bob_user: User, alice_user: User) -> None:
        for attempt in range(5):
            log_in(client, f"wrong {attempt}")
        assert log_in(client, "alices-own-password", "alice") == 302

    def test_counts_by_the_peer_not_by_a_header_the_client_may_write(self, client: Client, bob_user: User) -> None:
        for attempt in range(10):
            log_in(client, "wrong", f"guess-{attempt}", HTTP_X_FORWARDED_FOR=f"10.0.0.{attempt}")
        assert log_in(client, PASSWORD, HTTP_X_FORWARDED_FOR="10.0.1.1") != 302

    def test_counts_where_all_processes_see_it(self, client: Client, bob_user: User) -> None:
        log_in(client, "wrong")
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM shared_cache")
            assert cursor.fetchone()[0] > 0

    def test_has_no_sign_up(self, client: Client, db: None) -> None:
        form = {"username": "eve", "password1": "eves-own-password", "password2": "eves-own-password"}
        client.post(reverse("account_signup"), form)
        assert not User.objects.filter(username="eve").exists()


class TestPages:
    @pytest.mark.parametrize(
        "name", ["account_change_password", "mfa_index", "account_logout", "account_email", "mfa_activate_totp"]
    )
    def test_open_for_a_person(self, client: Client, bob_user: User, name: str) -> None:
        log_in(client, PASSWORD)
        assert client.get(reverse(name), follow=True).status_code == 200

    @pytest.mark.parametrize(
        ("name", "ours", "theirs"),
        [
            ("account_change_password", "New password (again)", "New Password"),
            ("account_login", "Remember me", "Remember Me"),
            ("mfa_index", "Two-factor authentication", "Two-Factor Authentication"),
            ("mfa_index", "Recovery codes", "Recovery Codes"),
            ("account_email", "Email addresses", "Email Addresses"),
        ],
    )
    def test_speak_as_all_our_pages_do(self, client: Client, bob_user: User, name: str, ours: str, theirs: str) -> None:
        if name != "account_login":
            log_in(client, PASSWORD)
        page = client.get(reverse(name), follow=True).content.decode()
        assert ours in page
        assert theirs not in page

    def test_change_the_password(self, client: Client, bob_user: User) -> None:
        log_in(client, PASSWORD)
        new = "quite-another-password"
        form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
        client.post(reverse("account_change_password"), form)
        bob_user.refresh_from_db()
        assert bob_user.check_password(new)


class TestGuessing:
    def test_is_refused_for_a_while_and_told_so(self, client: Client, alice_user: User) -> None:
        answers = [client.post("/accounts/login/", {"login": "alice", "password": f"guess {n}"}) for n in range(31)]
        assert answers[0].status_code == 200
        assert (answers[-1].status_code, answers[-1]["Retry-After"]) == (429, "60")


class TestForgottenPassword:
    def test_leaves_no_link_in_the_log_and_is_a_file_for_loam_alone(self) -> None:
        assert (settings.EMAIL_FILE_PATH.stat().st_mode & 0o777, settings.EMAIL_FILE_PATH.parent) == (
            0o700,
            settings.VAR,
        )
        assert settings.MAIL["EMAIL_BACKEND"] == "django.core.mail.backends.filebased.EmailBackend"

    def test_sends_its_link_to_that_file(
        self, client: Client, bob_user: User, settings: Any, tmp_path: Any, capsys: Any
    ) -> None:
        settings.EMAIL_BACKEND, settings.EMAIL_FILE_PATH = settings.MAIL["EMAIL_BACKEND"], str(tmp_path)
        User.objects.filter(pk=bob_user.pk).update(email="bob@example.org")
        client.post(reverse("account_reset_password"), {"email": "bob@example.org"})
        (letter,) = tmp_path.iterdir()
        assert "/accounts/password/reset/key/" in letter.read_text()
        said = capsys.readouterr()
        assert "reset/key" not in said.out + said.err

    def test_is_a_letter_that_says_what_to_do(self, client: Client, bob_user: User, mailoutbox: list[Any]) -> None:
        User.objects.filter(pk=bob_user.pk).update(email="bob@example.org")
        client.post(reverse("account_reset_password"), {"email": "bob@example.org"})
        (letter,) = mailoutbox
        assert letter.subject == "Reset your Loam password"
        assert "account “bob”" in letter.body and "expires after three days" in letter.body
        assert settings.PASSWORD_RESET_TIMEOUT == 3 * 86_400
        assert "Hello from" not in letter.body

    def test_of_an_unknown_address_offers_no_sign_up(self, client: Client, db: None, mailoutbox: list[Any]) -> None:
        """Accounts are made by invitation: the link to a form that is closed helped nobody."""
        client.post(reverse("account_reset_password"), {"email": "nobody@example.org"})
        (letter,) = mailoutbox
        assert letter.subject == "No Loam account has this address"
        assert "/signup/" not in letter.body and "invitation link" in letter.body


class TestPrivatePages:
    def test_are_kept_by_no_shared_cache(self, client: Client, bob_user: User) -> None:
        assert client.get(reverse("account_login"))["Cache-Control"]
        log_in(client, PASSWORD)
        for path in ("/", "/insights/", "/preferences/", "/settings/", "/sessions/", "/api/v1/me/"):
            assert "private" in client.get(path)["Cache-Control"], path
