"""When a link into a team is one no longer."""

from datetime import UTC, datetime, timedelta
from typing import Any

from accounts.rules.guard.detection import find_secrets
from accounts.rules.invitations import InvitationState, digest_of, new_secret, state_of
from tests.cases import cases

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
OPEN: dict[str, Any] = {
    "now": NOW,
    "expires_at": NOW + timedelta(seconds=1),
    "revoked_at": None,
    "uses": 1,
    "max_uses": 2,
}


class TestState:
    @cases(
        ("over", "state"),
        [
            ({}, InvitationState.OPEN),
            ({"expires_at": NOW}, InvitationState.EXPIRED),
            ({"expires_at": NOW - timedelta(days=1)}, InvitationState.EXPIRED),
            ({"uses": 2}, InvitationState.USED_UP),
            ({"uses": 3}, InvitationState.USED_UP),
            ({"uses": 0}, InvitationState.OPEN),
            ({"revoked_at": NOW}, InvitationState.REVOKED),
            ({"revoked_at": NOW, "uses": 2, "expires_at": NOW}, InvitationState.REVOKED),
        ],
    )
    def test_is_the_first_that_is_so(self, over: dict[str, Any], state: InvitationState) -> None:
        assert state_of(**{**OPEN, **over}) is state


class TestSecret:
    def test_is_another_each_time_and_known_to_the_guard(self) -> None:
        one, other = new_secret(), new_secret()
        assert one != other
        assert [found.pattern for found in find_secrets(f"join with {one}")] == ["Loam token"]

    def test_is_kept_as_its_digest_whatever_was_sent(self) -> None:
        assert len({digest_of(text) for text in ("", "a", "\x00", "\ud800", "x" * 100_000)}) == 5
