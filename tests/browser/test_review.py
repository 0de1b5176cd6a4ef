"""Snoozing, assigning and reviewing suggested edits in a browser."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.jobs.actions.run_background import work
from knowledge.models import EditProposal, InboxState, Insight
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import settle
from knowledge.review.actions.curate import edit
from tests.browser.sound import sound
from tests.browser.test_triage import Keys, rows, spoken_for
from tests.factories import make_insight, make_insights, make_proposal
from tests.knowledge.review.rules.test_word_difference import NEW, OLD

Open = Callable[..., Page]


@pytest.fixture
def four(alice: Member, bob: Member) -> list[Insight]:
    overs = [{"title": f"Note {number}", "body": f"What we know of number {number}."} for number in range(4)]
    return spoken_for(make_insights(alice, timezone.now(), *overs), bob)


class TestSnooze:
    def test_by_key_takes_the_selection_off_the_list_and_is_taken_back(
        self, open_page: Open, alice_user: User, four: list[Insight]
    ) -> None:
        page = open_page(alice_user, "/?tab=new")
        first = rows(page)
        Keys(page).press("x", "j", "x", "s")
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("heading")).to_contain_text("Snooze 2 items")
        expect(dialog.get_by_role("button", name="Until tomorrow")).to_be_focused()
        sound(page, "the snooze dialog")
        page.keyboard.press("Enter")
        expect(page.get_by_text("2 items snoozed until").first).to_be_visible()
        expect(page.locator("[data-row]:visible")).to_have_count(2)
        expect(page.locator("#count-snoozed")).to_contain_text("2")
        page.get_by_role("link", name="Snoozed").click()
        expect(page.locator("[data-row]:visible")).to_have_count(2)
        sound(page, "what is snoozed")
        page.keyboard.press("s")
        expect(page.get_by_text("back in the inbox").first).to_be_visible()
        page.goto("/?tab=new")
        expect(page.locator("[data-row]:visible")).to_have_count(3)
        page.keyboard.press("u")
        expect(page.locator("[data-row]:visible")).to_have_count(2)
        assert InboxState.objects.filter(insight__ref__in=first[:2], snoozed_until__isnull=False).count() == 2

    def test_of_suggested_edits_and_their_decision_are_as_of_any_row(
        self, open_page: Open, alice_user: User, bob: Member, four: list[Insight]
    ) -> None:
        for row in four:
            make_proposal(row, bob, timezone.now(), title=f"{row.title}, checked")
        page = open_page(alice_user, "/?tab=edits")
        shown = page.locator("[data-row]:visible")
        page.evaluate("document.body.dataset.same = 'yes'")
        Keys(page).press("x", "j", "x", "p")
        expect(shown).to_have_count(2)
        expect(page.get_by_text("approved.").first).to_be_visible()
        Keys(page).press("d")
        expect(shown).to_have_count(1)
        expect(page.get_by_text("rejected.").first).to_be_visible()
        Keys(page).press("a")
        page.get_by_role("dialog").get_by_role("button", name="To me").click()
        expect(page.get_by_text("assigned to you").first).to_be_visible()
        sound(page, "a suggested edit that is assigned")
        Keys(page).press("s", "Enter")
        expect(shown).to_have_count(0)
        expect(page.get_by_text("snoozed until").first).to_be_visible()
        # All of it without another page.
        assert page.evaluate("document.body.dataset.same") == "yes"
        assert sorted(EditProposal.objects.values_list("state", flat=True)) == [
            "approved",
            "approved",
            "open",
            "rejected",
        ]

    def test_of_a_pair_until_a_date_and_assigned(self, open_page: Open, alice_user: User, alice: Member) -> None:
        a, b = make_insight(alice, body="Always run the guard."), make_insight(alice, body="Never run the guard.")
        settle.report(a=a.ref, b=b.ref, reason="One is wrong.", by=alice, now=timezone.now())
        page = open_page(alice_user, "/contradictions/")
        page.keyboard.press("a")
        page.keyboard.press("Enter")
        expect(page.get_by_text("assigned to you").first).to_be_visible()
        expect(page.locator("[data-row]")).to_contain_text("assigned to alice")
        page.locator("#item summary").filter(has_text="Snooze").click()
        day = timezone.localdate() + timedelta(days=3)
        page.locator("#item-on").fill(day.isoformat())
        page.locator("#item").get_by_role("button", name="Snooze", exact=True).click()
        expect(page.get_by_text(f"snoozed until {day.day} {day:%b %Y}").first).to_be_visible()
        expect(page.get_by_role("heading", name="Inbox zero")).to_be_visible()


class TestASuggestedEdit:
    def test_has_a_comment_box_that_escape_leaves_with_its_text(
        self, open_page: Open, alice_user: User, bob: Member, four: list[Insight]
    ) -> None:
        for row in four[:2]:
            make_proposal(row, bob, timezone.now(), title=f"{row.title}, checked")
        page = open_page(alice_user, "/?tab=edits")
        box = page.locator("#item textarea")
        box.fill("Half a thought")
        box.press("Escape")
        expect(box).not_to_be_focused()
        expect(box).to_have_value("Half a thought")
        page.keyboard.press("j")
        expect(page.locator("[data-row]").nth(1)).to_be_focused()

    def test_is_suggested_sent_back_revised_and_approved(
        self, open_page: Open, alice_user: User, bob_user: User, alice: Member
    ) -> None:
        row = make_insight(alice, title="Run beat once", body="Beat runs once.")
        bobs = open_page(bob_user, f"/insights/{row.ref}/")
        bobs.get_by_role("link", name="Suggest an edit").click()
        sound(bobs, "suggesting an edit")
        bobs.get_by_label("Title").fill("Run beat exactly once")
        bobs.get_by_label("Why").fill("People ran two.")
        bobs.get_by_role("button", name="Suggest").click()
        expect(bobs.get_by_text(f"Edit of {row.ref} suggested").first).to_be_visible()
        page = open_page(alice_user, "/")
        expect(page.get_by_role("link", name="Suggested edits").first).to_have_attribute("aria-current", "page")
        expect(page.locator("#item")).to_contain_text("People ran two.")
        sound(page, "a suggested edit in the inbox")
        page.locator("#item textarea").fill("Name the setting, too.")
        page.get_by_role("button", name="Request changes").click()
        expect(page.get_by_text("sent back for changes").first).to_be_visible()
        bobs.goto("/?tab=edits")
        expect(bobs.locator("#item")).to_contain_text("Name the setting, too.")
        bobs.get_by_role("link", name="Revise").click()
        bobs.get_by_label("Title").fill("Rotate the signing keys of the gateway: keyctl rotate")
        bobs.get_by_role("button", name="Suggest").click()
        expect(bobs.get_by_text("suggested").first).to_be_visible()
        retrieve(ask=Ask("how do we rotate the signing keys of the gateway"), by=alice, now=timezone.now())
        page.goto("/?tab=edits")
        page.get_by_role("button", name="Replay the last month’s questions").click()
        expect(page.locator("#item").get_by_text("queued")).to_be_visible()
        expect(page.locator("[data-row]")).to_have_count(1)
        assert "tab=edits" in page.url
        work(clock=timezone.now)
        expect(page.get_by_text("question gets another first answer.").first).to_be_visible(timeout=20_000)
        sound(page, "the effect of a suggested edit")
        page.goto("/?tab=edits")
        page.keyboard.press("p")
        expect(page.get_by_text(f"Suggested edit of {row.ref} approved.").first).to_be_visible()
        assert Insight.objects.get(pk=row.pk).title == "Rotate the signing keys of the gateway: keyctl rotate"
        page.get_by_role("button", name="Undo").first.click()
        expect(page.get_by_text(f"Undone: {row.ref}").first).to_be_visible()
        assert Insight.objects.get(pk=row.pk).title == "Run beat once"

    def test_that_is_sent_back_brings_the_next_one_to_the_front(
        self, open_page: Open, alice_user: User, four: list[Insight], bob: Member
    ) -> None:
        for row in four:
            make_proposal(row, bob, timezone.now(), title=f"{row.title}, again")
        page = open_page(alice_user, "/?tab=edits")
        listed = rows(page)
        Keys(page).press("j", "j")
        expect(page.locator(f'#item [data-item-of="{listed[2]}"]')).to_be_visible()
        back = page.get_by_role("button", name="Request changes")
        back.click()
        expect(page.get_by_text("Say what should change.").first).to_be_visible()
        expect(page.locator("#item textarea")).to_be_focused()
        expect(page.locator("[data-row][data-current]")).to_have_attribute("data-ref", listed[2])
        page.locator("#item textarea").fill("Name the setting.")
        back.click()
        expect(page.get_by_text("sent back for changes").first).to_be_visible()
        expect(page.locator("[data-row]:not([hidden])")).to_have_count(3)
        expect(page.locator("[data-row][data-current]")).to_have_attribute("data-ref", listed[3])
        expect(page.locator(f'#item [data-item-of="{listed[3]}"]')).to_be_visible()
        assert EditProposal.objects.get(pk=int(listed[2])).state == "changes requested"

    def test_is_edited_between_the_current_and_the_suggested_text(
        self, open_page: Open, alice_user: User, alice: Member, bob: Member
    ) -> None:
        """Theirs, the current text and the result; the difference to the current text is seen while one types."""
        row = make_insight(alice, title="Run beat once", body="Beat runs once.\n\nTwo of them queue each job twice.")
        made = make_proposal(
            row, bob, timezone.now(), body="Beat runs exactly once.\n\nTwo of them queue each job twice."
        )
        edit(
            ref=row.ref,
            changes={"body": "Beat runs once.\n\nTwo of them send each mail twice."},
            revision=row.revision,
            by=alice,
            now=timezone.now(),
        )
        page = open_page(alice_user, f"/proposals/{made.pk}/edit/")
        expect(page.get_by_role("region", name="Current text").locator("del")).to_have_text(["send", "mail"])
        expect(page.get_by_role("region", name="Suggested by bob").locator("ins").first).to_have_text("exactly ")
        expect(page.get_by_text("The insight has changed since the suggestion")).to_be_visible()
        result = page.get_by_label("Text", exact=True)
        expect(result).to_have_value("Beat runs exactly once.\n\nTwo of them send each mail twice.")
        changes = page.get_by_role("region", name="Changes to the current text")
        expect(changes.locator("ins")).to_have_text(["exactly "])
        sound(page, "the three-way editor of a suggested edit")
        page.get_by_role("link", name="current text").click()
        expect(result).to_have_value("Beat runs once.\n\nTwo of them send each mail twice.")
        expect(changes).to_contain_text("None.")
        page.get_by_role("link", name="suggested text").click()
        expect(result).to_have_value("Beat runs exactly once.\n\nTwo of them queue each job twice.")
        page.get_by_role("link", name="both").click()
        result.fill(f"{result.input_value()} Always.")
        result.press("End")
        expect(changes.locator("ins").last).to_contain_text("Always.")
        page.get_by_role("button", name="Save and approve").click()
        expect(page.get_by_text(f"Suggested edit of {row.ref} approved.").first).to_be_visible()
        row.refresh_from_db()
        assert row.body == "Beat runs exactly once.\n\nTwo of them send each mail twice. Always."

    def test_that_rewrites_a_text_is_read_as_its_result(
        self, open_page: Open, alice_user: User, alice: Member, bob: Member
    ) -> None:
        row = make_insight(alice, title="Run beat once", body=OLD)
        make_proposal(row, bob, timezone.now(), body=f"{NEW}\n\n- one\n- two")
        page = open_page(alice_user, "/?tab=edits")
        panel = page.locator("#item")
        expect(panel.get_by_text("most of the text is rewritten")).to_be_visible()
        expect(panel.locator(".prose li").first).to_be_visible()
        expect(panel.locator("del").first).to_be_hidden()
        panel.locator("summary", has_text="Difference").click()
        expect(panel.locator("del").first).to_be_visible()
        sound(page, "a suggested edit that rewrites a text")
