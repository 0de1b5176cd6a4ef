"""An insight written by hand, on a page."""

from typing import Any

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.models import Insight, Query
from tests.factories import make_insight
from tests.pages import HTMX, Faults, signed_in

GUARD = "Run the lock_timeout guard before a long ALTER, or every reader waits."
FORM = {"team": "platform", "kind": "PITFALL", "body": GUARD, "stability": "stable", "tags": "Locks, db"}


def text(answer: Any) -> str:
    page: str = answer.content.decode()
    assert Faults(page).found == []
    return page


class TestNewInsight:
    def test_is_saved_as_a_persons_draft(self, bob_user: User, alice: Member) -> None:
        told = text(signed_in(bob_user).post("/insights/new/", FORM, follow=True))
        row = Insight.objects.get()
        assert f"{row.ref} saved as a draft." in told
        assert (row.source_type, row.author.username, row.status) == ("human", "bob", "draft")
        assert row.tags == ["db", "locks"]

    def test_shows_what_is_near_it_before_it_is_saved(self, bob_user: User, alice: Member) -> None:
        near = make_insight(alice, body=f"{GUARD} Always.")
        part = text(signed_in(bob_user).post("/insights/new/", {**FORM, "act": "preview"}, **HTMX))
        assert near.ref in part and "<html" not in part
        assert Insight.objects.count() == 1 and not Query.objects.exists()

    def test_asks_for_a_team_and_gives_faults_back(self, bob_user: User, alice: Member) -> None:
        client = signed_in(bob_user)
        page = text(client.get("/insights/new/"))
        assert '<option value="" selected>choose a team</option>' in page
        assert "This field is required" in text(client.post("/insights/new/", {**FORM, "team": ""}))
        kept = text(client.post("/insights/new/", {**FORM, "kind": "DECISION"}))
        assert "A DECISION requires reasoning." in kept and GUARD in kept
        secret = {**FORM, "body": "The key is AKIA" + "Z7QF3MXT9WKD2RVB."}
        assert "errorlist" in text(client.post("/insights/new/", secret))
        assert not Insight.objects.exists()

    def test_cannot_be_written_for_another_team(self, charlie_user: User, alice: Member) -> None:
        page = text(signed_in(charlie_user).post("/insights/new/", FORM))
        assert "Select a valid choice" in page
        near = make_insight(alice, body=GUARD)
        part = text(
            signed_in(charlie_user).post("/insights/new/", {**FORM, "team": "mobile", "act": "preview"}, **HTMX)
        )
        assert near.ref not in part
