"""Whole stories of people at Loam's pages, from the first click to what an agent gets: by pointer, on a phone, and
without a script.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.actions.tokens import issue_token
from accounts.models import Preference, User
from accounts.rules.rights import Member, Scope
from knowledge.evidence.actions.sources import register
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Pair
from knowledge.review.actions import settle
from skills.models import Skill
from tests.factories import as_agent, make_insight, make_skill

Open = Callable[..., Page]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def sign_in(page: Page, user: User) -> None:
    page.goto("/")
    page.get_by_label("Login").fill(user.username)
    page.get_by_label("Password").fill(f"{user.username}s-own-password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()


def draft(by: Member, voice: Member, **over: Any) -> Insight:
    """One that waits in the queue of new ones."""
    row = make_insight(by, **over)
    rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=as_agent(voice, f"agent of {row.ref}"), now=timezone.now())
    return row


@pytest.fixture
def pair(alice: Member) -> Pair:
    a = make_insight(alice, body="Always run the guard before a long ALTER.")
    b = make_insight(alice, body="Never run the guard before a long ALTER.")
    return settle.report(a=a.ref, b=b.ref, reason="One is wrong.", by=alice, now=timezone.now())


class TestASkill:
    def test_is_edited_published_and_served(
        self, open_page: Open, alice_user: User, alice: Member, bob: Member, live_server: Any
    ) -> None:
        make_skill(alice)
        page = open_page(alice_user, "/skills/platform/release/")
        page.get_by_role("link", name="Edit").click()
        page.get_by_label("Instructions").fill("1. Freeze.\n2. Ring the **bell**.")
        page.get_by_label("Trigger tags").fill("release")
        expect(page.locator("#skill-preview strong")).to_have_text("bell")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("unpublished changes", exact=True)).to_be_visible()
        secret = issue_token(name="agent", scopes=list(Scope), by=bob, now=timezone.now()).secret
        assert "bell" not in ask(page, live_server.url, secret)
        page.get_by_role("button", name="Publish changes").click()
        expect(page.get_by_text("release published. Agents get it").first).to_be_visible()
        assert "Ring the **bell**." in ask(page, live_server.url, secret)


def ask(page: Page, home: str, secret: str) -> str:
    """What an agent is answered that asks how to release the importer."""
    body = {"query": "how do I release the importer safely", "tags": ["release"]}
    answer = page.request.post(
        f"{home}/api/v1/query/",
        data=json.dumps(body),
        headers={"Authorization": f"Bearer {secret}", "Content-Type": "application/json"},
    )
    assert answer.ok, answer.text()
    return answer.text().encode().decode("unicode_escape") if "\\u" in answer.text() else answer.text()


class TestAWrongMerge:
    def test_is_made_seen_and_parted_again(self, open_page: Open, alice_user: User, alice: Member, bob: Member) -> None:
        kept = make_insight(alice, title="Beat runs once", body="Celery beat must run once, or jobs fire twice.")
        gone = draft(alice, bob, title="A lock has a timeout", body="Give each lock a timeout, or readers wait.")
        page = open_page(alice_user, "/?tab=new")
        page.locator("summary", has_text="Similar insights").click()
        page.get_by_role("button", name=f"Merge into {kept.ref}").click()
        expect(page.get_by_text(f"{gone.ref} merged into {kept.ref}").first).to_be_visible()
        page.goto(f"/insights/{kept.ref}/")
        page.locator("summary", has_text="A lock has a timeout").click()
        expect(page.get_by_text("Give each lock a timeout")).to_be_visible()
        page.get_by_role("button", name="Unmerge").click()
        expect(page.get_by_text(f"{gone.ref} unmerged.").first).to_be_visible()
        assert Insight.objects.get(pk=gone.pk).superseded_by_id is None


class TestAPhone:
    def test_carries_a_day_of_curating(
        self, open_page: Open, alice_user: User, alice: Member, bob: Member, pair: Pair
    ) -> None:
        make_skill(alice, live=False)
        row = draft(alice, bob, title="Guard long ALTERs", body="Run the guard first, and last.")
        page = open_page(**PHONE)
        sign_in(page, alice_user)
        page.goto("/?tab=new")
        page.locator(f"#row-{row.ref} a").tap()
        page.get_by_role("button", name=f"Promote {row.ref}").tap()
        expect(page.get_by_text(f"{row.ref} promoted.").first).to_be_visible()
        page.get_by_role("button", name="Undo").tap()
        expect(page.get_by_text(f"Undone: {row.ref}").first).to_be_visible()
        self._goes(page, "Insights")
        page.get_by_role("searchbox").fill("guard")
        with page.expect_response("**/insights/?q=guard*"):
            page.get_by_role("searchbox").press("Enter")
        expect(page.get_by_role("heading", name="3 insights")).to_be_visible()
        page.locator(f"#row-{row.ref} a").tap()
        page.get_by_role("link", name="Guard long ALTERs", exact=True).tap()
        page.get_by_role("link", name="Edit", exact=True).tap()
        page.get_by_label("Title").fill("Guard every long ALTER")
        page.get_by_role("button", name="Save").tap()
        expect(page.get_by_text(f"{row.ref} saved.").first).to_be_visible()
        self._goes(page, "Skills")
        page.locator("[data-row]", has_text="release").get_by_role("link").tap()
        page.get_by_role("button", name="Publish").tap()
        expect(page.get_by_text("release published. Agents get it").first).to_be_visible()
        self._goes(page, "Preferences")
        page.get_by_label("Key", exact=True).fill("test runner")
        page.get_by_label("Value").fill("pytest")
        page.get_by_role("button", name="Add preference").tap()
        expect(page.get_by_text("test_runner is pytest.").first).to_be_visible()
        self._goes(page, "Dashboard")
        expect(page.get_by_role("heading", name="Dashboard")).to_be_visible()

    def _goes(self, page: Page, place: str) -> None:
        """By the menu, which is all that a phone has of the bar; and nothing is wider than the phone."""
        page.locator("header summary:visible").tap()
        with page.expect_navigation():
            page.locator("header").get_by_role("link", name=place, exact=True).locator("visible=true").tap()
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


@pytest.fixture
def runbooks(alice: Member, root: Member, settings: Any, tmp_path: Path) -> str:
    """A folder of files that the team may ask."""
    folder = tmp_path / "runbooks"
    folder.mkdir()
    (folder / "restore.md").write_text(
        "# Restore\n\nTo restore the ledger, stop the workers, then run `loamctl restore`.\n"
    )
    settings.LOAM_EVIDENCE_ROOT = tmp_path
    register(slug="runbooks", name="Runbooks", path="runbooks", team_slug="platform", by=root, now=timezone.now())
    return "restore.md"


class TestWithoutScript:
    def test_a_lead_does_all_that_matters(
        self, open_page: Open, alice_user: User, alice: Member, bob: Member, pair: Pair, runbooks: str
    ) -> None:
        make_skill(alice, live=False)
        row = draft(alice, bob, title="Guard long ALTERs", body="Run the guard first, and last.")
        page = open_page(java_script_enabled=False)
        sign_in(page, alice_user)
        self._edits_and_promotes(page, row)
        page.goto("/contradictions/")
        page.get_by_label("Both valid").fill("one on servers")
        page.get_by_role("button", name="Keep both").click()
        expect(page.get_by_text("each in its scope")).to_be_visible()
        page.goto("/skills/platform/release/edit/")
        page.get_by_label("Instructions").fill("Ring the **bell**.")
        page.get_by_role("button", name="Preview").click()
        expect(page.locator("#skill-preview strong")).to_have_text("bell")
        page.get_by_role("button", name="Save").click()
        page.get_by_role("button", name="Publish").click()
        expect(page.get_by_text("release published. Agents get it")).to_be_visible()
        assert Skill.objects.get().served.instructions == "Ring the **bell**."
        self._asks_the_files(page, runbooks)
        self._says_what_she_wants(page)
        page.locator("header summary:visible").click()
        page.get_by_role("link", name="Sign out").or_(page.get_by_role("button", name="Sign out")).click()
        expect(page.get_by_role("button", name="Sign in")).to_be_visible()

    def _edits_and_promotes(self, page: Page, row: Insight) -> None:
        page.goto("/?tab=new")
        page.get_by_role("link", name=f"Edit {row.ref}").click()
        page.get_by_label("Title").fill("Guard every long ALTER")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text(f"{row.ref} saved.")).to_be_visible()
        page.get_by_role("button", name=f"Promote {row.ref}").click()
        expect(page.get_by_text(f"{row.ref} promoted.")).to_be_visible()

    def _asks_the_files(self, page: Page, file: str) -> None:
        page.goto("/evidence/")
        page.get_by_label("Question", exact=True).fill("how do I restore the ledger")
        page.get_by_role("button", name="Search files").click()
        expect(page.get_by_text(file).first).to_be_visible()

    def _says_what_she_wants(self, page: Page) -> None:
        page.goto("/preferences/")
        page.get_by_label("Key", exact=True).fill("test runner")
        page.get_by_label("Value").fill("pytest")
        page.get_by_role("button", name="Add preference").click()
        expect(page.get_by_text("test_runner is pytest.")).to_be_visible()
        page.goto(f"/preferences/{Preference.objects.get().pk}/")
        page.get_by_label("Value").fill("nose")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("test_runner is nose now")).to_be_visible()
        page.goto("/settings/")
        page.get_by_label("dark", exact=False).first.check()
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Settings saved.")).to_be_visible()
        assert page.locator("html").get_attribute("data-theme") == "loam-night"


class TestTwoLeads:
    def test_the_second_is_told_and_finds_her_words(
        self, open_page: Open, alice_user: User, alice: Member, bob: Member, pair: Pair
    ) -> None:
        row = draft(alice, bob, title="Guard long ALTERs", body="Run the guard first.")
        page, other = open_page(alice_user), open_page(alice_user)
        for one in (page, other):
            one.goto("/?tab=new")
        other.get_by_role("button", name=f"Promote {row.ref}").click()
        expect(other.get_by_text(f"{row.ref} promoted.").first).to_be_visible()
        page.get_by_role("button", name=f"Deprecate {row.ref}").click()
        expect(page.get_by_text("it has changed since you opened the page").first).to_be_visible()
        expect(page.get_by_text("“draft” → “promoted”").first).to_be_visible()
        for one in (page, other):
            one.goto("/contradictions/")
        other.get_by_role("button", name="Dismiss", exact=True).click()
        expect(other.get_by_role("heading", name="Inbox zero")).to_be_visible()
        page.get_by_label("Both valid").fill("one on servers")
        page.get_by_role("button", name="Keep both").click()
        expect(page.get_by_role("heading", name="This pair is already resolved.")).to_be_visible()
        expect(page.get_by_label("Both valid")).to_have_value("one on servers")
        page.get_by_role("button", name="Reopen").click()
        expect(page.get_by_label("Both valid")).to_have_value("one on servers")
        page.get_by_role("button", name="Keep both").click()
        expect(page.get_by_text("each in its scope").first).to_be_visible()
        assert Insight.objects.get(pk=row.pk).status == "promoted"
