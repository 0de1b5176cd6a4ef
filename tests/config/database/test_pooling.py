"""Loam behind PgBouncer in transaction mode, where a session is somebody else's a moment later."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection, connections

from accounts.rules.rights import Member
from config.database import pooling, vectors
from config.database_engine.base import DatabaseWrapper
from config.monitoring import readiness
from knowledge.models import Insight
from sessions_app.lab.throwaway import NoDatabase, throwaway_database
from tests.conftest import NOW
from tests.factories import make_insights
from tests.pgbouncer import installed, pgbouncer


class TestTheOptions:
    def test_without_a_pooler_set_each_session_and_prepare(self) -> None:
        given = pooling.options(size=8, pooler="")
        assert "-c hnsw.ef_search=200" in given["options"] and "-c plan_cache_mode" in given["options"]
        assert (given["prepare_threshold"], given["pool"]["max_size"]) == (5, 8)

    def test_behind_a_pooler_in_transaction_mode_leave_nothing_in_a_session(self) -> None:
        given = pooling.options(size=8, pooler="transaction")
        assert set(given) == {"pool"}

    def test_behind_a_pooler_in_session_mode_prepare(self) -> None:
        assert set(pooling.options(size=8, pooler="session")) == {"pool", "prepare_threshold"}

    def test_without_a_pool_prepare_nothing(self) -> None:
        assert set(pooling.options(size=0, pooler="")) == {"options"}

    def test_know_no_other_pooler(self) -> None:
        with pytest.raises(ImproperlyConfigured, match="session or transaction"):
            pooling.options(size=8, pooler="statement")


@pytest.fixture
def pooler(transactional_db: None, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[int]:
    """The port of a PgBouncer whose transactions share so many connections, by itself one."""
    if not installed():
        pytest.skip("pgbouncer is not installed: apt-get install pgbouncer")
    with pgbouncer(tmp_path, size=getattr(request, "param", 1)) as port:
        yield port


@pytest.fixture
def pooled(pooler: int) -> Iterator[DatabaseWrapper]:
    """The database under test through it, as the settings have it."""
    given = {**connection.settings_dict, "HOST": "127.0.0.1", "PORT": pooler, "DISABLE_SERVER_SIDE_CURSORS": True}
    given["OPTIONS"] = pooling.options(size=4, pooler="transaction")
    connections["pooled"] = store = DatabaseWrapper(given, alias="pooled")
    yield store
    store.close()
    store.close_pool()
    del connections["pooled"]


def setting(store: DatabaseWrapper, name: str) -> str:
    with store.cursor() as cursor:
        cursor.execute("SELECT current_setting(%s)", [name])
        return str(cursor.fetchone()[0])


class TestBehindPgBouncer:
    def test_what_is_set_for_one_look_stays_with_nobody(
        self, pooled: DatabaseWrapper, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It did: once the model of the store had been looked up, a second was all that any statement had."""
        before = [setting(pooled, name) for name in ("statement_timeout", "lock_timeout")]
        monkeypatch.setattr(vectors, "connection", pooled)
        assert vectors._objection("any@1", "before") == ""
        assert [setting(pooled, name) for name in ("statement_timeout", "lock_timeout")] == before

    @pytest.mark.parametrize("pooler", [2], indirect=True)
    def test_long_lists_are_read_while_others_ask(self, pooled: DatabaseWrapper, alice: Member) -> None:
        """The connection on which a list was begun is another's when it goes on."""
        make_insights(alice, NOW, *({"body": f"Lesson {n} of the kestrel."} for n in range(4)))
        rows = Insight.objects.using("pooled").order_by("pk").iterator(chunk_size=1)
        seen = [next(rows)]
        with psycopg.connect(**pooled.get_connection_params()) as other:
            other.execute("SELECT 1")  # and is in a transaction from now on
            seen += rows
        assert len(seen) == 4

    def test_the_options_of_a_session_are_refused(self, pooled: DatabaseWrapper) -> None:
        """So what is set when connecting is the role's there."""
        given = pooled.get_connection_params() | {"options": "-c hnsw.ef_search=200"}
        with pytest.raises(psycopg.OperationalError, match="unsupported startup parameter: options"):
            psycopg.connect(**given)

    def test_the_doctor_says_what_the_role_needs(
        self, pooled: DatabaseWrapper, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(readiness, "connection", pooled)
        found = readiness._session()
        assert not found.ok and "hnsw.ef_search" in found.said
        # What it says is done, and undone.
        with pooled.cursor() as cursor:
            cursor.execute("SELECT user")
            (role,) = cursor.fetchone()
        with connection.cursor() as cursor:
            cursor.execute(found.mend.removeprefix("As a superuser: "))
        try:
            pooled.close()
            pooled.close_pool()
            with psycopg.connect(**connection.get_connection_params() | {"options": ""}) as fresh:
                rows = fresh.execute("SHOW plan_cache_mode").fetchone()
            assert rows == ("force_generic_plan",)
        finally:
            with connection.cursor() as cursor:
                for name in pooling.SESSION_SETTINGS:
                    cursor.execute(f'ALTER ROLE "{role}" RESET {name}')

    def test_the_doctor_knows_one_that_is_not_in_the_mode_it_is_said_to_be_in(
        self, pooled: DatabaseWrapper, monkeypatch: pytest.MonkeyPatch, settings: Any
    ) -> None:
        assert not readiness._shares_servers()
        settings.DATABASE_POOLER = "session"
        monkeypatch.setattr(readiness, "connection", pooled)
        monkeypatch.setattr(pooling, "SESSION_SETTINGS", {"search_path": setting(pooled, "search_path")})
        found = readiness._session()
        assert not found.ok and found.mend == "Set DATABASE_POOLER=transaction."

    def test_the_doctor_knows_a_pgbouncer_that_no_setting_names(
        self, pooler: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        given = {**connection.settings_dict, "HOST": "127.0.0.1", "PORT": pooler}
        given["OPTIONS"] = pooling.options(size=0, pooler="")
        monkeypatch.setattr(readiness, "connection", DatabaseWrapper(given, alias="direct"))
        found = readiness._database()
        assert not found.ok and "Set DATABASE_POOLER" in found.mend


class TestWhatNeedsASession:
    def test_is_refused_with_what_to_do(self, transactional_db: None, settings: Any, tmp_path: Path) -> None:
        settings.DATABASE_POOLER = "transaction"
        with pytest.raises(CommandError, match="PostgreSQL's own address and DATABASE_POOLER unset"):
            call_command("backup", str(tmp_path / "loam.dump"))
        with pytest.raises(NoDatabase, match="DATABASE_POOLER unset"), throwaway_database():
            pass
