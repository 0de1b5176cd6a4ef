"""What doctor and /readyz say of a cell: whose tokens it has, and whether a move was left half done."""

from datetime import datetime, timedelta
from typing import Any

from accounts.actions.moving import mark_moved, resume_writes, stop_writes
from accounts.actions.tokens import issue_token
from accounts.rules.rights import SYSTEM, Member, Scope
from config.monitoring.readiness import SystemPart, parts


def cell(now: datetime) -> SystemPart | None:
    return next((part for part in parts(now=now) if part.name == "cell"), None)


def issue(by: Member, now: datetime) -> None:
    issue_token(name="laptop", scopes=[Scope.READ], by=by, now=now)


class TestTheCell:
    def test_is_said_where_there_is_one(self, alice: Member, now: datetime, settings: Any) -> None:
        assert cell(now) is None
        issue(alice, now)
        settings.LOAM_CELL = "eu1"
        issue(alice, now)
        found = cell(now)
        assert found
        assert found.ok
        assert found.said == "this is eu1; 1 tokens name none: the router's default must be this cell"

    def test_whose_database_has_tokens_of_another_is_wrong(self, alice: Member, now: datetime, settings: Any) -> None:
        settings.LOAM_CELL = "us1"
        issue(alice, now)
        settings.LOAM_CELL = "eu1"
        found = cell(now)
        assert found
        assert not found.ok
        assert "1 of us1" in found.said

    def test_with_a_team_that_was_left_stopped_is_wrong(self, alice: Member, now: datetime) -> None:
        stop_writes(slug="platform", by=SYSTEM, now=now)
        soon, late = now + timedelta(minutes=4), now + timedelta(hours=3)
        found = [cell(soon), cell(late)]
        assert [one and one.ok for one in found] == [True, False]
        assert found[0] and found[1]
        assert found[0].said == "no name (LOAM_CELL); platform takes no writes now"
        assert found[1].said == "platform has taken no writes for 3 hours"
        mark_moved(slug="platform", address="https://eu1.loam.example.org", by=SYSTEM, now=now)
        after = cell(late)
        assert after
        assert after.ok
        resume_writes(slug="platform", by=SYSTEM, now=now)
        assert cell(late) is None
