"""A moderator takes a table out of the admin and brings one in, in a real browser that complains of nothing."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import JobRun, User
from accounts.rules.rights import Member
from knowledge.admin.imports import STEP
from knowledge.models import Insight
from tests.browser.test_hostile import DESK, HIDING, PHONE, RAN, TOO_WIDE
from tests.factories import make_insight
from tests.hostile import LONG, SCRIPTS, UNSEEN
from tests.knowledge.library import LESSONS

Open = Callable[..., Page]
LIST = "/admin/knowledge/insight/"


@pytest.fixture
def page(open_page: Open, root: Member) -> Page:
    return open_page(User.objects.get(pk=root.user_id), viewport=DESK)


def preview(page: Page, path: Path) -> None:
    page.goto(LIST)
    page.get_by_role("link", name="Import", exact=False).filter(visible=True).last.click()
    page.get_by_label("Team").select_option("platform")
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_role("button", name="Preview").click()


class TestATable:
    def test_goes_out_as_the_list_is_narrowed(self, page: Page, alice: Member) -> None:
        rows = [make_insight(alice, body=LESSONS[name]) for name in ("beat", "cors")]
        page.goto(f"{LIST}?q={rows[0].ref}")
        page.get_by_role("link", name="Export", exact=False).filter(visible=True).last.click()
        page.get_by_label("Format").select_option("csv")
        with page.expect_download() as download:
            page.get_by_role("button", name="Submit").click()
        with Path(download.value.path()).open(encoding="utf-8-sig", newline="") as file:
            assert [row["ref"] for row in csv.DictReader(file)] == [rows[0].ref]

    def test_goes_out_row_by_ticked_row(self, page: Page, alice: Member) -> None:
        rows = [make_insight(alice, body=LESSONS[name]) for name in ("beat", "cors")]
        page.goto(LIST)
        page.locator(f"input.action-select[value='{rows[1].pk}']").check()
        page.locator("select[name=action]").select_option("export_selected")
        page.get_by_role("button", name="Run", exact=False).first.click()
        expect(page.get_by_text("Export 1 selected item.")).to_be_visible()
        page.get_by_label("Format").select_option("json")
        with page.expect_download() as download:
            page.get_by_role("button", name="Submit").click()
        assert [row["ref"] for row in json.loads(Path(download.value.path()).read_text())] == [rows[1].ref]

    def test_comes_in_once_it_was_looked_at(self, page: Page, platform: object, tmp_path: Path) -> None:
        path = tmp_path / "lessons.csv"
        path.write_text(f'kind,body\nPITFALL,"{LESSONS["beat"]}"\nRUMOUR,They say so.\n')
        preview(page, path)
        expect(page.get_by_text("Nothing is stored yet.")).to_be_visible()
        expect(page.get_by_role("row").nth(2)).to_contain_text("kind: ")
        assert Insight.objects.count() == 0
        page.get_by_role("button", name="Import 1 row").click()
        expect(page.get_by_role("row").nth(1)).to_contain_text("PLAT-1")
        assert Insight.objects.get().body == LESSONS["beat"]

    def test_of_many_rows_comes_in_by_itself(self, page: Page, platform: object, tmp_path: Path) -> None:
        path = tmp_path / "many.csv"
        said = [f"CONTEXT,Lesson number {n} of the handbook says {n * 37} things." for n in range(STEP + 3)]
        path.write_text("\n".join(["kind,body", *said]))
        preview(page, path)
        page.get_by_role("button", name=f"Import {len(said)} rows").click()
        expect(page.get_by_role("heading", name="Import insights: done")).to_be_visible(timeout=60_000)
        expect(page.get_by_role("row")).to_have_count(len(said) + 1)

    def test_of_hostile_words_runs_nothing_and_bursts_nothing(
        self, page: Page, platform: object, tmp_path: Path
    ) -> None:
        path = tmp_path / "evil.json"
        said = [{"kind": "CONTEXT", "title": text[:190], "body": f"{text} {UNSEEN}"} for text in (*SCRIPTS, LONG)]
        said += [{"kind": text, "body": text, "repo": LONG} for text in SCRIPTS]
        path.write_text(json.dumps(said))
        preview(page, path)
        for size in (DESK, PHONE):
            page.set_viewport_size(size)
            assert page.evaluate(RAN)
            assert page.evaluate(TOO_WIDE) <= 0
        assert not HIDING.search(page.evaluate("document.body.innerText"))


class TestTheOverview:
    def test_shows_a_link_in_a_sentence_by_more_than_its_colour(self, page: Page) -> None:
        JobRun.objects.create(name="beat", started_at=timezone.now())
        page.goto("/admin/")
        link = page.get_by_role("link", name="All runs", exact=True)
        expect(link).to_have_css("text-decoration-line", "underline")
