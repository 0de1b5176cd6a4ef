"""What a start is pointed to is read from indexes made for it, not found among all there is."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from accounts.models import Team
from knowledge.models import Insight
from knowledge.querysets.insights import ORIENTING
from tests.conftest import NOW

# A planner that has few rows reads them all; from some ten thousand it cannot.
MANY = 12_000


@pytest.fixture(scope="module")
def many(module_db: None) -> Team:
    """A team with so many insights, for the whole module."""
    team = Team.objects.create(name="Many", slug="many", prefix="MANY")
    fill(team)
    return team


def fill(team: Team) -> None:
    """By one statement: as objects they took longer than all other tests of this folder."""
    first = Insight.objects.create(
        team=team, number=0, ref="MANY-0", kind="PITFALL", title="Lesson", body="So it is.",
        reasoning="It was agreed.", strength_at=NOW, updated_at=NOW, created_at=NOW,
    )  # fmt: skip
    own = {
        "number": "n",
        "ref": "'MANY-' || n",
        "kind": "CASE WHEN n %% 3 = 0 THEN 'PITFALL' ELSE 'DECISION' END",
        "title": "'Lesson ' || n",
        "repo": "(ARRAY['acme/web', '', 'acme/api'])[n %% 3 + 1]",
        "pinned": "n %% 50 = 0",
        "trust": "CASE WHEN n %% 4 = 0 THEN 'stale' ELSE 'unknown' END",
        "created_at": "created_at - n %% 5000 * interval '1 minute'",
    }
    names = [field.column for field in Insight._meta.concrete_fields if not field.primary_key and not field.generated]
    columns, values = ", ".join(names), ", ".join(own.get(name, name) for name in names)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO knowledge_insight ({columns}) "
            f"SELECT {values} FROM knowledge_insight, generate_series(1, {MANY}) AS n WHERE id = %s",
            [first.pk],
        )
        cursor.execute("ANALYZE knowledge_insight")


def plan(statement: str, parameters: Any) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {statement}", parameters)
        return "\n".join(line for (line,) in cursor.fetchall())


class TestPlans:
    def test_of_what_is_pointed_to_use_the_index_of_each_part(self, many: Team) -> None:
        week, here = NOW - timedelta(days=7), "acme/web"
        seen = plan(ORIENTING, [[many.pk], ["", here], 3, here, week, week, 3, 3])
        assert all(f"insight_{name}" in seen for name in ("pinned", "decided", "stale")), seen
        # The authors' names are looked up by key; there are no users here, and of an empty table nobody reads an index.
        assert "Seq Scan" not in seen.replace("Seq Scan on accounts_user u", "")

    def test_find_the_newest_three_of_each(self, many: Team) -> None:
        rows = Insight.objects.all().orienting([many.pk], "acme/web", NOW - timedelta(days=7), 3)
        wanted = Insight.objects.filter(repo="acme/web", kind="DECISION").order_by("-created_at", "-pk")[:3]
        assert [row[1] for row in rows if row[0] == "decision" and row[5]] == [one.ref for one in wanted]
        assert {(row[0], row[5]) for row in rows} == {
            (why, repo) for why in ("pinned", "decision", "stale") for repo in ("", "acme/web")
        } - {("decision", "acme/web")} | {("decision", "acme/web") for _ in wanted}
