"""Owners of insights: who sets them, what they narrow, and that nobody owns anything in a team they left."""

from datetime import datetime

import pytest
from django.test import Client

from accounts.actions.members import remove_member
from accounts.actions.owners import NotAMember
from accounts.models import LogEntry, User
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.review.actions.curate import set_owner
from knowledge.review.actions.move import move
from sessions_app.actions.forget_person import forget_person
from tests.conftest import agent
from tests.factories import make_insight
from tests.knowledge.test_inbox import text
from tests.pages import HTMX, signed_in


def owner_of(row: Insight) -> str:
    row.refresh_from_db()
    return row.owner.username if row.owner else ""


class TestTheOwner:
    def test_is_set_by_a_lead_and_handed_on_by_the_owner(
        self, alice: Member, bob: Member, charlie: Member, now: datetime
    ) -> None:
        row = make_insight(alice)
        with pytest.raises(NotAllowed):
            set_owner(ref=row.ref, owner="bob", by=bob, now=now)
        with pytest.raises(NotFound):
            set_owner(ref=row.ref, owner="charlie", by=charlie, now=now)
        with pytest.raises(NotAMember):
            set_owner(ref=row.ref, owner="charlie", by=alice, now=now)
        set_owner(ref=row.ref, owner="bob", by=alice, now=now)
        set_owner(ref=row.ref, owner="bob", by=alice, now=now)
        set_owner(ref=row.ref, owner="alice", by=bob, now=now)
        with pytest.raises(NotAllowed):
            set_owner(ref=row.ref, owner="bob", by=bob, now=now)
        set_owner(ref=row.ref, owner="", by=alice, now=now)
        lines = list(LogEntry.objects.filter(verb="owner set").order_by("pk").values_list("line", flat=True))
        assert lines == [f"{row.ref} is owned by bob", f"{row.ref} is owned by alice", f"{row.ref} has no owner"]

    def test_is_no_change_of_what_the_insight_says(self, alice: Member, bob: Member, now: datetime) -> None:
        row = make_insight(alice)
        was = row.revision
        assert set_owner(ref=row.ref, owner="bob", by=alice, now=now).revision == was

    def test_owns_nothing_after_leaving_or_being_forgotten(self, alice: Member, bob: Member, now: datetime) -> None:
        row, other = make_insight(alice, body="Run beat once."), make_insight(alice, body="Pin the image by digest.")
        set_owner(ref=row.ref, owner="bob", by=alice, now=now)
        remove_member(team_slug="platform", username="bob", by=alice, now=now)
        assert owner_of(row) == ""
        set_owner(ref=other.ref, owner="alice", by=alice, now=now)
        User.objects.filter(username="bob").update(is_superuser=False)
        Insight.objects.filter(pk=other.pk).update(owner_id=bob.user_id)
        forget_person(username="bob", now=now)
        assert owner_of(other) == ""

    def test_stays_with_a_move_only_where_they_are_a_member(self, alice: Member, bob: Member, now: datetime) -> None:
        row, other = make_insight(alice, body="Run beat once."), make_insight(alice, body="Pin the image by digest.")
        set_owner(ref=row.ref, owner="bob", by=alice, now=now)
        set_owner(ref=other.ref, owner="alice", by=alice, now=now)
        own = next(team.slug for team in alice.teams if team.id == alice.home_id)
        moved = [move(ref=each.ref, team=own, by=alice, now=now) for each in (row, other)]
        assert [owner_of(each) for each in moved] == ["", "alice"]


class TestOnPages:
    def test_is_set_and_undone(self, alice: Member, bob: Member, alice_user: User) -> None:
        row, client = make_insight(alice), signed_in(alice_user)
        page = text(client.get(f"/insights/{row.ref}/"))
        assert "New owner" in page
        told = text(client.post(f"/insights/{row.ref}/owner/", {"owner": "bob"}, follow=True))
        assert f"{row.ref} is owned by bob." in told
        client.post("/inbox/undo/", {})
        assert owner_of(row) == ""

    def test_undo_does_not_take_another_owner_away(
        self, alice: Member, bob: Member, alice_user: User, now: datetime
    ) -> None:
        row, client = make_insight(alice), signed_in(alice_user)
        client.post(f"/insights/{row.ref}/owner/", {"owner": "bob"})
        set_owner(ref=row.ref, owner="alice", by=alice, now=now)
        client.post("/inbox/undo/", {})
        assert owner_of(row) == "alice"

    def test_of_a_stranger_or_a_reader_changes_nothing(self, alice: Member, bob_user: User, charlie_user: User) -> None:
        row = make_insight(alice)
        assert signed_in(charlie_user).post(f"/insights/{row.ref}/owner/", {"owner": "charlie"}).status_code == 404
        assert signed_in(bob_user).post(f"/insights/{row.ref}/owner/", {"owner": "bob"}).status_code == 403
        assert owner_of(row) == ""

    def test_narrows_the_table_its_file_and_the_inbox(self, alice: Member, alice_user: User, now: datetime) -> None:
        row, client = make_insight(alice, title="Run beat once"), signed_in(alice_user)
        make_insight(alice, title="Pin the image")
        Insight.objects.update(trust="stale")
        set_owner(ref=row.ref, owner="alice", by=alice, now=now)
        for address in ("/insights/?owner=alice&cols=owner", "/insights/export/?owner=alice", "/?tab=stale&owner=me"):
            shown = self._body(client, address)
            assert "Run beat once" in shown
            assert "Pin the image" not in shown
        assert "No results" in self._body(client, "/insights/?owner=bob")

    @staticmethod
    def _body(client: Client, address: str) -> str:
        answer = client.get(address, **HTMX)
        return (b"".join(answer.streaming_content) if answer.streaming else answer.content).decode()  # type: ignore[attr-defined, arg-type]

    def test_is_given_to_many_with_their_tags_and_taken_back(
        self, alice: Member, bob: Member, alice_user: User
    ) -> None:
        rows = [make_insight(alice, body=body) for body in ("Run beat once.", "Pin the image by digest.")]
        client = signed_in(alice_user)
        sent = {"ref": [row.ref for row in rows], "owner": "bob", "add_tags": "ops"}
        told = text(client.post("/insights/bulk-edit/", sent, follow=True))
        assert "2 insights edited: tag ops added, owner bob." in told
        assert [(owner_of(row), "ops" in Insight.objects.get(pk=row.pk).tags) for row in rows] == [("bob", True)] * 2
        client.post("/inbox/undo/", {})
        assert [(owner_of(row), "ops" in Insight.objects.get(pk=row.pk).tags) for row in rows] == [("", False)] * 2

    def test_who_is_no_member_is_given_none_of_them(self, alice: Member, alice_user: User) -> None:
        row = make_insight(alice)
        sent = {"ref": [row.ref], "owner": "charlie", "add_tags": "ops"}
        assert "1 skipped" in text(signed_in(alice_user).post("/insights/bulk-edit/", sent, follow=True))
        assert (owner_of(row), Insight.objects.get(pk=row.pk).tags) == ("", row.tags)


class TestByRest:
    def test_is_set_read_and_filtered_by(self, alice: Member, bob: Member) -> None:
        row, api = make_insight(alice), agent(alice)
        answer = api.post(f"/api/v1/insights/{row.ref}/owner/", {"owner": "bob"}, format="json")
        assert answer.json() == {"ref": row.ref, "owner": "bob"}
        assert api.get(f"/api/v1/insights/{row.ref}/").json()["owner"] == "bob"
        assert [one["ref"] for one in api.get("/api/v1/insights/?owner=bob").json()["results"]] == [row.ref]
        assert api.get("/api/v1/insights/?owner=alice").json()["results"] == []

    def test_of_a_stranger_is_not_found(self, alice: Member, charlie: Member) -> None:
        row = make_insight(alice)
        answer = agent(charlie).post(f"/api/v1/insights/{row.ref}/owner/", {"owner": "charlie"}, format="json")
        assert answer.status_code == 404
