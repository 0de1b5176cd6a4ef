"""What opens, appears and moves on our pages: is it accessible, can the keyboard reach all of it and leave it again, is
it seen where the focus is, and does nothing move for those who asked for that.
"""

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.models import Insight, Pair
from knowledge.review.actions import curate, settle
from tests.browser.furnished import every_page, furnish
from tests.browser.quiet import Requests
from tests.browser.sound import sound

Open = Callable[..., Page]
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def furnished(alice: Member, bob: Member) -> Insight:
    return furnish(alice, bob)


class TestWhatIsOpen:
    def test_is_accessible(self, open_page: Open, alice_user: User, alice: Member, furnished: Insight) -> None:
        page = open_page(alice_user, viewport=DESK)
        self.known: set[int] = set()
        self._in_the_inbox(page)
        self._in_the_list(page, furnished, alice)
        self._on_a_phone(page)
        self._of_a_pair(page, alice)
        self._of_going_anywhere(page)
        self._of_a_team(page)
        self._of_lists(page, furnished)
        page.goto("/preferences/")
        page.get_by_label("Key", exact=True).fill("x")
        page.get_by_label("Value").fill("AKIAIOSFODNN7REALKEY")
        page.get_by_role("button", name="Add preference").click()
        self._sound(page, "a form with a fault")
        page.goto("/connect/")
        page.get_by_label("Name").fill("laptop")
        page.get_by_role("button", name="Create token").click()
        self._sound(page, "a token that is shown once")
        # As a page, not as the error that the console would tell of.
        page.route("**/nothing/here/", lambda route: route.fulfill(response=route.fetch(), status=200))
        page.goto("/nothing/here/")
        self._sound(page, "a page that is not there")

    def _sound(self, page: Page, what: str) -> None:
        sound(page, what, self.known)

    def _in_the_inbox(self, page: Page) -> None:
        page.goto("/?tab=new")
        page.keyboard.press("?")
        expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
        self._sound(page, "keys")
        page.keyboard.press("Escape")
        page.locator("header summary:visible").click()
        self._sound(page, "the account's menu")
        page.keyboard.press("Escape")
        page.locator("[data-row]").first.get_by_role("checkbox").check()
        item = page.locator("#item")
        item.locator("summary", has_text="Similar insights").click()
        expect(item.get_by_role("button", name="Merge into").first).to_be_visible()
        self._sound(page, "a comparison, and one that is chosen")
        item.get_by_role("button", name="Dismiss").click()
        expect(page.get_by_role("button", name="Undo")).to_be_visible()
        self._sound(page, "what can be undone")

    def _in_the_list(self, page: Page, row: Insight, alice: Member) -> None:
        page.goto(f"/insights/?at={row.ref}")
        page.get_by_role("link", name=f"Edit {row.ref}").click()
        page.get_by_label("Title").fill("Mine")
        changed = {"title": "Theirs"}
        now = Insight.objects.get(pk=row.pk)
        curate.edit(ref=row.ref, changes=changed, revision=now.revision, by=alice, now=timezone.now())
        page.get_by_label("Title").press("Enter")
        expect(page.get_by_text("changed it while you were editing")).to_be_visible()
        self._sound(page, "an edit that comes second")

    def _on_a_phone(self, page: Page) -> None:
        page.set_viewport_size(PHONE)
        page.goto("/insights/?kind=PITFALL")
        page.locator("header summary:visible").click()
        self._sound(page, "the menu of a phone")
        page.keyboard.press("Escape")
        page.get_by_text("Filters", exact=False).locator("visible=true").first.click()
        self._sound(page, "filters on a phone")
        page.set_viewport_size(DESK)

    def _of_going_anywhere(self, page: Page) -> None:
        for size in (DESK, PHONE):
            page.set_viewport_size(size)
            page.goto("/dashboard/")
            page.keyboard.press("Control+k")
            expect(page.locator("#palette-found a").first).to_be_visible()
            self._sound(page, "going anywhere, before a letter")
            page.get_by_role("searchbox", name="Go to a page").fill("run the guard")
            expect(page.locator("#palette-found").get_by_text("PLAT-").first).to_be_visible()
            self._sound(page, "going anywhere, with what was found")
            page.get_by_role("searchbox", name="Go to a page").fill("qqqq zzzz")
            expect(page.locator("#palette-found a")).to_have_count(0)
            self._sound(page, "going anywhere, and nothing there")
        page.set_viewport_size(DESK)

    def _of_a_team(self, page: Page) -> None:
        page.goto("/teams/platform/")
        page.get_by_text("Remove bob").click()
        expect(page.get_by_role("button", name="Remove from team")).to_be_visible()
        self._sound(page, "removing a member")
        page.get_by_role("button", name="Create link").click()
        expect(page.get_by_text("/join/")).to_be_visible()
        self._sound(page, "a link into the team that is shown once")

    def _of_lists(self, page: Page, row: Insight) -> None:
        page.goto("/insights/?kind=PITFALL")
        page.get_by_text("Save filter").click()
        expect(page.get_by_label("Visible to")).to_be_visible()
        self._sound(page, "saving a filter")
        page.goto("/insights/")
        page.locator("[data-pick]").first.check()
        expect(page.locator("[data-bulk-count]")).to_be_visible()
        self._sound(page, "choosing several")
        page.keyboard.press("?")
        expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
        self._sound(page, "keys, in the list")
        page.goto(f"/insights/{row.ref}/")
        page.evaluate("for (const part of document.querySelectorAll('main details')) part.open = true")
        self._sound(page, "all that can be done with one insight: merge, supersede, move, forget")
        page.goto("/insights/import/")
        page.get_by_role("button", name="Import").click()
        self._sound(page, "an import without a file")

    def _of_a_pair(self, page: Page, alice: Member) -> None:
        page.goto("/contradictions/")
        page.get_by_label("Both valid").fill("one on servers")
        pair = Pair.objects.filter(question="contradiction").get()
        settle.dismiss(pair_id=pair.pk, by=alice, now=timezone.now())
        page.get_by_role("button", name="Keep both").click()
        expect(page.get_by_role("heading", name="already resolved")).to_be_visible()
        self._sound(page, "a pair that somebody else has settled")


# Notes each element the focus comes to, how it looks then, and whether one can see it at all. What stands in a drawing
# is marked by its circle.
LOOK = """(e) => {
  const one = getComputedStyle(e), other = getComputedStyle(e.querySelector("circle") || e);
  const ring = one.outlineStyle === "none" ? "" : one.outlineWidth + one.outlineColor;
  return [ring, one.boxShadow, one.borderColor, other.stroke, other.strokeWidth, other.fill].join("|");
}"""
WATCH = f"""() => {{
  window.reached = [];
  document.addEventListener("focusin", ({{target}}) => {{
    const box = target.getBoundingClientRect();
    const seen = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    window.reached.push([target, ({LOOK})(target), seen]);
  }});
}}"""
# What a keyboard should reach: radios of one name are one stop, and of them the checked one, or the first. All pages
# have the same head and foot: of a page whose walk begins at its main part, only that.
STOPS = """() => {
  const all = [...document.querySelectorAll(
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
    .filter(e => e.checkVisibility({visibilityProperty: true}) && !e.disabled && e.tabIndex >= 0)
    .filter(e => !e.closest("dialog") && (!window.skips || e.closest("main")));
  const groups = new Set();
  return all.filter(e => {
    if (e.type !== "radio") return true;
    if (groups.has(e.name)) return false;
    groups.add(e.name);
    return true;
  });
}"""
MISSED = f"""() => {{
  const came = window.reached.map(([e]) => e.type === "radio" ? e.name : e);
  return ({STOPS})().filter(e => !came.includes(e.type === "radio" ? e.name : e)).map(e => e.outerHTML.slice(0, 140));
}}"""
UNSEEN = f"""() => {{
  document.activeElement?.blur();
  return window.reached.map(([e, look, seen]) => [e, look !== ({LOOK})(e), seen])
    .filter(([, marked, seen]) => !marked || !seen)
    .map(([e, marked, seen]) => `${{marked}} ${{seen}} ${{e.outerHTML.slice(0, 140)}}`);
}}"""
MOVING = """() => [...document.querySelectorAll("*")].filter(e => {
  const look = getComputedStyle(e);
  const lasts = (text) => Math.max(...text.split(",").map(parseFloat)) > 0.01;
  return lasts(look.transitionDuration) || (look.animationName !== "none" && lasts(look.animationDuration));
}).map(e => e.outerHTML.slice(0, 120))"""
# As the link does that is the first stop of a page: the next Tab goes to the first stop of its main part.
SKIP = "() => { window.skips = true; document.querySelector('a.skip').click(); }"
# The head and the foot with somebody signed in, with and without the queues beside them.
WALKED_WHOLE = ("/?tab=new", "/insights/", "/dashboard/")
# Stops of one page: a keyboard that needs more is one that is caught.
MOST_STOPS = 400


class TestAKeyboard:
    def test_reaches_all_leaves_all_and_is_seen(self, open_page: Open, alice_user: User, furnished: Insight) -> None:
        page = open_page(alice_user, viewport=DESK)
        requests = Requests(page)
        for path in every_page(furnished.ref):
            page.goto(path)
            page.evaluate("for (const part of document.querySelectorAll('main details')) part.open = true")
            requests.wait()
            skips = path not in WALKED_WHOLE
            page.evaluate(SKIP if skips else "window.skips = false")
            stops = len(page.evaluate(f"({STOPS})().map(() => 1)"))
            assert stops < MOST_STOPS and (stops or skips), path
            page.evaluate(WATCH)
            # A date is typed in three parts and has a calendar, each a stop of its own within the field.
            within = 3 * page.locator("input[type=date]:visible").count()
            for _ in range(stops + 2 + within):
                page.keyboard.down("Tab")  # held, as one who goes far does: half the events
            page.keyboard.up("Tab")
            assert page.evaluate(MISSED) == [], path
            assert page.evaluate(UNSEEN) == [], path
            assert page.evaluate(MOVING) == [], path

    def test_leaves_what_has_opened_to_where_it_was(
        self, open_page: Open, alice_user: User, furnished: Insight
    ) -> None:
        page = open_page(alice_user, "/?tab=new", viewport=DESK)
        page.keyboard.press("j")
        row = page.locator("[data-row][data-current]")
        for opened in ("?", "Control+k"):
            page.keyboard.press(opened)
            dialog = page.locator("dialog[open]")
            expect(dialog).to_be_visible()
            for _ in range(12):
                page.keyboard.press("Tab")
                assert page.evaluate(
                    "!document.activeElement || document.activeElement === document.body"
                    " || !!document.activeElement.closest('dialog')"
                )
            page.keyboard.press("Escape")
            expect(dialog).to_have_count(0)
            expect(row).to_be_focused()


class TestMotion:
    def test_is_there_only_for_those_who_do_not_mind(self, open_page: Open, alice_user: User) -> None:
        page = open_page(alice_user, reduced_motion="no-preference")
        assert page.evaluate(MOVING) != []
        assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") in ("auto", "smooth")
        page.emulate_media(reduced_motion="reduce")
        assert page.evaluate(MOVING) == []
