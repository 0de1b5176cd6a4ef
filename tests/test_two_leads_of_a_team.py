"""Two leads at what a team has set: terms, levels, shared filters. The second is told, and loses nothing they typed."""

import re
from html import unescape

from django.test import Client
from django.utils import timezone

from accounts.actions.guard_terms import allow_term
from accounts.actions.members import set_level
from accounts.models import GuardTerm, Membership, User
from accounts.rules.rights import Level, Member
from knowledge.models import SavedFilter
from knowledge.review.actions.saved_filters import save_filter
from knowledge.review.rules.saved_filters import Listing
from tests.test_two_leads import dora, dora_user, field, text

__all__ = ["dora", "dora_user"]


class TestAGuardTerm:
    def test_that_another_has_allowed_is_shown_before_ones_reason_takes_its_place(
        self, dora: Client, alice: Member
    ) -> None:
        said = {"term": "AKIAIOSFODNN7EXAMPLE", "reason": "Out of the AWS manual."}
        allow_term(team="platform", **said, by=alice, now=timezone.now())
        form = {**said, "reason": "Out of <our> manual."}
        told = text(dora.post("/teams/platform/terms/", form))
        assert "alice has already allowed it" in told
        assert "<del>the" in told and "<ins>" in told
        assert field(told, "reason") == "Out of <our> manual."
        assert GuardTerm.objects.get().reason == "Out of the AWS manual."
        dora.post("/teams/platform/terms/", {**form, "read_at": field(told, "read_at")})
        assert GuardTerm.objects.get().reason == "Out of <our> manual."

    def test_that_another_has_allowed_anew_is_not_withdrawn_unseen(self, dora: Client, alice: Member) -> None:
        said = {"team": "platform", "term": "AKIAIOSFODNN7EXAMPLE"}
        one, _ = allow_term(**said, reason="Once.", by=alice, now=timezone.now())
        page = text(dora.get("/teams/platform/terms/"))
        read_at = next(at for at in re.findall(r'name="read_at" value="([^"]+)"', page))
        allow_term(**said, reason="Still.", by=alice, now=timezone.now())
        told = text(dora.post(f"/teams/platform/terms/{one.pk}/withdraw/", {"read_at": unescape(read_at)}, follow=True))
        assert "another lead has allowed it again" in told
        assert GuardTerm.objects.count() == 1


class TestALevel:
    def test_that_another_has_changed_is_not_changed_unseen(self, dora: Client, alice: Member, bob_user: User) -> None:
        form = {"username": "bob", "level": "1", "was": "2"}
        set_level(team_slug="platform", username="bob", level=Level.LEAD, by=alice, now=timezone.now())
        told = text(dora.post("/teams/platform/", form))
        assert "Not saved: bob is already lead of Platform, by alice." in told
        assert Membership.objects.get(user=bob_user, team__slug="platform").level == Level.LEAD
        assert dora.post("/teams/platform/", {**form, "was": "3"}).status_code == 302

    def test_is_not_lowered_by_adding_who_is_there(self, dora: Client, alice_user: User) -> None:
        told = text(dora.post("/teams/platform/", {"username": "alice", "level": "1"}))
        assert "alice is already lead of Platform" in told
        assert Membership.objects.get(user=alice_user, team__slug="platform").level == Level.LEAD


class TestASavedFilter:
    def test_of_another_lead_is_shown_before_it_is_replaced(self, dora: Client, alice: Member) -> None:
        said = {"listing": Listing.INSIGHTS, "name": "CI", "team": "platform"}
        save_filter(**said, given={"tag": "ci"}, by=alice, now=timezone.now())
        form = {"page": "insights", "query": "tag=flaky&kind=PITFALL", "name": "ci", "team": "platform"}
        answer = dora.post("/filters/", form)
        told = text(answer)
        assert answer.status_code == 412
        assert "alice already has a filter with this name" in told
        assert "<del>ci</del><ins>flaky</ins>" in told
        assert field(told, "query") == form["query"]
        assert SavedFilter.objects.get().wanted == {"tag": "ci"}
        assert dora.post("/filters/", {**form, "read_at": field(told, "read_at")}).status_code == 302
        assert SavedFilter.objects.get().wanted == {"kind": "PITFALL", "tag": "flaky"}
