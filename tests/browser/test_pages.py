"""Stories a person lives through in a browser, and what holds on every page."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.rules.vocabulary import Kind
from tests.browser.furnished import GUARD, every_page, furnish
from tests.browser.sound import sound
from tests.conftest import NOW
from tests.factories import make_insight, make_insights, make_skill

Open = Callable[..., Page]

PHONE = {"width": 390, "height": 844}
NARROW = {"width": 360, "height": 740}
TABLET = {"width": 768, "height": 1024}
WIDE = {"width": 1920, "height": 1080}
DESK = {"width": 1280, "height": 900}


@pytest.fixture
def insight(alice: Member) -> Insight:
    make_insight(
        alice, title="A cache key names its tenant", body="Or one customer sees another's data.", repo="acme/web"
    )
    make_skill(alice)
    return make_insight(alice, kind=Kind.PITFALL, title="Guard before ALTER TABLE", body=GUARD, tags=["locks"])


@pytest.fixture
def furnished(alice: Member, bob: Member) -> Insight:
    return furnish(alice, bob)


class TestAlice:
    def test_searches_sees_why_opens_and_promotes(self, open_page: Open, alice_user: User, insight: Insight) -> None:
        page = open_page(alice_user)
        page.keyboard.press("/")
        search = page.get_by_role("searchbox", name="Search insights")
        expect(search).to_be_focused()
        page.get_by_label("As an agent").check()
        search.fill("why do readers wait during a long ALTER")
        search.press("Enter")
        expect(page.locator("#live")).to_have_text(re.compile(r"\d found"))
        assert "q=why" in page.url
        page.get_by_text("Why this rank").first.click()
        expect(page.get_by_role("rowheader", name="similarity").first).to_be_visible()
        page.locator("#item").get_by_role("link", name="Guard before ALTER TABLE").click()
        page.get_by_label("Reason").fill("Held up in three reviews.")
        page.get_by_role("button", name="Promote").click()
        expect(page.get_by_text(f"{insight.ref} promoted.").first).to_be_visible()
        expect(page.get_by_text("Held up in three reviews.")).to_be_visible()
        expect(page.get_by_role("button", name="Promote")).to_have_count(0)

    def test_goes_back_to_what_she_searched(self, open_page: Open, alice_user: User, insight: Insight) -> None:
        page = open_page(alice_user)
        page.get_by_role("searchbox").fill("lock_timeout guard")
        page.get_by_role("searchbox").press("Enter")
        expect(page.get_by_role("heading", name="1 insight 1–1 shown")).to_be_visible()
        page.get_by_role("link", name="Guard before ALTER TABLE", exact=True).click()
        page.wait_for_url(f"**/insights/{insight.ref}/")
        page.go_back()
        expect(page.get_by_role("heading", name="1 insight 1–1 shown")).to_be_visible()
        expect(page.get_by_role("searchbox")).to_have_value("lock_timeout guard")

    def test_narrows_by_a_choice_at_once(self, open_page: Open, alice_user: User, insight: Insight) -> None:
        page = open_page(alice_user)
        page.get_by_text("Filters", exact=True).click()
        page.locator("#id_kind").select_option("PITFALL")
        expect(page.locator("[data-row]")).to_have_count(1)
        page.get_by_role("link", name="remove filter").click()
        expect(page.locator("[data-row]")).to_have_count(2)

    def test_can_do_it_all_by_keyboard(self, open_page: Open, alice_user: User, insight: Insight) -> None:
        page = open_page(alice_user)
        page.reload()
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="New insight")).to_be_focused()
        page.keyboard.press("/")
        expect(page.get_by_role("searchbox")).to_be_focused()
        menu = page.locator("header summary:visible")
        menu.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Sign out")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Sign out")).to_be_hidden()
        expect(menu).to_be_focused()

    def test_goes_anywhere_by_a_few_letters(self, open_page: Open, alice_user: User, insight: Insight) -> None:
        page = open_page(alice_user)
        page.keyboard.press("Control+k")
        box = page.get_by_role("searchbox", name="Go to a page")
        expect(box).to_be_focused()
        box.fill("guard before")
        expect(page.locator("#palette-found").get_by_text("Guard before ALTER TABLE")).to_be_visible()
        sound(page, "the palette")
        box.fill("dash")
        expect(page.locator("#palette-found a")).to_have_text(["Dashboard"])
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url("**/dashboard/")
        page.keyboard.press("Control+k")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)

    def test_sees_what_a_skill_will_say_while_she_types(
        self, open_page: Open, alice_user: User, insight: Insight
    ) -> None:
        page = open_page(alice_user, "/skills/new/")
        page.get_by_label("Instructions").fill("Freeze, then **tag**.")
        expect(page.locator("#skill-preview strong")).to_have_text("tag")
        page.get_by_label("Test question").fill("how do I tag")
        page.get_by_role("button", name="Run test").click()
        expect(page.get_by_text("test question", exact=True)).to_be_visible()

    def test_sees_what_she_typed_before_the_scripts_were_there(self, open_page: Open, alice_user: User) -> None:
        page = open_page(alice_user, "/skills/")
        held: list[Route] = []
        page.route("**/htmx*.js", lambda route: held.append(route))
        page.goto("/skills/new/", wait_until="commit")
        page.get_by_label("Instructions").fill("Freeze, then **tag**.")
        assert held
        held[0].continue_()
        expect(page.locator("#skill-preview strong")).to_have_text("tag")

    def test_sees_the_light_when_her_agent_calls(
        self, open_page: Open, alice_user: User, alice: Member, live_server: Any
    ) -> None:
        page = open_page(alice_user, "/connect/")
        page.get_by_label("Name").fill("laptop")
        page.get_by_role("button", name="Create token").click()
        expect(page.get_by_text("Waiting for the first call")).to_be_visible()
        secret = page.locator("#secret").inner_text()
        page.request.get(f"{live_server.url}/api/v1/me/", headers={"Authorization": f"Bearer {secret}"})
        expect(page.get_by_text("Connected.")).to_be_visible(timeout=15_000)
        expect(page.get_by_text("Waiting for the first call")).to_have_count(0)


class TestThemes:
    def test_follow_the_system_until_one_is_chosen(self, open_page: Open, alice_user: User) -> None:
        page = open_page(alice_user, color_scheme="dark")
        ground = "getComputedStyle(document.documentElement).backgroundColor"
        dark = page.evaluate(ground)
        page.get_by_role("button", name="Switch to the light theme").click()
        light = page.evaluate(ground)
        assert dark != light
        page.reload()
        assert page.evaluate(ground) == light
        page.get_by_role("button", name="Switch to the dark theme").click()
        assert page.evaluate("localStorage.getItem('loam-theme')") is None


class TestWithoutScript:
    def test_search_filters_and_promotion_work(self, open_page: Open, alice_user: User, insight: Insight) -> None:
        page = open_page(alice_user, java_script_enabled=False)
        page.get_by_role("searchbox").fill("lock_timeout guard")
        page.get_by_label("As an agent").check()
        page.get_by_role("button", name="Search").click()
        page.get_by_text("Why this rank").first.click()
        expect(page.get_by_role("rowheader", name="keywords").first).to_be_visible()
        page.locator("#id_kind").select_option("PITFALL")
        page.get_by_role("button", name="Filter", exact=True).click()
        page.locator("#item").get_by_role("link", name="Guard before ALTER TABLE").click()
        page.get_by_role("button", name="Promote").click()
        expect(page.get_by_text(f"{insight.ref} promoted.")).to_be_visible()

    def test_the_token_and_its_light_work(self, open_page: Open, alice_user: User) -> None:
        page = open_page(alice_user, "/connect/", java_script_enabled=False)
        page.get_by_label("Name").fill("laptop")
        page.get_by_role("button", name="Create token").click()
        expect(page.locator("#secret")).to_be_visible()
        expect(page.get_by_role("button", name="Copy")).to_have_count(0)
        page.get_by_role("link", name="Refresh").click()
        expect(page.get_by_text("Waiting for the first call")).to_be_visible()


def open_all(page: Page) -> None:
    """Unfold what is folded, so that it is looked at too."""
    page.evaluate("for (const part of document.querySelectorAll('main details')) part.open = true")


class TestEveryPage:
    def test_is_accessible_and_fits_every_width_and_a_thumb(
        self, open_page: Open, alice_user: User, furnished: Insight
    ) -> None:
        """Each page is loaded once, for the desk, and then made narrow. No style changes between the narrowest and the
        other phone: what is not too wide for that one is not for this.
        """
        page = open_page(alice_user, viewport=DESK)
        found = []
        known: set[int] = set()
        for path in every_page(furnished.ref):
            page.set_viewport_size(DESK)
            page.goto(path)
            open_all(page)
            sound(page, path, known)
            page.set_viewport_size(NARROW)
            found += [(path, small) for small in page.evaluate(SMALL_TARGETS)]
            for size in (NARROW, TABLET, WIDE):
                page.set_viewport_size(size)
                found += [(path, size)] if page.evaluate(TOO_WIDE) > 0 else []
        assert found == []

    def test_is_accessible_before_the_login(self, open_page: Open, db: None) -> None:
        page = open_page()
        page.goto("/accounts/login/")
        sound(page, "the login")


class TestAPhone:
    def test_has_the_acts_of_an_insight_at_hand(self, open_page: Open, alice_user: User, furnished: Insight) -> None:
        page = open_page(alice_user, f"/insights/{furnished.ref}/", viewport=PHONE)
        bar = page.get_by_role("group", name="Actions")
        for at in (0, 2_000):
            page.evaluate(f"scrollTo(0, {at})")
            expect(bar.get_by_role("button", name="Deprecate")).to_be_in_viewport()
        sound(page, "an insight on a phone")
        bar.get_by_role("button", name="Promote").click()
        expect(page.get_by_text(f"{furnished.ref} promoted.").first).to_be_visible()
        page.set_viewport_size(DESK)
        expect(bar).to_be_hidden()


class TestATablet:
    def test_has_the_main_links_in_sight_and_nothing_bursts(
        self, open_page: Open, alice_user: User, furnished: Insight
    ) -> None:
        page = open_page(alice_user, viewport=TABLET)
        for path in ("/", "/insights/", "/dashboard/", "/teams/platform/"):
            page.goto(path)
            expect(page.locator("#inbox-count")).to_contain_text("awaiting review")
            expect(page.get_by_role("navigation", name="Main", exact=True).get_by_role("link")).to_have_count(7)
            page.evaluate("document.getElementById('inbox-count').firstElementChild.textContent = '200+'")
            assert page.evaluate(TOO_WIDE) <= 0, path
            page.locator("header summary:visible").click()
            expect(page.get_by_role("button", name="Sign out")).to_be_visible()
            expect(page.get_by_role("navigation", name="Main, small screen")).to_be_hidden()

    def test_breaks_no_short_word_of_a_table(self, open_page: Open, alice_user: User, furnished: Insight) -> None:
        """`claude-code` stood as `clau / de- / code` where six columns shared a tablet's width."""
        page = open_page(alice_user, viewport=TABLET)
        for path in ("/activity/", "/sessions/", "/sessions/open/", "/skills/", "/dashboard/ratings/"):
            page.goto(path)
            for width in (768, 1024):
                page.set_viewport_size({"width": width, "height": 768})
                assert page.evaluate(BROKEN_WORDS) == [], (path, width)
            # On a laptop a word as long as its author likes has the table scroll; on a tablet it breaks.
            page.set_viewport_size(TABLET)
            assert page.evaluate(SCROLLED) == [], path


class TestAWideScreen:
    def test_is_used(self, open_page: Open, alice_user: User, furnished: Insight) -> None:
        page = open_page(alice_user, viewport=WIDE)
        for path in ("/dashboard/", f"/insights/{furnished.ref}/", "/insights/new/"):
            page.goto(path)
            assert page.locator("main").bounding_box()["width"] > 1_300, path  # type: ignore[index]


class TestTheTableOfInsights:
    def test_has_whole_titles_on_a_phone(self, open_page: Open, alice: Member, alice_user: User) -> None:
        row = make_insight(alice, title="Jobs run twice when two beats share one schedule", body="One beat alone.")
        page = open_page(alice_user, "/insights/", viewport=PHONE)
        title = page.locator(f"#row-{row.ref} .dense-title")
        expect(title).to_have_text(row.title)
        assert title.evaluate("e => e.scrollWidth <= e.clientWidth + 1 || getComputedStyle(e).whiteSpace === 'normal'")
        assert page.evaluate(SCROLLED) == []
        sound(page, "the table of insights on a phone")

    def test_has_titles_below_each_other(self, open_page: Open, alice: Member, alice_user: User) -> None:
        make_insights(alice, NOW, *({"body": f"Text {n} of the handbook."} for n in range(11)))
        page = open_page(alice_user, "/insights/", viewport=DESK)
        assert page.evaluate(LEFT_EDGES) == 1


# Words of up to twelve letters that stand on two lines.
BROKEN_WORDS = """[...document.querySelectorAll("td, td *")].flatMap(e => [...e.childNodes])
    .filter(n => n.nodeType === 3 && n.parentElement.checkVisibility() && !n.parentElement.closest(".sr-only"))
    .flatMap(n => [...n.data.matchAll(/[A-Za-z]{2,12}/g)].filter(found => {
      const range = document.createRange();
      range.setStart(n, found.index);
      range.setEnd(n, found.index + found[0].length);
      const whole = /[A-Za-z]/.test((n.data[found.index - 1] ?? "") + (n.data[found.index + found[0].length] ?? ""));
      return !whole && new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1;
    }).map(found => found[0]))"""
SCROLLED = """[...document.querySelectorAll(".dense-scroll, .sheet")].filter(e => e.scrollWidth > e.clientWidth + 1)
    .map(e => `${e.scrollWidth} > ${e.clientWidth}`)"""
LEFT_EDGES = """new Set([...document.querySelectorAll("tr[data-row] .dense-title")]
    .map(e => Math.round(e.getBoundingClientRect().left))).size"""
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SMALL_TARGETS = """[...document.querySelectorAll("button, main select, main input:not([type=hidden]), .btn")]
    .filter(e => e.checkVisibility()).map(e => [(e.closest("label") || e).getBoundingClientRect(), e])
    .filter(([box]) => box.height < 36).map(([, e]) => e.outerHTML.slice(0, 120))"""
