"""What nobody confirms falls, one status at a time, by the clock alone."""

from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps

from accounts.actions.jobs import Work
from accounts.models import LogEntry
from accounts.rules.rights import Member
from knowledge.lifecycle.actions.fade import fade
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from knowledge.review.actions.combine import supersede
from knowledge.rules.vocabulary import Kind, Stability, Status
from tests.database import changed, contents
from tests.factories import as_agent, make_insight
from tests.knowledge.library import LESSONS, stock

# A draft's 50 falls below 10 within the 33rd day (14 · log2 5), from there below 1 within the 24th (7 · log2 10).
FALLS, GONE = timedelta(days=33), timedelta(days=57)
YEARS = timedelta(days=3_650)


def statuses() -> dict[str, str]:
    return dict(Insight.objects.order_by("number").values_list("ref", "status"))


@pytest.fixture
def beat(bob: Member, now: datetime) -> Insight:
    return make_insight(bob, now=now, body=LESSONS["beat"])


class TestADraft:
    def test_is_deprecated_when_its_time_has_come_and_not_before(self, beat: Insight, now: datetime) -> None:
        assert beat.fades_at and now + timedelta(days=32) < beat.fades_at < now + FALLS
        assert fade(now=beat.fades_at - timedelta(seconds=2)) == Work()
        assert statuses() == {"PLAT-1": Status.DRAFT}
        assert fade(now=beat.fades_at) == Work({"deprecated": 1})
        assert statuses() == {"PLAT-1": Status.DEPRECATED}

    def test_leaves_a_line_that_says_why(self, beat: Insight, now: datetime) -> None:
        fade(now=now + FALLS)
        line = LogEntry.objects.get(verb="deprecated")
        assert (line.line, line.actor, line.user_id) == ("PLAT-1 deprecated", "loam", None)
        assert line.why == "strength fell to 9.8"

    def test_is_archived_in_its_time_and_can_be_restored(self, beat: Insight, alice: Member, now: datetime) -> None:
        fade(now=now + FALLS)
        assert fade(now=now + GONE - timedelta(days=2)) == Work()
        assert fade(now=now + GONE) == Work({"archived": 1})
        assert Insight.objects.get().fades_at is None
        assert retrieve(ask=Ask("celery beat"), by=alice, now=now + GONE).hits == []
        curate.restore(ref="PLAT-1", by=alice, now=now + GONE)
        assert fade(now=now + GONE) == Work()
        assert [hit.insight.ref for hit in retrieve(ask=Ask("celery beat"), by=alice, now=now + GONE).hits] == [
            "PLAT-1"
        ]

    def test_falls_one_step_a_night_however_long_none_was_made(self, beat: Insight, now: datetime) -> None:
        assert fade(now=now + YEARS) == Work({"deprecated": 1})
        assert fade(now=now + YEARS) == Work({"archived": 1})
        assert fade(now=now + YEARS) == Work()


class TestADecision:
    @pytest.fixture
    def decision(self, bob: Member, now: datetime) -> Insight:
        words = {"title": "One beat", "reasoning": "Two of them fire every job twice, and nobody notices for a day."}
        return make_insight(bob, now=now, kind=Kind.DECISION, body=LESSONS["beat"], **words)

    @pytest.mark.parametrize("promoted", [False, True])
    def test_does_not_fade_as_a_draft_or_promoted(
        self, decision: Insight, alice: Member, now: datetime, promoted: bool
    ) -> None:
        if promoted:
            curate.promote(ref="PLAT-1", by=alice, now=now)
        row = Insight.objects.get()
        assert (row.fades_at, row.effective_strength(now + YEARS)) == (None, 50)
        assert fade(now=now + YEARS) == Work()

    def test_ranks_by_the_strength_it_was_left_with(self, decision: Insight, bob: Member, now: datetime) -> None:
        (hit,) = retrieve(ask=Ask("celery beat"), by=bob, now=now + YEARS).hits
        assert next(part.value for part in hit.score.terms if part.name == "strength") == 0.5

    def test_that_is_voted_down_is_left_to_a_lead(self, decision: Insight, alice: Member, now: datetime) -> None:
        for by in (alice, as_agent(alice)):
            rate(refs=["PLAT-1"], verdict=SignalKind.UNHELPFUL, by=by, now=now)
        Insight.objects.update(strength=5)
        assert fade(now=now + YEARS) == Work()
        curate.deprecate(ref="PLAT-1", by=alice, now=now)
        assert fade(now=now + YEARS) == Work({"archived": 1})

    def test_that_gave_way_is_left_as_it_is(self, decision: Insight, alice: Member, now: datetime) -> None:
        make_insight(alice, now=now, body=LESSONS["locks"])
        supersede(ref="PLAT-1", by_ref="PLAT-2", by=alice, now=now)
        assert fade(now=now + YEARS) == Work({"deprecated": 1})
        assert statuses() == {"PLAT-1": Status.DRAFT, "PLAT-2": Status.DEPRECATED}

    def test_stored_before_it_held_has_no_moment_after_the_migration(
        self, decision: Insight, beat: Insight, alice: Member, now: datetime
    ) -> None:
        curate.deprecate(
            ref=make_insight(alice, now=now, kind=Kind.DECISION, reasoning="Why not?").ref, by=alice, now=now
        )
        Insight.objects.update(fades_at=now)
        import_module("knowledge.migrations.0025_decisions_do_not_fade").clear(apps, None)
        assert dict(Insight.objects.values_list("ref", "fades_at")) == {"PLAT-1": None, "PLAT-2": now, "PLAT-3": now}

    def test_that_is_one_no_more_fades_from_what_is_left(self, decision: Insight, alice: Member, now: datetime) -> None:
        edited = curate.edit(ref="PLAT-1", changes={"kind": "PITFALL"}, revision=1, by=alice, now=now + YEARS)
        assert (edited.strength, edited.strength_at) == (50, now + YEARS)
        assert edited.fades_at and edited.fades_at > now + YEARS + timedelta(days=32)

    def test_that_was_none_before_holds_what_is_left(self, beat: Insight, alice: Member, now: datetime) -> None:
        changes = {"kind": "DECISION", "reasoning": "Two of them fire every job twice."}
        later = now + timedelta(days=14)
        row = curate.edit(ref="PLAT-1", changes=changes, revision=1, by=alice, now=later)
        assert (row.fades_at, row.effective_strength(now + YEARS)) == (None, pytest.approx(25))


class TestTheSweep:
    def test_twice_changes_nothing_more(self, alice: Member, now: datetime) -> None:
        stock(alice, now)
        assert fade(now=now + FALLS) == Work({"deprecated": len(LESSONS)})
        before = contents()
        assert fade(now=now + FALLS) == Work()
        assert changed(before) == []

    @pytest.mark.parametrize("kept", [{"stability": Stability.EVERGREEN}, {"pinned": True}])
    def test_never_takes_what_is_evergreen_or_pinned_and_promoted(
        self, beat: Insight, alice: Member, now: datetime, kept: dict[str, Any]
    ) -> None:
        if "pinned" in kept:
            curate.pin(ref="PLAT-1", by=alice, now=now)
        else:
            curate.edit(ref="PLAT-1", changes=kept, revision=1, by=alice, now=now)
        curate.promote(ref="PLAT-1", by=alice, now=now)
        assert Insight.objects.get().fades_at is None
        assert fade(now=now + YEARS) == Work()
        assert statuses() == {"PLAT-1": Status.PROMOTED}

    def test_takes_it_once_it_is_unpinned(self, beat: Insight, alice: Member, now: datetime) -> None:
        curate.promote(ref="PLAT-1", by=alice, now=now)
        curate.pin(ref="PLAT-1", by=alice, now=now)
        curate.unpin(ref="PLAT-1", by=alice, now=now)
        assert fade(now=now + YEARS, force=["platform"]) == Work({"deprecated": 1})

    def test_leaves_the_superseded_alone(self, alice: Member, now: datetime) -> None:
        refs = stock(alice, now)
        supersede(ref=refs["beat"], by_ref=refs["locks"], by=alice, now=now)
        fade(now=now + FALLS)
        assert statuses()[refs["beat"]] == Status.DRAFT


class TestTheBudget:
    @pytest.fixture
    def refs(self, alice: Member, now: datetime) -> list[str]:
        """Five of the platform's are promoted, the others are drafts."""
        refs = list(stock(alice, now).values())
        for ref in refs[:5]:
            curate.promote(ref=ref, by=alice, now=now)
        return refs

    def weak(self, refs: list[str], now: datetime) -> None:
        Insight.objects.filter(ref__in=refs).update(strength=5, fades_at=now)

    def test_lets_three_of_the_promoted_fall(self, refs: list[str], now: datetime) -> None:
        self.weak(refs[:3], now)
        assert fade(now=now) == Work({"deprecated": 3})

    def test_sweeps_a_team_of_two_promoted(self, alice: Member, now: datetime) -> None:
        refs = list(stock(alice, now).values())[:2]
        for ref in refs:
            curate.promote(ref=ref, by=alice, now=now)
        self.weak(refs, now)
        assert fade(now=now) == Work({"deprecated": 2})

    def test_stops_at_more_and_says_so(self, refs: list[str], now: datetime) -> None:
        self.weak([*refs[:4], refs[6]], now)
        before = contents()
        done = fade(now=now)
        assert (done.counts, changed(before)) == ({}, [])
        assert done.stopped == (
            "platform: 4 of 5 promoted would be deprecated. Review them, then run: manage.py sweep fade --force TEAM"
        )

    def test_is_each_teams_own(self, refs: list[str], charlie: Member, now: datetime) -> None:
        make_insight(charlie, now=now, body=LESSONS["cors"])
        self.weak([*refs[:4], "MOB-1"], now)
        done = fade(now=now)
        assert done.counts == {"deprecated": 1} and "platform" in done.stopped and "mobile" not in done.stopped
        assert Insight.objects.get(ref="MOB-1").status == Status.DEPRECATED

    def test_yields_to_force_for_the_team_that_is_named(self, refs: list[str], now: datetime) -> None:
        self.weak(refs[:4], now)
        assert fade(now=now, force=["mobile"]).stopped
        assert fade(now=now, force=["platform"]) == Work({"deprecated": 4})
