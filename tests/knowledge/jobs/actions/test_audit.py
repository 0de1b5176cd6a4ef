"""Faults are made by hand, past the product: each must be found, and named."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection

from accounts.models import JobRun, LogEntry, Team, User
from accounts.rules.rights import Member
from knowledge import tasks
from knowledge.jobs.actions.audit import audit, audited, last_audit, mend
from knowledge.jobs.rules.integrity import EXPLAINED, Check, Mend
from knowledge.lifecycle.actions import fade
from knowledge.models import Corroboration, FormerRef, Insight, Lexicon, Signal, Term
from knowledge.review.actions import curate
from knowledge.review.actions.combine import merge, supersede, unmerge
from knowledge.review.actions.forget import erase, forget
from knowledge.review.actions.move import move
from knowledge.review.actions.quarantine import release, scan
from knowledge.review.actions.settle import report
from tests.factories import make_cluster, make_insight
from tests.knowledge.library import LESSONS, stock

SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"


@pytest.fixture
def refs(alice: Member, now: datetime) -> dict[str, str]:
    """A team's lessons, one merged into another and one superseded."""
    refs = stock(alice, now)
    merge(ref=refs["cors"], into=refs["pool"], by=alice, now=now)
    supersede(ref=refs["cache"], by_ref=refs["quota"], by=alice, now=now)
    return refs


def found(now: datetime) -> dict[Check, tuple[str, ...]]:
    return {fault.check: fault.where for fault in audit(now=now)}


class TestASoundStore:
    def test_has_no_fault(self, refs: dict[str, str], now: datetime) -> None:
        assert found(now) == {}

    def test_has_none_after_all_that_can_be_done_to_an_insight(
        self, refs: dict[str, str], alice: Member, bob: Member, root: Member, now: datetime
    ) -> None:
        said = Corroboration.objects.get()
        unmerge(ref=refs["pool"], corroboration=said.pk, by=alice, now=now)
        merge(ref=refs["cors"], into=refs["pool"], by=alice, now=now)
        move(ref=refs["pool"], team="everyone", by=alice, now=now)
        report(a=refs["locks"], b=refs["beat"], reason="so", by=alice, now=now)
        forget(ref=refs["locks"], why="so", by=alice, now=now)
        erase(ref=refs["locks"], by=root, now=now)
        forget(ref=refs["quota"], why="so", by=alice, now=now)
        curate.restore(ref=refs["quota"], by=alice, now=now)
        leaky = make_insight(bob, now=now, body=LESSONS["rebase"] + " Always.", team="platform")
        curate.edit(ref=leaky.ref, changes={"title": "Push"}, revision=1, by=bob, now=now)
        Corroboration.objects.update(body=f"with {SECRET}")
        scan(now=now)
        assert Check.UNLOGGED not in found(now)
        release(ref=Insight.objects.all().quarantined().get().ref, by=root, now=now)
        Insight.objects.filter(ref=refs["beat"]).update(strength=0.1, fades_at=now, status="deprecated")
        fade.fade(now=now)
        assert found(now) == {}

    def test_is_left_as_it_is(self, refs: dict[str, str], now: datetime) -> None:
        before = list(Insight.objects.order_by("pk").values_list("pk", "revision", "updated_at"))
        audit(now=now)
        assert list(Insight.objects.order_by("pk").values_list("pk", "revision", "updated_at")) == before


def execute(statement: str, *values: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


# Each fault: how it comes about, and where it is to be found.
FAULTS: list[tuple[Check, Callable[[dict[str, str]], object], str]] = [
    (Check.NUMBERS, lambda refs: _delete(refs["beat"]), "beat"),
    (Check.BEYOND, lambda refs: Team.objects.filter(slug="platform").update(last_number=2), "platform"),
    (Check.VANISHED, lambda refs: _delete(refs["beat"]), "beat"),
    (Check.EMPTY, lambda refs: _change(refs["beat"], body=""), "beat"),
    (Check.UNLOGGED, lambda refs: _change(refs["beat"], superseded_by=Insight.objects.get(ref=refs["locks"])), "beat"),
    (Check.UNLOGGED, lambda refs: _change(refs["beat"], status="archived"), "beat"),
    (Check.UNLOGGED, lambda refs: _change(refs["beat"], quarantined_at=_moment()), "beat"),
    (Check.UNLOGGED, lambda refs: LogEntry.objects.filter(verb="superseded").delete(), "cache"),
    (Check.CIRCLE, lambda refs: _circle(refs["cache"], refs["quota"]), "cache"),
    (Check.VECTORS, lambda refs: _change(refs["beat"], embedded_by="another@1"), "beat"),
    (Check.WAITING, lambda refs: _change(refs["beat"], embedding=None, embedded_by=""), "beat"),
    (Check.CORROBORATIONS, lambda refs: Corroboration.objects.all().delete(), "pool"),
    (Check.CORROBORATIONS, lambda refs: _change(refs["beat"], corroboration_count=3), "beat"),
    (Check.UNNOTICED, lambda refs: _help_unheard(refs["beat"]), "beat"),
    (Check.LOST, lambda refs: Corroboration.objects.all().delete(), "pool"),
    (Check.STATISTICS, lambda refs: Lexicon.objects.update(documents=3), "platform"),
    (Check.STATISTICS, lambda refs: Lexicon.objects.update(length=30), "platform"),
    (Check.TERMS, lambda refs: Term.objects.filter(term="celeri").update(documents=9), "platform"),
    (Check.TERMS, lambda refs: Term.objects.filter(term="celeri").delete(), "platform"),
    (Check.WORDS, lambda refs: _change(refs["beat"], lexemes=None), "beat"),
    (Check.WORDS, lambda refs: _change(refs["beat"], bm25_recipe="old"), "beat"),
    (Check.WORDS, lambda refs: _change(refs["beat"], body="Much longer than it was. " * 9), "beat"),
    (Check.LEFT, lambda refs: _change(refs["rebase"], forgotten_at=_moment()), "rebase"),
    (Check.CONTRADICTED, lambda refs: _change(refs["beat"], trust="contradicted"), "beat"),
]


def _change(ref: str, **fields: object) -> None:
    Insight.objects.filter(ref=ref).update(**fields)


def _help_unheard(ref: str) -> None:
    """As a process of the version before does, which does not know the column."""
    reader = User.objects.create_user("reader")
    Signal.objects.create(insight=Insight.objects.get(ref=ref), kind="helpful", at=_moment(), user=reader)


def _delete(ref: str) -> None:
    Insight.objects.filter(ref=ref).delete()


def _circle(one: str, other: str) -> None:
    Insight.objects.filter(ref=other).update(superseded_by=Insight.objects.get(ref=one))


def _moment() -> datetime:
    return datetime.fromisoformat("2026-11-21T12:00:00+00:00")


class TestAFault:
    @pytest.mark.parametrize(("check", "make", "where"), FAULTS, ids=[f"{f[0]}-{n}" for n, f in enumerate(FAULTS)])
    def test_is_found_and_named(
        self, refs: dict[str, str], now: datetime, check: Check, make: Callable[[dict[str, str]], object], where: str
    ) -> None:
        make(refs)
        assert refs.get(where, where) in found(now + timedelta(hours=2))[check]

    def test_of_an_index_is_found(self, refs: dict[str, str], now: datetime) -> None:
        execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'insight_near'::regclass")
        assert found(now)[Check.INDEX] == ("insight_near",)

    def test_that_needs_no_decision_is_mended(self, refs: dict[str, str], now: datetime) -> None:
        later = now + timedelta(hours=2)
        for check, make, _ in FAULTS:
            if EXPLAINED[check].mend and check is not Check.CORROBORATIONS:
                make(refs)
        faults = audit(now=later)
        assert {fault.explained.mend for fault in faults} >= set(Mend) - {Mend.RECOUNT_CORROBORATIONS}
        mend(faults=faults, now=later)
        left = found(later)
        assert not [check for check in left if EXPLAINED[check].mend]

    def test_of_the_count_is_mended_with_a_line(self, refs: dict[str, str], now: datetime) -> None:
        _change(refs["beat"], corroboration_count=3)
        mend(faults=audit(now=now), now=now)
        assert Insight.objects.get(ref=refs["beat"]).corroboration_count == 1
        assert LogEntry.objects.get(verb="mended").line == f"{refs['beat']} recounted: 1 corroborations, not 3"

    def test_that_needs_one_is_left_to_people(self, refs: dict[str, str], now: datetime) -> None:
        _delete(refs["beat"])
        before = found(now)
        mend(faults=audit(now=now), now=now)
        assert found(now)[Check.VANISHED] == before[Check.VANISHED]

    def test_names_at_most_ten_places(self, alice: Member, now: datetime) -> None:
        for n in range(12):
            make_insight(alice, now=now, body=f"Rule {n}: {LESSONS['beat']} {n * 7}", repo=f"acme/{n}")
        Insight.objects.update(trust="contradicted")
        [fault] = [fault for fault in audit(now=now) if fault.check is Check.CONTRADICTED]
        assert (fault.count, len(fault.where)) == (12, 10)
        assert "and 2 more" in str(fault)

    def test_is_explained(self) -> None:
        assert set(EXPLAINED) == set(Check)


class TestTheRun:
    def test_is_recorded_with_what_was_found(self, refs: dict[str, str], now: datetime) -> None:
        assert last_audit().at is None
        _change(refs["beat"], trust="contradicted")
        run, faults = audited(clock=lambda: now)
        assert (run.name, run.outcome, run.counts) == (
            "knowledge.audit", "done", {"faults": 1, "contradicted_by_nothing": 1}
        )  # fmt: skip
        last = last_audit()
        assert (last.at, last.faults, last.lines) == (now, 1, (str(faults[0]),))
        assert refs["beat"] in last.lines[0]

    def test_is_recorded_when_it_runs_as_a_task(self, db: None) -> None:
        tasks.audit()
        assert JobRun.objects.get().counts == {"faults": 0}

    def test_counts_what_was_moved_as_there(self, alice: Member, now: datetime) -> None:
        ref = make_insight(alice, now=now, team="platform").ref
        move(ref=ref, team="everyone", by=alice, now=now)
        assert found(now) == {}
        FormerRef.objects.all().delete()
        assert found(now)[Check.NUMBERS] == (ref,)


def test_a_cluster_that_became_an_insight_is_nothing_that_vanished(alice: Member, now: datetime) -> None:
    """Its line in the log names the cluster: one click of it, and no backup was without faults."""
    cluster = make_cluster(alice.named("platform").id)
    cluster.note("deposited", "C1 deposited as PLAT-1", by=alice, at=now, after={"insight": make_insight(alice).ref})
    assert [fault for fault in audit(now=now) if fault.check is Check.VANISHED] == []
