"""Pairs a person must look at."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.models import LogEntry, Team
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member
from knowledge.models import Insight, Pair
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from knowledge.review.actions.combine import supersede
from knowledge.review.actions.settle import HowSettled, NotAPair, Settled, dismiss, reopen, report, resolve
from knowledge.review.actions.triage import counts, waiting_pairs
from knowledge.review.rules.triage import Tab
from knowledge.rules.vocabulary import Status, Trust
from tests.conftest import member_of, person
from tests.database import changed, contents
from tests.factories import as_agent, make_insight
from tests.knowledge.library import LESSONS

SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"
ONE, OTHER, THIRD = "PLAT-1", "PLAT-2", "PLAT-3"


@pytest.fixture(autouse=True)
def rows(alice: Member, bob: Member, now: datetime) -> None:
    make_insight(bob, now=now, body=LESSONS["beat"])
    make_insight(alice, now=now, body="Let celery beat run on every node; jobs are locked and fire once all the same.")
    make_insight(alice, now=now, body=LESSONS["locks"])


@pytest.fixture
def pair(bob: Member, now: datetime) -> Pair:
    return report(a=OTHER, b=ONE, reason="once or everywhere?", by=bob, now=now)


def trust() -> dict[str, str]:
    return dict(Insight.objects.values_list("ref", "trust"))


def trusted(by: Member, now: datetime, ref: str) -> float:
    """How far an answer trusts an insight."""
    found = retrieve(ask=Ask("celery beat", trim=False, limit=50), by=by, now=now)
    whole = next(hit.score for hit in found.hits if hit.insight.ref == ref)
    return next(part.value for part in whole.parts if part.name == "trust")


class TestTheSameTwo:
    """One pair may be asked about twice: nobody knew what the two were, then somebody reported a contradiction."""

    @pytest.fixture
    def unsure(self, bob: Member, now: datetime) -> Pair:
        one, other = Insight.objects.get(ref=ONE), Insight.objects.get(ref=OTHER)
        return Pair.between(one, other, question=Pair.Question.DUPLICATE, by=bob, at=now)

    def test_are_in_one_queue(self, unsure: Pair, alice: Member, bob: Member, now: datetime) -> None:
        assert list(waiting_pairs(Tab.DUPLICATES, by=alice, now=now)) == [unsure]
        reported = report(a=OTHER, b=ONE, reason="once or everywhere?", by=bob, now=now)
        assert list(waiting_pairs(Tab.DUPLICATES, by=alice, now=now)) == []
        assert list(waiting_pairs(Tab.CONTRADICTIONS, by=alice, now=now)) == [reported]
        assert counts(by=alice, now=now)[Tab.DUPLICATES] == 0
        dismiss(pair_id=reported.pk, by=alice, now=now)
        assert list(waiting_pairs(Tab.DUPLICATES, by=alice, now=now)) == [unsure]

    def test_are_settled_at_once_where_both_hold(self, unsure: Pair, pair: Pair, alice: Member, now: datetime) -> None:
        resolve(pair_id=pair.pk, scope="the second where jobs take a lock", by=alice, now=now)
        unsure.refresh_from_db()
        assert (unsure.state, unsure.scope) == (Pair.State.RESOLVED, "the second where jobs take a lock")
        assert list(waiting_pairs(Tab.DUPLICATES, by=alice, now=now)) == []


class TestReport:
    def test_is_one_pair_however_often(self, pair: Pair, alice: Member, bob: Member, now: datetime) -> None:
        before = contents()
        assert report(a=ONE, b=OTHER, reason="again", by=alice, now=now) == pair
        assert report(a=OTHER, b=ONE, reason="again", by=bob, now=now) == pair
        assert changed(before) == []
        assert (pair.a.ref, pair.b.ref, pair.state, pair.raised_by) == (ONE, OTHER, "open", "bob")

    def test_marks_both_and_nothing_else(self, pair: Pair) -> None:
        assert trust() == {ONE: Trust.CONTRADICTED, OTHER: Trust.CONTRADICTED, THIRD: Trust.UNKNOWN}
        lines = LogEntry.objects.filter(verb="contradicted").order_by("pk")
        assert [line.line for line in lines] == ["PLAT-1 contradicted by PLAT-2", "PLAT-2 contradicted by PLAT-1"]
        assert {line.why for line in lines} == {"once or everywhere?"}

    def test_costs_neither_its_rank(self, alice: Member, bob: Member, now: datetime) -> None:
        """Anybody may report; which of the two is wrong is not known before it is settled."""
        before = [trusted(bob, now, ref) for ref in (ONE, OTHER, THIRD)]
        report(a=ONE, b=OTHER, reason="both cannot be", by=bob, now=now)
        assert [trusted(bob, now, ref) for ref in (ONE, OTHER, THIRD)] == before

    def test_of_a_settled_one_opens_nothing(self, pair: Pair, alice: Member, bob: Member, now: datetime) -> None:
        dismiss(pair_id=pair.pk, by=alice, now=now)
        assert report(a=ONE, b=OTHER, reason="still", by=bob, now=now).state == Pair.State.DISMISSED
        assert set(trust().values()) == {Trust.UNKNOWN}

    def test_masks_a_secret_in_its_reason(self, bob: Member, now: datetime) -> None:
        reason = report(a=ONE, b=OTHER, reason=f"It is {SECRET}\u200b here.", by=bob, now=now).reason
        assert reason == "It is [SECRET] here."
        assert SECRET not in str(contents())

    @pytest.mark.parametrize(("a", "b", "fault"), [(ONE, ONE, "b"), ("PLAT-9", ONE, "a"), (ONE, "nonsense", "b")])
    def test_of_no_two_is_refused(self, bob: Member, now: datetime, a: str, b: str, fault: str) -> None:
        with pytest.raises(NotAPair) as refused:
            report(a=a, b=b, reason="so", by=bob, now=now)
        assert list(refused.value.errors) == [fault]

    def test_across_teams_is_refused(self, charlie: Member, root: Member, bob: Member, now: datetime) -> None:
        make_insight(charlie, body=LESSONS["cors"])
        for by in (root, bob, charlie):
            with pytest.raises(NotAPair):
                report(a=ONE, b="MOB-1", reason="so", by=by, now=now)
        assert not Pair.objects.exists()

    def test_by_an_agent_of_what_has_nothing_in_common_is_refused_unless_it_is_a_leads(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        far = make_insight(bob, now=now, body="Pelicans eat fish near the harbour.").ref
        with pytest.raises(NotAPair) as refused:
            report(a=ONE, b=far, reason="I say so", by=as_agent(bob), now=now)
        assert list(refused.value.errors) == ["b"]
        assert set(trust().values()) == {Trust.UNKNOWN}
        assert report(a=ONE, b=OTHER, reason="these two are", by=as_agent(bob), now=now).is_open
        assert report(a=ONE, b=far, reason="a lead knows", by=as_agent(alice), now=now).is_open

    def test_is_not_for_readers(self, platform: Team, now: datetime) -> None:
        reader = member_of(user=person("rita", platform, Level.READER))
        with pytest.raises(NotAllowed):
            report(a=ONE, b=OTHER, reason="so", by=reader, now=now)


class TestResolve:
    def test_puts_the_kept_one_in_the_confirmed_ones_place(self, pair: Pair, alice: Member, now: datetime) -> None:
        curate.promote(ref=ONE, by=alice, now=now)
        resolve(pair_id=pair.pk, keep=OTHER, by=alice, now=now)
        assert Insight.objects.get(ref=OTHER).status == Status.PROMOTED
        reopen(pair_id=pair.pk, by=alice, now=now)
        assert Insight.objects.get(ref=OTHER).status == Status.DRAFT

    def test_by_keeping_one_lets_the_other_give_way(
        self, pair: Pair, alice: Member, bob: Member, now: datetime
    ) -> None:
        done = resolve(pair_id=pair.pk, keep=OTHER, by=alice, now=now)
        assert (done.state, done.resolution, done.settled_by_id) == ("resolved", "kept PLAT-2", alice.user_id)
        gone = Insight.objects.get(ref=ONE)
        assert gone.superseded_by and gone.superseded_by.ref == OTHER
        found = retrieve(ask=Ask("celery beat", trim=False, limit=50), by=bob, now=now)
        assert ONE not in [hit.insight.ref for hit in found.hits]
        assert set(trust().values()) == {Trust.UNKNOWN}
        assert LogEntry.objects.filter(verb="resolved").count() == 2

    def test_by_scope_lets_both_stand(self, pair: Pair, alice: Member, now: datetime) -> None:
        done = resolve(pair_id=pair.pk, scope="the second where jobs take a lock", by=alice, now=now)
        assert (done.state, done.scope) == ("resolved", "the second where jobs take a lock")
        assert not Insight.objects.filter(superseded_by__isnull=False).exists()
        assert set(trust().values()) == {Trust.UNKNOWN}

    def test_leaves_marked_what_something_else_speaks_against(
        self, pair: Pair, alice: Member, bob: Member, now: datetime
    ) -> None:
        report(a=ONE, b=THIRD, reason="this too", by=bob, now=now)
        resolve(pair_id=pair.pk, scope="each in its place", by=alice, now=now)
        assert trust() == {ONE: Trust.CONTRADICTED, OTHER: Trust.UNKNOWN, THIRD: Trust.CONTRADICTED}

    @pytest.mark.parametrize("how", [{}, {"keep": ONE, "scope": "here"}, {"keep": THIRD}, {"keep": "nonsense"}])
    def test_says_how_to_settle(self, pair: Pair, alice: Member, now: datetime, how: dict[str, str]) -> None:
        before = contents()
        with pytest.raises(HowSettled) as refused:
            resolve(pair_id=pair.pk, by=alice, now=now, **how)
        assert list(refused.value.errors) == ["keep"]
        assert changed(before) == []

    def test_never_makes_a_circle(self, pair: Pair, alice: Member, now: datetime) -> None:
        """A lead has let the one to keep give way to the other while the pair was open: that settled it."""
        supersede(ref=ONE, by_ref=OTHER, by=alice, now=now)
        for keep in (ONE, OTHER):
            with pytest.raises(Settled):
                resolve(pair_id=pair.pk, keep=keep, by=alice, now=now)
        pair.refresh_from_db()
        assert (pair.state, pair.resolution, pair.settled_by_lead) == ("resolved", f"kept {OTHER}", True)


class TestReopen:
    def confirmed(self) -> datetime | None:
        return Insight.objects.get(ref=ONE).confirmed_at

    @pytest.mark.parametrize("merging", [False, True])
    def test_takes_back_what_keeping_one_confirmed(
        self, merging: bool, pair: Pair, alice: Member, now: datetime
    ) -> None:
        """Or an answer would tell of a confirmation that the lead has undone."""
        resolve(pair_id=pair.pk, keep=ONE, merging=merging, by=alice, now=now)
        assert self.confirmed() == now
        reopen(pair_id=pair.pk, by=alice, now=now + timedelta(minutes=1))
        assert self.confirmed() is None
        assert trust() == {ONE: Trust.CONTRADICTED, OTHER: Trust.CONTRADICTED, THIRD: Trust.UNKNOWN}

    def test_leaves_what_was_confirmed_before_and_since(self, pair: Pair, alice: Member, now: datetime) -> None:
        yesterday, later = now - timedelta(days=1), now + timedelta(minutes=1)
        Insight.objects.get(ref=ONE).confirm(by=alice, at=yesterday)
        resolve(pair_id=pair.pk, keep=ONE, by=alice, now=now)
        reopen(pair_id=pair.pk, by=alice, now=later)
        assert self.confirmed() == yesterday
        resolve(pair_id=pair.pk, keep=ONE, by=alice, now=later)
        Insight.objects.get(ref=ONE).confirm(by=alice, at=later + timedelta(minutes=1))
        reopen(pair_id=pair.pk, by=alice, now=later + timedelta(minutes=2))
        assert self.confirmed() == later + timedelta(minutes=1)


class TestDismiss:
    def test_leaves_both_as_they_were(self, pair: Pair, alice: Member, now: datetime) -> None:
        done = dismiss(pair_id=pair.pk, by=alice, now=now, why=f"no conflict {SECRET}")
        assert (done.state, done.resolution) == ("dismissed", "no conflict [SECRET]")
        assert set(trust().values()) == {Trust.UNKNOWN}
        assert not Insight.objects.filter(superseded_by__isnull=False).exists()


WAYS: list[Callable[..., Any]] = [
    lambda **who: resolve(keep=ONE, **who),
    lambda **who: resolve(scope="here", **who),
    lambda **who: dismiss(**who),
]


class TestSettling:
    @pytest.mark.parametrize("second", WAYS)
    @pytest.mark.parametrize("first", WAYS)
    def test_is_done_once(
        self, pair: Pair, alice: Member, now: datetime, first: Callable[..., Any], second: Callable[..., Any]
    ) -> None:
        first(pair_id=pair.pk, by=alice, now=now)
        before = contents()
        with pytest.raises(Settled) as refused:
            second(pair_id=pair.pk, by=alice, now=now)
        assert refused.value.status == 409
        assert changed(before) == []

    @pytest.mark.parametrize("way", WAYS)
    def test_is_for_leads(
        self, pair: Pair, bob: Member, charlie: Member, now: datetime, way: Callable[..., Any]
    ) -> None:
        before = contents()
        with pytest.raises(NotAllowed):
            way(pair_id=pair.pk, by=bob, now=now)
        with pytest.raises(NotFound):
            way(pair_id=pair.pk, by=charlie, now=now)
        with pytest.raises(NotFound):
            way(pair_id=pair.pk + 1, by=bob, now=now)
        assert changed(before) == []
