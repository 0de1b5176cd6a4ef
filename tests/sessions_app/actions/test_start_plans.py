"""What a start is pointed to is read from indexes made for it, not found among all there is."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from accounts.models import Team
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.querysets import ORIENTING
from sessions_app.models import AgentSession, Handoff
from tests.sessions_app.sitting import REPO, sit, stop

# A planner that has few rows reads them all; from some ten thousand it cannot.
MANY = 12_000


@pytest.fixture
def many(platform: Team, now: datetime) -> Team:
    rows = [
        Insight(
            team=platform, number=n, ref=f"PLAT-{n}", kind="DECISION" if n % 3 else "PITFALL", title=f"Lesson {n}",
            body="So it is.", reasoning="It was agreed.", repo=("acme/web", "", "acme/api")[n % 3], pinned=n % 50 == 0,
            trust="stale" if n % 4 == 0 else "unknown", strength_at=now, updated_at=now,
            created_at=now - timedelta(minutes=n % 5_000),
        )
        for n in range(1, MANY)
    ]  # fmt: skip
    Insight.objects.bulk_create(rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE knowledge_insight")
    return platform


def plan(statement: str, parameters: Any) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {statement}", parameters)
        return "\n".join(line for (line,) in cursor.fetchall())


class TestPlans:
    def test_of_what_is_pointed_to_use_the_index_of_each_part(self, many: Team, now: datetime) -> None:
        seen = plan(ORIENTING, [[many.pk], ["", "acme/web"], 3, now - timedelta(days=7), 3, 3])
        assert all(f"insight_{name}" in seen for name in ("pinned", "decided", "stale")), seen
        assert "Seq Scan" not in seen

    def test_find_the_newest_three_of_each(self, many: Team, now: datetime) -> None:
        rows = Insight.objects.all().orienting([many.pk], "acme/web", now - timedelta(days=7), 3)
        wanted = Insight.objects.filter(repo="acme/web", kind="DECISION").order_by("-created_at", "-pk")[:3]
        assert [row[1] for row in rows if row[0] == "decision" and row[5]] == [one.ref for one in wanted]
        assert {(row[0], row[5]) for row in rows} == {
            (why, repo) for why in ("pinned", "decision", "stale") for repo in ("", "acme/web")
        } - {("decision", "acme/web")} | {("decision", "acme/web") for _ in wanted}

    def test_of_the_latest_handoff_use_its_index(self, many: Team) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
        found = Handoff.objects.all().latest_first(many.pk, "acme/web")[:1]
        assert "handoff_latest" in found.explain()


class TestTheLatestHandoff:
    def test_comes_without_the_pages_it_carries(self, bob: Member, now: datetime) -> None:
        """A start shows a line of it: neither its lists nor the digest of its session's transcript are read."""
        stop(sit(bob, now), bob, now, summary="The importer streams now.")
        found = Handoff.objects.all().latest_of(bob, AgentSession.objects.get().team_id, REPO)
        assert found.summary == "The importer streams now."
        assert {"decisions", "deposits", "files"} <= found.get_deferred_fields()
        assert {"digest", "said", "prompt"} <= found.session.get_deferred_fields()

    def test_is_none_of_a_team_one_is_not_in(self, bob: Member, charlie: Member, now: datetime) -> None:
        stop(sit(bob, now), bob, now, summary="The importer streams now.")
        assert Handoff.objects.all().latest_of(charlie, AgentSession.objects.get().team_id, REPO) is None
