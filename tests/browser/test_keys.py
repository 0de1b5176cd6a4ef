"""One model of keys on every page: each key that the list of shortcuts names acts, and it names no other."""

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.models import InboxState, Insight
from skills.models import Skill
from tests.browser.sound import sound
from tests.browser.test_triage import Keys, rows
from tests.factories import make_insights, make_skill

Open = Callable[..., Page]


def named(page: Page) -> set[str]:
    """The keys that the list of shortcuts names, opened by its key and closed again."""
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    found = {str(one.inner_text()) for one in page.locator("#keys kbd:visible").all()}
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_hidden()
    return found


@pytest.fixture
def three(alice: Member) -> list[Insight]:
    overs = [{"title": f"Note {number}", "body": f"What we know of number {number}."} for number in range(3)]
    return make_insights(alice, timezone.now(), *overs)


class TestTheTableOfInsights:
    def test_snoozes_assigns_and_dismisses(self, open_page: Open, alice_user: User, three: list[Insight]) -> None:
        page = open_page(alice_user)
        first, second, third = rows(page)
        assert {"s", "a", "l", "p", "d", "x", "j"} <= named(page)
        page.keyboard.press("s")
        expect(page.get_by_role("dialog").get_by_role("button", name="Until tomorrow")).to_be_focused()
        sound(page, "snoozing from the table")
        page.keyboard.press("Enter")
        expect(page.get_by_text(f"{first} snoozed until").first).to_be_visible()
        expect(page.locator("#item")).to_contain_text("Unsnooze")
        page.keyboard.press("s")
        expect(page.get_by_text("back in the inbox").first).to_be_visible()
        Keys(page).press("j", "a", "Enter")
        expect(page.get_by_text(f"{second} assigned to you").first).to_be_visible()
        assert InboxState.objects.get(insight__ref=second).assignee == alice_user
        Keys(page).press("j", "l")
        expect(page.get_by_text(f"{third} dismissed.").first).to_be_visible()
        assert Insight.objects.filter(reviewed_at__isnull=False).get().ref == third

    def test_names_no_key_to_a_member_who_leads_nothing_there(
        self, open_page: Open, bob_user: User, three: list[Insight]
    ) -> None:
        page = open_page(bob_user)
        assert not named(page) & {"p", "d", "l", "s", "a", "x", "e"}


class TestAnInsight:
    def test_is_decided_by_the_same_keys(self, open_page: Open, alice_user: User, three: list[Insight]) -> None:
        ref = three[0].ref
        page = open_page(alice_user, f"/insights/{ref}/")
        assert {"p", "d", "l", "s", "a", "e", "m", "?"} <= named(page)
        page.keyboard.press("?")
        sound(page, "the keys of one insight")
        page.keyboard.press("Escape")
        page.keyboard.press("s")
        expect(page.get_by_role("button", name="Until tomorrow")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_text(f"{ref} snoozed until").first).to_be_visible()
        expect(page).to_have_url(page.url.split("/insights/")[0] + f"/insights/{ref}/")
        page.keyboard.press("l")
        expect(page.get_by_text(f"{ref} dismissed.").first).to_be_visible()
        page.keyboard.press("p")
        expect(page.get_by_text(f"{ref} promoted.").first).to_be_visible()
        page.keyboard.press("u")
        expect(page.get_by_text(f"Undone: {ref}. Before that: {ref} dismissed.").first).to_be_visible()
        page.keyboard.press("u")
        expect(page.get_by_text(f"Undone: {ref}.", exact=True).first).to_be_visible()
        page.keyboard.press("u")
        expect(page.get_by_text("Nothing to undo on this page.")).to_be_visible()
        page.keyboard.press("e")
        expect(page.get_by_role("heading", name=f"Edit {ref}")).to_be_visible()


class TestSkills:
    def test_are_stepped_through_opened_and_published(self, open_page: Open, alice_user: User, alice: Member) -> None:
        make_skill(alice, live=False)
        make_skill(alice, name="review", live=False)
        page = open_page(alice_user, "/skills/")
        assert {"j", "k", "e", "p", "h", "Enter", "?"} <= named(page)
        assert not named(page) & {"x", "s", "]"}
        Keys(page).press("j", "j", "k", "Enter")
        name = Skill.objects.order_by("-updated_at").values_list("name", flat=True)
        expect(page.get_by_role("heading", level=1)).to_have_text("review")
        assert len(name) == 2
        assert {"p", "e"} <= named(page)
        page.keyboard.press("p")
        expect(page.get_by_text("review published").first).to_be_visible()
        page.keyboard.press("d")
        expect(page.get_by_role("button", name="Retire skill")).to_be_visible()

    def test_a_key_typed_fast_waits_for_the_item_of_its_row(
        self, open_page: Open, alice_user: User, alice: Member
    ) -> None:
        """The item of the published skill in front at first has no Publish; that of the draft is on its way."""
        make_skill(alice, name="zebra")
        make_skill(alice, name="review")
        make_skill(alice, name="draft-one", live=False)
        page = open_page(alice_user, "/skills/?ordering=-name")
        for key in ("j", "j", "p"):
            page.keyboard.press(key)
        expect(page.get_by_text("draft-one published").first).to_be_visible()
        assert Skill.objects.get(name="draft-one").live


class TestAnyPage:
    @pytest.mark.parametrize("path", ["/settings/", "/dashboard/", "/topics/", "/sessions/", "/preferences/"])
    def test_lists_its_keys(self, open_page: Open, alice_user: User, path: str) -> None:
        page = open_page(alice_user, path)
        assert {"Ctrl", "k", "?"} <= named(page)
        assert not named(page) & {"p", "d", "l", "s", "a"}


class TestAnEmptyQueue:
    def test_says_where_a_key_leads_nowhere(self, open_page: Open, alice_user: User) -> None:
        page = open_page(alice_user, "/?tab=new")
        page.keyboard.press("]")
        expect(page.get_by_text("No other queue has items.")).to_be_visible()
        page.keyboard.press("p")
        expect(page.get_by_text("“p” does nothing: the list is empty.")).to_be_visible()
        assert not named(page) & {"p", "]", "j", "x", "s"}

    def test_leads_to_the_next_one(self, open_page: Open, alice_user: User, bob: Member) -> None:
        make_insights(bob, timezone.now(), {"body": "What nobody has rated yet, of number one."})
        page = open_page(alice_user, "/?tab=stale")
        page.keyboard.press("]")
        expect(page.locator(".tab-link", has_text="Other drafts")).to_have_attribute("aria-current", "page")
