"""A colleague comes in by a link and connects an agent; a lead's filter is there for the team."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Membership, User
from accounts.rules.rights import Level, Member
from sessions_app.adapters.client_file import client_file
from tests.browser.sound import sound
from tests.factories import make_insight

Open = Callable[..., Page]
PHONE = {"width": 390, "height": 844}
OVER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def fits(page: Page, what: str) -> None:
    sound(page, what)
    assert page.evaluate(OVER) <= 0, f"{what} is wider than the screen"


def made(page: Page) -> str:
    """A link for one contributor, as the lead is shown it."""
    page.goto("/teams/platform/")
    page.get_by_role("button", name="Create link").click()
    link = page.locator("#invitation-link")
    expect(link).to_be_visible()
    return link.inner_text()


def sign_up(page: Page, name: str) -> None:
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password", exact=True).fill("a-password-of-her-own")
    page.get_by_label("Password (again)").fill("a-password-of-her-own")
    page.get_by_role("button", name="Create account and join").click()
    expect(page.get_by_text("Welcome! You are a contributor of Platform.").first).to_be_visible()


class TestAColleague:
    def test_is_invited_and_connects_an_agent_until_the_light_turns_on(
        self, open_page: Open, alice_user: User, tmp_path: Path
    ) -> None:
        lead = open_page(alice_user)
        link = made(lead)
        fits(lead, "a link that is shown once")
        page = open_page(viewport=PHONE)
        page.goto(link)
        assert page.url.endswith("/join/")
        fits(page, "what the link offers")
        page.get_by_role("link", name="Create an account").click()
        expect(page.get_by_role("heading", name="Create an account")).to_be_visible()
        fits(page, "a new account")
        page.go_back()
        sign_up(page, "eve")
        page.goto("/connect/")
        page.get_by_label("Codex").check()
        page.get_by_label("Name").fill("eve's desk")
        page.get_by_role("button", name="Create token").click()
        expect(page.get_by_text("Waiting for the first call")).to_be_visible()
        fits(page, "the steps of an agent")
        expect(page.locator("#cursor-get")).to_be_hidden()
        words = shlex.split(page.locator("#codex-get").inner_text().splitlines()[-1])
        assert words[:3] == ["python3", "loam.py", "login"]
        downloaded = tmp_path / "loam.py"
        downloaded.write_bytes(client_file().content)
        ran = subprocess.run(
            [sys.executable, str(downloaded), *words[2:]],
            env={**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        assert "You are eve at" in ran.stdout
        expect(page.get_by_text("Connected.")).to_be_visible(timeout=15_000)
        lead.goto("/teams/platform/")
        expect(lead.get_by_text("Used by eve")).to_be_visible()
        assert Membership.objects.get(user__username="eve", team__slug="platform").level == Level.CONTRIBUTOR

    def test_comes_in_without_a_script(self, open_page: Open, alice_user: User, charlie_user: User) -> None:
        lead = open_page(alice_user, java_script_enabled=False)
        page = open_page(java_script_enabled=False)
        page.goto(made(lead))
        sign_up(page, "eve")
        page = open_page(charlie_user, java_script_enabled=False)
        page.goto(made(lead))
        page.get_by_role("button", name="Join as charlie").click()
        expect(page.get_by_text("Welcome! You are now a contributor of Platform.")).to_be_visible()
        lead.goto("/teams/platform/")
        lead.get_by_role("button", name="Create link").click()
        lead.get_by_role("button", name=re.compile("Revoke invitation")).first.click()
        expect(lead.get_by_text("Link revoked")).to_be_visible()


class TestAFilter:
    @pytest.mark.parametrize("script", [True, False])
    def test_is_saved_for_the_team_changed_and_deleted(
        self, script: bool, open_page: Open, alice_user: User, bob_user: User, alice: Member
    ) -> None:
        make_insight(alice, kind="PITFALL", title="A pitfall of the guard", tags=["guard"])
        make_insight(alice, kind="PATTERN", title="A pattern of the guard", tags=["guard"])
        page = open_page(alice_user, "/insights/?kind=PITFALL&tag=guard", java_script_enabled=script, viewport=PHONE)
        page.get_by_text("Save filter").click()
        page.locator("#filter_name").fill("Pitfalls " + "x" * 51)
        page.get_by_label("Visible to").select_option("Platform")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("and shared with Platform").first).to_be_visible()
        if script:
            fits(page, "a saved filter")
        mate = open_page(bob_user, "/insights/", java_script_enabled=script)
        mate.get_by_role("link", name="Pitfalls").click()
        expect(mate.get_by_role("link", name="A pitfall of the guard", exact=True)).to_be_visible()
        expect(mate.get_by_role("link", name="A pattern of the guard")).to_have_count(0)
        page.get_by_role("link", name="kind pitfall").click()
        expect(page.get_by_role("link", name="A pattern of the guard").first).to_be_visible()
        page.get_by_text("Save filter").click()
        page.get_by_role("button", name="Delete the filter Pitfalls").click()
        expect(page.get_by_text("deleted.").first).to_be_visible()
        expect(page.get_by_text("Saved:")).to_have_count(0)
