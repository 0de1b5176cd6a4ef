"""What changes on a page by itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.rules.archive import pack
from accounts.rules.rights import Member
from knowledge.evidence.actions.sources import register
from knowledge.jobs.actions.run_background import run
from knowledge.models import BackgroundJob
from tests.knowledge.test_inbox import draft

Open = Callable[..., Page]
HIDE = "Object.defineProperty(document, 'hidden', {get: () => window.away === true})"


def asked(page: Page) -> list[str]:
    """The requests for counts, as they go out."""
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url) if "/inbox/counts/" in request.url else None)
    return found


class TestTheCounts:
    def test_follow_what_happens_and_rest_while_nobody_looks(
        self, open_page: Open, alice_user: User, alice: Member, bob: Member
    ) -> None:
        page = open_page(alice_user)
        page.clock.install()
        page.add_init_script(HIDE)
        count = page.locator("#inbox-count")
        requests = asked(page)
        page.goto("/insights/")
        expect(count).to_have_attribute("aria-live", "polite")
        expect(count).to_have_text("")
        assert len(requests) == 1
        draft(alice, bob)
        page.clock.run_for(61_000)
        expect(count).to_have_text("1 awaiting review")
        assert len(requests) == 2
        page.evaluate("window.away = true")
        page.clock.run_for(200_000)
        assert len(requests) == 2
        page.evaluate("window.away = false; document.dispatchEvent(new Event('visibilitychange'))")
        page.wait_for_timeout(300)
        assert len(requests) == 3

    def test_of_the_queues_follow_too_and_an_act_tells_them(
        self, open_page: Open, alice_user: User, alice: Member, bob: Member
    ) -> None:
        page = open_page(alice_user)
        page.clock.install()
        page.goto("/?tab=new")
        expect(page.locator("#count-new")).to_have_text("")
        one = draft(alice, bob)
        page.clock.run_for(61_000)
        expect(page.locator("#count-new")).to_have_text("1 awaiting review")
        page.goto("/?tab=new")
        expect(page.locator("#inbox-count")).to_have_text("1 awaiting review")
        page.get_by_role("button", name=f"Promote {one.ref}").click()
        expect(page.locator("#inbox-count")).to_have_text("")
        expect(page.locator("#count-new")).to_have_text("")

    def test_are_asked_for_again_after_an_answer_that_was_late(
        self, open_page: Open, alice_user: User, alice: Member, bob: Member
    ) -> None:
        """What was counted before, and came after the next was due, is not the last word."""
        page = open_page(alice_user)
        page.clock.install()
        late: list[Any] = []

        def hold_the_first(route: Any) -> None:
            if late:
                route.continue_()
            else:
                late.append((route, route.fetch()))

        page.route("**/inbox/counts/", hold_the_first)
        page.goto("/?tab=new")
        while not late:
            page.wait_for_timeout(50)
        draft(alice, bob)
        page.clock.run_for(61_000)
        route, answer = late[0]
        route.fulfill(response=answer)
        expect(page.locator("#count-new")).to_have_text("1 awaiting review")

    def test_are_only_in_the_inbox_without_a_script(
        self, open_page: Open, alice_user: User, alice: Member, bob: Member
    ) -> None:
        draft(alice, bob)
        page = open_page(alice_user, java_script_enabled=False)
        requests = asked(page)
        page.goto("/")
        expect(page.locator("#count-new")).to_have_text("1 awaiting review")
        assert requests == []


def looks(page: Page, path: str) -> list[str]:
    """The requests to that path by which the page looks again."""
    found: list[str] = []
    page.on(
        "request", lambda one: found.append(one.url) if path in one.url and one.resource_type != "document" else None
    )
    return found


class TestTheLightOfAFirstCall:
    def test_is_not_asked_for_while_nobody_looks(
        self, open_page: Open, alice_user: User, alice: Member, live_server: Any
    ) -> None:
        page = open_page(alice_user)
        page.clock.install()
        page.add_init_script(HIDE)
        page.goto("/connect/")
        page.get_by_label("Name").fill("laptop")
        page.get_by_role("button", name="Create token").click()
        expect(page.get_by_text("Waiting for the first call")).to_be_visible()
        secret = page.locator("#secret").inner_text()
        asked_again = looks(page, "/connect/?token=")
        page.clock.run_for(4_000)
        page.wait_for_timeout(300)
        assert len(asked_again) == 1
        page.evaluate("window.away = true")
        page.request.get(f"{live_server.url}/api/v1/me/", headers={"Authorization": f"Bearer {secret}"})
        page.clock.run_for(60_000)
        page.wait_for_timeout(300)
        assert len(asked_again) == 1
        page.evaluate("window.away = false; document.dispatchEvent(new Event('visibilitychange'))")
        expect(page.get_by_text("Connected.")).to_be_visible()
        assert len(asked_again) == 2
        page.clock.run_for(30_000)
        page.wait_for_timeout(300)
        assert len(asked_again) == 2


NOTES = {
    f"{number}.md": f"# Lesson {number}\n\n{said}\n".encode()
    for number, said in enumerate(("Beat runs once, or the jobs of a night fire twice.", "Apples keep in a cellar."))
}


class TestBringingNotesIn:
    def test_tells_how_far_it_is_also_when_one_comes_back(
        self, open_page: Open, alice_user: User, alice: Member, tmp_path: Path
    ) -> None:
        (tmp_path / "notes.zip").write_bytes(pack(NOTES))
        page = open_page(alice_user)
        page.clock.install()
        page.goto("/insights/import/")
        page.get_by_label("File", exact=True).set_input_files(tmp_path / "notes.zip")
        page.get_by_label("Team").select_option("platform")
        page.get_by_role("button", name="Import").click()
        expect(page.get_by_role("main").get_by_text("queued")).to_be_visible()
        row = BackgroundJob.objects.get()
        BackgroundJob.objects.update(state="running", seen_at=timezone.now(), done=1, total=2)
        page.clock.run_for(4_000)
        expect(page.get_by_role("main").get_by_text("1 of 2 read")).to_be_visible()
        expect(page.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "50")
        page.reload()
        expect(page.get_by_role("main").get_by_text("1 of 2 read")).to_be_visible()
        BackgroundJob.objects.filter(pk=row.pk).update(state="waiting")
        run(clock=timezone.now)
        page.clock.run_for(4_000)
        expect(page.get_by_role("main").get_by_text("2 new insights, 0 already imported.")).to_be_visible()
        expect(page.locator("#live")).to_contain_text("2 new insights")
        asked_again = looks(page, "/jobs/")
        page.clock.run_for(30_000)
        assert asked_again == []

    def test_works_without_a_script_and_can_be_stopped(
        self, open_page: Open, alice_user: User, alice: Member, tmp_path: Path
    ) -> None:
        (tmp_path / "notes.zip").write_bytes(pack(NOTES))
        page = open_page(alice_user, "/insights/import/", java_script_enabled=False)
        page.get_by_label("File", exact=True).set_input_files(tmp_path / "notes.zip")
        page.get_by_role("button", name="Import").click()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("stopped. Finished work is kept.")).to_be_visible()


@pytest.fixture
def books(tmp_path: Path, settings: Any, alice: Member, root: Member) -> None:
    """A folder the platform team may search."""
    settings.LOAM_EVIDENCE_ROOT = tmp_path
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "large.md").write_text("# Large files\n\nList the largest files with git rev-list.\n")
    register(slug="books", team_slug="platform", path="books", by=root, now=timezone.now())


@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous iterators")
class TestASearchOfFiles:
    def test_tells_its_phases_and_ends_with_the_answer_in_focus(
        self, open_page: Open, alice_user: User, books: None
    ) -> None:
        page = open_page(alice_user, "/evidence/")
        page.get_by_label("Question", exact=True).fill("how do I list the largest files")
        page.get_by_role("button", name="Search files").click()
        answer = page.locator("#evidence-answer")
        expect(answer).to_contain_text("git rev-list", timeout=60_000)  # the first that needs the model loads it
        expect(answer).to_be_focused()
        expect(page.locator("#evidence-progress")).to_be_hidden()
        expect(page.locator("[data-phases] li")).to_have_count(6)
        assert page.url.endswith("/evidence/?query=how+do+I+list+the+largest+files&mode=FAST")
        page.reload()
        expect(page.locator("#evidence-answer")).to_contain_text("saved answer, files unchanged")
        expect(page.get_by_label("Question", exact=True)).to_have_value("how do I list the largest files")
        page.get_by_label("Question", exact=True).fill("\u200b")
        page.get_by_role("button", name="Search files").click()
        expect(page.get_by_text("no searchable words")).to_be_visible()

    def test_of_a_shared_link_runs_when_it_is_opened(self, open_page: Open, alice_user: User, books: None) -> None:
        page = open_page(alice_user, "/evidence/?query=large&mode=FILENAME_ONLY&sources=books")
        expect(page.locator("#evidence-answer")).to_contain_text("books: large.md", timeout=60_000)
        expect(page.get_by_label("Mode")).to_have_value("FILENAME_ONLY")
        expect(page.get_by_label("books")).to_be_checked()
        page.goto("/evidence/?query=large&sources=elsewhere")
        expect(page.get_by_text("The link names a source that you cannot search.")).to_be_visible()
        expect(page.locator("#evidence-answer")).to_have_text("")

    def test_waits_without_a_script(self, open_page: Open, alice_user: User, books: None) -> None:
        page = open_page(alice_user, "/evidence/", java_script_enabled=False)
        page.get_by_label("Question", exact=True).fill("how do I list the largest files")
        page.get_by_role("button", name="Search files").click()
        expect(page.locator("#evidence-answer")).to_contain_text("git rev-list")
