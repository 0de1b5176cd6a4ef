"""A team knows more after many sessions than after few, and what it is told is still true."""

from datetime import datetime

import pytest

from accounts.rules.rights import Member
from sessions_app.lab.measurements.growth import growth, tables


class TestGrowth:
    # The longer it goes on, the more is said that is known already. Measured: .56 of what is deposited is new at 25.
    @pytest.mark.parametrize(("sessions", "new"), [(25, 0.6), pytest.param(50, 0.5, marks=pytest.mark.slow_trial)])
    def test_makes_the_team_better_and_keeps_it_true(
        self, platform: object, root: Member, now: datetime, sessions: int, new: float
    ) -> None:
        from_root = [team for team in root.teams if team.slug == "platform"]
        lead = Member(root.user_id, root.username, True, root.home_id, tuple(from_root))
        figures = growth(
            agents=[lead], lead=lead, start=now, seed=7, sessions=sessions, progress=lambda what, done, total: None
        )
        early, late = figures["looks"][10], figures["looks"][sessions]
        assert late["reciprocal"] > early["reciprocal"] + 0.2
        assert (early["stale"], late["stale"]) == (0, 0)
        assert late["rows"] < late["deposits"] * new
        assert figures["deeds"].get("merged into something else", 0) == 0
        assert "A world of 60 facts, seed 7" in tables(figures)[0].markdown
