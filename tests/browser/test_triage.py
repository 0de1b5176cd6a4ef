"""Curating in a browser: by keyboard alone, by pointer, on a phone, and without a script."""

import re
from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import Page, Route, expect

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight
from knowledge.review.actions import combine, settle
from tests.browser.sound import sound
from tests.factories import as_agent, make_insight

Open = Callable[..., Page]
SUBJECTS = ("locks", "beat", "caches", "queues", "tokens", "routes", "themes", "hooks", "shards", "clocks")


@pytest.fixture
def ten(alice: Member, bob: Member) -> list[Insight]:
    """Drafts that somebody has spoken for, the first in the queue being the last of these."""
    rows = [make_insight(alice, title=f"About {name}", body=f"What we know of {name}.") for name in SUBJECTS]
    for row in rows:
        rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=as_agent(bob, f"for {row.ref}"), now=timezone.now())
    return rows


@pytest.fixture
def pair(alice: Member) -> tuple[Insight, Insight]:
    a = make_insight(alice, body="Always run the guard before a long ALTER.")
    b = make_insight(alice, body="Never run the guard before a long ALTER.")
    settle.report(a=a.ref, b=b.ref, reason="One is wrong.", by=alice, now=timezone.now())
    return a, b


class TestAnAct:
    def test_is_seen_at_once_and_taken_back_with_a_word_when_it_fails(
        self, open_page: Open, alice_user: User, ten: list[Insight]
    ) -> None:
        page = open_page(alice_user)
        page.goto("/?tab=new")
        held: list[Route] = []
        page.route("**/inbox/act/", lambda route: held.append(route))
        row = page.locator("[data-row]").first
        page.keyboard.press("p")
        expect(row).to_have_attribute("data-going", "")
        page.evaluate(
            "(target) => document.dispatchEvent(new CustomEvent('htmx:sendError', {detail: {target}}))",
            page.locator("#inbox-queue").element_handle(),
        )
        expect(row).not_to_have_attribute("data-going", "")
        told = page.get_by_role("alert").filter(has_text="Request failed")
        expect(told).to_be_in_viewport()
        sound(page, "what could not be done")
        told.get_by_role("button", name="Dismiss").click()
        expect(told).to_have_count(0)
        held[0].continue_()
        expect(page.locator("[data-row]")).to_have_count(9)
        assert Insight.objects.filter(status="promoted").count() == 1


class TestKeys:
    def test_triage_ten_drafts(self, open_page: Open, alice_user: User, ten: list[Insight]) -> None:
        page = open_page(alice_user)
        page.goto("/?tab=new")
        page.keyboard.press("j")
        expect(page.locator("[data-row]").first).to_be_focused()
        for left in range(10, 0, -1):
            expect(page.locator("[data-row]")).to_have_count(left)
            page.keyboard.press("p" if left % 2 else "d")
            if left > 1:
                expect(page.locator("[data-row]")).to_have_count(left - 1)
                expect(page.locator("[data-row]").first).to_be_focused()
        expect(page.get_by_role("heading", name="Inbox zero")).to_be_focused()
        stands = {row.status for row in Insight.objects.all()}
        assert stands == {"promoted", "deprecated"}

    def test_undo_choose_and_help(self, open_page: Open, alice_user: User, ten: list[Insight]) -> None:
        page = open_page(alice_user)
        page.goto("/?tab=new")
        page.keyboard.press("j")
        page.keyboard.press("j")
        ref = page.locator("[data-row]").nth(1).get_attribute("aria-label")
        page.keyboard.press("p")
        expect(page.get_by_text(f"{ref} promoted.").first).to_be_visible()
        page.keyboard.press("u")
        expect(page.get_by_text(f"Undone: {ref}").first).to_be_visible()
        expect(page.locator(f"#row-{ref}")).to_be_focused()
        page.keyboard.press("x")
        page.keyboard.press("j")
        page.keyboard.press("x")
        expect(page.get_by_text("2 selected")).to_be_visible()
        page.keyboard.press("?")
        expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
        page.get_by_label("Enable shortcuts in this browser").uncheck()
        page.keyboard.press("Escape")
        page.locator("[data-row]").first.focus()
        page.keyboard.press("p")
        expect(page.locator("[data-row]")).to_have_count(10)
        page.locator("[data-bulk]").get_by_role("button", name="Promote").click()
        page.get_by_role("button", name="Promote 2").click()
        expect(page.get_by_text("2 insights promoted.").first).to_be_visible()
        expect(page.locator("[data-row]")).to_have_count(8)

    def test_never_fire_in_a_field(self, open_page: Open, alice_user: User, ten: list[Insight]) -> None:
        page = open_page(alice_user)
        page.goto("/?tab=new")
        page.get_by_label("Tag").press_sequentially("pdx?")
        expect(page.get_by_label("Tag")).to_have_value("pdx?")
        expect(page.locator("[data-row]")).to_have_count(10)

    def test_compare_and_merge(self, open_page: Open, alice_user: User, ten: list[Insight]) -> None:
        page = open_page(alice_user)
        page.goto("/?tab=new")
        page.keyboard.press("j")
        page.keyboard.press("m")
        row = page.locator("[data-row]").first
        row.get_by_role("button", name=re.compile("^Merge into PLAT")).first.click()
        expect(page.get_by_text("its text is kept there").first).to_be_visible()
        expect(page.locator("[data-row]")).to_have_count(9)


class TestPairs:
    def test_are_settled(self, open_page: Open, alice_user: User, pair: tuple[Insight, Insight]) -> None:
        page = open_page(alice_user)
        page.goto("/contradictions/")
        page.get_by_role("button", name=f"Keep {pair[0].ref}").click()
        expect(page.get_by_text(f"{pair[0].ref} kept").first).to_be_visible()
        expect(page.get_by_role("heading", name="Inbox zero")).to_be_visible()

    def test_are_settled_on_a_phone(self, open_page: Open, alice_user: User, pair: tuple[Insight, Insight]) -> None:
        page = open_page(alice_user, viewport={"width": 390, "height": 844}, has_touch=True)
        page.goto("/contradictions/")
        page.get_by_label("Both valid").fill("one on servers, one in tests")
        page.get_by_role("button", name="Keep both").tap()
        expect(page.get_by_text("each in its scope").first).to_be_visible()


class TestInsight:
    def test_parts_a_wrong_merge(self, open_page: Open, alice_user: User, alice: Member) -> None:
        row, gone = make_insight(alice), make_insight(alice, title="Quite another thing", body="Beat runs once.")
        combine.merge(ref=gone.ref, into=row.ref, by=alice, now=timezone.now())
        page = open_page(alice_user)
        page.goto(f"/insights/{row.ref}/")
        page.get_by_role("button", name="Unmerge").click()
        expect(page.get_by_text(f"{gone.ref} unmerged.").first).to_be_visible()

    def test_is_edited_in_its_row(self, open_page: Open, alice_user: User, alice: Member) -> None:
        make_insight(alice, title="An old title")
        page = open_page(alice_user)
        page.get_by_role("link", name="Edit PLAT-1").click()
        title = page.get_by_label("Title")
        expect(title).to_be_focused()
        title.fill("Given up")
        title.press("Escape")
        expect(page.get_by_role("link", name="An old title")).to_be_visible()
        page.get_by_role("link", name="Edit PLAT-1").click()
        page.get_by_label("Title").fill("A new title")
        page.get_by_label("Title").press("Enter")
        expect(page.get_by_role("link", name="A new title")).to_be_visible()
        expect(page.get_by_text("PLAT-1 saved.").first).to_be_visible()


class TestWithoutScript:
    def test_triage_undo_bulk_and_pairs_work(
        self, open_page: Open, alice_user: User, ten: list[Insight], pair: tuple[Insight, Insight]
    ) -> None:
        page = open_page(alice_user, java_script_enabled=False)
        page.goto("/?tab=new")
        page.get_by_role("button", name="Promote PLAT-10").click()
        expect(page.get_by_text("PLAT-10 promoted.")).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("Undone: PLAT-10")).to_be_visible()
        page.get_by_label("Select PLAT-10").check()
        page.get_by_label("Select PLAT-9").check()
        page.locator("[data-bulk]").get_by_role("button", name="Deprecate").click()
        page.get_by_role("button", name="Deprecate 2").click()
        expect(page.locator("[data-row]")).to_have_count(8)
        page.get_by_role("link", name="Contradictions").click()
        page.get_by_role("button", name="Dismiss", exact=True).click()
        expect(page.get_by_text(": dismissed.")).to_be_visible()
