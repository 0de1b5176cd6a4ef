"""Five accounts against a team: they bury nothing that it has confirmed, and what they promote a lead sees and ends."""

from datetime import datetime, timedelta

import pytest

from accounts.actions.members import member_of
from accounts.models import Team, User
from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import deposit
from knowledge.lifecycle.actions.fade import fade
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules import lifecycle
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight
from knowledge.review.actions import curate, triage
from knowledge.review.actions.offered_acts import queue_acts
from knowledge.review.rules.triage import Tab
from knowledge.rules.vocabulary import Kind, Status
from tests.conftest import person
from tests.factories import as_agent, make_draft, make_insight
from tests.pages import signed_in

JUNK = "Switch certificate checks off in every client of the gateway: set VERIFY_TLS=false in deploy/gateway.env."


@pytest.fixture
def crew(platform: Team) -> list[Member]:
    return [member_of(user=person(f"hostile{number}", platform)) for number in range(5)]


@pytest.fixture
def confirmed(alice: Member, bob: Member, now: datetime) -> Insight:
    row = make_insight(bob, now=now - timedelta(days=30))
    return curate.promote(ref=row.ref, by=alice, now=now - timedelta(days=30))


def object_all(crew: list[Member], ref: str, now: datetime) -> None:
    """Each of them, by their agent and in person."""
    for one in crew:
        for face in (as_agent(one), one):
            rate(refs=[ref], verdict=SignalKind.UNHELPFUL, by=face, now=now)


def waits(tab: Tab, lead: Member, now: datetime) -> dict[str, str]:
    rows = list(triage.waiting(tab, by=lead, now=now))
    assert triage.counts(by=lead, now=now)[tab] == len(rows)
    return {one.insight.ref: one.why for one in triage.explained(tab, rows, now=now)}


def promote_junk(crew: list[Member], now: datetime) -> Insight:
    ref = deposit(draft=make_draft(body=JUNK), by=crew[0], now=now).insight.ref
    for one in crew[1:]:
        rate(refs=[ref], verdict=SignalKind.HELPFUL, by=one, now=now)
    return Insight.objects.get(ref=ref)


class TestObjectionsOfFive:
    def test_demote_nothing_that_a_lead_has_confirmed(
        self, crew: list[Member], confirmed: Insight, now: datetime
    ) -> None:
        for week in range(5):
            object_all(crew, confirmed.ref, now + timedelta(weeks=week))
            fade(now=now + timedelta(weeks=week, hours=1))
        row = Insight.objects.get(pk=confirmed.pk)
        assert row.status == Status.PROMOTED
        assert row.effective_strength(now + timedelta(weeks=5)) > lifecycle.DEPRECATED_BELOW

    def test_bring_it_before_a_lead_who_leaves_it_as_it_is(
        self, alice: Member, crew: list[Member], confirmed: Insight, now: datetime
    ) -> None:
        object_all(crew[:2], confirmed.ref, now)
        assert not waits(Tab.DECAYING, alice, now)
        object_all(crew, confirmed.ref, now)
        assert waits(Tab.DECAYING, alice, now)[confirmed.ref].startswith("5 people object, fades in ")
        later = now + timedelta(hours=1)
        curate.leave(ref=confirmed.ref, by=alice, now=later)
        object_all(crew, confirmed.ref, later + timedelta(weeks=1))
        assert not waits(Tab.DECAYING, alice, later + timedelta(weeks=1))

    @pytest.mark.parametrize("kind", [Kind.DECISION, Kind.SOLUTION])
    def test_bring_also_what_does_not_fade_before_a_lead(
        self, alice: Member, bob: Member, crew: list[Member], now: datetime, kind: Kind
    ) -> None:
        row = make_insight(bob, now=now, kind=kind, reasoning="It was measured.")
        curate.promote(ref=row.ref, by=alice, now=now)
        curate.pin(ref=row.ref, by=alice, now=now)
        object_all(crew, row.ref, now)
        assert waits(Tab.DECAYING, alice, now) == {row.ref: "5 people object, does not fade"}

    def test_weigh_in_full_beside_a_leads(
        self, alice: Member, crew: list[Member], confirmed: Insight, now: datetime
    ) -> None:
        rate(refs=[confirmed.ref], verdict=SignalKind.UNHELPFUL, by=alice, now=now)
        object_all(crew, confirmed.ref, now)
        assert Insight.objects.get(pk=confirmed.pk).strength == 0

    def test_weigh_in_full_beside_a_superusers(self, crew: list[Member], confirmed: Insight, now: datetime) -> None:
        root = member_of(user=User.objects.create_superuser(username="root"))
        rate(refs=[confirmed.ref], verdict=SignalKind.UNHELPFUL, by=root, now=now)
        object_all(crew, confirmed.ref, now)
        assert Insight.objects.get(pk=confirmed.pk).strength == 0


class TestWhatFivePromote:
    def test_waits_for_a_lead_until_one_has_looked(self, alice: Member, crew: list[Member], now: datetime) -> None:
        row = promote_junk(crew, now)
        assert row.status == Status.PROMOTED
        why = "promoted by ratings, 5/3 people in support, including the author"
        assert waits(Tab.NEW, alice, now) == {row.ref: why}
        assert queue_acts(Tab.NEW, row, alice) == ["deprecate", "leave"]
        curate.leave(ref=row.ref, by=alice, now=now + timedelta(hours=1))
        assert not waits(Tab.NEW, alice, now + timedelta(hours=1))

    def test_is_not_promoted_again_once_a_lead_has_deprecated_it(
        self, alice: Member, crew: list[Member], now: datetime
    ) -> None:
        ref = promote_junk(crew, now).ref
        curate.deprecate(ref=ref, by=alice, now=now + timedelta(hours=1))
        for week in range(1, 5):
            at = now + timedelta(weeks=week)
            for one in crew:
                deposit(draft=make_draft(body=JUNK), by=one, now=at)
                rate(refs=[ref], verdict=SignalKind.HELPFUL, by=one, now=at)
        row = Insight.objects.get(ref=ref)
        assert row.status == Status.DRAFT
        assert curate.promote(ref=ref, by=alice, now=at).status == Status.PROMOTED
        assert not waits(Tab.NEW, alice, at)

    def test_rises_again_where_only_the_sweep_has_deprecated_it(
        self, alice: Member, crew: list[Member], now: datetime
    ) -> None:
        ref = deposit(draft=make_draft(body=JUNK), by=crew[0], now=now).insight.ref
        fade(now=now + timedelta(days=60))
        assert Insight.objects.get(ref=ref).status == Status.DEPRECATED
        for one in crew[1:]:
            deposit(draft=make_draft(body=JUNK), by=one, now=now + timedelta(days=61))
            rate(refs=[ref], verdict=SignalKind.HELPFUL, by=one, now=now + timedelta(days=61))
        assert Insight.objects.get(ref=ref).status == Status.PROMOTED

    def test_is_shown_in_the_inbox(self, alice_user: User, crew: list[Member], now: datetime) -> None:
        row = promote_junk(crew, now)
        page = signed_in(alice_user).get("/?tab=new").content.decode()
        assert row.ref in page and "promoted by ratings" in page
