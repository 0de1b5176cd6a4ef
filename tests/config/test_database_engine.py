"""The pool of connections after the database has been restarted."""

import time
from collections.abc import Iterator

import pytest
from django.db import connection, connections
from psycopg_pool import ConnectionPool

from config.database_engine.base import DatabaseWrapper

SIZE = 8


@pytest.fixture
def store(transactional_db: None) -> Iterator[DatabaseWrapper]:
    """The database under test by another name, with a full pool of its own."""
    pool = {"min_size": SIZE, "max_size": SIZE, "timeout": 10}
    settings = {**connection.settings_dict, "OPTIONS": {**connection.settings_dict["OPTIONS"], "pool": pool}}
    connections["restarted"] = store = DatabaseWrapper(settings, alias="restarted")
    _pool(store).open(wait=True)
    yield store
    store.close()
    store.close_pool()
    del connections["restarted"]


def _pool(store: DatabaseWrapper) -> ConnectionPool:
    return store.pool


def _end_all(store: DatabaseWrapper) -> None:
    """What a restart does to the connections that wait."""
    pool = _pool(store)
    waiting = [pool.getconn() for _ in range(SIZE)]
    pids = [one.info.backend_pid for one in waiting]
    for one in waiting:
        pool.putconn(one)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid, 5000) FROM unnest(%s) AS pid", [pids])


class TestThePool:
    def test_is_rid_of_all_its_dead_when_one_is_found(self, store: DatabaseWrapper) -> None:
        _end_all(store)
        for _ in range(2):
            begun = time.monotonic()
            with store.cursor() as cursor:
                cursor.execute("SELECT 1")
            store.close()
            assert time.monotonic() - begun < 3

    def test_gives_what_is_alive(self, store: DatabaseWrapper) -> None:
        pids = set()
        for _ in range(3):
            with store.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                pids.add(cursor.fetchone()[0])
            store.close()
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = ANY(%s)", [list(pids)])
            assert cursor.fetchone()[0] == len(pids)
