"""A test session cannot open the database that the settings name, whichever way it tries."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from config.database import backup, vectors
from config.database.embedded import BASE_DIR
from config.database_engine.base import REFUSED, DatabaseWrapper, RefusedDatabase
from config.monitoring import readiness
from sessions_app.lab.throwaway import throwaway_database

DEVELOPMENT = os.environ[REFUSED].rpartition("/")[2]


@pytest.fixture
def development(monkeypatch: pytest.MonkeyPatch, django_db_blocker: Any) -> Iterator[DatabaseWrapper]:
    """The settings as they are before the test database is made, and no other guard in the way."""
    monkeypatch.setitem(connection.settings_dict, "NAME", DEVELOPMENT)
    with django_db_blocker.unblock():
        yield DatabaseWrapper(dict(connection.settings_dict), alias="development")


def by_a_throwaway_copy() -> None:
    with throwaway_database():
        pass


def by_restoring() -> None:
    with backup.restored(Path("no-such-file")):
        pass


WAYS: dict[str, Callable[[], object]] = {
    "psycopg": lambda: psycopg.connect(**connection.get_connection_params()),
    "readiness": readiness._database,
    "throwaway": by_a_throwaway_copy,
    "backup": lambda: backup._run("pg_dump"),
    "restore": by_restoring,
}


class TestTheDevelopmentDatabase:
    @pytest.mark.parametrize("way", WAYS)
    def test_is_refused_past_django(self, way: str, development: DatabaseWrapper) -> None:
        with pytest.raises(RefusedDatabase, match=r"test session: it may not open .*/" + DEVELOPMENT):
            WAYS[way]()

    @pytest.mark.parametrize("options", [{"pool": {"min_size": 1}}, {}], ids=["pool", "no pool"])
    def test_is_refused_to_django(self, options: dict[str, Any], development: DatabaseWrapper) -> None:
        development.settings_dict["OPTIONS"] = options
        with pytest.raises(RefusedDatabase):
            development.cursor()

    def test_tells_no_test_whose_vectors_it_holds(self, development: DatabaseWrapper) -> None:
        vectors._known.clear()
        assert vectors.objection("any@1") == ""
        vectors._known.clear()

    @pytest.mark.slow
    def test_is_refused_to_a_process_that_a_test_starts(self) -> None:
        script = "from django.db import connection; connection.cursor()"
        command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", script]
        done = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True)
        assert done.returncode != 0
        assert "RefusedDatabase: This is a test session" in done.stderr.splitlines()[-1]


class TestTheTestsOwnDatabase:
    def test_is_open(self, db: None) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_database()")
            assert cursor.fetchone()[0] == connection.settings_dict["NAME"] != DEVELOPMENT
        with psycopg.connect(**connection.get_connection_params()) as server:
            assert server.info.dbname == connection.settings_dict["NAME"]
