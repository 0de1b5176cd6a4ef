"""A database of one's own for as long as something is measured: made, migrated, and dropped at the end.

It lies on the server of the product's database, under that one's name with a suffix. While it lives, its maker holds an
advisory lock on the name; what a killed run left behind has nobody to hold it, and is dropped by the next one.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import psycopg
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper
from psycopg import sql

from accounts.rules.refused import Refused

SUFFIX = "_throwaway_"
# Of one that outlives a run that was cut off (`resumable.py`).
RESUMABLE = "_resumable_"
# What a new one is a copy of: PostgreSQL's own, with nothing in it. What a copy has already is not migrated again.
TEMPLATE = "template1"


class NoDatabase(Refused):
    code = "no_database"
    detail = "Cannot create a temporary database."


@contextmanager
def throwaway_database(*, copied: bool = False, durable: bool = True) -> Iterator[str]:
    """Within, the default connection is to a fresh, migrated, empty database, whose name this yields.

    `copied`: it has what the database of the default connection has, to which nothing else may be connected. Unless it
    is `durable` a commit does not wait for the disk, for what is not measured with the clock.

    The calling thread must not be inside a transaction, and other threads of this process must not use the database.
    Raises NoDatabase when the account may not create one.
    """
    refuse_pooler()
    usual = str(connection.settings_dict["NAME"])
    home = home_of(usual)
    name = f"{home}{SUFFIX}{secrets.token_hex(4)}"
    with psycopg.connect(**connection.get_connection_params() | {"dbname": home}, autocommit=True) as server:
        _drop_left_behind(server, home)
        hold(server, name)
        try:
            template = usual if copied else TEMPLATE
            if copied:
                move_to(usual)
            server.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
            )
        except psycopg.Error as error:
            raise NoDatabase(f"Cannot create a temporary database: {str(error).splitlines()[0]}") from error
        try:
            if not durable:
                server.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(sql.Identifier(name)))
            move_to(name)
            call_command("migrate", verbosity=0, interactive=False)
            yield name
        finally:
            move_to(usual)
            drop(server, name)


def move_to(name: str) -> None:
    """Point the default connection, its pool included, at another database of the same server."""
    let_go()
    connection.settings_dict["NAME"] = name
    ContentType.objects.clear_cache()


def let_go() -> None:
    """Close the default connection, its pool included: the database can be copied by another process."""
    wrapper = cast(DatabaseWrapper, connection)
    wrapper.close()
    wrapper.close_pool()


def refuse_pooler() -> None:
    """Raise NoDatabase where a pooler is between: it makes no databases, and locks are held by a session."""
    if settings.DATABASE_POOLER:
        raise NoDatabase(
            "Temporary databases need PostgreSQL itself, not its pooler: run this with DATABASE_URL at PostgreSQL's "
            "own address and DATABASE_POOLER unset."
        )


def home_of(name: str) -> str:
    """The product's database, also within a temporary one: locks are of one database, and a copy needs its original
    idle.
    """
    return name.partition(SUFFIX)[0].partition(RESUMABLE)[0]


def hold(server: psycopg.Connection[Any], name: str) -> bool:
    """Take the lock on a database's name, for as long as `server` is open; False if somebody else has it."""
    found = server.execute("SELECT pg_try_advisory_lock(hashtext(%s))", [name]).fetchone()
    return bool(found and found[0])


def _drop_left_behind(server: psycopg.Connection[Any], usual: str) -> None:
    found = server.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [usual + SUFFIX])
    for (name,) in found.fetchall():
        if hold(server, name):
            drop(server, name)


def drop(server: psycopg.Connection[Any], name: str) -> None:
    """Drop a database, and end what is connected to it, and give up the lock on its name."""
    server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
    server.execute("SELECT pg_advisory_unlock(hashtext(%s))", [name])
