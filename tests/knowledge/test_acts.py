"""What is done to one insight from its page, what its page tells of it, and editing in the row of the list."""

import re
from itertools import pairwise
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight
from knowledge.review.actions import combine, curate, settle
from tests.factories import as_agent, make_insight
from tests.knowledge.test_views import text, typed
from tests.pages import HTMX, Faults, signed_in

CACHE = "A cache key without the tenant's name serves one customer the data of another."


class TestInsight:
    def test_tells_what_speaks_for_it_and_what_comes_next(self, alice_user: User, alice: Member, bob: Member) -> None:
        row = make_insight(alice)
        rate(
            refs=[row.ref], verdict=SignalKind.HELPFUL, by=as_agent(bob), now=timezone.now(), reason="It was the lock."
        )
        page = text(signed_in(alice_user).get(f"/insights/{row.ref}/"))
        assert "2/3 people in support, including the author" in " ".join(page.split())
        assert "It was the lock." in page
        assert "via an agent" in page

    def test_shows_what_was_merged_and_parts_it_again(self, alice_user: User, alice: Member) -> None:
        row, gone = make_insight(alice), make_insight(alice, body=CACHE)
        combine.merge(ref=gone.ref, into=row.ref, by=alice, now=timezone.now())
        client = signed_in(alice_user)
        page = text(client.get(f"/insights/{row.ref}/"))
        assert "tenant&#x27;s name" in page
        said = row.corroborations.get()
        client.post(f"/insights/{row.ref}/unmerge/{said.pk}/")
        gone.refresh_from_db()
        assert gone.superseded_by is None
        assert "Unmerged as" in text(client.get(f"/insights/{row.ref}/"))

    def test_tells_the_whole_chain_of_what_it_replaced(self, alice_user: User, alice: Member) -> None:
        rows = [make_insight(alice, title=f"Take {n}") for n in range(3)]
        for old, new in pairwise(rows):
            combine.supersede(ref=old.ref, by_ref=new.ref, by=alice, now=timezone.now())
        page = text(signed_in(alice_user).get(f"/insights/{rows[2].ref}/"))
        assert page.index("Take 1</a>") < page.index("Take 0</a>")
        assert "earlier" in page

    def test_names_what_contradicts_it(self, alice_user: User, alice: Member) -> None:
        a, b = make_insight(alice), make_insight(alice, body=CACHE)
        settle.report(a=a.ref, b=b.ref, reason="One is wrong.", by=alice, now=timezone.now())
        page = text(signed_in(alice_user).get(f"/insights/{a.ref}/"))
        assert "as contradicting" in page
        assert f'href="/insights/{b.ref}/"' in page

    def test_takes_back_its_last_change(self, alice_user: User, alice: Member) -> None:
        row = curate.promote(ref=make_insight(alice).ref, by=alice, now=timezone.now())
        client = signed_in(alice_user)
        assert "Revert" in text(client.get(f"/insights/{row.ref}/"))
        client.post(f"/insights/{row.ref}/revert/", {"revision": row.revision})
        assert Insight.objects.get(pk=row.pk).status == "draft"
        assert client.post(f"/insights/{row.ref}/revert/", {"revision": row.revision}).status_code == 412

    def test_needs_a_bounded_number_of_statements(
        self, alice_user: User, alice: Member, bob: Member, django_assert_max_num_queries: Any
    ) -> None:
        row = make_insight(alice)
        for number in range(6):
            gone = make_insight(alice, body=f"Said number {number} of its own kind.")
            combine.merge(ref=gone.ref, into=row.ref, by=alice, now=timezone.now())
            rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=as_agent(bob, f"a{number}"), now=timezone.now())
        client = signed_in(alice_user)
        client.get(f"/insights/{row.ref}/")
        with django_assert_max_num_queries(21):
            client.get(f"/insights/{row.ref}/")


class TestActs:
    @pytest.mark.parametrize(
        ("path", "form", "after"),
        [
            ("validate", {}, {"trust": "validated"}),
            ("rate", {"verdict": "unhelpful", "why": "It did not."}, {"status": "draft"}),
            ("move", {"team": "everyone", "confirmed": "1"}, {"team__slug": "everyone"}),
        ],
    )
    def test_are_done(
        self, path: str, form: dict[str, str], after: dict[str, Any], alice_user: User, alice: Member
    ) -> None:
        row = make_insight(alice)
        answer = signed_in(alice_user).post(f"/insights/{row.ref}/{path}/", form, follow=True)
        assert answer.status_code == 200
        assert "note-success" in text(answer)
        assert Insight.objects.filter(pk=row.pk, **after).exists()

    @pytest.mark.parametrize("path", ["validate", "rate", "move", "merge", "supersede", "reinstate", "revert"])
    def test_do_not_exist_for_strangers(self, path: str, charlie_user: User, alice: Member) -> None:
        row, other = make_insight(alice), make_insight(alice, body=CACHE)
        form = {"verdict": "helpful", "team": "mobile", "other": other.ref, "revision": 1}
        assert signed_in(charlie_user).post(f"/insights/{row.ref}/{path}/", form).status_code == 404

    def test_asks_before_a_move_and_takes_it_back(self, alice_user: User, alice: Member, bob: Member) -> None:
        row, client = make_insight(alice), signed_in(alice_user)
        page = text(client.get(f"/insights/{row.ref}/"))
        assert re.search(r'name="team" required>\s*<option value="">choose a team', page)
        asked = text(client.post(f"/insights/{row.ref}/move/", {"team": "everyone"}))
        assert f"Move {row.ref} to Everyone?" in asked and "Questions and names of other members stay in" in asked
        # Who is of a team is of the team of everyone; and nothing is counted that there is none of.
        assert "no longer be able to read it" not in asked and "0 ratings" not in asked
        assert Insight.objects.get(pk=row.pk).ref == row.ref
        told = text(client.post(f"/insights/{row.ref}/move/", {"team": "everyone", "confirmed": "1"}, follow=True))
        assert f"{row.ref} moved to Everyone" in told
        assert f"{row.ref} moved to Everyone" in text(client.get("/actions/"))
        client.post("/inbox/undo/", {})
        assert (Insight.objects.get(pk=row.pk).ref, Insight.objects.get(pk=row.pk).team_id) == (row.ref, row.team_id)

    def test_supersede_and_stand_again(self, alice_user: User, alice: Member) -> None:
        old, new = make_insight(alice), make_insight(alice, body=CACHE)
        client = signed_in(alice_user)
        client.post(f"/insights/{old.ref}/supersede/", {"other": new.ref})
        page = text(client.get(f"/insights/{old.ref}/"))
        assert "Restore" in page
        client.post(f"/insights/{old.ref}/reinstate/")
        old.refresh_from_db()
        assert old.superseded_by is None

    def test_ask_for_the_other_when_it_is_not_named(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice)
        page = text(signed_in(alice_user).post(f"/insights/{row.ref}/merge/", {}, follow=True))
        assert "Enter the reference of the other insight" in page


class TestRow:
    def test_is_edited_in_place(self, alice_user: User, alice: Member) -> None:
        row, client = make_insight(alice, tags=["a"]), signed_in(alice_user)
        path = f"/insights/{row.ref}/inline/"
        part = text(client.get(path, **HTMX))
        assert Faults(part).found == []
        saved = client.post(path, typed(part, title="A better title", tags="a, b"), **HTMX)
        assert "A better title" in text(saved)
        row = Insight.objects.get(pk=row.pk)
        assert (row.title, row.tags) == ("A better title", ["a", "b"])

    def test_sent_before_the_page_is_wired_leads_to_a_whole_page(self, alice_user: User, alice: Member) -> None:
        row, client = make_insight(alice), signed_in(alice_user)
        part = text(client.get(f"/insights/{row.ref}/inline/", **HTMX))
        saved = client.post(f"/insights/{row.ref}/inline/", typed(part, title="A better title"), follow=True)
        assert saved.redirect_chain == [(f"/insights/{row.ref}/", 302)]
        assert f"{row.ref} saved." in text(saved) and "A better title" in text(saved)

    def test_tells_of_another_change_and_keeps_the_typing(self, alice_user: User, alice: Member) -> None:
        row, client = make_insight(alice, title="Old title"), signed_in(alice_user)
        path = f"/insights/{row.ref}/inline/"
        form = typed(text(client.get(path, **HTMX)), title="My own title")
        curate.edit(ref=row.ref, changes={"title": "Their title"}, revision=1, by=alice, now=timezone.now())
        told = client.post(path, form, **HTMX)
        assert told.status_code == 412
        assert "<del>Their</del>" in text(told)
        assert typed(text(told))["title"] == "My own title"
        assert client.post(path, typed(text(told)), **HTMX).status_code == 200
        row.refresh_from_db()
        assert row.title == "My own title"

    def test_gives_faults_back(self, alice_user: User, alice: Member) -> None:
        row, client = make_insight(alice), signed_in(alice_user)
        path = f"/insights/{row.ref}/inline/"
        part = text(client.post(path, typed(text(client.get(path, **HTMX)), title=""), **HTMX))
        assert "This field is required" in part

    def test_is_closed_to_others(self, bob_user: User, charlie_user: User, alice: Member) -> None:
        row = make_insight(alice)
        assert f"/insights/{row.ref}/inline/" not in text(signed_in(bob_user).get("/insights/"))
        assert signed_in(charlie_user).get(f"/insights/{row.ref}/inline/").status_code == 404
        assert signed_in(charlie_user).get(f"/insights/{row.ref}/row/").status_code == 404
        form = typed(text(signed_in(bob_user).get(f"/insights/{row.ref}/inline/", **HTMX)), title="Mine now")
        assert signed_in(bob_user).post(f"/insights/{row.ref}/inline/", form, **HTMX).status_code == 403


class TestList:
    def test_says_which_filters_a_link_has_set(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice)
        curate.pin(ref=row.ref, by=alice, now=timezone.now())
        make_insight(alice, body=CACHE)
        page = text(signed_in(alice_user).get("/insights/?pinned=true"))
        assert page.count("data-pick>") == 1
        assert "remove filter" in page

    def test_offers_bulk_acts_to_leads_only(self, alice_user: User, bob_user: User, alice: Member) -> None:
        make_insight(alice)
        assert "data-pick>" in text(signed_in(alice_user).get("/insights/"))
        assert "data-pick>" not in text(signed_in(bob_user).get("/insights/"))

    def test_chooses_all_that_match(self, alice_user: User, alice: Member) -> None:
        for number in range(3):
            make_insight(alice, body=f"Lesson number {number} of its own kind.", tags=["a" if number else "b"])
        page = text(signed_in(alice_user).get("/inbox/plan/?verb=pin&all=1&back=/insights/%3Ftag%3Da"))
        assert "Pin 2 insights?" in page
