"""The page of contributors' standing, and a lead who restores it."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import LogEntry, User
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member
from knowledge.lifecycle.actions.standing import contributors, restore_standing
from knowledge.models import ContributorStanding, Insight, Pair
from knowledge.review.actions import curate
from knowledge.review.actions.settle import resolve
from tests.factories import as_agent, make_insight
from tests.pages import Faults, signed_in

PAGE, RESTORE = "/standing/", "/standing/restore/"
BOB = {"team": "platform", "username": "bob"}


@pytest.fixture
def note(alice: Member, bob: Member) -> Insight:
    """Three of Bob's proposals were rejected, each by another way that the inbox offers; this is his next one."""
    now = timezone.now() - timedelta(days=2)
    for number, how in enumerate(("keep", "keep", "dismiss", "open")):
        old = make_insight(alice, now=now, body=f"Shard {number} of the queue is drained by hand on Mondays.")
        curate.promote(ref=old.ref, by=alice, now=now)
        new = make_insight(as_agent(bob), now=now + timedelta(days=1), body=f"Nobody drains shard {number} at all.")
        Pair.objects.create(
            a=old, b=new, question="supersession", relation="supersedes", successor_side="b", raised_by="bob (agent)",
            raised_by_user_id=bob.user_id, stated_by_user_id=bob.user_id, raised_at=now,
        )  # fmt: skip
        pair = Pair.objects.get(a=old)
        if how == "keep":
            resolve(pair_id=pair.pk, by=alice, now=now, keep=old.ref)
        elif how == "dismiss":
            curate_dismiss(pair, alice)
    return new


def curate_dismiss(pair: Pair, lead: Member) -> None:
    answer = signed_in(User.objects.get(pk=lead.user_id)).post(f"/pairs/{pair.pk}/", {"how": "dismiss"})
    assert answer.status_code == 302
    assert Pair.objects.get(pk=pair.pk).state == "dismissed"


class TestThePage:
    def test_says_whose_notes_do_not_lead_and_why(self, note: Insight, alice_user: User) -> None:
        html = signed_in(alice_user).get(PAGE).content.decode()
        assert "ranked behind" in html
        assert "3 rejected, 0 accepted, 1 open" in html
        assert "Restore standing" in html
        assert Faults(html).found == []

    def test_of_an_insight_says_so_too(self, note: Insight, bob_user: User) -> None:
        html = signed_in(bob_user).get(reverse("knowledge:insight", args=[note.ref])).content.decode()
        assert "3 proposals of bob were rejected in the last 90 days, 0 accepted" in html

    def test_offers_a_contributor_no_restoring(self, note: Insight, bob_user: User) -> None:
        html = signed_in(bob_user).get(PAGE).content.decode()
        assert "3 rejected" in html
        assert "Restore standing" not in html

    def test_shows_nobody_of_another_team(self, note: Insight, charlie_user: User) -> None:
        assert "bob" not in signed_in(charlie_user).get(PAGE).content.decode()

    def test_is_empty_where_nothing_was_settled(self, alice_user: User) -> None:
        assert "No proposals were decided" in signed_in(alice_user).get(PAGE).content.decode()


class TestRestoring:
    def test_counts_nothing_of_before_and_is_undone(self, note: Insight, alice_user: User, alice: Member) -> None:
        client = signed_in(alice_user)
        assert client.post(RESTORE, {**BOB, "how": "restore"}).status_code == 302
        (one,) = contributors(by=alice, now=timezone.now())
        assert (one.record.rejected, one.record.trusted) == (0, True)
        assert LogEntry.objects.get(verb="standing restored").line == "Standing of bob restored"
        assert "Undo restore" in client.get(PAGE).content.decode()
        client.post(RESTORE, {**BOB, "how": "withdraw"})
        (one,) = contributors(by=alice, now=timezone.now())
        assert (one.record.rejected, one.record.trusted) == (3, False)

    def test_is_a_leads_act(self, note: Insight, bob: Member, bob_user: User) -> None:
        with pytest.raises(NotAllowed):
            restore_standing(**BOB, by=bob, now=timezone.now())
        assert signed_in(bob_user).post(RESTORE, {**BOB, "how": "restore"}).status_code == 403
        assert not ContributorStanding.objects.exists()

    def test_knows_nobody_of_another_team(self, note: Insight, alice: Member, charlie: Member) -> None:
        with pytest.raises(NotFound):
            restore_standing(team="platform", username="charlie", by=alice, now=timezone.now())

    def test_says_what_is_missing(self, alice_user: User) -> None:
        html = signed_in(alice_user).post(RESTORE, {"how": "restore"}, follow=True).content.decode()
        assert "Nothing changed: choose a team and a contributor." in html


class TestMerging:
    def test_is_no_rejection(self, alice: Member, bob: Member) -> None:
        """A lead merges what says the same: its author was right."""
        now = timezone.now()
        for number in range(3):
            old = make_insight(alice, now=now, body=f"Shard {number} of the queue is drained by hand on Mondays.")
            curate.promote(ref=old.ref, by=alice, now=now)
            new = make_insight(as_agent(bob), now=now, body=f"On Mondays somebody has to drain queue shard {number}.")
            pair, _ = Pair.objects.get_or_create(
                a=old, b=new, question="duplicate",
                defaults={"raised_by": "bob (agent)", "raised_by_user_id": bob.user_id, "raised_at": now},
            )  # fmt: skip
            resolve(pair_id=pair.pk, by=alice, now=now, keep=old.ref, merging=True)
        assert [one.record.rejected for one in contributors(by=alice, now=now)] == [0]
