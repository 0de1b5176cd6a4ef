"""What changes on a page by itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.evidence.actions.sources import register
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
        expect(count).to_have_text("1 waiting")
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
        expect(page.locator("#count-new")).to_have_text("0 waiting")
        one = draft(alice, bob)
        page.clock.run_for(61_000)
        expect(page.locator("#count-new")).to_have_text("1 waiting")
        page.goto("/?tab=new")
        expect(page.locator("#inbox-count")).to_have_text("1 waiting")
        page.locator(f"#row-{one.ref}").get_by_role("button", name="Promote").click()
        expect(page.locator("#inbox-count")).to_have_text("")
        expect(page.locator("#count-new")).to_have_text("0 waiting")

    def test_are_only_in_the_inbox_without_a_script(
        self, open_page: Open, alice_user: User, alice: Member, bob: Member
    ) -> None:
        draft(alice, bob)
        page = open_page(alice_user, java_script_enabled=False)
        requests = asked(page)
        page.goto("/")
        expect(page.locator("#count-new")).to_have_text("1 waiting")
        assert requests == []


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
        page = open_page(alice_user)
        page.goto("/evidence/")
        page.get_by_label("Question").fill("how do I list the largest files")
        page.get_by_role("button", name="Ask the files").click()
        answer = page.locator("#evidence-answer")
        expect(answer).to_contain_text("git rev-list", timeout=60_000)  # the first that needs the model loads it
        expect(answer).to_be_focused()
        expect(page.locator("#evidence-progress")).to_be_hidden()
        expect(page.locator("[data-phases] li")).to_have_count(6)
        assert page.url.endswith("/evidence/")
        page.get_by_label("Question").fill("\u200b")
        page.get_by_role("button", name="Ask the files").click()
        expect(page.get_by_text("nothing to look for")).to_be_visible()

    def test_waits_without_a_script(self, open_page: Open, alice_user: User, books: None) -> None:
        page = open_page(alice_user, java_script_enabled=False)
        page.goto("/evidence/")
        page.get_by_label("Question").fill("how do I list the largest files")
        page.get_by_role("button", name="Ask the files").click()
        expect(page.locator("#evidence-answer")).to_contain_text("git rev-list")
