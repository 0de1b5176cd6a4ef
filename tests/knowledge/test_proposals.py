"""Suggested edits on the pages and by REST, by plain requests."""

import re
from typing import Any

from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.models import EditProposal, Insight, UndoableAction
from knowledge.review.actions import curate
from tests.conftest import agent
from tests.factories import as_agent, make_insight, make_proposal
from tests.knowledge.test_inbox import EVIL, text
from tests.pages import HTMX, Faults, signed_in


def form_of(page: str, **typed: str) -> dict[str, str]:
    """What a browser sends of the form of the page, with what is typed."""
    fields = dict(re.findall(r'<input type="hidden" name="([\w-]+)" value="([^"]*)"', page))
    for name, value in re.findall(r'<input type="text" name="([\w-]+)" value="([^"]*)"', page):
        fields[name] = value
    for name, value in re.findall(r'<textarea name="([\w-]+)"[^>]*>\n?(.*?)</textarea>', page, re.S):
        fields[name] = value
    for name, options in re.findall(r'<select name="([\w-]+)"[^>]*>(.*?)</select>', page, re.S):
        found = re.search(r'<option value="([^"]+)" selected', options)
        fields[name] = found[1] if found else ""
    return {**fields, **typed}


class TestTurningDown:
    def test_is_offered_to_others_than_its_author(self, alice_user: User, alice: Member, bob: Member) -> None:
        row, client = make_insight(alice, title="Run beat once"), signed_in(alice_user)
        for by, offered in ((alice, False), (as_agent(alice), True), (bob, True)):
            made = make_proposal(row, by, timezone.now(), title="Run beat exactly once")
            page = text(client.get(f"/proposals/{made.pk}/"))
            assert ("Request changes" in page, "/reject/" in page) == (offered, offered)
            assert ("/withdraw/" in page) == (by is not bob)
            made.delete()


class TestSuggesting:
    def test_on_the_insights_page_by_who_may_not_edit_it(self, bob_user: User, alice: Member) -> None:
        row, client = make_insight(alice, title="Run beat once"), signed_in(bob_user)
        assert f'href="/insights/{row.ref}/propose/"' in text(client.get(f"/insights/{row.ref}/"))
        page = text(client.get(f"/insights/{row.ref}/propose/"))
        assert Faults(page).found == []
        answer = client.post(
            f"/insights/{row.ref}/propose/", form_of(page, title="Run beat exactly once", note="So it is.")
        )
        made = EditProposal.objects.get()
        assert answer.url == f"/proposals/{made.pk}/"
        assert (made.changes, made.note) == ({"title": "Run beat exactly once"}, "So it is.")
        page = text(client.get(answer.url))
        assert "Withdraw" in page
        assert "Approve" not in page
        assert Faults(page).found == []
        page = text(client.get(f"/insights/{row.ref}/propose/"))
        assert "Run beat exactly once" in page
        assert f'href="/proposals/{made.pk}/"' in text(client.get(f"/insights/{row.ref}/"))

    def test_of_what_was_changed_meanwhile_loses_no_typing(self, bob_user: User, alice: Member) -> None:
        row, client = make_insight(alice, title="Run beat once"), signed_in(bob_user)
        page = text(client.get(f"/insights/{row.ref}/propose/"))
        curate.edit(ref=row.ref, changes={"title": "Mine"}, revision=row.revision, by=alice, now=timezone.now())
        page = text(client.post(f"/insights/{row.ref}/propose/", form_of(page, title="Theirs", note="My reason here.")))
        assert "It was changed while you were editing" in page
        assert "My reason here." in page
        assert not EditProposal.objects.exists()
        client.post(f"/insights/{row.ref}/propose/", form_of(page, title="Theirs", note="My reason here."))
        assert EditProposal.objects.get().base == {"title": "Mine"}


class TestReviewing:
    def test_in_the_inbox_approves_and_undoes(self, alice_user: User, alice: Member, bob: Member) -> None:
        row, client = make_insight(alice, title="Run beat once"), signed_in(alice_user)
        made = make_proposal(row, bob, title="Run beat exactly once", note="People ran two.")
        page = text(client.get("/"))
        assert re.search(r'aria-current="page">\s*Suggested edits', page)
        assert "People ran two." in page
        assert "exactly" in page
        assert Faults(page).found == []
        part = text(client.get(f"/proposals/{made.pk}/item/?back=/?tab=edits", **HTMX))
        assert "<html" not in part
        seen = re.search(r'name="seen" value="([^"]+)"', part)
        assert seen
        sent = {"seen": seen[1], "back": "/?tab=edits"}
        assert client.post(f"/proposals/{made.pk}/approve/", sent).url == "/?tab=edits"
        row.refresh_from_db()
        assert row.title == "Run beat exactly once"
        client.post("/inbox/undo/", {"action": UndoableAction.objects.get().pk})
        row.refresh_from_db()
        assert row.title == "Run beat once"

    def test_says_what_is_at_fault_and_keeps_what_was_typed(self, alice_user: User, alice: Member, bob: Member) -> None:
        row, client = make_insight(alice), signed_in(alice_user)
        made = make_proposal(row, bob, title="One")
        answer = client.post(f"/proposals/{made.pk}/request-changes/", {"text": ""})
        assert (answer.status_code, "Say what should change." in text(answer)) == (400, True)
        answer = client.post(f"/proposals/{made.pk}/reject/", {"text": "No, because.", "seen": "1.open.99"})
        assert answer.status_code == 412
        assert "No, because.</textarea>" in text(answer)
        client.post(f"/proposals/{made.pk}/comment/", {"text": "Which setting?"})
        client.post(f"/proposals/{made.pk}/request-changes/", {"text": "Name it."})
        page = text(client.get(f"/proposals/{made.pk}/"))
        assert "Which setting?" in page
        assert "changes requested" in page

    def test_of_what_both_changed_edits_the_merged_text(self, alice_user: User, alice: Member, bob: Member) -> None:
        row, client = make_insight(alice, title="Run beat once"), signed_in(alice_user)
        made = make_proposal(row, bob, title="Theirs")
        curate.edit(ref=row.ref, changes={"title": "Mine"}, revision=row.revision, by=alice, now=timezone.now())
        page = text(client.get(f"/proposals/{made.pk}/"))
        assert "Both changed the same part" in page
        assert "/approve/" not in page
        page = text(client.get(f"/proposals/{made.pk}/edit/"))
        assert Faults(page).found == []
        answer = client.post(f"/proposals/{made.pk}/edit/", form_of(page, title="Of both"))
        assert answer.url == f"/proposals/{made.pk}/"
        row.refresh_from_db()
        assert (row.title, EditProposal.objects.get().state) == ("Of both", "approved")

    def test_shows_hostile_text_as_text(self, alice_user: User, alice: Member, bob: Member) -> None:
        row, client = make_insight(alice), signed_in(alice_user)
        made = make_proposal(row, bob, title=EVIL[:150], body=EVIL, note=EVIL, tags=["<b>x"])
        client.post(f"/proposals/{made.pk}/comment/", {"text": EVIL})
        for path in (
            "/?tab=edits",
            f"/proposals/{made.pk}/",
            f"/proposals/{made.pk}/edit/",
            f"/insights/{row.ref}/",
        ):
            page = text(client.get(path))
            assert "<script>alert" not in page
            assert "<img src=x" not in page
            assert "\u202e" not in page
            assert Faults(page).found == []

    def test_is_not_a_contributors(self, bob_user: User, alice: Member, bob: Member) -> None:
        made = make_proposal(make_insight(alice), bob)
        client = signed_in(bob_user)
        for verb in ("approve", "reject", "request-changes"):
            assert client.post(f"/proposals/{made.pk}/{verb}/", {"text": "x"}).status_code == 403
        assert client.get(f"/proposals/{made.pk}/edit/").url == f"/proposals/{made.pk}/"
        assert EditProposal.objects.get().state == "open"


class TestTheThread:
    def test_leads_who_is_mentioned_to_it(
        self, alice_user: User, bob_user: User, charlie_user: User, alice: Member, bob: Member
    ) -> None:
        row, client, bobs = make_insight(alice), signed_in(alice_user), signed_in(bob_user)
        made = make_proposal(row, bob, title="One")
        client.post(f"/proposals/{made.pk}/request-changes/", {"text": "@bob, name the <setting>."})
        page = text(bobs.get("/?tab=mentions"))
        assert "alice requested changes" in page
        assert '<a class="link" href="/insights/?author=bob">@bob</a>, name the &lt;setting&gt;.' in page
        assert "?tab=mentions&amp;at=" in page
        assert Faults(page).found == []
        read = f"/proposals/{made.pk}/mentions/read/"
        assert signed_in(charlie_user).post(read).status_code == 404
        assert "Mark mention as read" in page
        assert bobs.post(read, {"back": "/?tab=mentions"}).url == "/?tab=mentions"
        page = text(bobs.get("/?tab=mentions"))
        assert "appears here when a comment on it mentions you as @bob" in page
        assert "@name mentions a member: alice</p>" in text(bobs.get(f"/proposals/{made.pk}/"))

    def test_shows_a_hostile_name_as_text(self, alice_user: User, alice: Member, bob: Member) -> None:
        made, client = make_proposal(make_insight(alice), bob), signed_in(alice_user)
        client.post(f"/proposals/{made.pk}/comment/", {"text": f"@bob {EVIL} @bob\u202e <a href=x>@alice</a>"})
        page = text(client.get(f"/proposals/{made.pk}/"))
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "<a href=x>" not in page
        assert page.count(">@bob</a>") == 2


class TestByRest:
    def test_suggests_revises_and_reads(self, alice: Member, bob: Member) -> None:
        row, client = make_insight(alice), agent(bob)
        path = f"/api/v1/insights/{row.ref}/proposals/"
        answer = client.post(path, {"body": "Beat runs once.", "note": "shorter"}, format="json")
        assert (answer.status_code, answer.json()["state"], answer.json()["changes"]) == (
            201,
            "open",
            {"body": "Beat runs once."},
        )
        answer = client.post(path, {"title": "Beat", "tags": ["celery"]}, format="json")
        assert answer.status_code == 200
        asked = {"text": "@bob, which?"}
        signed_in(User.objects.get(username="alice")).post(f"/proposals/{answer.json()['id']}/comment/", asked)
        [one] = client.get(path).json()["results"]
        assert [(said["text"], said["mentions"], said["decision"]) for said in one["comments"]] == [
            ("@bob, which?", ["bob"], "")
        ]
        assert (one["insight"], one["changes"]) == (row.ref, {"title": "Beat", "tags": ["celery"]})
        assert Insight.objects.get().revision == row.revision

    def test_names_the_field_at_fault(self, alice: Member, bob: Member, charlie: Member) -> None:
        row, client = make_insight(alice), agent(bob)
        path = f"/api/v1/insights/{row.ref}/proposals/"
        sent: list[tuple[dict[str, Any], int, str]] = [
            ({"kind": "SONG"}, 400, "kind"),
            ({"title": ""}, 400, "title"),
            ({"colour": "red"}, 400, "colour"),
            ({"note": "nothing else"}, 400, "changes"),
            ({"title": "x", "revision": 9}, 412, "revision"),
        ]
        for body, status, field in sent:
            answer = client.post(path, body, format="json")
            assert (answer.status_code, list(answer.json()["errors"])) == (status, [field])
        stranger: APIClient = agent(charlie)
        for answer in (stranger.post(path, {"title": "x"}, format="json"), stranger.get(path)):
            assert answer.status_code == 404
