"""The dashboard's charts: read with the mouse, by keyboard, by touch and without a script; each mark opens its rows."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from tests.browser.sound import sound
from tests.factories import make_annotation, make_insight

Open = Callable[..., Page]
NOW = timezone.now()
DAY = timedelta(days=1)
PHONE = {"width": 390, "height": 844}
# The colours that a chart is drawn with, as many times as each occurs.
COLOURS = """canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const counts = {};
    for (let at = 0; at < data.length; at += 4)
        if (data[at + 3] === 255) counts[data.slice(at, at + 3)] = (counts[data.slice(at, at + 3)] || 0) + 1;
    return Object.entries(counts).sort((a, b) => b[1] - a[1])[0][0];
}"""


@pytest.fixture
def told(alice: Member, bob: Member) -> None:
    """Three deposits today and one three days ago; questions with and without an answer; a release two days ago."""
    for n, moment in enumerate((NOW, NOW, NOW, NOW - 3 * DAY)):
        row = make_insight(alice, now=moment, body=f"Celery beat number {n} must run as one process of its own.")
    retrieve(ask=Ask("celery beat process"), by=bob, now=NOW)
    retrieve(ask=Ask("which wine goes with fish"), by=bob, now=NOW)
    rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=bob, now=NOW)
    make_annotation(alice, now=NOW, day=(NOW - 2 * DAY).date(), text="Release 2.4 <b>")


def chart(page: Page, name: str) -> Locator:
    return page.locator(f"[data-chart={name}]")


def middle_of(plot: Locator, place: int, steps: int, height: float) -> dict[str, float]:
    """Where a step is on the chart, at a share of its height from the ground."""
    box = plot.locator(".u-over").bounding_box()
    assert box
    return {"x": (place + 0.6) / (steps + 0.2) * box["width"], "y": box["height"] * (1 - height)}


class TestAChart:
    def test_tells_of_the_day_under_the_mouse_and_opens_its_rows(
        self, open_page: Open, alice_user: User, told: None
    ) -> None:
        page = open_page(alice_user, "/dashboard/?days=7&team=platform")
        deposits = chart(page, "deposits")
        over = deposits.locator(".u-over")
        over.hover(position=middle_of(deposits, 3, 7, 0.1))
        expect(deposits.locator("[data-series]")).to_have_text(re.compile(r"^\s*1 deposits"))
        over.hover(position=middle_of(deposits, 4, 7, 0.5))
        expect(deposits.locator("[data-marks]")).to_contain_text("Release 2.4 <b>")
        over.click(position=middle_of(deposits, 6, 7, 0.1))
        page.wait_for_url("**/insights/?*created_since=*")
        expect(page.get_by_role("heading", name="3 insights")).to_be_visible()

    def test_opens_the_part_of_the_column_that_is_clicked(self, open_page: Open, alice_user: User, told: None) -> None:
        page = open_page(alice_user)
        for height, outcome in ((0.1, "answered"), (0.8, "unanswered")):
            page.goto("/dashboard/?days=7")
            questions = chart(page, "questions")
            questions.locator(".u-over").click(position=middle_of(questions, 6, 7, height))
            page.wait_for_url(f"**/dashboard/questions/?outcome={outcome}&*")
            expect(page.get_by_role("heading", name="1 question")).to_be_visible()

    def test_is_read_and_opened_by_keyboard(self, open_page: Open, alice_user: User, told: None) -> None:
        page = open_page(alice_user, "/dashboard/?days=7")
        slider = page.get_by_role("slider", name="Questions, chart")
        slider.focus()
        expect(slider).to_have_attribute("aria-valuetext", re.compile("1 answered, 1 without an answer"))
        slider.press("ArrowLeft")
        slider.press("ArrowLeft")
        expect(slider).to_have_attribute("aria-valuetext", re.compile(r"0 answered.*Release 2\.4 <b>"))
        expect(chart(page, "questions").locator("[data-marks]")).to_contain_text("Release 2.4 <b>")
        slider.press("End")
        slider.press("ArrowUp")
        expect(slider).to_have_attribute("aria-valuetext", re.compile("without an answer chosen"))
        sound(page, "a chart with focus")
        slider.press("Enter")
        page.wait_for_url("**/dashboard/questions/?outcome=unanswered&*")
        expect(page.get_by_role("heading", name="1 question")).to_be_visible()

    def test_is_opened_from_its_table_too(self, open_page: Open, alice_user: User, told: None) -> None:
        page = open_page(alice_user, "/dashboard/?days=7")
        ratings = chart(page, "ratings")
        ratings.locator("summary").press("Enter")
        link = ratings.locator("tbody a")
        expect(link).to_have_count(1)
        sound(page, "a chart with its table")
        link.press("Enter")
        page.wait_for_url("**/dashboard/ratings/?kind=helpful&*")
        expect(page.get_by_role("heading", name="1 event")).to_be_visible()

    def test_takes_the_colours_of_the_theme(self, open_page: Open, alice_user: User, told: None) -> None:
        page = open_page(alice_user, "/dashboard/?days=7")
        canvas = chart(page, "deposits").locator("canvas")
        light = canvas.evaluate(COLOURS)
        page.get_by_role("button", name="Switch to the dark theme").click()
        page.wait_for_function(f"before => ({COLOURS})(document.querySelector('canvas')) !== before", arg=light)
        page.get_by_role("button", name="Switch to the light theme").click()
        page.wait_for_function(f"before => ({COLOURS})(document.querySelector('canvas')) === before", arg=light)

    def test_is_selected_by_a_first_touch_and_opened_by_a_second(
        self, open_page: Open, alice_user: User, told: None
    ) -> None:
        page = open_page(alice_user, "/dashboard/?days=7", viewport=PHONE, has_touch=True)
        deposits = chart(page, "deposits")
        over, there = deposits.locator(".u-over"), middle_of(deposits, 3, 7, 0.1)
        over.tap(position=there)
        expect(deposits.locator("[data-series]")).to_have_text(re.compile(r"^\s*1 deposits"))
        assert "/dashboard/" in page.url
        over.tap(position=there)
        page.wait_for_url("**/insights/?*created_since=*")


def test_without_a_script_a_chart_is_a_picture_with_a_table(open_page: Open, alice_user: User, told: None) -> None:
    page = open_page(alice_user, "/dashboard/?days=7", java_script_enabled=False)
    deposits = chart(page, "deposits")
    expect(deposits.locator("svg.chart-picture rect")).to_have_count(2)
    deposits.locator("summary").click()
    expect(deposits.get_by_role("row")).to_have_count(8)
    expect(deposits.get_by_role("rowheader").nth(4)).to_contain_text("Release 2.4 <b>")
    deposits.get_by_role("link", name="3", exact=True).click()
    expect(page.get_by_role("heading", name="3 insights")).to_be_visible()


def test_a_lead_marks_a_release_and_sees_it_on_the_charts(open_page: Open, alice_user: User, told: None) -> None:
    page = open_page(alice_user, "/dashboard/?days=7")
    page.get_by_label("Text").fill("Agents connected")
    page.get_by_role("button", name="Add annotation").click()
    expect(page.get_by_text("Annotation added.").first).to_be_visible()
    expect(chart(page, "deposits").locator("[data-marks]")).to_contain_text("Agents connected")
    page.get_by_role("link", name="Edit Agents connected").click()
    page.get_by_label("Text").fill("Agents of all teams connected")
    sound(page, "editing an annotation")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Remove Agents of all teams connected").click()
    sound(page, "removing an annotation")
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("Annotation removed.").first).to_be_visible()
    expect(page.get_by_text("Agents of all teams connected")).to_have_count(0)
