"""What a team has reviewed."""

from datetime import datetime

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.actions.guard_terms import allow_term, reviewed_terms, withdraw_term
from accounts.models import GuardTerm, LogEntry, Team, User
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member, NoSuchTeam
from tests.conftest import agent

TERM = "AKIA" + "Z7QF3MXT9WKD2RVB"
TERMS = "/api/v1/guard-terms/"


class TestAllow:
    def test_keeps_the_term_and_who_vouched_for_it(self, alice: Member, now: datetime) -> None:
        row, new = allow_term(team="platform", term=f" {TERM} ", reason="revoked", by=alice, now=now)
        assert (row.term, row.reason, row.added_by_id, new) == (TERM, "revoked", alice.user_id, True)

    def test_again_is_the_same_term_by_the_last_who_said_so(self, alice: Member, root: Member, now: datetime) -> None:
        allow_term(team="platform", term=TERM, reason="revoked", by=alice, now=now)
        row, new = allow_term(team="platform", term=TERM, reason="an example", by=root, now=now)
        assert (row.reason, row.added_by_id, new) == ("an example", root.user_id, False)

    def test_leaves_a_line_without_the_term(self, alice: Member, now: datetime) -> None:
        allow_term(team="platform", term=TERM, reason=f"revoked {TERM}", by=alice, now=now)
        line = LogEntry.objects.get(verb="term allowed")
        assert line.why == "revoked [SECRET]"
        assert TERM not in f"{line.line} {line.after}"

    def test_is_a_leads_act(self, bob: Member, charlie: Member, platform: Team, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            allow_term(team="platform", term=TERM, reason="so", by=bob, now=now)
        with pytest.raises(NoSuchTeam):
            allow_term(team="platform", term=TERM, reason="so", by=charlie, now=now)


class TestWithdraw:
    def test_takes_it_back(self, alice: Member, now: datetime) -> None:
        row, _ = allow_term(team="platform", term=TERM, reason="so", by=alice, now=now)
        withdraw_term(term_id=row.pk, by=alice, now=now)
        assert not GuardTerm.objects.exists()
        assert LogEntry.objects.get(verb="term withdrawn").actor == "alice"

    def test_is_a_leads_act(self, alice: Member, bob: Member, charlie: Member, now: datetime) -> None:
        row, _ = allow_term(team="platform", term=TERM, reason="so", by=alice, now=now)
        with pytest.raises(NotAllowed):
            withdraw_term(term_id=row.pk, by=bob, now=now)
        with pytest.raises(NotFound):
            withdraw_term(term_id=row.pk, by=charlie, now=now)


class TestTheList:
    def test_is_for_leads(self, alice: Member, bob: Member, charlie: Member, now: datetime) -> None:
        allow_term(team="platform", term=TERM, reason="so", by=alice, now=now)
        assert [list(reviewed_terms(by=who).values_list("term", flat=True)) for who in (alice, bob, charlie)] == [
            [TERM], [], []
        ]  # fmt: skip


class TestTheDoors:
    def test_add_list_and_take_back(self, alices_agent: APIClient) -> None:
        body = {"team": "platform", "term": TERM, "reason": "revoked"}
        first = alices_agent.post(TERMS, body)
        assert (first.status_code, alices_agent.post(TERMS, body).status_code) == (201, 200)
        [listed] = alices_agent.get(TERMS).json()["results"]
        assert (listed["term"], listed["team"], listed["added_by"]) == (TERM, "platform", "alice")
        assert alices_agent.delete(f"{TERMS}{listed['id']}/").status_code == 204
        assert alices_agent.get(TERMS).json()["results"] == []

    def test_need_the_scope_to_curate(self, alice: Member) -> None:
        body = {"team": "platform", "term": TERM, "reason": "revoked"}
        assert agent(alice, scopes=["read", "write"]).post(TERMS, body).status_code == 403

    def test_of_the_admin_leave_their_lines(self, platform: Team, client: Client) -> None:
        client.force_login(User.objects.create_superuser("chief", password="a-long-password-1"))
        fields = {"team": platform.pk, "term": TERM, "reason": "revoked"}
        assert client.post("/admin/accounts/guardterm/add/", fields).status_code == 302
        row = GuardTerm.objects.get()
        client.post(f"/admin/accounts/guardterm/{row.pk}/change/", {"reason": "an example"})
        assert GuardTerm.objects.get().reason == "an example"
        client.post(f"/admin/accounts/guardterm/{row.pk}/delete/", {"post": "yes"})
        assert sorted(LogEntry.objects.values_list("verb", flat=True)) == [
            "term allowed", "term allowed", "term withdrawn"
        ]  # fmt: skip
