"""The tables of the pages in a real browser: filtered, sorted, exported, on a phone, and nothing axe complains of."""

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.review.actions.curate import edit
from skills.actions import author
from tests.browser.sound import sound
from tests.conftest import NOW
from tests.factories import make_insight, make_skill
from tests.sessions_app.sitting import begin, sit, stop

Open = Callable[..., Page]
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
OVER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def fits(page: Page, what: str) -> None:
    sound(page, what)
    for size in (DESK, PHONE):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert page.evaluate(OVER) <= 0, f"{what} is wider than {size}"
    sound(page, f"{what} on a phone")
    page.set_viewport_size(DESK)  # type: ignore[arg-type]


def downloaded(page: Page) -> list[dict[str, str]]:
    with page.expect_download() as download:
        page.get_by_role("link", name="Export CSV").click()
    with Path(download.value.path()).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def page(open_page: Open, alice: Member) -> Page:
    return open_page(User.objects.get(pk=alice.user_id), viewport=DESK)


def test_activity_is_narrowed_and_shows_what_an_edit_changed(page: Page, alice: Member) -> None:
    row = make_insight(alice, title="Old words")
    edit(ref=row.ref, changes={"title": "New words"}, revision=row.revision, by=alice, now=NOW, why="typo")
    page.goto("/activity/")
    page.get_by_role("textbox", name="Object").fill(row.ref.lower())
    page.get_by_role("button", name="Filter").click()
    expect(page).to_have_url(re.compile("ref=plat-1"))
    edited = page.locator("tr", has_text="edited").first
    edited.get_by_role("link", name="Show changes").click()
    expect(edited.locator("ins")).to_have_text("New")
    fits(page, "activity")
    closed = page.locator("tbody tr:not(:has(ins))")
    heights = closed.evaluate_all("rows => rows.map((row) => row.offsetHeight)")
    assert heights and min(heights) >= 36 and max(heights) <= 44, heights
    page.get_by_role("link", name="When").click()
    expect(page.get_by_role("columnheader", name="When")).to_have_attribute("aria-sort", "ascending")
    assert {line["object"] for line in downloaded(page)} == {row.ref}
    page.locator("tbody td").first.get_by_role("link", name=row.ref).click()
    expect(page).to_have_url(re.compile(f"/insights/{row.ref}/"))


def test_sessions_are_sorted_narrowed_and_opened(page: Page, alice: Member, bob: Member) -> None:
    left = sit(alice, NOW, repo="acme/web", branch="tariffs", agent="codex")
    stop(left, alice, NOW)
    begin(bob, NOW, repo="acme/api", agent="claude-code")
    page.goto("/sessions/")
    page.get_by_role("link", name="Repository").click()
    expect(page.get_by_role("columnheader", name="Repository")).to_have_attribute("aria-sort", "ascending")
    expect(page.locator("tbody tr").first).to_contain_text("acme/api")
    page.locator("summary", has_text="Columns").click()
    page.get_by_role("checkbox", name="Branch").check()
    page.get_by_role("button", name="Show columns").click()
    expect(page.get_by_role("columnheader", name="Branch")).to_be_visible()
    fits(page, "sessions")
    page.get_by_label("Handoff", exact=True).first.select_option("open")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.get_by_role("columnheader", name="Branch")).to_be_visible()
    assert [row["session"] for row in downloaded(page)] == [left.ref]
    page.locator("tbody a").first.click()
    expect(page).to_have_url(re.compile(f"/sessions/{left.ref}/"))


def test_skills_are_narrowed_and_an_earlier_version_is_restored(page: Page, alice: Member) -> None:
    make_skill(alice, name="release", instructions="First text.")
    make_skill(alice, name="deploy", live=False)
    sent = {"team": "platform", "revision": None, "by": alice, "now": NOW}
    author.edit(name="release", changes={"instructions": "Second text."}, **sent)  # type: ignore[arg-type]
    page.goto("/skills/")
    fits(page, "skills")
    page.get_by_label("Served", exact=True).first.select_option("never")
    page.get_by_label("Status", exact=True).first.select_option("published")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(page.locator("tbody tr")).to_have_count(1)
    assert [row["name"] for row in downloaded(page)] == ["release"]
    page.locator("tbody").get_by_role("link", name="release").click()
    item = page.locator("#item")
    item.locator("summary", has_text="Versions").click()
    item.locator("summary", has_text="Version 1").click()
    page.get_by_role("link", name="Restore version 1").click()
    expect(page.locator(".diff-lines ins", has_text="First text.")).to_be_visible()
    fits(page, "restore")
    page.get_by_role("button", name="Restore version 1").click()
    expect(page.locator("#messages")).to_contain_text("Version 1 of release restored as a draft.")


def test_an_address_names_no_empty_field(open_page: Open, alice_user: User, alice: Member) -> None:
    make_insight(alice, tags=["db"], kind="PITFALL")
    page = open_page(alice_user, "/insights/")
    page.get_by_text("Filters", exact=True).click()
    page.locator("#id_tag").fill("db")
    page.locator("#id_tag").press("Enter")
    expect(page).to_have_url(re.compile(r"/insights/\?tag=db$"))
    page.goto(re.sub("/insights/.*", "/activity/", page.url))
    page.locator("[name=ref]").fill("PLAT-1")
    page.locator("[name=ref]").press("Enter")
    expect(page).to_have_url(re.compile(r"/activity/\?ref=PLAT-1[^=]*(=-at)?$"))


def test_a_bulk_edit_says_that_it_is_under_way(open_page: Open, alice_user: User, alice: Member) -> None:
    row = make_insight(alice)
    page = open_page(alice_user, f"/insights/bulk-edit/?ref={row.ref}&back=/insights/")
    page.get_by_label("Add tags").fill("db")
    page.route("**/insights/bulk-edit/**", lambda route: route.fulfill(status=204))
    page.get_by_role("button", name="Edit 1").click()
    expect(page.get_by_role("button", name="Editing 1 insight…")).to_be_disabled()


LAPTOPS = ((1280, 800), (1366, 768), (1440, 900))
SEEN = """() => {
  const rows = [...document.querySelectorAll("[data-row]")].map((row) => row.getBoundingClientRect());
  const title = document.querySelector(".col-title .dense-title, .dense-link .dense-title");
  const room = title.closest("a").getBoundingClientRect().right - title.getBoundingClientRect().left;
  return [rows.filter((row) => row.bottom <= innerHeight).length, Math.min(...rows.map((row) => row.height)), room];
}"""


def test_a_laptop_shows_twenty_insights_with_room_for_their_titles(page: Page, alice: Member) -> None:
    for number in range(24):
        make_insight(alice, title=f"Thumbnails of rotated photos: transpose by EXIF before resizing {number}")
    page.goto("/insights/")
    for width, height in LAPTOPS:
        page.set_viewport_size({"width": width, "height": height})
        rows, least, room = page.evaluate(SEEN)
        assert rows >= 20 and least >= 30 and room >= 380, (width, height, rows, least, room)
    page.get_by_text("Filters", exact=True).click()
    page.locator("#id_kind").select_option("PITFALL")
    expect(page.get_by_role("heading", name="No results")).to_be_visible()


def test_many_columns_leave_a_title_its_room_and_are_scrolled_in_their_box(page: Page, alice: Member) -> None:
    make_insight(alice, title="Schedule the beat once", repo="acme/warehouse-importer", tags=["celery", "deployment"])
    page.goto("/insights/")
    page.locator("summary", has_text="Columns").click()
    for name in ("Repository", "Tags", "Owner", "Strength"):
        page.get_by_role("checkbox", name=name, exact=True).check()
    page.get_by_role("button", name="Show columns").click()
    expect(page.get_by_role("columnheader", name="Repository")).to_be_visible()
    title = page.locator("td.col-title .dense-title")
    seen = title.evaluate(
        "title => title.closest('td').getBoundingClientRect().right - title.getBoundingClientRect().left"
    )
    assert seen >= 190
    assert page.locator(".dense-scroll").evaluate("box => box.scrollWidth > box.clientWidth")
    assert page.evaluate(OVER) <= 0


def test_the_item_is_hidden_and_resized_and_both_are_kept(page: Page, alice: Member) -> None:
    row = make_insight(alice)
    page.goto("/insights/")
    split = page.get_by_role("separator", name="Width of the item")
    before = split.get_attribute("aria-valuenow")
    split.press("ArrowLeft")
    wider = split.get_attribute("aria-valuenow")
    assert wider != before
    page.locator("[data-row]").focus()
    page.keyboard.press("h")
    expect(page.locator("#item")).to_be_hidden()
    page.reload()
    expect(page.locator("#item")).to_be_hidden()
    page.get_by_role("button", name="Show item").click()
    expect(page.locator("#item")).to_be_visible()
    expect(split).to_have_attribute("aria-valuenow", wider or "")
    page.keyboard.press("h")
    page.get_by_role("link", name=row.title).click()
    expect(page).to_have_url(re.compile(f"/insights/{row.ref}/"))


def test_files_are_suggested_while_one_types(open_page: Open, alice_user: User, alice: Member) -> None:
    make_insight(alice, repo="acme/web", files=["web/review/pairs.py"])
    page = open_page(alice_user, "/insights/new/")
    files = page.locator("#id_files")
    files.press_sequentially("docs/a.md\npair")
    suggested = page.get_by_role("listbox", name="Files of the repository").get_by_role("option")
    expect(suggested).to_have_text(["web/review/pairs.py"])
    files.press("ArrowDown")
    files.press("Enter")
    expect(files).to_have_value("docs/a.md\nweb/review/pairs.py")
    expect(suggested).to_have_count(0)
