"""One's last acts, and taking each back."""

from datetime import datetime, timedelta

import pytest

from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from knowledge.models import Insight, UndoableAction
from knowledge.review.actions import bulk
from knowledge.review.actions.recent_actions import (
    KEPT,
    AlreadyUndone,
    recent_actions,
    record_action,
    undo_action,
)
from tests.factories import make_insight


def promoted(by: Member, now: datetime) -> tuple[Insight, UndoableAction]:
    """An insight that was promoted, and the act as it was recorded."""
    row = bulk.act(verb="promote", refs=[make_insight(by).ref], by=by, now=now).rows[0]
    steps = [["revert", row.ref, row.revision]]
    return row, record_action(line=f"{row.ref} promoted.", steps=steps, by=by, now=now)


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
            _, done = undo_action(action_id=None, by=alice, now=now)
            assert [one.ref for one in done.rows] == [row.ref]
        with pytest.raises(NotFound):
            undo_action(action_id=None, by=alice, now=now)

    def test_leaves_what_somebody_changed_since(self, alice: Member, now: datetime) -> None:
        row, act = promoted(alice, now)
        bulk.act(verb="pin", refs=[row.ref], by=alice, now=now)
        _, done = undo_action(action_id=act.pk, by=alice, now=now)
        assert not done.rows and str(done.refused[0][1])
        assert UndoableAction.objects.get(pk=act.pk).undone_at is None

    def test_is_nobody_elses(self, alice: Member, bob: Member, charlie: Member, now: datetime) -> None:
        _, act = promoted(alice, now)
        for other in (bob, charlie):
            assert recent_actions(by=other) == []
            with pytest.raises(NotFound):
                undo_action(action_id=act.pk, by=other, now=now)


class TestTheList:
    def test_keeps_the_last_fifty(self, alice: Member, bob: Member, now: datetime) -> None:
        record_action(line="of Bob", steps=[], by=bob, now=now)
        for number in range(KEPT + 5):
            record_action(line=f"act {number}", steps=[], by=alice, now=now)
        lines = [one.line for one in recent_actions(by=alice)]
        assert (len(lines), lines[0], lines[-1]) == (KEPT, f"act {KEPT + 4}", "act 5")
        assert [one.line for one in recent_actions(by=bob)] == ["of Bob"]
