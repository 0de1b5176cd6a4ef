"""How much waits, told to a page that is open meanwhile."""

import re
from typing import Any

from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.review.actions import curate
from knowledge.review.rules.triage import Tab
from tests.factories import make_insight
from tests.knowledge.test_inbox import draft, pair, text
from tests.pages import HTMX, Faults, signed_in

COUNTS = "/inbox/counts/"


def told(page: str) -> dict[str, str]:
    """What is to stand in each place of the open page, by its id."""
    parts = re.findall(r'<span id="([\w-]+)" hx-swap-oob="innerHTML">(.*?)</span>\s*(?=<span id=|$)', page, re.S)
    return {place: re.sub(r"<[^>]*>", "", words).replace(" awaiting review", "").strip() for place, words in parts}


def on(path: str) -> dict[str, str]:
    return {**HTMX, "HTTP_HX_CURRENT_URL": f"http://testserver{path}"}


class TestCounts:
    def test_are_those_of_the_inbox(self, alice_user: User, alice: Member, bob: Member) -> None:
        draft(alice, bob)
        pair(alice)
        client = signed_in(alice_user)
        page = text(client.get(COUNTS, **on("/?tab=new&kind=PITFALL")))
        waits = {f"count-{tab.value}": "" for tab in Tab} | {"count-new": "1", "count-contradictions": "1"}
        waits |= {"count-drafts": "2 drafts"}
        assert told(page) == {"inbox-count": "2", "inbox-count-small": "2", **waits}
        assert Faults(page).found == []

    def test_name_no_queue_on_a_page_that_shows_none(self, alice_user: User, alice: Member, bob: Member) -> None:
        draft(alice, bob)
        client = signed_in(alice_user)
        for path in ("/insights/", "/teams/platform/", "/%00", "//evil.example/", ""):
            assert set(told(text(client.get(COUNTS, **on(path))))) == {"inbox-count", "inbox-count-small"}, path
        elsewhere = {**HTMX, "HTTP_HX_CURRENT_URL": "https://evil.example/"}
        assert set(told(text(client.get(COUNTS, **elsewhere)))) == {"inbox-count", "inbox-count-small"}

    def test_say_nothing_of_nothing(self, alice_user: User, alice: Member) -> None:
        assert told(text(signed_in(alice_user).get(COUNTS, **on("/insights/")))) == {
            "inbox-count": "",
            "inbox-count-small": "",
        }

    def test_are_of_ones_own_teams(self, charlie_user: User, alice: Member, bob: Member) -> None:
        draft(alice, bob)
        pair(alice)
        assert told(text(signed_in(charlie_user).get(COUNTS, **on("/insights/"))))["inbox-count"] == ""

    def test_go_on_with_an_act(self, alice_user: User, alice: Member, bob: Member) -> None:
        one = draft(alice, bob)
        client = signed_in(alice_user)
        form = {"verb": "promote", "ref": [one.ref], "back": "/?tab=new"}
        part = text(client.post("/inbox/act/", form, follow=True, **on("/?tab=new")))
        assert '<span id="inbox-count" hx-swap-oob="innerHTML"></span>' in part
        assert Faults(part).found == []

    def test_cost_one_statement_besides_who_asks(
        self, alice_user: User, alice: Member, bob: Member, django_assert_max_num_queries: Any
    ) -> None:
        for number in range(5):
            draft(alice, bob, body=f"Lesson number {number} is of its own kind.")
        curate.pin(ref=make_insight(alice).ref, by=alice, now=timezone.now())
        client = signed_in(alice_user)
        client.get(COUNTS, **on("/"))
        with django_assert_max_num_queries(4):
            answer = client.get(COUNTS, **on("/"))
        assert "no-store" in answer["Cache-Control"]
        assert len(answer.content) < 2_200

    def test_are_for_pages_alone(self, alice_user: User, alice: Member) -> None:
        client = signed_in(alice_user)
        assert client.get(COUNTS).url == "/"
        assert client.post(COUNTS).status_code == 405
        assert Client().get(COUNTS, **HTMX).url == f"/accounts/login/?next={COUNTS}"
