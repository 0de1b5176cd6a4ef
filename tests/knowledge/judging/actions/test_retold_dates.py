"""Words that are said again make no note newer than one that is known to tell it otherwise since."""

from datetime import datetime, timedelta

import pytest

from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import Deposited, deposit
from knowledge.models import Insight, Pair
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate, settle
from knowledge.rules.vocabulary import Kind
from tests.factories import as_agent, make_draft, make_insight

DAY = timedelta(days=1)
OLD = "The nightly export to the tax office runs at 01:00 from the host tax-1."
NEW = "The nightly export to the tax office moved to 04:30 and runs in the Kubernetes job tax-export."


def confirmed(body: str, by: Member, lead: Member, at: datetime) -> Insight:
    row = make_insight(as_agent(by), now=at, body=body, kind=Kind.CONTEXT, source_date=at)
    return curate.promote(ref=row.ref, by=lead, now=at)


def retell(body: str, by: Member, at: datetime) -> Deposited:
    return deposit(draft=make_draft(body=body, kind=Kind.CONTEXT), by=as_agent(by), now=at)


def fresh(row: Insight) -> Insight:
    return Insight.objects.get(pk=row.pk)


@pytest.fixture
def old(alice: Member, now: datetime) -> Insight:
    return confirmed(OLD, alice, alice, now - 60 * DAY)


@pytest.fixture
def new(old: Insight, alice: Member, now: datetime) -> Insight:
    """Its newer telling, and nobody has said what the two are to each other."""
    row = confirmed(NEW, alice, alice, now - 10 * DAY)
    Pair.between(old, row, question=Pair.Question.DUPLICATE, by=alice, at=now - 10 * DAY)
    return row


def first(by: Member, at: datetime) -> str:
    return retrieve(ask=Ask("when does the nightly export to the tax office run"), by=by, now=at).hits[0].insight.ref


class TestTheOlderSideOfAnOpenPair:
    def test_is_no_newer_for_being_said_again(self, old: Insight, new: Insight, bob: Member, now: datetime) -> None:
        assert retell(OLD, bob, now).insight == old
        assert fresh(old).learned_at == now - 60 * DAY
        assert first(bob, now) == new.ref

    def test_is_corroborated_all_the_same(self, old: Insight, new: Insight, bob: Member, now: datetime) -> None:
        retell(OLD, bob, now)
        assert (fresh(old).corroboration_count, fresh(old).people) == (2, 2)
        assert Pair.objects.get().is_open

    def test_is_newer_once_the_pair_is_settled(
        self, old: Insight, new: Insight, alice: Member, bob: Member, now: datetime
    ) -> None:
        settle.dismiss(pair_id=Pair.objects.get().pk, by=alice, now=now, why="two exports")
        retell(OLD, bob, now)
        assert fresh(old).learned_at == now

    def test_keeps_its_place_whatever_became_of_a_rejected_one(
        self, old: Insight, alice: Member, bob: Member, now: datetime
    ) -> None:
        """A proposal that a lead has rejected is as outdated as before when it is said again."""
        late = make_insight(as_agent(bob), now=now - 5 * DAY, body=NEW, kind=Kind.CONTEXT, source_date=now - 5 * DAY)
        pair = Pair.between(
            old, late, question="supersession", relation="supersedes", successor_side="b", by=bob, at=now
        )
        settle.dismiss(pair_id=pair.pk, by=alice, now=now, why="no")
        assert retell(NEW, bob, now + DAY).insight == late
        assert fresh(late).learned_at == now - 5 * DAY


def test_the_newer_side_is_newer_for_being_said_again(old: Insight, new: Insight, bob: Member, now: datetime) -> None:
    retell(NEW, bob, now)
    assert (fresh(new).learned_at, fresh(old).learned_at) == (now, now - 60 * DAY)


def test_what_is_no_side_of_a_pair_is_newer_for_being_said_again(old: Insight, bob: Member, now: datetime) -> None:
    retell(OLD, bob, now)
    assert fresh(old).learned_at == now
