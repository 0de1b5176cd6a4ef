"""A second reviewer on the pages, by REST and in the admin: what is said before a button is pressed, and done then."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.actions.members import member_of
from accounts.models import Membership, Team, User
from accounts.rules.rights import Level, Member
from knowledge.models import EditProposal, Insight, UndoableAction
from knowledge.review.actions import curate, settle
from knowledge.review.proposals.actions.propose import propose
from tests.conftest import agent, person
from tests.factories import make_conflict, make_insight, make_insights
from tests.knowledge.test_admin import form as admin_form
from tests.knowledge.test_inbox import text
from tests.knowledge.test_proposals import form_of
from tests.pages import HTMX, Faults, signed_in

ASKED = "/teams/platform/second-reviewer/"


@pytest.fixture
def dora_user(platform: Team) -> User:
    return person("dora", platform, Level.LEAD)


@pytest.fixture
def row(alice: Member, dora_user: User) -> Insight:
    """A promoted insight of a team that requires a second reviewer."""
    made = make_insight(alice, title="Run beat once")
    curate.promote(ref=made.ref, by=alice, now=timezone.now())
    Team.objects.filter(slug="platform").update(second_reviewer=True)
    return Insight.objects.whole().get(pk=made.pk)


class TestTheTeamsPage:
    def test_turns_it_on_and_off(self, alice_user: User, dora_user: User) -> None:
        client = signed_in(alice_user)
        page = text(client.get("/teams/platform/"))
        assert ("Require a second reviewer" in page, Faults(page).found) == (True, [])
        client.post(ASKED, {"required": "on"})
        assert Team.objects.get(slug="platform").second_reviewer
        assert "Turn off" in text(client.get("/teams/platform/"))
        client.post(ASKED, {"required": "off"})
        assert not Team.objects.get(slug="platform").second_reviewer

    def test_says_what_is_missing(self, alice_user: User, dora_user: User) -> None:
        client = signed_in(alice_user)
        client.post(ASKED, {"required": "on"})
        Membership.objects.filter(user=dora_user).exclude(team__kind="personal").delete()
        assert "Nobody else leads this team" in text(client.get("/teams/platform/"))
        client.post(ASKED, {"required": "off"})
        assert "at least two leads" in text(client.post(ASKED, {"required": "on"}))
        assert "Choose on or off" in text(client.post(ASKED, {"required": "perhaps"}))

    def test_is_no_contributors_and_no_strangers(self, alice: Member, bob_user: User, charlie_user: User) -> None:
        assert "Second reviewer" not in text(signed_in(bob_user).get("/teams/platform/"))
        for user, status in ((bob_user, 403), (charlie_user, 404)):
            assert signed_in(user).post(ASKED, {"required": "on"}).status_code == status


class TestAnInsightsPages:
    def test_say_it_before_the_button_is_pressed(self, alice_user: User, row: Insight) -> None:
        client = signed_in(alice_user)
        page = text(client.get(f"/insights/{row.ref}/"))
        assert "Needs another reviewer" in page
        assert "Suggest deprecation" in page
        assert "Suggest edit" in page
        assert Faults(page).found == []
        page = text(client.get(f"/insights/{row.ref}/edit/"))
        assert "Suggest edit – needs another reviewer" in page
        assert Faults(page).found == []

    def test_make_a_suggestion_of_an_edit_and_keep_the_insight(
        self, alice_user: User, dora_user: User, row: Insight
    ) -> None:
        client = signed_in(alice_user)
        sent = form_of(text(client.get(f"/insights/{row.ref}/edit/")), title="Beat, once")
        page = text(client.post(f"/insights/{row.ref}/edit/", sent, follow=True))
        made = EditProposal.objects.get()
        assert (made.changes, Insight.objects.get().title) == ({"title": "Beat, once"}, "Run beat once")
        assert f"Edit of {row.ref} suggested: needs another reviewer." in page
        page = text(client.get(f"/proposals/{made.pk}/"))
        assert "a lead other than alice approves it" in page
        assert "/approve/" not in page
        answer = client.post(f"/proposals/{made.pk}/approve/", {"text": ""})
        assert (answer.status_code, "somebody else approves" in text(answer)) == (409, True)
        dora = signed_in(dora_user)
        page = text(dora.get(f"/proposals/{made.pk}/"))
        assert "Edit and approve" not in page
        assert Faults(page).found == []
        assert dora.get(f"/proposals/{made.pk}/edit/").url == f"/proposals/{made.pk}/"
        dora.post(f"/proposals/{made.pk}/approve/", {"text": ""})
        assert Insight.objects.get().title == "Beat, once"

    def test_make_one_of_each_act(self, alice_user: User, alice: Member, row: Insight) -> None:
        other = make_insights(alice, timezone.now(), {"body": "Start beat with a lock."})[0]
        client = signed_in(alice_user)
        client.post(f"/insights/{row.ref}/deprecate/", {"why": "Old."})
        client.post(f"/insights/{row.ref}/supersede/", {"other": other.ref})
        client.post(f"/insights/{row.ref}/merge/", {"other": other.ref})
        made = EditProposal.objects.order_by("pk")
        assert [one.fields for one in made] == ["deprecate", f"supersede with {other.ref}", f"merge into {other.ref}"]
        row.refresh_from_db()
        assert row.standing == "promoted"
        for one in made:
            page = text(client.get(f"/proposals/{one.pk}/"))
            assert ("replay" in page, Faults(page).found) == (False, [])
            assert client.post(f"/proposals/{one.pk}/replay/").status_code == 409
        client.post("/inbox/undo/", {"action": UndoableAction.objects.order_by("pk").last().pk})  # type: ignore[union-attr]
        made[2].refresh_from_db()
        assert EditProposal.objects.get(act="merge").state == "withdrawn"

    def test_keep_the_row_in_the_list_where_it_was_only_suggested(self, alice_user: User, row: Insight) -> None:
        client = signed_in(alice_user)
        answer = client.post("/inbox/act/", {"verb": "deprecate", "ref": row.ref, "part": "1"}, **HTMX)
        assert answer["X-Rows-Kept"] == row.ref
        page = text(client.get(f"/inbox/plan/?verb=deprecate&ref={row.ref}&back=/insights/"))
        assert "suggested: needs another reviewer" in page

    def test_suggest_what_settles_a_pair(self, alice_user: User, alice: Member, row: Insight) -> None:
        other = make_insights(alice, timezone.now(), {"body": "Never run beat once."})[0]
        pair = settle.report(a=row.ref, b=other.ref, reason="One is wrong.", by=alice, now=timezone.now())
        client = signed_in(alice_user)
        assert f"Suggest keeping {other.ref}" in text(client.get("/contradictions/"))
        answer = client.post(f"/pairs/{pair.pk}/", {"how": "keep", "keep": other.ref, "part": "1"}, **HTMX)
        assert answer["X-Rows-Kept"] == str(pair.pk)
        assert EditProposal.objects.get().act == "supersede"

    def test_suggest_what_a_file_of_the_vault_says(self, alice_user: User, alice: Member, row: Insight) -> None:
        conflict = make_conflict(row, alice, title="Of the file")
        client = signed_in(alice_user)
        page = text(client.post(f"/conflicts/{conflict.pk}/", {"how": "take", "revision": row.revision}, follow=True))
        assert "needs another reviewer" in page
        assert EditProposal.objects.get().changes == {"title": "Of the file"}

    def test_of_many_at_once(self, alice_user: User, row: Insight) -> None:
        client = signed_in(alice_user)
        page = text(client.post("/insights/bulk-edit/", {"ref": row.ref, "add_tags": "beat"}, follow=True))
        assert f"Edit of {row.ref} suggested: needs another reviewer." in page

    def test_name_the_superuser_where_nobody_else_leads(self, alice: Member, dora_user: User, row: Insight) -> None:
        made, _ = propose(ref=row.ref, changes={"title": "New"}, by=alice, now=timezone.now())
        dora = signed_in(dora_user)
        assert "a superuser can approve" not in text(dora.get(f"/proposals/{made.pk}/"))
        Membership.objects.filter(user=dora_user, team__slug="platform").update(level=Level.CONTRIBUTOR)
        assert "a superuser can approve" in text(dora.get(f"/proposals/{made.pk}/"))


class TestByRest:
    def test_refuses_with_a_code_and_takes_the_suggestion(self, alice: Member, row: Insight) -> None:
        client = agent(alice)
        path = f"/api/v1/insights/{row.ref}/"
        answer = client.patch(path, {"title": "x"}, format="json", HTTP_IF_MATCH=str(row.revision))
        assert (answer.status_code, answer.json()["code"]) == (409, "needs_reviewer")
        other = make_insights(alice, timezone.now(), {"body": "Start beat with a lock."})[0]
        for verb, sent in (("deprecate", {}), ("supersede", {"by": other.ref}), ("merge", {"into": other.ref})):
            answer = client.post(f"{path}{verb}/", sent, format="json")
            assert (answer.status_code, answer.json()["code"]) == (409, "needs_reviewer")
        answer = client.post(f"{path}proposals/", {"act": "merge", "other": other.ref}, format="json")
        assert (answer.status_code, answer.json()["act"], answer.json()["other"]) == (201, "merge", other.ref)
        answer = client.post(f"{path}proposals/", {"act": "deprecate", "note": "Old."}, format="json")
        assert (answer.status_code, answer.json()["other"]) == (201, None)

    @pytest.mark.parametrize(
        ("sent", "field"),
        [
            ({"act": "merge"}, "other"),
            ({"act": "merge", "other": "PLAT-99"}, "other"),
            ({"act": "deprecate", "title": "x"}, "title"),
            ({"title": "x", "other": "PLAT-1"}, "other"),
            ({"act": "promote"}, "act"),
        ],
    )
    def test_names_the_field_at_fault(self, sent: dict[str, str], field: str, alice: Member, row: Insight) -> None:
        answer = agent(alice).post(f"/api/v1/insights/{row.ref}/proposals/", sent, format="json")
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])


class TestTheAdmin:
    def test_suggests_an_edit_and_refuses_the_rest(self, client: Client, root: Member, row: Insight) -> None:
        client.force_login(User.objects.get(username="root"))
        page = reverse("admin:knowledge_insight_change", args=[row.pk])
        answer = client.post(page, admin_form(row, title="Mine"), follow=True)
        assert "suggested: needs another reviewer" in text(answer)
        assert EditProposal.objects.get().changes == {"title": "Mine"}
        many = {"action": "deprecate", "_selected_action": [row.pk]}
        answer = client.post(reverse("admin:knowledge_insight_changelist"), many, follow=True)
        assert "second reviewer" in text(answer)
        row.refresh_from_db()
        assert (row.title, row.status) == ("Run beat once", "promoted")
        assert row.ref in text(client.get(reverse("admin:knowledge_editproposal_changelist")))
        assert member_of(user=User.objects.get(username="root")).is_superuser
