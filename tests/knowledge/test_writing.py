"""An insight written by hand, on a page."""

from typing import Any

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.models import Insight, Query, UndoableAction
from tests.factories import make_insight
from tests.knowledge.test_proposals import form_of
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


class TestEdit:
    def test_is_among_recent_actions_and_taken_back(self, alice_user: User, alice: Member) -> None:
        row, client = make_insight(alice, body=GUARD, tags=["db"]), signed_in(alice_user)
        address = f"/insights/{row.ref}/edit/"
        sent = form_of(text(client.get(address)), body=f"{GUARD} Always.", tags="db, locks")
        told = text(client.post(address, sent, follow=True))
        assert f"{row.ref} saved." in told and "Undo" in told
        assert f"{row.ref} saved." in text(client.get("/actions/"))
        action = UndoableAction.objects.get()
        assert GUARD not in str(action.steps), "the words are in the log alone, where forgetting erases them"
        client.post("/inbox/undo/", {"action": action.pk})
        row = Insight.objects.get()
        assert (row.body, row.tags, row.revision) == (GUARD, ["db"], 3)

    def test_is_not_taken_back_over_a_later_edit(self, alice_user: User, alice: Member) -> None:
        row, client = make_insight(alice, body=GUARD), signed_in(alice_user)
        address = f"/insights/{row.ref}/edit/"
        client.post(address, form_of(text(client.get(address)), title="One"))
        client.post(address, form_of(text(client.get(address)), title="Two"))
        first = UndoableAction.objects.order_by("pk")[0]
        told = text(client.post("/inbox/undo/", {"action": first.pk}, follow=True))
        assert "Undone" not in told
        assert Insight.objects.get().title == "Two"

    def test_that_changes_nothing_is_no_action(self, alice_user: User, alice: Member) -> None:
        row, client = make_insight(alice, body=GUARD), signed_in(alice_user)
        address = f"/insights/{row.ref}/edit/"
        client.post(address, form_of(text(client.get(address))))
        assert not UndoableAction.objects.exists()

    def test_shows_its_text_and_what_is_near_it(self, alice_user: User, charlie_user: User, alice: Member) -> None:
        row = make_insight(alice, body=GUARD)
        near = make_insight(alice, body=f"{GUARD} Always.")
        client, address = signed_in(alice_user), f"/insights/{row.ref}/edit/"
        sent = form_of(text(client.get(address)), body=f"{GUARD} **Never** skip it.")
        part = text(client.post(address, {**sent, "act": "preview"}, **HTMX))
        assert "<strong>Never</strong>" in part and near.ref in part and "<html" not in part
        assert f"/insights/{row.ref}/" not in part and "merges your text" not in part
        assert Insight.objects.get(pk=row.pk).revision == 1
        assert signed_in(charlie_user).post(address, {**sent, "act": "preview"}, **HTMX).status_code == 404
