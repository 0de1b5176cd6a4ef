"""The tests' database, copied from one that is migrated once for all processes and runs of the same code.

Ninety migrations take ten seconds; a copy takes a fraction of one. The original stays with the server, under a name
that says which code made it, until other code makes another.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
from django.apps import apps
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg import sql

# Held while the original is made or copied: one process makes it, the others wait.
LOCK = 7_061_207
MARK = "_migrated_"
# What `teardown_databases` takes: the connection, the name it had before, whether to drop.
Made = list[tuple[Any, str, bool]]


def copied() -> Made:
    """Have the connection use a database of this process, migrated and otherwise empty. One of the run before goes."""
    connection = connections[DEFAULT_DB_ALIAS]
    usual, own = str(connection.settings_dict["NAME"]), str(connection.creation._get_test_db_name())
    with _server(connection) as server:
        server.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        original = _original(connection, server)
        _drop(server, own)
        copy = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        server.execute(copy.format(sql.Identifier(own), sql.Identifier(original)))
    _use(connection, own)
    return [(connection, usual, True)]


def make_original() -> None:
    """Have the database there that is copied, for who asks first: where none of this code is there yet, it is made
    while the processes of a run still load their tests.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    with _server(connection) as server:
        server.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        _original(connection, server)
    connection.close()
    connection.close_pool()


def _original(connection: Any, server: psycopg.Connection) -> str:
    """The name of the database that is copied, made if need be."""
    usual = str(connection.settings_dict["NAME"])
    prefix = f"test_{usual}{MARK}"
    name = prefix + _digest()
    rows = server.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [prefix]).fetchall()
    there = {row[0] for row in rows}
    if name in there:
        return name
    for other in there:
        _drop(server, other)
    making = f"{prefix}making"
    test = connection.settings_dict["TEST"]
    before, test["NAME"] = test["NAME"], making
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    finally:
        test["NAME"] = before
    connection.close()
    connection.close_pool()  # nobody may be connected to what is renamed and copied
    _use(connection, usual)
    server.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(making), sql.Identifier(name)))
    return name


def _digest() -> str:
    """Of all that may have a say in what migrations leave: every app's migrations, and the whole product."""
    folders = [Path(app.path, "migrations") for app in apps.get_app_configs()]
    folders += [Path(app.path) for app in apps.get_app_configs() if Path(app.path).is_relative_to(settings.BASE_DIR)]
    found = sha256()
    for path in sorted({path for folder in folders for path in folder.rglob("*.py") if ".venv" not in path.parts}):
        found.update(str(path).encode() + path.read_bytes())
    return found.hexdigest()[:16]


def _use(connection: Any, name: str) -> None:
    settings.DATABASES[connection.alias]["NAME"] = connection.settings_dict["NAME"] = name


def _drop(server: psycopg.Connection, name: str) -> None:
    server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def _server(connection: Any) -> Iterator[psycopg.Connection]:
    """A connection that is in none of these databases, and may wait for another process' migrations."""
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)")
        yield cursor.connection
