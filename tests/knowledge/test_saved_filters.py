"""Filters under a name, as people see them."""

import re
from typing import Any

import pytest

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.models import SavedFilter
from tests.factories import make_insight
from tests.knowledge.test_views import text
from tests.pages import HTMX, Faults, signed_in

FORM = {
    "page": "insights",
    "query": "kind=PITFALL&tag=ci&cursor=cD0x&page=7&nonsense=1",
    "name": "CI",
    "team": "personal",
}
HOSTILE = [
    "<script>alert(1)</script>",
    "\u202edesrever",
    "javascript:alert(1)",
    '"><img src=x onerror=alert(1)>',
    "x" * 60,
]


def chip(page: str, name: str) -> str:
    """The link of that filter, as it stands on the page."""
    found = re.search(rf'<a class="chip[^>]*href="([^"]*saved=\d+)"[^>]*>{re.escape(name)}', page, re.S)
    assert found, name
    return found[1].replace("&amp;", "&")


class TestSaving:
    def test_goes_back_to_the_list_under_its_name(self, alice_user: User, alice: Member) -> None:
        client = signed_in(alice_user)
        answer = client.post("/filters/", FORM)
        row = SavedFilter.objects.get()
        assert answer.url == f"/insights/?kind=PITFALL&tag=ci&saved={row.pk}"
        page = text(client.get(answer.url))
        assert "“CI” saved." in page
        assert chip(page, "CI") == answer.url
        assert 'aria-current="true"' in page
        assert Faults(page).found == []

    def test_of_a_queue_keeps_the_queue(self, alice_user: User, alice: Member) -> None:
        client = signed_in(alice_user)
        form = {
            "page": "inbox",
            "query": "tab=stale&repo=acme%2Fweb&page=3&kind=NONSENSE",
            "name": "Web",
            "team": "platform",
        }
        answer = client.post("/filters/", form)
        assert answer.url == f"/?tab=stale&repo=acme%2Fweb&saved={SavedFilter.objects.get().pk}"
        page = text(client.get(answer.url))
        assert "and shared with Platform" in page
        assert chip(page, "Web") == answer.url

    def test_is_offered_only_where_there_is_something_to_keep(self, alice_user: User, alice: Member) -> None:
        make_insight(alice)
        client = signed_in(alice_user)
        for path, offered in (
            ("/insights/", False),
            ("/insights/?kind=PITFALL", True),
            ("/?tab=new", False),
            ("/?tag=ci", True),
        ):
            for more in ({}, HTMX):
                page = text(client.get(path, **more))
                assert ("Save filter" in page) is offered, path

    @pytest.mark.parametrize(
        ("over", "fault"),
        [
            ({"name": ""}, "This field is required"),
            ({"name": "x" * 61}, "at most 60 characters"),
            ({"query": ""}, "nothing to save"),
            ({"query": "kind=NONSENSE"}, "nothing to save"),
            ({"team": "mobile"}, "not one of the available choices"),
            ({"page": "topics"}, "not one of the available choices"),
            ({"name": "AKIA" + "Z7QF3MXT9WKD2RVB"}, "AWS"),
        ],
    )
    def test_says_beside_the_field_what_is_wrong_and_keeps_what_was_typed(
        self, over: dict[str, str], fault: str, alice_user: User, alice: Member, mobile: Any
    ) -> None:
        page = text(signed_in(alice_user).post("/filters/", {**FORM, **over}))
        assert fault in page
        assert not SavedFilter.objects.exists()
        assert Faults(page).found == []

    def test_bears_whatever_stands_in_the_query(self, alice_user: User, alice: Member) -> None:
        client = signed_in(alice_user)
        for query in (
            "%ff=1",
            "tag=%ff%fe",
            "tag=%00",
            "&&=&",
            "tag=a&tag=b",
            "tag=" + "x" * 3_000,
            "?tag=x",
            "tag=%ed%a0%80",
        ):
            answer = client.post("/filters/", {**FORM, "query": query})
            assert answer.status_code in (200, 302), query
            if answer.status_code == 302:
                assert client.get(answer.url).status_code == 200
        assert client.post("/filters/", {**FORM, "query": "a=1&" * 5_000}).status_code in (200, 400)

    @pytest.mark.parametrize("name", HOSTILE)
    def test_shows_a_name_as_text(self, name: str, alice_user: User, bob_user: User, alice: Member) -> None:
        signed_in(alice_user).post("/filters/", {**FORM, "name": name, "team": "platform"})
        SavedFilter.objects.update(name=name)
        for path in ("/insights/?kind=PITFALL", "/activity/?team=platform"):
            page = text(signed_in(bob_user).get(path))
            assert "<script>alert" not in page
            assert "<img src=x" not in page
            assert "\u202e" not in page or "activity" in path
            assert Faults(page).found == []


class TestTheBar:
    def test_marks_what_was_changed_since(self, alice_user: User, alice: Member) -> None:
        client = signed_in(alice_user)
        client.post("/filters/", FORM)
        pk = SavedFilter.objects.get().pk
        same, other = (text(client.get(f"/insights/?tag={tag}&kind=PITFALL&saved={pk}")) for tag in ("ci", "cd"))
        assert ", modified" not in same
        assert ", modified" in other
        assert 'value="CI"' in other

    def test_is_of_ones_teams(self, alice_user: User, bob_user: User, charlie_user: User) -> None:
        client = signed_in(alice_user)
        client.post("/filters/", FORM)
        client.post("/filters/", {**FORM, "name": "Ours", "team": "platform"})
        page = text(signed_in(bob_user).get("/insights/"))
        assert "Ours" in page
        assert ">CI" not in page
        assert "Delete" not in page
        page = text(signed_in(charlie_user).get(f"/insights/?saved={SavedFilter.objects.first().pk}"))  # type: ignore[union-attr]
        assert "Saved:" not in page

    def test_bears_any_mark_in_the_address(self, alice_user: User, alice: Member) -> None:
        client = signed_in(alice_user)
        client.post("/filters/", FORM)
        for mark in ("", "0", "-1", "x", "9" * 400, "\u0661", "<script>", "%00"):
            assert client.get(f"/insights/?saved={mark}").status_code == 200

    def test_costs_one_statement(self, alice_user: User, alice: Member, django_assert_num_queries: Any) -> None:
        client = signed_in(alice_user)
        client.post("/filters/", FORM)
        client.get("/insights/")

        def statements(path: str) -> int:
            with django_assert_num_queries(99, exact=False) as counted:
                client.get(path)
            return len(counted)

        before = statements("/insights/")
        for n in range(5):
            client.post("/filters/", {**FORM, "name": f"{n}", "team": "platform"})
        client.get("/insights/")
        assert statements("/insights/") == before
        assert before <= 8


class TestDeleting:
    def test_goes_back_to_the_list(self, alice_user: User, bob_user: User, charlie_user: User) -> None:
        client = signed_in(alice_user)
        client.post("/filters/", {**FORM, "team": "platform"})
        path = f"/filters/{SavedFilter.objects.get().pk}/delete/"
        assert client.get(path).status_code == 405
        assert signed_in(charlie_user).post(path).status_code == 404
        assert signed_in(bob_user).post(path).status_code == 403
        answer = client.post(path, {"back": "https://elsewhere.example/"})
        assert answer.url == "/insights/"
        assert "deleted." in text(client.get(answer.url))
        assert client.post(path).status_code == 404
