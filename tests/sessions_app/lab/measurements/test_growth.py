"""A team knows more after many sessions than after few, and what it is told is still true."""

from datetime import datetime

from accounts.rules.rights import Member
from sessions_app.lab.measurements.growth import growth, tables


class TestGrowth:
    def test_makes_the_team_better_and_keeps_it_true(self, platform: object, root: Member, now: datetime) -> None:
        from_root = [team for team in root.teams if team.slug == "platform"]
        lead = Member(root.user_id, root.username, True, root.home_id, tuple(from_root))
        figures = growth(
            agents=[lead], lead=lead, start=now, seed=7, sessions=50, progress=lambda what, done, total: None
        )
        early, late = figures["looks"][10], figures["looks"][50]
        assert late["reciprocal"] > early["reciprocal"] + 0.2
        assert (early["stale"], late["stale"]) == (0, 0)
        assert late["rows"] < late["deposits"] / 2
        assert figures["deeds"].get("merged into something else", 0) == 0
        assert "A world of 60 facts, seed 7" in tables(figures)[0].markdown
