"""Snooze and assign on the pages, by plain requests, as a browser without a script sends them."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Membership, User
from accounts.rules.rights import Level, Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import InboxState, UndoableAction
from knowledge.review.actions import inbox_state, triage
from tests.factories import as_agent, make_insight, make_proposal
from tests.knowledge.test_inbox import draft, pair, text
from tests.pages import HTMX, Faults, signed_in


class TestSnoozing:
    def test_from_the_panel_moves_it_to_snoozed_and_is_undone_from_recent_actions(
        self, alice_user: User, alice: Member, bob: Member
    ) -> None:
        row, client = draft(alice, bob), signed_in(alice_user)
        page = text(client.get("/?tab=new"))
        assert re.search(rf'action="/inbox/snooze/".*?name="ref"\s+value="{row.ref}"', page, re.S)
        assert Faults(page).found == []
        answer = client.post("/inbox/snooze/", {"ref": row.ref, "until": "week", "back": "/?tab=new"})
        assert answer.url == "/?tab=new"
        day = timezone.localdate() + timedelta(days=7)
        words = f"until {day.day} {day:%b %Y}"
        page = text(client.get("/?tab=new"))
        assert f"{row.ref} snoozed {words}." in page
        assert f'id="row-{row.ref}"' not in page
        page = text(client.get("/?tab=snoozed"))
        assert f'id="row-{row.ref}"' in page
        assert f"Snoozed {words} by alice" in page
        assert Faults(page).found == []
        act = UndoableAction.objects.get()
        client.post("/inbox/undo/", {"action": act.pk})
        assert f'id="row-{row.ref}"' in text(client.get("/?tab=new"))

    def test_of_insights_and_pairs_is_one_list(self, alice_user: User, alice: Member, bob: Member) -> None:
        row, both, client = draft(alice, bob), pair(alice), signed_in(alice_user)
        client.post("/inbox/snooze/", {"ref": [row.ref, f"pair:{both.pk}"], "until": "used"})
        page = text(client.get("/?tab=snoozed"))
        assert f'id="row-{row.ref}"' in page
        assert f'id="row-pair-{both.pk}"' in page
        assert page.count("data-current ") == 1
        page = text(client.get(f"/?tab=snoozed&at={both.pk}"))
        assert f'data-item-of="{both.pk}"' in page
        assert "Snoozed until used again" in page
        client.post("/inbox/unsnooze/", {"ref": f"pair:{both.pk}"})
        assert f'id="row-pair-{both.pk}"' in text(client.get("/contradictions/"))

    @pytest.mark.parametrize(
        ("sent", "fault"),
        [
            ({"until": "date"}, "Choose a date from tomorrow"),
            ({"until": "date", "on": "2020-01-01"}, "Choose a date from tomorrow"),
            ({"until": "date", "on": "soon"}, "Enter a valid date."),
            ({"until": "never"}, "Select a valid choice."),
            ({}, "This field is required."),
        ],
    )
    def test_says_what_is_at_fault(
        self, sent: dict[str, str], fault: str, alice_user: User, alice: Member, bob: Member
    ) -> None:
        row, client = draft(alice, bob), signed_in(alice_user)
        client.post("/inbox/snooze/", {"ref": row.ref, **sent})
        assert fault in text(client.get("/?tab=new"))
        answer = client.post("/inbox/snooze/", {"ref": row.ref, "part": "1", **sent}, **HTMX)
        assert answer["X-Rows-Kept"] == row.ref
        assert not InboxState.objects.exists()

    def test_of_a_selection_asks_on_a_page_of_its_own(self, alice_user: User, alice: Member, bob: Member) -> None:
        rows, both = [draft(alice, bob), draft(alice, bob, body="Beat runs once.")], pair(alice)
        client = signed_in(alice_user)
        for verb in ("snooze", "unsnooze", "assign"):
            page = text(client.get(f"/inbox/{verb}/", {"ref": [rows[0].ref, f"pair:{both.pk}"], "back": "/?tab=new"}))
            assert f"{verb.capitalize()} 2 items" in page
            assert Faults(page).found == []
        page = text(client.get("/inbox/snooze/", {"all": "1", "back": "/?tab=new"}))
        assert "Snooze 2 items" in page
        assert client.get("/inbox/snooze/").url == "/"

    def test_is_no_strangers(self, charlie_user: User, bob_user: User, alice: Member, bob: Member) -> None:
        row, both = draft(alice, bob), pair(alice)
        for item in (row.ref, f"pair:{both.pk}"):
            for path, sent in (
                ("snooze", {"until": "week"}),
                ("unsnooze", {}),
                ("assign", {"assignee": "me"}),
            ):
                assert signed_in(charlie_user).post(f"/inbox/{path}/", {"ref": item, **sent}).status_code == 404
                assert signed_in(bob_user).post(f"/inbox/{path}/", {"ref": item, **sent}).status_code == 403
        page = text(signed_in(charlie_user).get("/inbox/snooze/", {"ref": row.ref}, follow=True))
        assert row.ref not in page
        assert not InboxState.objects.exists()

    def test_of_a_row_that_is_not_snoozed_shows_its_panel(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice)
        assert signed_in(alice_user).get(f"/insights/{row.ref}/item/?tab=snoozed", **HTMX).status_code == 200


class TestSuggestedEdits:
    """They are selected, snoozed, assigned and decided as any other row."""

    def test_are_selected_and_decided_from_the_list_without_a_page(
        self, alice_user: User, alice: Member, bob: Member
    ) -> None:
        row, client = make_insight(alice, title="Run beat once"), signed_in(alice_user)
        made = make_proposal(row, bob, title="Run beat exactly once")
        page = text(client.get("/?tab=edits"))
        assert f'value="edit:{made.pk}" data-pick' in page
        line = re.search(rf'<li id="row-proposal-{made.pk}".*?>', page, re.S)
        assert line
        assert 'data-acts="approve reject request-changes snooze assign"' in line[0]
        assert f'data-decide="/proposals/{made.pk}/"' in line[0]
        seen = re.search(r'data-seen="([^"]+)"', line[0])
        assert seen
        sent = {"seen": seen[1], "part": "1"}
        answer = client.post(f"/proposals/{made.pk}/approve/", sent, **HTMX)
        assert (answer.status_code, answer["X-Rows-Kept"]) == (200, "")
        assert "<html" not in text(answer)
        answer = client.post(f"/proposals/{made.pk}/approve/", sent, **HTMX)
        assert answer["X-Rows-Kept"] == str(made.pk)
        assert UndoableAction.objects.get().line == f"Suggested edit of {row.ref} approved."

    def test_are_snoozed_and_come_back(self, alice_user: User, alice: Member, bob: Member, bob_user: User) -> None:
        row, client = make_insight(alice), signed_in(alice_user)
        made = make_proposal(row, bob, title="Run beat exactly once")
        client.post("/inbox/snooze/", {"ref": f"edit:{made.pk}", "until": "week"})
        assert f'id="row-proposal-{made.pk}"' not in text(client.get("/?tab=edits"))
        page = text(client.get("/?tab=snoozed"))
        assert f'id="row-proposal-{made.pk}"' in page
        assert 'data-acts="unsnooze assign"' in page
        assert f'data-item-of="{made.pk}"' in page
        assert Faults(page).found == []
        assert triage.counts(by=alice, now=timezone.now())[triage.Tab.SNOOZED] == 1
        client.post("/inbox/undo/", {"action": UndoableAction.objects.get().pk})
        assert f'id="row-proposal-{made.pk}"' in text(client.get("/?tab=edits"))
        client.post("/inbox/snooze/", {"ref": f"edit:{made.pk}", "until": "used"})
        rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=as_agent(bob), now=timezone.now())
        assert f'id="row-proposal-{made.pk}"' in text(client.get("/?tab=edits"))

    def test_wait_for_the_author_of_a_draft_although_a_lead_has_snoozed_them(self, alice: Member, bob: Member) -> None:
        made, now = make_proposal(make_insight(bob), alice, title="Run beat exactly once"), timezone.now()
        inbox_state.snooze(items=[f"edit:{made.pk}"], until=now + timedelta(days=1), by=alice, now=now)
        assert not triage.waiting_proposals(by=alice, now=now)
        assert [one.pk for one in triage.waiting_proposals(by=bob, now=now)] == [made.pk]

    def test_are_assigned_and_narrowed_to_ones_own(self, alice_user: User, alice: Member, bob: Member) -> None:
        client = signed_in(alice_user)
        mine, other = (make_proposal(make_insight(alice, title=name), bob, title=f"New {name}") for name in "ab")
        client.post("/inbox/assign/", {"ref": f"edit:{mine.pk}", "assignee": "me"})
        page = text(client.get("/?tab=edits&assigned=me"))
        assert f'id="row-proposal-{mine.pk}"' in page
        assert f'id="row-proposal-{other.pk}"' not in page
        assert "Assigned to alice" in page
        assert Faults(page).found == []

    def test_are_no_strangers_nor_a_contributors(
        self, charlie_user: User, bob_user: User, alice: Member, bob: Member
    ) -> None:
        made = make_proposal(make_insight(alice), bob, title="Run beat exactly once")
        for user, status in ((charlie_user, 404), (bob_user, 403)):
            for path, sent in (("snooze", {"until": "week"}), ("unsnooze", {}), ("assign", {"assignee": "me"})):
                answer = signed_in(user).post(f"/inbox/{path}/", {"ref": f"edit:{made.pk}", **sent})
                assert answer.status_code == status
        assert signed_in(charlie_user).post("/inbox/snooze/", {"ref": "edit:x", "until": "week"}).status_code == 404
        assert not InboxState.objects.exists()


class TestAssigning:
    def test_shows_to_whom_and_narrows_to_ones_own(
        self, alice_user: User, bob_user: User, alice: Member, bob: Member
    ) -> None:
        Membership.objects.filter(user=bob_user, team__slug="platform").update(level=Level.LEAD)
        row, other, both = draft(alice, bob), draft(alice, bob, body="Beat must run once only."), pair(alice)
        client = signed_in(alice_user)
        page = text(client.get("/?tab=new"))
        assert 'value="bob">To bob' in page
        client.post("/inbox/assign/", {"ref": [row.ref, f"pair:{both.pk}"], "assignee": "bob"})
        assert "assigned to </span>bob" in text(client.get("/?tab=new"))
        for address, there in (("/?tab=new", f"row-{row.ref}"), ("/contradictions/?x=1", f"row-pair-{both.pk}")):
            assert f'id="{there}"' in text(signed_in(bob_user).get(f"{address}&assigned=me"))
            assert f'id="{there}"' not in text(client.get(f"{address}&assigned=me"))
            assert f'id="{there}"' not in text(client.get(f"{address}&assigned=nobody"))
        assert f'id="row-{other.ref}"' in text(client.get("/?tab=new&assigned=nobody"))
        page = text(client.get("/inbox/assign/", {"all": "1", "back": "/?tab=new&assigned=nobody"}))
        assert "Assign 1 item" in page

    def test_to_who_may_not_decide_is_refused(self, alice_user: User, alice: Member, bob: Member) -> None:
        row, client = draft(alice, bob), signed_in(alice_user)
        client.post("/inbox/assign/", {"ref": row.ref, "assignee": "bob"})
        assert "bob does not lead the team of this item." in text(client.get("/?tab=new"))
