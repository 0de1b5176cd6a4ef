"""Curating in a browser: by keyboard alone, by pointer, on a phone, and without a script."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Dialog, Page, Route, expect

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Pair, UndoableAction
from knowledge.review.actions import combine, settle
from knowledge.review.actions.curate import edit as change
from tests.browser.sound import sound
from tests.conftest import NOW
from tests.factories import as_agent, make_insight, make_insights

Open = Callable[..., Page]
SUBJECTS = ("locks", "beat", "caches", "queues", "tokens", "routes", "themes", "hooks", "shards", "clocks")
# Between two keys of somebody who types fast, in milliseconds.
FAST = 40
# Twenty acts, one after the other, and three lists: on a busy machine a second for each, in milliseconds.
MANY_REQUESTS = 30_000


def spoken_for(rows: list[Insight], by: Member) -> list[Insight]:
    for row in rows:
        rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=as_agent(by, f"for {row.ref}"), now=timezone.now())
    return rows


@pytest.fixture
def ten(alice: Member, bob: Member) -> list[Insight]:
    """Drafts that somebody has spoken for, the first in the queue being the last of these."""
    drafts = ({"title": f"About {name}", "body": f"What we know of {name}."} for name in SUBJECTS)
    return spoken_for(make_insights(alice, NOW, *drafts), bob)


@pytest.fixture
def pair(alice: Member) -> tuple[Insight, Insight]:
    a = make_insight(alice, body="Always run the guard before a long ALTER.")
    b = make_insight(alice, body="Never run the guard before a long ALTER.")
    settle.report(a=a.ref, b=b.ref, reason="One is wrong.", by=alice, now=timezone.now())
    return a, b


def rows(page: Page) -> list[str]:
    """The references of the rows that are shown, from the top."""
    return [str(one.get_attribute("data-ref")) for one in page.locator("[data-row]:visible").all()]


class Keys:
    """Presses keys as fast as somebody does who knows them, and counts them."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.page.wait_for_timeout(FAST)
            self.count += 1


class TestAnAct:
    def test_is_seen_at_once_and_taken_back_with_a_word_when_it_fails(
        self, open_page: Open, alice_user: User, ten: list[Insight]
    ) -> None:
        page = open_page(alice_user, "/?tab=new")
        held: list[Route] = []
        page.route("**/inbox/act/", lambda route: held.append(route))
        first, second = rows(page)[:2]
        page.keyboard.press("p")
        expect(page.locator(f"#row-{first}")).to_be_hidden()
        expect(page.locator(f"#row-{second}")).to_be_focused()
        held[0].fulfill(status=409, body="")
        expect(page.locator(f"#row-{first}")).to_contain_text("Not done: the server did not answer")
        told = page.get_by_role("alert").filter(has_text="Request failed")
        expect(told).to_be_in_viewport()
        sound(page, "what could not be done")
        told.get_by_role("button", name="Dismiss").click()
        page.unroute("**/inbox/act/")
        page.keyboard.press("p")
        expect(page.get_by_text(f"{first} promoted.").first).to_be_visible()
        assert [row.ref for row in Insight.objects.filter(status="promoted")] == [first]

    @pytest.mark.parametrize("path", ["/?tab=new", "/insights/"])
    def test_that_is_refused_says_why_on_its_row_until_it_is_done(
        self, open_page: Open, alice_user: User, alice: Member, ten: list[Insight], path: str
    ) -> None:
        page = open_page(alice_user, path)
        second = rows(page)[1]
        change(ref=second, changes={"title": "Said better"}, revision=1, by=alice, now=timezone.now())
        Keys(page).press("x", "j", "x", "p")
        refused = page.locator(f"#row-{second}")
        expect(refused).to_contain_text("Not done: it has changed since you opened the page.")
        expect(page.locator("[data-refusal]")).to_have_count(1)
        sound(page, "a row of which an act was refused")
        page.reload()
        refused.locator("a").first.click()
        page.keyboard.press("p")
        expect(page.get_by_text(f"{second} promoted.").first).to_be_visible()
        expect(page.get_by_text("Not done")).to_have_count(0)

    def test_waits_for_the_one_before_and_none_is_lost(
        self, open_page: Open, alice_user: User, ten: list[Insight]
    ) -> None:
        page = open_page(alice_user, "/?tab=new")
        first = rows(page)
        Keys(page).press("l", "l", "p", "d")
        expect(page.get_by_text(f"{first[3]} deprecated.").first).to_be_visible()
        assert rows(page) == first[4:]
        stands = dict(Insight.objects.values_list("ref", "status"))
        assert [stands[ref] for ref in first[:4]] == ["draft", "draft", "promoted", "deprecated"]
        assert Insight.objects.filter(reviewed_at__isnull=False).count() == 2


def until(page: Page, true: Callable[[], bool]) -> None:
    """Wait for what the page does, ten seconds at most; the test says what is wrong if it does not come about."""
    for _ in range(100):
        if true():
            return
        page.wait_for_timeout(100)


class TestAnotherList:
    def test_shows_the_item_of_the_row_that_is_opened(
        self, open_page: Open, alice_user: User, alice: Member, ten: list[Insight]
    ) -> None:
        """Beside a new list stands its first item: a row that was open in the list before is opened again."""
        page = open_page(alice_user, "/insights/")
        second = rows(page)[1]
        title = Insight.objects.get(ref=second).title
        item = page.locator("#item")
        page.locator(f"#row-{second} a").first.click()
        expect(item.get_by_role("link", name=title, exact=True)).to_be_visible()
        page.get_by_text("Filters", exact=True).click()
        page.locator("#id_status").select_option("draft")
        expect(page.get_by_role("link", name="remove filter")).to_be_visible()
        expect(item.get_by_role("link", name=title, exact=True)).to_have_count(0)
        page.locator(f"#row-{second} a").first.click()
        expect(item.get_by_role("link", name=title, exact=True)).to_be_visible()

    def test_is_asked_for_again_when_the_last_act_was_done_meanwhile(
        self, open_page: Open, alice_user: User, ten: list[Insight]
    ) -> None:
        """The list that was read before the last act would bring its row back."""
        page = open_page(alice_user, "/?tab=new")
        held: list[Route] = []
        page.route("**/?tab=new", lambda route: held.append(route))
        keys = Keys(page)
        keys.press("p")
        expect(page.get_by_text("promoted.").first).to_be_visible()
        page.evaluate("document.dispatchEvent(new CustomEvent('workspace:refresh'))")
        keys.press("p")
        page.wait_for_timeout(500)
        until(page, lambda: len(held) == 1)
        old = held[0].fetch()
        keys.press("p")
        page.wait_for_timeout(500)
        left = rows(page)
        held[0].fulfill(response=old)
        until(page, lambda: len(held) > 1)
        for route in held[1:]:
            route.continue_()
        page.wait_for_timeout(300)
        assert len(held) == 2
        assert rows(page) == left


class TestKeys:
    def test_triage_ten_drafts(self, open_page: Open, alice_user: User, ten: list[Insight]) -> None:
        page = open_page(alice_user, "/?tab=new")
        for left in range(10, 0, -1):
            expect(page.locator("[data-row]:visible")).to_have_count(left)
            page.keyboard.press("p" if left % 2 else "d")
            if left > 1:
                expect(page.locator("[data-row]:visible")).to_have_count(left - 1)
                expect(page.locator("[data-row]:visible").first).to_be_focused()
        expect(page.get_by_role("heading", name="Inbox zero")).to_be_focused(timeout=MANY_REQUESTS)
        assert {row.status for row in Insight.objects.all()} == {"promoted", "deprecated"}

    def test_triage_twenty_mixed_items_in_at_most_45(
        self, open_page: Open, alice_user: User, alice: Member, bob: Member, ten: list[Insight]
    ) -> None:
        """Ten drafts, five contradictions and five duplicates: a key each, and one from queue to queue."""
        now = timezone.now()
        for number in range(5):
            over = [{"body": f"{word} run guard {number} first."} for word in ("Always", "Never", "Often", "Rarely")]
            a, b, c, d = make_insights(alice, now, *over)
            settle.report(a=a.ref, b=b.ref, reason="One is wrong.", by=alice, now=now)
            Pair.between(c, d, question="duplicate", reason="alike", by=alice, at=now, similarity=0.91)
        page = open_page(alice_user, "/?tab=new")
        keys = Keys(page)
        keys.press(*"pdlpdlppdl]pdpdp]mdmdm")
        duplicates = page.get_by_role("navigation", name="Queues").get_by_role("link", name="Duplicates")
        expect(duplicates).to_have_attribute("aria-current", "page", timeout=MANY_REQUESTS)
        expect(page.get_by_role("heading", name="Inbox zero")).to_be_focused(timeout=MANY_REQUESTS)
        assert not Pair.objects.filter(state="open").exists()
        assert UndoableAction.objects.count() == 20
        assert keys.count == 22

    def test_typed_while_the_next_queue_is_on_its_way_act_there(
        self, open_page: Open, alice_user: User, ten: list[Insight], pair: tuple[Insight, Insight]
    ) -> None:
        page = open_page(alice_user, "/?tab=new")
        held: list[Route] = []
        page.route("**/inbox/act/", lambda route: held.append(route))
        page.keyboard.press("p")
        Keys(page).press("]", "p")
        assert not page.get_by_role("link", name="Contradictions").get_attribute("aria-current")
        held[0].continue_()
        expect(page.get_by_text(f"{pair[0].ref} kept").first).to_be_visible()
        assert Insight.objects.filter(status="promoted").count() == 1
        assert not Pair.objects.filter(state="open").exists()

    @pytest.mark.parametrize("slow", ["**/inbox/act/", "**/contradictions/"])
    def test_are_all_kept_for_a_queue_that_is_seconds_on_its_way(
        self,
        open_page: Open,
        alice_user: User,
        alice: Member,
        ten: list[Insight],
        pair: tuple[Insight, Insight],
        slow: str,
    ) -> None:
        """Either all of them act on what they were typed for or none: a first key lost, and the next one would act on
        the first pair.
        """
        other = make_insight(alice, body="Name the team of each job."), make_insight(alice, body="Name no team.")
        settle.report(a=other[0].ref, b=other[1].ref, reason="One is wrong.", by=alice, now=timezone.now())
        page = open_page(alice_user, "/?tab=new")
        held: list[Route] = []
        page.route(slow, lambda route: held.append(route) if not held else route.continue_())
        Keys(page).press("p", "]", "d")
        page.wait_for_timeout(3_100)
        Keys(page).press("p")
        held[0].continue_()
        expect(page.get_by_role("heading", name="Queue empty")).to_be_focused(timeout=MANY_REQUESTS)
        assert page.title() == "Inbox: Contradictions · Loam"
        assert sorted(Pair.objects.values_list("state", flat=True)) == ["dismissed", "resolved"]

    def test_lead_to_another_queue_and_the_browser_back(
        self, open_page: Open, alice_user: User, ten: list[Insight], pair: tuple[Insight, Insight]
    ) -> None:
        page = open_page(alice_user, "/?tab=new")
        page.keyboard.press("]")
        expect(page.get_by_role("link", name="Contradictions")).to_have_attribute("aria-current", "page")
        expect(page).to_have_url(re.compile("/contradictions/$"))
        sound(page, "another queue by a key")
        page.go_back()
        expect(page.locator("[data-row]:visible")).to_have_count(10)
        expect(page).to_have_title("Inbox: New · Loam")
        assert page.url.endswith("/?tab=new")

    def test_lead_to_other_drafts_too(
        self, open_page: Open, alice_user: User, bob: Member, pair: tuple[Insight, Insight]
    ) -> None:
        """They are the longest queue, though their count is no alarm."""
        make_insight(as_agent(bob), now=timezone.now() - timedelta(days=40), body="Rebase before you merge.")
        page = open_page(alice_user, "/contradictions/")
        page.keyboard.press("]")
        expect(page.locator(".tab-link", has_text="Other drafts")).to_have_attribute("aria-current", "page")

    def test_are_kept_for_no_queue_that_does_not_come(
        self, open_page: Open, alice_user: User, ten: list[Insight], pair: tuple[Insight, Insight]
    ) -> None:
        page = open_page(alice_user, "/?tab=new")
        held: list[Route] = []
        page.route("**/contradictions/", lambda route: held.append(route))
        Keys(page).press("]", "d")
        held[0].fulfill(status=409, body="")
        expect(page.get_by_role("alert").filter(has_text="Request failed")).to_be_visible()
        assert len(rows(page)) == 10
        Keys(page).press("d")
        expect(page.get_by_text("deprecated.").first).to_be_visible()
        assert len(rows(page)) == 9

    def test_act_on_the_selection(self, open_page: Open, alice_user: User, ten: list[Insight]) -> None:
        page = open_page(alice_user, "/?tab=new")
        first = rows(page)
        Keys(page).press("x", "j", "j", "x", "j", "j", "X")
        expect(page.get_by_text("4 selected")).to_be_visible()
        sound(page, "a selection")
        page.keyboard.press("p")
        expect(page.get_by_text("4 insights promoted.").first).to_be_visible()
        promoted = {first[0], first[2], first[3], first[4]}
        assert {row.ref for row in Insight.objects.filter(status="promoted")} == promoted
        page.keyboard.press("u")
        expect(page.locator("[data-row]:visible")).to_have_count(10)
        assert not Insight.objects.filter(status="promoted").exists()

    def test_undo_choose_and_help(self, open_page: Open, alice_user: User, ten: list[Insight]) -> None:
        page = open_page(alice_user, "/?tab=new")
        page.keyboard.press("j")
        ref = rows(page)[1]
        expect(page.locator("#item")).to_contain_text(ref)
        page.keyboard.press("p")
        expect(page.get_by_text(f"{ref} promoted.").first).to_be_visible()
        page.keyboard.press("u")
        expect(page.get_by_text(f"Undone: {ref}").first).to_be_visible()
        expect(page.locator("[data-row]:visible")).to_have_count(10)
        page.keyboard.press("x")
        page.keyboard.press("j")
        page.keyboard.press("x")
        expect(page.get_by_text("2 selected")).to_be_visible()
        page.keyboard.press("?")
        expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
        sound(page, "the keyboard shortcuts")
        page.get_by_label("Enable shortcuts in this browser").uncheck()
        page.keyboard.press("Escape")
        page.locator("[data-row]").first.focus()
        page.keyboard.press("p")
        expect(page.locator("[data-row]:visible")).to_have_count(10)
        page.locator("[data-bulk]").get_by_role("button", name="Promote").click()
        expect(page.get_by_text("2 insights promoted.").first).to_be_visible()
        expect(page.locator("[data-row]:visible")).to_have_count(8)

    def test_undo_days_later_from_the_list(self, open_page: Open, alice_user: User, ten: list[Insight]) -> None:
        page = open_page(alice_user, "/?tab=new")
        first = rows(page)
        Keys(page).press("p", "d")
        expect(page.get_by_text(f"{first[1]} deprecated.").first).to_be_visible()
        page.goto("/actions/")
        sound(page, "recent actions")
        page.get_by_role("button", name=re.compile(rf"Undo\s*: {first[0]} promoted")).click()
        expect(page.get_by_text(f"Undone: {first[0]}").first).to_be_visible()
        assert {row.status for row in Insight.objects.filter(ref__in=first[:2])} == {"draft", "deprecated"}

    def test_never_fire_in_a_field(self, open_page: Open, alice_user: User, ten: list[Insight]) -> None:
        page = open_page(alice_user, "/?tab=new")
        page.locator("summary", has_text="Filter").click()
        page.get_by_label("Tag").press_sequentially("pdx?")
        expect(page.get_by_label("Tag")).to_have_value("pdx?")
        expect(page.locator("[data-row]:visible")).to_have_count(10)

    def test_compare_close_and_merge(self, open_page: Open, alice_user: User, ten: list[Insight]) -> None:
        page = open_page(alice_user, "/?tab=new")
        merge = page.locator("#item").get_by_role("button", name=re.compile("^Merge into PLAT")).first
        page.keyboard.press("m")
        expect(merge).to_be_visible()
        sound(page, "similar insights")
        page.keyboard.press("m")
        expect(merge).to_be_hidden()
        page.keyboard.press("m")
        merge.click()
        expect(page.get_by_text("its text is kept there").first).to_be_visible()
        expect(page.locator("[data-row]:visible")).to_have_count(9)


class TestTheList:
    def test_shows_twenty_rows_on_a_laptop(self, open_page: Open, alice_user: User, alice: Member, bob: Member) -> None:
        overs = [{"title": f"Note {number}", "body": f"What we know of number {number}."} for number in range(30)]
        spoken_for(make_insights(alice, timezone.now(), *overs), bob)
        page = open_page(alice_user, "/?tab=new", viewport={"width": 1440, "height": 900})
        heights = page.evaluate("[...document.querySelectorAll('[data-row]')].map(row => row.offsetHeight)")
        assert all(36 <= height <= 44 for height in heights)
        shown = page.evaluate(
            "[...document.querySelectorAll('[data-row]')].filter(r => r.getBoundingClientRect().bottom <= 900).length"
        )
        assert shown >= 20

    def test_has_all_queues_in_one_line_and_no_word_cut_short(
        self, open_page: Open, alice_user: User, ten: list[Insight], pair: tuple[Insight, Insight]
    ) -> None:
        page = open_page(alice_user, "/?tab=new", viewport={"width": 1280, "height": 800})
        page.evaluate(
            "document.querySelectorAll('.workspace-tabs .tab-link > span').forEach((count, at) => {"
            " if (at < 9) count.innerHTML = '<span class=\"tab-count tab-count-some\">12</span>' })"
        )
        bar = page.locator(".workspace-tabs")
        assert bar.evaluate("bar => bar.scrollWidth <= bar.clientWidth")
        tops = bar.locator(".tab-link").evaluate_all("tabs => tabs.map(tab => tab.offsetTop)")
        assert len(set(tops)) == 1
        for kind in page.locator(".dense-row .kind-dot").all():
            expect(kind).to_have_text("Solution")

    def test_acts_on_rows_that_stay(self, open_page: Open, alice_user: User, ten: list[Insight]) -> None:
        page = open_page(alice_user)
        ref = rows(page)[0]
        page.keyboard.press("p")
        expect(page.locator(f"#row-{ref}")).to_contain_text("promoted")
        page.keyboard.press("u")
        expect(page.locator(f"#row-{ref}")).to_contain_text("draft")

    def test_retags_two_hundred_in_six_clicks(
        self, open_page: Open, alice_user: User, alice: Member, bob: Member
    ) -> None:
        overs = [{"title": f"Note {n}", "body": f"What we know of number {n}.", "tags": ["old"]} for n in range(200)]
        make_insights(alice, timezone.now(), *overs)
        page = open_page(alice_user, "/insights/?tag=old")
        page.locator("[data-row] [data-pick]").first.click()
        page.get_by_label("Select all that match").click()
        page.get_by_role("button", name="Edit…").click()
        page.get_by_label("Add tags").click()
        page.keyboard.type("new")
        page.keyboard.press("Tab")
        page.keyboard.type("old")
        page.get_by_role("button", name="Edit 200").click(timeout=60_000)
        expect(page.get_by_text("200 insights edited: tag new added, tag old removed.").first).to_be_visible(
            timeout=30_000
        )
        assert Insight.objects.tagged("new").count() == 200
        assert Insight.objects.tagged("old").count() == 0
        page.get_by_role("button", name="Undo").click(timeout=60_000)
        expect(page.get_by_text("Undone:").first).to_be_visible(timeout=60_000)
        assert Insight.objects.tagged("old").count() == 200


class TestPairs:
    @pytest.mark.parametrize("question", ["contradiction", "duplicate"])
    @pytest.mark.parametrize("kept", [0, 1])
    def test_are_kept_by_the_side_that_is_clicked(
        self, open_page: Open, alice_user: User, pair: tuple[Insight, Insight], question: str, kept: int
    ) -> None:
        Pair.objects.update(question=question)
        page = open_page(alice_user, f"/{question}s/")
        page.get_by_role("button", name=f"Keep {pair[kept].ref}", exact=True).click()
        expect(page.get_by_text(f"{pair[kept].ref} kept; {pair[1 - kept].ref} is superseded.").first).to_be_visible()
        for row in pair:
            row.refresh_from_db()
        assert [row.superseded_by_id for row in pair] == [None if at == kept else pair[kept].pk for at in (0, 1)]

    def test_are_settled(self, open_page: Open, alice_user: User, pair: tuple[Insight, Insight]) -> None:
        page = open_page(alice_user, "/contradictions/")
        page.get_by_role("button", name=f"Keep {pair[0].ref}").click()
        expect(page.get_by_text(f"{pair[0].ref} kept").first).to_be_visible()
        expect(page.get_by_role("heading", name="Inbox zero")).to_be_visible()

    def test_are_settled_several_at_once_and_a_key_without_use_says_so(
        self, open_page: Open, alice_user: User, alice: Member
    ) -> None:
        now = timezone.now()
        for number in range(3):
            over = [{"body": f"{word} run guard {number} first."} for word in ("Often", "Rarely")]
            a, b = make_insights(alice, now, *over)
            Pair.between(a, b, question="duplicate", reason="alike", by=alice, at=now, similarity=0.91)
        page = open_page(alice_user)
        page.goto("/duplicates/")
        page.keyboard.press("p")
        expect(page.get_by_text("“p” does nothing for this item. Keys that do: d, l, m, s, a.").first).to_be_visible()
        assert Pair.objects.filter(state="open").count() == 3
        page.keyboard.press("x")
        page.keyboard.press("j")
        page.keyboard.press("x")
        page.locator("[data-bulk]").get_by_role("button", name="Merge", exact=True).click()
        expect(page.locator("[data-row]:visible")).to_have_count(1)
        page.keyboard.press("x")
        page.locator("[data-bulk]").get_by_role("button", name="Dismiss", exact=True).click()
        expect(page.get_by_role("heading", name="Inbox zero")).to_be_visible()
        assert sorted(Pair.objects.values_list("state", flat=True)) == ["dismissed", "resolved", "resolved"]
        assert Insight.objects.filter(superseded_by=None).count() == 4

    def test_that_are_selected_are_dismissed_by_one_act_and_one_undo(
        self, open_page: Open, alice_user: User, alice: Member
    ) -> None:
        now = timezone.now()
        for number in range(3):
            a, b = make_insights(alice, now, *[{"body": f"{word} run guard {number}."} for word in ("Often", "Rarely")])
            Pair.between(a, b, question="duplicate", reason="alike", by=alice, at=now, similarity=0.91)
        page = open_page(alice_user, "/duplicates/")
        Keys(page).press("x", "j", "x", "j", "x", "d")
        expect(page.get_by_text("3 pairs dismissed.").first).to_be_visible()
        page.keyboard.press("u")
        expect(page.locator("[data-row]:visible")).to_have_count(3)
        assert Pair.objects.filter(state="open").count() == 3

    def test_are_settled_on_a_phone(self, open_page: Open, alice_user: User, pair: tuple[Insight, Insight]) -> None:
        page = open_page(alice_user, "/contradictions/", viewport={"width": 390, "height": 844}, has_touch=True)
        page.locator("[data-row] a").tap()
        page.get_by_label("Both valid").fill("one on servers, one in tests")
        page.get_by_role("button", name="Keep both").tap()
        expect(page.get_by_text("each in its scope").first).to_be_visible()


class TestInsight:
    def test_parts_a_wrong_merge(self, open_page: Open, alice_user: User, alice: Member) -> None:
        row, gone = make_insight(alice), make_insight(alice, title="Quite another thing", body="Beat runs once.")
        combine.merge(ref=gone.ref, into=row.ref, by=alice, now=timezone.now())
        page = open_page(alice_user, f"/insights/{row.ref}/")
        page.get_by_role("button", name="Unmerge").click()
        expect(page.get_by_text(f"{gone.ref} unmerged.").first).to_be_visible()

    def test_is_edited_and_promoted_where_an_agent_would_find_it(
        self, open_page: Open, alice_user: User, alice: Member
    ) -> None:
        row = make_insight(alice, title="An old title", body="Run the lock_timeout guard before a long ALTER.")
        page = open_page(alice_user, "/insights/?rank=agent&q=lock_timeout+guard")
        page.keyboard.press("j")
        page.keyboard.press("e")
        title = page.get_by_label("Title")
        expect(title).to_be_focused()
        title.fill("Given up")
        title.press("Escape")
        # The item beside the list has links of the same names, which open pages.
        listed = page.locator("[data-row]")
        expect(listed.get_by_role("link", name="An old title")).to_be_visible()
        listed.get_by_role("link", name=f"Edit {row.ref}").click()
        expect(title).to_be_focused()
        page.get_by_label("Title").fill("A new title")
        page.get_by_label("Title").press("Enter")
        expect(listed.get_by_role("link", name="A new title")).to_be_visible()
        expect(page.get_by_text(f"{row.ref} saved.").first).to_be_visible()
        page.keyboard.press("x")
        page.keyboard.press("p")
        expect(page.get_by_text(f"{row.ref} promoted.").first).to_be_visible()
        assert Insight.objects.get(pk=row.pk).status == "promoted"

    def test_is_written_found_moved_and_moved_back(self, open_page: Open, alice_user: User, alice: Member) -> None:
        near = make_insight(alice, body="Run the lock_timeout guard before a long ALTER.")
        page = open_page(alice_user)
        page.get_by_role("link", name="New insight").click()
        page.get_by_label("Text").fill("Run the **lock_timeout** guard before a long ALTER, or every reader waits.")
        # The text is shown from its first word, the team still to be chosen.
        expect(page.locator("#insight-draft strong")).to_have_text("lock_timeout")
        page.get_by_label("Team").select_option("platform")
        expect(page.locator("#insight-draft")).to_contain_text(near.ref)
        sound(page, "a new insight")
        page.get_by_label("Text").fill("Uploads time out at 60 s: set proxy_read_timeout in nginx.")
        page.get_by_role("button", name="Save draft").click()
        page.wait_for_url(re.compile(r"/insights/PLAT-\d+/$"))
        ref = page.url.rstrip("/").rsplit("/", 1)[1]
        page.keyboard.press("Control+k")
        page.get_by_role("searchbox", name="Go to a page").fill(ref.lower())
        expect(page.locator("#palette-found")).to_contain_text(ref)
        page.keyboard.press("Escape")
        page.goto("/insights/?q=nginx")
        assert rows(page) == [ref]
        page.goto(f"/insights/{ref}/")
        page.locator("summary", has_text="Move or forget").click()
        expect(page.get_by_label("Move to team")).to_have_value("")
        page.get_by_label("Move to team").select_option("everyone")
        page.get_by_role("button", name="Move…").click()
        expect(page.get_by_role("heading", name=f"Move {ref} to Everyone?")).to_be_visible()
        sound(page, "before a move")
        page.get_by_role("button", name="Move to Everyone").click()
        expect(page.get_by_text(f"{ref} moved to Everyone").first).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("Undone:").first).to_be_visible()
        assert Insight.objects.get(ref=ref).team.slug == "platform"


class TestWithoutScript:
    def test_triage_undo_bulk_and_pairs_work(
        self, open_page: Open, alice_user: User, ten: list[Insight], pair: tuple[Insight, Insight]
    ) -> None:
        page = open_page(alice_user, "/?tab=new", java_script_enabled=False)
        page.get_by_role("button", name="Promote PLAT-10").click()
        expect(page.get_by_text("PLAT-10 promoted.")).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("Undone: PLAT-10")).to_be_visible()
        page.locator("#row-PLAT-8 a").click()
        expect(page.locator("#item")).to_contain_text("What we know of hooks.")
        page.get_by_label("Select PLAT-10").check()
        page.get_by_label("Select PLAT-9").check()
        page.locator("[data-bulk]").get_by_role("button", name="Deprecate").click()
        page.get_by_role("button", name="Deprecate 2").click()
        expect(page.locator("[data-row]")).to_have_count(8)
        page.get_by_role("link", name="Contradictions").click()
        page.get_by_role("button", name="Dismiss", exact=True).click()
        expect(page.get_by_text(": dismissed.")).to_be_visible()


class TestThePalette:
    def test_acts_on_the_selection_and_on_the_current_item(
        self, open_page: Open, alice_user: User, ten: list[Insight]
    ) -> None:
        page = open_page(alice_user, "/?tab=new")
        third = rows(page)[2]
        Keys(page).press("x", "j", "x", "Control+k")
        page.keyboard.type("dism")
        expect(page.get_by_role("group", name="2 selected").get_by_text("Dismiss")).to_be_visible()
        sound(page, "commands")
        page.keyboard.press("Enter")
        expect(page.get_by_text("2 insights dismissed.").first).to_be_visible()
        page.keyboard.press("Control+k")
        page.locator("#palette-q").fill("")
        page.keyboard.type("prom")
        expect(page.get_by_role("group", name=third).get_by_text("Promote")).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.get_by_text(f"{third} promoted.").first).to_be_visible()
        assert [row.ref for row in Insight.objects.filter(status="promoted")] == [third]


class TestAMessage:
    def test_moves_nothing_under_the_pointer(self, open_page: Open, alice_user: User, ten: list[Insight]) -> None:
        page = open_page(alice_user, "/?tab=new", viewport={"width": 1280, "height": 800})
        top = page.locator("#item").bounding_box()
        page.get_by_role("button", name="Dismiss").first.click()
        expect(page.get_by_text("dismissed.").first).to_be_visible()
        assert page.locator("#item").bounding_box() == top
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("Undone").first).to_be_visible()


class TestTheMergeEditor:
    def test_settles_a_contradiction_with_a_written_text(
        self, open_page: Open, alice_user: User, alice: Member
    ) -> None:
        """One key to open it, two clicks: the text and Merge; one key takes it back."""
        one = make_insight(alice, title="Retry", body="Retry the order call after a timeout.")
        other = make_insight(alice, title="Ask", body="Never retry the order call after a timeout.")
        settle.report(a=one.ref, b=other.ref, reason="It ordered twice.", by=alice, now=timezone.now())
        page = open_page(alice_user, "/contradictions/")
        page.keyboard.press("e")
        page.wait_for_url("**/merge/")
        page.get_by_label("Text").fill("**Ask** for the status, then retry.")
        expect(page.locator("#insight-draft strong")).to_have_text("Ask")
        sound(page, "the merge editor")
        page.get_by_role("button", name="Merge", exact=True).click()
        expect(page.get_by_text("with the text you wrote").first).to_be_visible()
        assert Insight.objects.get(pk=one.pk).body == "**Ask** for the status, then retry."
        page.keyboard.press("u")
        expect(page.get_by_text("Undone").first).to_be_visible()
        assert Insight.objects.get(pk=one.pk).body == "Retry the order call after a timeout."


class TestTypedText:
    """A page of its own: a dialog that opens on those of `open_page` fails the test."""

    def test_is_not_left_unasked(self, open_page: Open, alice_user: User, alice: Member) -> None:
        one = make_insight(alice, title="Retry", body="Retry the order call after a timeout.")
        other = make_insight(alice, title="Ask", body="Never retry the order call after a timeout.")
        settle.report(a=one.ref, b=other.ref, reason="It ordered twice.", by=alice, now=timezone.now())
        page = open_page(alice_user).context.new_page()
        asked: list[str] = []

        def stay(dialog: Dialog) -> None:
            asked.append(dialog.type)
            dialog.dismiss()

        page.on("dialog", stay)
        leaves = {
            f"/pairs/{Pair.objects.get().pk}/merge/": page.locator("#insight-form a", has_text=other.ref),
            "/insights/new/": page.get_by_role("link", name="Inbox").first,
            f"/insights/{one.ref}/edit/": page.get_by_role("link", name="Cancel"),
        }
        for path, link in leaves.items():
            page.goto(path)
            text = page.locator("#id_body")
            text.fill("")
            text.press_sequentially("Mine.")
            link.click(no_wait_after=True)
            expect(text).to_have_value("Mine.")
            assert page.url.endswith(path)
            assert asked.pop() == "beforeunload" and not asked
            text.fill(text.evaluate("field => field.defaultValue"))
            link.click()
            page.wait_for_url(lambda url, path=path: not url.endswith(path))
            assert not asked

    def test_that_is_saved_is_left_unasked(self, open_page: Open, alice_user: User, alice: Member) -> None:
        row = make_insight(alice)
        page = open_page(alice_user, f"/insights/{row.ref}/edit/")
        page.locator("#id_body").fill("Mine.")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text(f"{row.ref} saved.").first).to_be_visible()
