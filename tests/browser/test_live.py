"""What changes on a page by itself."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.rules.rights import Member
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
