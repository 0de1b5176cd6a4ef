"""Snooze and assign: what leaves the queues, until when, for whom, and back."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.actions.members import member_of
from accounts.models import LogEntry, Membership, User
from accounts.rules.refused import NotAllowed, NotFound, Stale
from accounts.rules.rights import Level, Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import InboxState, Insight, Pair
from knowledge.review.actions import bulk, inbox_state, settle, triage
from knowledge.review.actions.move import move
from knowledge.review.rules.triage import Tab
from tests.factories import as_agent, make_insight

DAY = timedelta(days=1)


def shown(tab: Tab, by: Member, now: datetime) -> list[str]:
    return [row.ref for row in triage.waiting(tab, by=by, now=now)]


def snooze(by: Member, now: datetime, *items: str, **over: Any) -> inbox_state.StatesChanged:
    asked: dict[str, Any] = {"until": now + DAY} | over
    return inbox_state.snooze(items=items, **asked, by=by, now=now)


@pytest.fixture
def draft(alice: Member, bob: Member, now: datetime) -> Insight:
    row = make_insight(alice)
    rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=as_agent(bob), now=now)
    return row


@pytest.fixture
def pair(alice: Member, now: datetime) -> Pair:
    a = make_insight(alice, body="Always run the guard before a long ALTER.")
    b = make_insight(alice, body="Never run the guard before a long ALTER.")
    return settle.report(a=a.ref, b=b.ref, reason="One is wrong.", by=alice, now=now)


class TestSnooze:
    def test_takes_it_out_of_its_queue_and_the_counts_until_the_date(
        self, alice: Member, draft: Insight, now: datetime
    ) -> None:
        assert triage.counts(by=alice, now=now)[Tab.NEW] == 1
        snooze(alice, now, draft.ref)
        counts = triage.counts(by=alice, now=now)
        assert (counts[Tab.NEW], counts[Tab.SNOOZED]) == (0, 1)
        assert (shown(Tab.NEW, alice, now), shown(Tab.SNOOZED, alice, now)) == ([], [draft.ref])
        later = now + DAY
        assert (shown(Tab.NEW, alice, later), shown(Tab.SNOOZED, alice, later)) == ([draft.ref], [])
        assert triage.counts(by=alice, now=later)[Tab.SNOOZED] == 0

    def test_holds_for_every_lead_of_the_team_and_changes_nothing_else(
        self, alice: Member, bob_user: User, draft: Insight, now: datetime
    ) -> None:
        Membership.objects.filter(user=bob_user, team__slug="platform").update(level=Level.LEAD)
        before = Insight.objects.filter(pk=draft.pk).values().get()
        snooze(alice, now, draft.ref)
        assert Insight.objects.filter(pk=draft.pk).values().get() == before
        assert shown(Tab.NEW, member_of(user=bob_user), now) == []

    def test_ends_when_it_is_used(self, alice: Member, bob: Member, draft: Insight, now: datetime) -> None:
        snooze(alice, now, draft.ref, until=None, until_used=True)
        later = now + 400 * DAY
        assert shown(Tab.NEW, alice, later) == []
        rate(refs=[draft.ref], verdict=SignalKind.HELPFUL, by=as_agent(bob, "another"), now=later)
        assert shown(Tab.NEW, alice, later) == [draft.ref]

    def test_of_a_pair_ends_when_either_side_is_used(
        self, alice: Member, bob: Member, pair: Pair, now: datetime
    ) -> None:
        snooze(alice, now, f"pair:{pair.pk}", until=None, until_used=True)
        assert triage.counts(by=alice, now=now)[Tab.CONTRADICTIONS] == 0
        assert [row.pk for row in triage.snoozed_pairs(by=alice, now=now)] == [pair.pk]
        rate(refs=[pair.b.ref], verdict=SignalKind.HELPFUL, by=as_agent(bob), now=now + DAY)
        assert triage.counts(by=alice, now=now + DAY)[Tab.CONTRADICTIONS] == 1

    def test_is_in_the_history_of_each_side(self, alice: Member, draft: Insight, pair: Pair, now: datetime) -> None:
        snooze(alice, now, draft.ref, f"pair:{pair.pk}")
        for ref in (draft.ref, pair.a.ref, pair.b.ref):
            assert LogEntry.objects.filter(subject=ref, verb="snoozed", actor="alice").count() == 1

    def test_needs_a_lead_and_tells_a_stranger_nothing(
        self, alice: Member, bob: Member, charlie: Member, draft: Insight, pair: Pair, now: datetime
    ) -> None:
        for item in (draft.ref, f"pair:{pair.pk}"):
            with pytest.raises(NotAllowed):
                snooze(bob, now, item)
            for by, name in ((charlie, item), (alice, "PLAT-999"), (alice, "pair:x"), (alice, f"pair:{2**70}")):
                with pytest.raises(NotFound):
                    snooze(by, now, name)
        assert not InboxState.objects.exists()

    def test_takes_a_date_to_come_alone(self, alice: Member, draft: Insight, now: datetime) -> None:
        for over in ({"until": now}, {"until": None}, {"until_used": True}):
            with pytest.raises(inbox_state.BadSnooze) as refused:
                snooze(alice, now, draft.ref, **over)
            assert list(refused.value.errors) == ["until"]
        with pytest.raises(inbox_state.NoItems):
            snooze(alice, now)

    def test_of_several_passes_over_what_is_refused(self, alice: Member, draft: Insight, now: datetime) -> None:
        done = snooze(alice, now, draft.ref, "PLAT-999")
        assert (list(done.items), [item for item, _ in done.refused]) == ([draft.ref], ["PLAT-999"])

    def test_ends_with_a_move_to_another_team(self, alice: Member, draft: Insight, pair: Pair, now: datetime) -> None:
        snooze(alice, now, draft.ref)
        snooze(alice, now, f"pair:{pair.pk}")
        move(ref=draft.ref, team="personal", by=alice, now=now)
        move(ref=pair.a.ref, team="personal", by=alice, now=now)
        assert not InboxState.objects.exists()


class TestUnsnooze:
    def test_brings_it_back(self, alice: Member, draft: Insight, now: datetime) -> None:
        snooze(alice, now, draft.ref)
        done = inbox_state.unsnooze(items=[draft.ref], by=alice, now=now)
        assert shown(Tab.NEW, alice, now) == [draft.ref]
        bulk.undo(steps=done.steps, by=alice, now=now)
        assert shown(Tab.NEW, alice, now) == []

    def test_of_what_is_not_snoozed_does_nothing(self, alice: Member, draft: Insight, now: datetime) -> None:
        assert inbox_state.unsnooze(items=[draft.ref], by=alice, now=now).steps == []
        assert not LogEntry.objects.filter(verb="unsnoozed").exists()


class TestAssign:
    def test_gives_it_to_somebody_who_leads_the_team(
        self, alice: Member, bob_user: User, draft: Insight, pair: Pair, now: datetime
    ) -> None:
        items = [draft.ref, f"pair:{pair.pk}"]
        sent: dict[str, Any] = {"by": alice, "now": now}
        with pytest.raises(inbox_state.NotACurator) as refused:
            inbox_state.assign(items=items[:1], assignee="bob", **sent)
        assert refused.value.errors == {"assignee": ["bob does not lead the team of this item."]}
        assert inbox_state.curators([alice.teams[0].id], by=alice) == {}
        Membership.objects.filter(user=bob_user, team__slug="platform").update(level=Level.LEAD)
        found = inbox_state.curators([row.id for row in alice.teams], by=alice)
        assert [names for names in found.values() if names] == [["bob"]]
        inbox_state.assign(items=items, assignee="bob", **sent)
        mine = triage.waiting(Tab.NEW, by=alice, now=now)
        assert [row.ref for row in mine.assigned_to(bob_user.pk)] == [draft.ref]
        assert [row.ref for row in mine.assigned_to(None)] == []
        pairs = triage.waiting_pairs(Tab.CONTRADICTIONS, by=alice, now=now)
        assert [row.pk for row in pairs.assigned_to(bob_user.pk)] == [pair.pk]
        assert LogEntry.objects.filter(line=f"{draft.ref} assigned to bob").exists()

    def test_to_oneself_and_to_nobody(self, alice: Member, draft: Insight, now: datetime) -> None:
        inbox_state.assign(items=[draft.ref], assignee="me", by=alice, now=now)
        assert InboxState.objects.get().assignee_id == alice.user_id
        assert inbox_state.assign(items=[draft.ref], assignee="alice", by=alice, now=now).steps == []
        inbox_state.assign(items=[draft.ref], assignee="", by=alice, now=now)
        assert InboxState.objects.get().assignee_id is None


class TestUndo:
    def test_puts_a_snooze_and_an_assignment_back(self, alice: Member, draft: Insight, now: datetime) -> None:
        given = inbox_state.assign(items=[draft.ref], assignee="me", by=alice, now=now)
        put_off = snooze(alice, now, draft.ref)
        assert [row.ref for row in bulk.undo(steps=put_off.steps, by=alice, now=now).rows] == [draft.ref]
        assert shown(Tab.NEW, alice, now) == [draft.ref]
        bulk.undo(steps=given.steps, by=alice, now=now)
        assert InboxState.objects.get().assignee_id is None

    def test_is_refused_when_it_was_snoozed_again_since(self, alice: Member, draft: Insight, now: datetime) -> None:
        first = snooze(alice, now, draft.ref)
        snooze(alice, now, draft.ref, until=now + 3 * DAY)
        with pytest.raises(Stale):
            bulk.undo(steps=first.steps, by=alice, now=now)
        assert shown(Tab.NEW, alice, now + 2 * DAY) == []
