"""A database for a measurement of an hour: when the run is cut off it stays, and the next run goes on in it.

It lies on the server of the product's database, under that one's name with a suffix and the name of what it is for.
Which of its steps are done stands in it (`StoredStepLog`). At the end of a whole run it is dropped.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any

import psycopg
from django.core.management import call_command
from django.db import connection
from psycopg import sql

from sessions_app.adapters.steps import StoredStepLog
from sessions_app.lab import throwaway
from sessions_app.lab.throwaway import RESUMABLE, NoDatabase, drop, hold, home_of, move_to, refuse_pooler

RECIPE = "recipe"


@contextmanager
def resumable_database(name: str, *, recipe: str, afresh: bool = False) -> Iterator[StoredStepLog]:
    """Within, the default connection is to the migrated database of that name, with what earlier runs left in it.

    What was left by another `recipe` is dropped first, and so it is if everything is to be done `afresh`. As with a
    temporary database the calling thread must not be inside a transaction. Raises NoDatabase when the account may not
    create one, or another run is at it.
    """
    refuse_pooler()
    usual = str(connection.settings_dict["NAME"])
    home = home_of(usual)
    full = f"{home}{RESUMABLE}{name}"
    with psycopg.connect(**connection.get_connection_params() | {"dbname": home}, autocommit=True) as server:
        if not _hold_soon(server, full):
            raise NoDatabase(f"Another run is using the database {full}.")
        _end_others(server, full)
        try:
            if afresh:
                _drop_and_hold(server, full)
            yield _opened(server, full, recipe)
        except BaseException:
            move_to(usual)
            raise
        move_to(usual)
        drop(server, full)


# Seconds in which a server notices that a process is gone, which was killed a moment ago.
PATIENCE = 5.0


def _hold_soon(server: psycopg.Connection[Any], full: str) -> bool:
    end = monotonic() + PATIENCE
    while not (held := hold(server, full)) and monotonic() < end:
        sleep(0.1)
    return held


def _opened(server: psycopg.Connection[Any], full: str, recipe: str) -> StoredStepLog:
    if not _exists(server, full):
        return _made(server, full, recipe)
    move_to(full)
    steps = StoredStepLog()
    if steps.has(RECIPE) and steps.result(RECIPE) == recipe:
        call_command("migrate", verbosity=0, interactive=False)
        return steps
    move_to(home_of(full))
    _drop_and_hold(server, full)
    return _made(server, full, recipe)


def _made(server: psycopg.Connection[Any], full: str, recipe: str) -> StoredStepLog:
    template = sql.Identifier(throwaway.TEMPLATE)
    try:
        server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(full), template))
    except psycopg.Error as error:
        raise NoDatabase(f"Cannot create a temporary database: {str(error).splitlines()[0]}") from error
    move_to(full)
    call_command("migrate", verbosity=0, interactive=False)
    steps = StoredStepLog()
    steps.record(RECIPE, recipe)
    return steps


def _exists(server: psycopg.Connection[Any], full: str) -> bool:
    return server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [full]).fetchone() is not None


def _end_others(server: psycopg.Connection[Any], full: str) -> None:
    """A run that was killed may have left a statement behind that still runs, an index that is being built."""
    server.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", [full])


def _drop_and_hold(server: psycopg.Connection[Any], full: str) -> None:
    drop(server, full)
    hold(server, full)
