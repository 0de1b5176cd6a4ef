"""A contradiction or a duplicate, settled by one text for both: two sides, the result and its preview."""

from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Team, User
from accounts.rules.rights import Member
from knowledge.models import Insight, Pair, UndoableAction
from knowledge.review.actions import curate, settle
from tests.factories import make_insight
from tests.knowledge.test_inbox import text
from tests.knowledge.test_proposals import form_of
from tests.pages import HTMX, signed_in

RETRY = "Retry the order call after a timeout.\n\nMost timeouts are short faults."
ASK = "Ask for the order's status before a retry.\n\nMost timeouts are short faults."


@pytest.fixture
def pair(alice: Member) -> Pair:
    one = make_insight(alice, title="Retry orders", body=RETRY, tags=["http"])
    other = make_insight(alice, title="Ask before a retry", body=ASK, tags=["orders"], reasoning="It ordered twice.")
    return settle.report(a=one.ref, b=other.ref, reason="It ordered twice.", by=alice, now=timezone.now())


def sent(page: str, pair: Pair, **typed: str) -> dict[str, Any]:
    return form_of(page, **{"keep": pair.a.ref, **typed})


class TestMergePair:
    def test_settles_with_the_written_text_and_is_taken_back(self, pair: Pair, alice_user: User) -> None:
        client, address = signed_in(alice_user), f"/pairs/{pair.pk}/merge/"
        assert f'href="{address}"' in text(client.get("/contradictions/"))
        page = text(client.get(address))
        start = form_of(page)["body"].replace("&#x27;", "'")
        assert start == f"{RETRY}\n\nAsk for the order's status before a retry.", "what both say stands there once"
        told = text(client.post(address, sent(page, pair, body="Ask first, then retry.", title="Retries"), follow=True))
        assert "with the text you wrote" in told
        kept, gone = (Insight.objects.whole().get(pk=pk) for pk in (pair.a_id, pair.b_id))
        assert (kept.body, kept.title, kept.tags) == ("Ask first, then retry.", "Retries", ["http", "orders"])
        assert gone.superseded_by_id == kept.pk
        client.post("/inbox/undo/", {"action": UndoableAction.objects.get().pk})
        kept, gone = (Insight.objects.whole().get(pk=pk) for pk in (pair.a_id, pair.b_id))
        assert (kept.body, gone.superseded_by_id) == (RETRY, None)
        pair.refresh_from_db()
        assert pair.state == Pair.State.OPEN

    def test_starts_from_one_side_and_shows_the_text(self, pair: Pair, alice_user: User) -> None:
        client, address = signed_in(alice_user), f"/pairs/{pair.pk}/merge/"
        page = text(client.get(f"{address}?start={pair.b.ref}"))
        assert form_of(page)["title"] == "Ask before a retry"
        part = text(client.post(address, {**sent(page, pair, body="**Ask** first."), "act": "preview"}, **HTMX))
        assert "<strong>Ask</strong>" in part and "<html" not in part
        assert Pair.objects.get().state == Pair.State.OPEN

    def test_changes_nothing_over_another_change(self, pair: Pair, alice: Member, alice_user: User) -> None:
        client, address = signed_in(alice_user), f"/pairs/{pair.pk}/merge/"
        typed = sent(text(client.get(address)), pair, body="Ask first, then retry.")
        revision = Insight.objects.get(pk=pair.b_id).revision
        curate.edit(ref=pair.b.ref, changes={"title": "New"}, revision=revision, by=alice, now=timezone.now())
        told = text(client.post(address, typed))
        assert "has changed since you opened the page" in told and "Ask first, then retry." in told
        assert Pair.objects.get().state == Pair.State.OPEN
        assert text(client.post(address, sent(told, pair), follow=True)).count("with the text you wrote") == 1

    def test_gives_faults_back_and_changes_nothing(self, pair: Pair, alice_user: User) -> None:
        client, address = signed_in(alice_user), f"/pairs/{pair.pk}/merge/"
        page = text(client.get(address))
        secret = sent(page, pair, body="The key is AKIA" + "Z7QF3MXT9WKD2RVB.")
        assert "errorlist" in text(client.post(address, secret))
        assert "Select a valid choice" in text(client.post(address, sent(page, pair, keep="PLAT-99")))
        assert Pair.objects.get().state == Pair.State.OPEN
        assert not Insight.objects.filter(superseded_by__isnull=False).exists()

    def test_is_a_leads(self, pair: Pair, bob_user: User, charlie_user: User) -> None:
        for user, status in ((bob_user, 403), (charlie_user, 404)):
            assert signed_in(user).get(f"/pairs/{pair.pk}/merge/").status_code == status
            assert signed_in(user).post(f"/pairs/{pair.pk}/merge/", {}).status_code == status
        assert "/merge/" not in text(signed_in(bob_user).get("/contradictions/"))

    def test_is_not_offered_where_another_lead_has_to_approve(
        self, pair: Pair, alice: Member, alice_user: User
    ) -> None:
        curate.promote(ref=pair.a.ref, by=alice, now=timezone.now())
        Team.objects.filter(slug="platform").update(second_reviewer=True)
        client, address = signed_in(alice_user), f"/pairs/{pair.pk}/merge/"
        assert address not in text(client.get("/contradictions/"))
        assert client.get(address).status_code == 302
        assert client.post(address, {"keep": pair.a.ref, "title": "x", "body": "y"}).status_code == 302
        assert Pair.objects.get().state == Pair.State.OPEN
