"""The passages nearest to a question: of a repository every vector is measured, by an index made for it."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.actions.members import member_of
from accounts.models import Team, User
from accounts.rules.rights import Member
from knowledge.rules.vectors import half, sparse
from sessions_app.models import AgentSession, Passage
from sessions_app.querysets.passage_search import LEG, Spot
from tests.conftest import NOW, person

# Passages of all the repository's and of each repository.
MANY, EACH = 3_000, 300
SMALL = "shop/3"
WIDTH = 384
OTHERS = """SELECT indexname FROM pg_indexes WHERE tablename = 'sessions_app_passage'
    AND (indexdef LIKE '%(team_id%' OR indexdef LIKE '%repo%') AND indexname <> 'passage_measured'"""


@pytest.fixture(scope="module")
def asker(module_db: None) -> Member:
    """A member of a team with so many passages in ten repositories, for the whole module."""
    team = Team.objects.create(name="Talks", slug="talks", prefix="TALKS")
    user = person("of_talks", team)
    fill(team, user)
    return member_of(user=user)


def fill(team: Team, user: User) -> None:
    """By one statement: each row is a copy of the first, with a vector, a place and a repository of its own."""
    session = AgentSession.objects.create(key="talks", team=team, user=user, started_at=NOW, last_seen_at=NOW)
    first = Passage(session=session, team=team, user=user, speaker="agent", position=0, first_turn=0, last_turn=0)
    first.text, first.said_at, first.repo = "Retries end after 4.", NOW, "none"
    first.index_words()
    first.save()
    own = {
        "position": "n",
        "repo": f"'shop/' || n / {EACH}",
        "embedded_by": "'test'",
        "embedding": f"(SELECT array_agg(random() - 0.5) FROM generate_series(1, {WIDTH}) WHERE n > 0)::real[]"
        f"::vector::halfvec({WIDTH})",
    }
    names = [field.column for field in Passage._meta.concrete_fields if not field.primary_key and not field.generated]
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0.5)")
        cursor.execute(
            f"INSERT INTO sessions_app_passage ({', '.join(names)}) "
            f"SELECT {', '.join(own.get(name, name) for name in names)}"
            f" FROM sessions_app_passage, generate_series(1, {MANY} - 1) AS n WHERE id = %s",
            [first.pk],
        )
        cursor.execute("ANALYZE sessions_app_passage")


def nearest(asker: Member, vector: np.ndarray, *, whole: bool) -> tuple[list[Spot], str]:
    """What is found in the small repository, and how the database goes about it."""
    with CaptureQueriesContext(connection) as caught:
        found, _ = Passage.objects.all().nearest(
            asker,
            teams=asker.team_ids,
            repo=SMALL,
            vector=half(vector).to_text(),
            weights=sparse({}).to_text(),
            whole=whole,
        )
    [statement] = [query["sql"] for query in caught if "halfvec" in query["sql"]]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {statement}")
        return found, "\n".join(line for (line,) in cursor.fetchall())


class TestNearest:
    pytestmark = pytest.mark.django_db

    def test_of_a_repository_are_all_measured_by_their_index(self, asker: Member) -> None:
        vector = np.random.default_rng(7).normal(size=WIDTH).astype(np.float32)
        with connection.cursor() as cursor:
            # Before the first vacuum rows are read in any case, by the smallest index on team or repository.
            cursor.execute(OTHERS)
            for (name,) in cursor.fetchall():
                cursor.execute(f"DROP INDEX {name}")
        found, plan = nearest(asker, vector, whole=True)
        assert "passage_measured" in plan
        assert "passage_nearest" not in plan
        rows = Passage.objects.filter(repo=SMALL).values_list("position", "embedding")
        cosines = {place: float(np.dot(row, vector) / np.linalg.norm(row)) for place, row in rows}
        exact = sorted(cosines, key=lambda place: -cosines[place])
        assert [spot.position for spot in found][:10] == exact[:10]
        assert len(found) == LEG

    def test_otherwise_come_from_the_graph(self, asker: Member) -> None:
        vector = np.random.default_rng(7).normal(size=WIDTH).astype(np.float32)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_sort = off")
        _, plan = nearest(asker, vector, whole=False)
        assert "using passage_nearest" in plan
