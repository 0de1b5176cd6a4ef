"""One's last acts, and taking each back."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from knowledge.models import Insight, UndoableAction
from knowledge.review.actions import bulk, curate
from knowledge.review.actions.recent_actions import (
    KEPT,
    AlreadyUndone,
    recent_actions,
    record_action,
    undo_action,
    undo_refusals,
)
from tests.factories import make_insight


def promoted(by: Member, now: datetime) -> tuple[Insight, UndoableAction]:
    """An insight that was promoted, and the act as it was recorded."""
    row = bulk.act(verb="promote", refs=[make_insight(by).ref], by=by, now=now).rows[0]
    steps = [["revert", row.ref, row.revision]]
    return row, record_action(line=f"{row.ref} promoted.", steps=steps, by=by, now=now)


def done(verb: str, ref: str, by: Member, now: datetime) -> int:
    """Do this to an insight and record it."""
    row = bulk.act(verb=verb, refs=[ref], by=by, now=now).rows[0]
    return int(record_action(line=f"{ref} {verb}.", steps=[["revert", ref, row.revision]], by=by, now=now).pk)


def edited(ref: str, title: str, by: Member, now: datetime) -> None:
    """Edit an insight and record it."""
    revision = Insight.objects.get(ref=ref).revision
    row = curate.edit(ref=ref, changes={"title": title}, revision=revision, by=by, now=now)
    record_action(line=f"{ref} saved.", steps=[["undo edit", ref, row.revision]], by=by, now=now)


class TestUndo:
    def test_takes_an_act_back_days_later(self, alice: Member, now: datetime) -> None:
        row, act = promoted(alice, now)
        undo_action(action_id=act.pk, by=alice, now=now + timedelta(days=3))
        row.refresh_from_db()
        assert row.status == "draft"
        with pytest.raises(AlreadyUndone):
            undo_action(action_id=act.pk, by=alice, now=now + timedelta(days=3))

    def test_takes_the_last_ones_back_one_by_one(self, alice: Member, now: datetime) -> None:
        rows = [promoted(alice, now)[0] for _ in range(2)]
        for row in reversed(rows):
            _, undone, _ = undo_action(action_id=None, by=alice, now=now)
            assert [one.ref for one in undone.rows] == [row.ref]
        with pytest.raises(NotFound):
            undo_action(action_id=None, by=alice, now=now)

    def test_leaves_what_somebody_changed_since(self, alice: Member, now: datetime) -> None:
        row, act = promoted(alice, now)
        bulk.act(verb="pin", refs=[row.ref], by=alice, now=now)
        _, left, _ = undo_action(action_id=act.pk, by=alice, now=now)
        assert not left.rows and str(left.refused[0][1])
        assert UndoableAction.objects.get(pk=act.pk).undone_at is None

    def test_is_nobody_elses(self, alice: Member, bob: Member, charlie: Member, now: datetime) -> None:
        _, act = promoted(alice, now)
        for other in (bob, charlie):
            assert recent_actions(by=other) == []
            with pytest.raises(NotFound):
                undo_action(action_id=act.pk, by=other, now=now)


class TestAfterAnUndo:
    """An undo leaves the row as the act before left it, which can be undone then: acts are a stack."""

    def test_the_acts_before_are_taken_back_one_by_one(self, alice: Member, now: datetime) -> None:
        row = make_insight(alice)
        for minutes, verb in enumerate(["promote", "pin", "deprecate"]):
            done(verb, row.ref, alice, now + timedelta(minutes=minutes))
        seen = []
        for _ in range(3):
            _, _, before = undo_action(action_id=None, by=alice, now=now + timedelta(hours=1))
            row.refresh_from_db()
            seen.append((row.status, row.pinned, before.line if before else ""))
        assert seen == [
            ("promoted", True, f"{row.ref} pin."),
            ("promoted", False, f"{row.ref} promote."),
            ("draft", False, ""),
        ]

    def test_the_edits_before_are_taken_back_one_by_one(self, alice: Member, now: datetime) -> None:
        row = make_insight(alice, title="one")
        for minutes, title in enumerate(["two", "three"]):
            edited(row.ref, title, alice, now + timedelta(minutes=minutes))
        titles = []
        for _ in range(2):
            undo_action(action_id=None, by=alice, now=now + timedelta(hours=1))
            row.refresh_from_db()
            titles.append(row.title)
        assert titles == ["two", "one"]

    def test_an_act_that_was_followed_by_another_again(self, alice: Member, now: datetime) -> None:
        row = make_insight(alice)
        done("promote", row.ref, alice, now)
        for minutes in (1, 2):
            done("pin", row.ref, alice, now + timedelta(minutes=minutes))
            undo_action(action_id=None, by=alice, now=now + timedelta(minutes=minutes, seconds=1))
        undo_action(action_id=None, by=alice, now=now + timedelta(hours=1))
        row.refresh_from_db()
        assert (row.status, row.pinned) == ("draft", False)

    def test_what_somebody_else_did_between_is_kept(self, alice: Member, bob: Member, now: datetime) -> None:
        row = make_insight(alice)
        first = done("promote", row.ref, alice, now)
        edit = {"changes": {"title": "of somebody else"}, "by": alice, "why": ""}
        revision = Insight.objects.get(pk=row.pk).revision
        curate.edit(ref=row.ref, revision=revision, now=now + timedelta(minutes=1), **edit)
        done("pin", row.ref, alice, now + timedelta(minutes=2))
        _, _, before = undo_action(action_id=None, by=alice, now=now + timedelta(minutes=3))
        assert before is None
        _, left, _ = undo_action(action_id=first, by=alice, now=now + timedelta(minutes=4))
        assert not left.rows and left.refused
        row.refresh_from_db()
        assert (row.status, row.title) == ("promoted", "of somebody else")

    def test_what_somebody_else_did_after_the_undo_is_kept(self, alice: Member, now: datetime) -> None:
        row = make_insight(alice)
        first = done("promote", row.ref, alice, now)
        done("pin", row.ref, alice, now + timedelta(minutes=1))
        undo_action(action_id=None, by=alice, now=now + timedelta(minutes=2))
        bulk.act(verb="pin", refs=[row.ref], by=alice, now=now + timedelta(minutes=3))
        _, left, _ = undo_action(action_id=first, by=alice, now=now + timedelta(minutes=4))
        assert not left.rows and left.refused

    def test_of_many_rows_each_is_taken_back(self, alice: Member, now: datetime) -> None:
        refs = [make_insight(alice).ref for _ in range(2)]
        rows = bulk.act(verb="promote", refs=refs, by=alice, now=now).rows
        steps = [["revert", row.ref, row.revision] for row in rows]
        record_action(line="2 insights promoted.", steps=steps, by=alice, now=now)
        done("pin", refs[1], alice, now + timedelta(minutes=1))
        for _ in range(2):
            undo_action(action_id=None, by=alice, now=now + timedelta(hours=1))
        assert {row.status for row in Insight.objects.filter(ref__in=refs)} == {"draft"}


class TestTheList:
    def test_keeps_the_last_fifty(self, alice: Member, bob: Member, now: datetime) -> None:
        record_action(line="of Bob", steps=[], by=bob, now=now)
        for number in range(KEPT + 5):
            record_action(line=f"act {number}", steps=[], by=alice, now=now)
        lines = [one.line for one in recent_actions(by=alice)]
        assert (len(lines), lines[0], lines[-1]) == (KEPT, f"act {KEPT + 4}", "act 5")
        assert [one.line for one in recent_actions(by=bob)] == ["of Bob"]


class TestRefusals:
    def test_name_what_changed_since(self, alice: Member, bob: Member, now: datetime) -> None:
        row, act = promoted(alice, now)
        assert undo_refusals(recent_actions(by=alice), by=alice) == {}
        curate.edit(ref=row.ref, changes={"title": "Another title"}, revision=row.revision, by=alice, now=now)
        assert undo_refusals(recent_actions(by=alice), by=alice) == {act.pk: f"{row.ref} was changed since"}

    def test_send_to_ones_own_later_act_first(self, alice: Member, now: datetime) -> None:
        row, act = promoted(alice, now)
        done("pin", row.ref, alice, now)
        assert undo_refusals(recent_actions(by=alice), by=alice) == {
            act.pk: f"undo your later action on {row.ref} first"
        }
        undo_action(action_id=None, by=alice, now=now)
        assert undo_refusals(recent_actions(by=alice), by=alice) == {}

    def test_take_one_query_for_all_insights(
        self, alice: Member, now: datetime, django_assert_num_queries: Callable[..., Any]
    ) -> None:
        for _ in range(3):
            promoted(alice, now)
        acts = recent_actions(by=alice)
        with django_assert_num_queries(1):
            undo_refusals(acts, by=alice)
