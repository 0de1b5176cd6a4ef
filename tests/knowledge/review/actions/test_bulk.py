"""One act on many, what it would do before it does it, and taking it back."""

from datetime import timedelta

import pytest

from accounts.models import LogEntry
from accounts.rules.refused import NotAllowed, NotFound, Stale
from accounts.rules.rights import Member
from knowledge.models import Insight, Signal
from knowledge.review.actions import bulk, combine, curate, revert
from knowledge.review.actions.bulk import TooMany, UnknownAct
from knowledge.review.actions.curate import WrongStatus
from tests.conftest import NOW
from tests.factories import make_insights

LATER = NOW + timedelta(days=20)


def three(by: Member) -> list[str]:
    bodies = ("Guard long ALTERs.", "Cache keys name the tenant.", "Beat runs once.")
    return [row.ref for row in make_insights(by, NOW, *({"body": body} for body in bodies))]


class TestAct:
    def test_does_it_to_each_with_one_moment_and_one_reason(self, alice: Member) -> None:
        refs = three(alice)
        done = bulk.act(verb="promote", refs=refs, by=alice, now=LATER, why="They held up.")
        assert [row.status for row in done.rows] == ["promoted"] * 3
        lines = LogEntry.objects.filter(verb="promoted")
        assert {(line.at, line.why) for line in lines} == {(LATER, "They held up. (one of 3 in a bulk action)")}

    def test_passes_over_what_is_refused_and_says_why(self, alice: Member, bob: Member) -> None:
        refs = three(alice)
        curate.promote(ref=refs[0], by=alice, now=NOW)
        done = bulk.act(verb="promote", refs=refs, by=alice, now=LATER)
        assert [row.ref for row in done.rows] == refs[1:]
        assert [(ref, type(refused)) for ref, refused in done.refused] == [(refs[0], WrongStatus)]
        assert bulk.act(verb="deprecate", refs=refs, by=bob, now=LATER).rows == []

    def test_raises_the_refusal_of_a_single_one(self, alice: Member, bob: Member, charlie: Member) -> None:
        ref = three(alice)[0]
        with pytest.raises(NotAllowed):
            bulk.act(verb="promote", refs=[ref], by=bob, now=LATER)
        with pytest.raises(NotFound):
            bulk.act(verb="promote", refs=[ref], by=charlie, now=LATER)

    def test_does_it_once_to_what_is_named_twice(self, alice: Member) -> None:
        ref = three(alice)[0]
        assert len(bulk.act(verb="promote", refs=[ref, ref], by=alice, now=LATER).rows) == 1

    @pytest.mark.parametrize(("verb", "refs"), [("explode", ["PLAT-1"]), ("promote", []), ("__class__", ["PLAT-1"])])
    def test_knows_no_other_acts(self, verb: str, refs: list[str], alice: Member) -> None:
        with pytest.raises(UnknownAct):
            bulk.act(verb=verb, refs=refs, by=alice, now=LATER)

    def test_has_a_bound(self, alice: Member) -> None:
        with pytest.raises(TooMany):
            bulk.act(verb="promote", refs=[f"PLAT-{n}" for n in range(bulk.MOST + 1)], by=alice, now=LATER)

    def test_counts_a_still_helpful_as_a_persons_word(self, alice: Member) -> None:
        ref = three(alice)[0]
        bulk.act(verb="helpful", refs=[ref], by=alice, now=LATER)
        assert Signal.objects.get(insight__ref=ref).human


class TestPlan:
    def test_says_what_would_be_passed_over_and_changes_nothing(self, alice: Member, bob: Member) -> None:
        refs = three(alice)
        curate.promote(ref=refs[1], by=alice, now=NOW)
        planned = bulk.plan(verb="promote", refs=refs, by=alice)
        assert [(one.insight.ref, one.hindrance) for one in planned] == [
            (refs[0], ""),
            (refs[1], "it is promoted"),
            (refs[2], ""),
        ]
        assert {one.hindrance for one in bulk.plan(verb="promote", refs=refs, by=bob)} == {
            "you are not a lead of its team"
        }
        assert Insight.objects.filter(status="promoted").count() == 1

    def test_shows_nothing_of_another_team(self, alice: Member, charlie: Member) -> None:
        with pytest.raises(NotFound):
            bulk.plan(verb="promote", refs=three(alice), by=charlie)


class TestUndo:
    @pytest.mark.parametrize("verb", ["promote", "deprecate", "leave", "pin", "validate"])
    def test_brings_back_what_was(self, verb: str, alice: Member) -> None:
        ref = three(alice)[0]
        before = Insight.objects.values("status", "strength", "strength_at", "pinned", "trust", "reviewed_at")
        was = before.get(ref=ref)
        row = bulk.act(verb=verb, refs=[ref], by=alice, now=LATER).rows[0]
        assert before.get(ref=ref) != was
        bulk.undo(steps=[["revert", ref, row.revision]], by=alice, now=LATER)
        assert before.get(ref=ref) == was
        assert LogEntry.objects.filter(subject=ref, verb="reverted").count() == 1

    def test_is_refused_when_somebody_changed_it_meanwhile(self, alice: Member) -> None:
        ref = three(alice)[0]
        row = bulk.act(verb="promote", refs=[ref], by=alice, now=LATER).rows[0]
        curate.pin(ref=ref, by=alice, now=LATER)
        with pytest.raises(Stale):
            bulk.undo(steps=[["revert", ref, row.revision]], by=alice, now=LATER)

    def test_takes_back_no_edit_of_words(self, alice: Member) -> None:
        ref = three(alice)[0]
        curate.edit(ref=ref, changes={"title": "New"}, revision=1, by=alice, now=LATER)
        with pytest.raises(revert.NothingToRevert):
            revert.revert(ref=ref, revision=2, by=alice, now=LATER)

    def test_parts_what_was_merged(self, alice: Member) -> None:
        one, other, _ = three(alice)
        combine.merge(ref=one, into=other, by=alice, now=LATER)
        bulk.undo(steps=[["reinstate", one]], by=alice, now=LATER)
        kept = Insight.objects.get(ref=other)
        assert (kept.corroboration_count, Insight.objects.get(ref=one).superseded_by) == (1, None)

    def test_brings_back_what_was_forgotten(self, alice: Member) -> None:
        ref = three(alice)[0]
        bulk.act(verb="forget", refs=[ref], by=alice, now=LATER, why="Wrong room.")
        assert not Insight.objects.visible_to(alice).filter(ref=ref).exists()
        bulk.undo(steps=[["restore", ref]], by=alice, now=LATER)
        assert Insight.objects.visible_to(alice).filter(ref=ref).exists()

    def test_is_no_way_around_rights(self, alice: Member, bob: Member) -> None:
        ref = three(alice)[0]
        row = bulk.act(verb="promote", refs=[ref], by=alice, now=LATER).rows[0]
        with pytest.raises(NotAllowed):
            bulk.undo(steps=[["revert", ref, row.revision]], by=bob, now=LATER)
        with pytest.raises(UnknownAct):
            bulk.undo(steps=[["promote", ref]], by=alice, now=LATER)
