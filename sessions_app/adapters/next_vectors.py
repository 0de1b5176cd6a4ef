"""A column of vectors by another model beside the one in use, and the moment in which it replaces that one.

It is a column of the same rows with the same indexes, so that searches read after the switch what they read before: the
switch drops the column in use and gives the other its name, which writes to the catalogue alone. Until then a trigger
empties it wherever the vector in use is set, for its text may have changed.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any, TypeVar

import psycopg
from django.db import OperationalError, connection, models, transaction
from pgvector import HalfVector
from psycopg import errors

from sessions_app.adapters.bulk import BYTES_A_ROW, LEAST_MEMORY, Progress, watched

# By which model a vector is, of each column of vectors.
BY = "embedded_by"
SUFFIX, MISSING, TRIGGER = "_next", "_next_missing", "loam_next_vector"
# Milliseconds. Autovacuum gives way after `deadlock_timeout` (a second) to a lock that stops nobody else, so that one
# comes first. Then all tables are locked within less than that time, or who waits for one of them while holding another
# would be told of a deadlock.
POLITELY, WITHIN, WORK = 5_000, 800, 20_000
IN_THE_WAY = (errors.QueryCanceled, errors.LockNotAvailable, errors.DeadlockDetected)
Done = TypeVar("Done")
_WORD = re.compile(r"\w+")
STORAGES = {"p": "PLAIN", "e": "EXTERNAL", "m": "MAIN", "x": "EXTENDED"}


class TablesBusy(Exception):
    """The tables could not be locked for a moment; the text says who holds them."""


@dataclass(frozen=True)
class VectorColumn:
    """A column of vectors, and the table it is of."""

    kind: type[models.Model]
    name: str = "embedding"

    @property
    def table(self) -> str:
        return self.kind._meta.db_table

    @property
    def next(self) -> str:
        return f"{self.name}{SUFFIX}"

    @property
    def key(self) -> str:
        """The type of its rows' key."""
        return str(self.kind._meta.pk.rel_db_type(connection))


def rows(statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall()) if cursor.description else []


# --- the moment in which nobody else has the tables ---------------------------------------------------------------
def locked(columns: Sequence[VectorColumn], work: Callable[[Any], Done], *, patience: float) -> Done:
    """Return what `work` does with a cursor, in a transaction that has the tables to itself.

    Others wait for less than a second and the work; if the tables are not free by then they go on, and it is tried
    again for `patience` seconds. Raises TablesBusy.
    """
    tables = ", ".join(one.table for one in columns)
    until, pause = monotonic() + patience, 0.2
    while True:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL statement_timeout = {POLITELY}")
                cursor.execute(f"LOCK TABLE {tables} IN SHARE UPDATE EXCLUSIVE MODE")
                cursor.execute(f"SET LOCAL statement_timeout = {WITHIN}")
                cursor.execute(f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE")
                cursor.execute(f"SET LOCAL statement_timeout = {WORK}")
                return work(cursor)
        except OperationalError as error:
            if not isinstance(error.__cause__, IN_THE_WAY):
                raise
            if monotonic() > until:
                raise TablesBusy(_holders(columns)) from error
        sleep(pause)
        pause = min(2 * pause, 5.0)


def _holders(columns: Sequence[VectorColumn]) -> str:
    """Whose transaction has had one of the tables for longest."""
    found = rows(
        "SELECT a.pid, coalesce(nullif(a.application_name, ''), a.backend_type),"
        " extract(epoch FROM clock_timestamp() - a.xact_start)::int"
        " FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
        " WHERE l.relation = ANY(%s::text[]::regclass[]) AND l.granted AND a.pid <> pg_backend_pid()"
        " ORDER BY a.xact_start LIMIT 1",
        [[one.table for one in columns]],
    )
    if not found:
        return "the tables are in use without a pause"
    pid, name, seconds = found[0]
    return f"process {pid} of PostgreSQL ({name}) has had them for {seconds} s"


# --- a column that is being filled ----------------------------------------------------------------------------------
def add(columns: Sequence[VectorColumn], *, patience: float) -> None:
    """Add the columns of the next vectors, with what empties them, unless they are there. Raises TablesBusy."""
    there = "SELECT count(*) FROM pg_attribute WHERE attrelid = %s::regclass AND attname = %s AND NOT attisdropped"
    if all(rows(there, [one.table, one.next])[0][0] for one in columns):
        return

    def work(cursor: Any) -> None:
        for one in columns:
            cursor.execute(
                "SELECT format_type(atttypid, atttypmod), attstorage FROM pg_attribute"
                " WHERE attrelid = %s::regclass AND attname = %s",
                [one.table, one.name],
            )
            kind, storage = cursor.fetchone()
            cursor.execute(
                f"ALTER TABLE {one.table} ADD COLUMN {one.next} {kind},"
                f" ADD COLUMN {BY}{SUFFIX} varchar(80) NOT NULL DEFAULT '',"
                f" ALTER COLUMN {one.next} SET STORAGE {STORAGES[storage]}"
            )
            cursor.execute(
                f"CREATE OR REPLACE FUNCTION {TRIGGER}_{one.name}() RETURNS trigger LANGUAGE plpgsql AS $$"
                f" BEGIN NEW.{one.next} := NULL; NEW.{BY}{SUFFIX} := ''; RETURN NEW; END $$"
            )
            cursor.execute(
                f"CREATE TRIGGER {TRIGGER} BEFORE UPDATE OF {one.name}, {BY} ON {one.table}"
                f" FOR EACH ROW EXECUTE FUNCTION {TRIGGER}_{one.name}()"
            )

    locked(columns, work, patience=patience)


def index_missing(column: VectorColumn) -> None:
    """Index the rows that have no next vector yet: few, as soon as it is filled."""
    _index(
        column,
        f"{column.table}{MISSING}",
        f"ON {column.table} (id) WHERE {column.name} IS NOT NULL AND {column.next} IS NULL",
    )


def settle(column: VectorColumn) -> None:
    """Clear the table of its rows as they were before they had a next vector, so that indexes which have all that is
    asked are read alone again; and let the planner know the column.
    """
    rows(f"VACUUM (ANALYZE) {column.table}")


def count(column: VectorColumn) -> tuple[int, int]:
    """How many rows have a vector, and how many of them have no next one."""
    ((there, missing),) = rows(
        f"SELECT count(*), count(*) FILTER (WHERE {column.next} IS NULL) FROM {column.table}"
        f" WHERE {column.name} IS NOT NULL"
    )
    return there, missing


def missing(column: VectorColumn, *, after: Any, most: int) -> list[Any]:
    """The keys of rows that have a vector and no next one, in order, behind a key or from the first one (None)."""
    behind = "" if after is None else " AND id > %s"
    found = rows(
        f"SELECT id FROM {column.table} WHERE {column.name} IS NOT NULL AND {column.next} IS NULL{behind}"
        " ORDER BY id LIMIT %s",
        [*([] if after is None else [after]), most],
    )
    return [key for (key,) in found]


def store(column: VectorColumn, vectors: Mapping[Any, HalfVector], made_by: str, *, as_next: bool) -> None:
    """Set the vectors of rows by their keys: the next ones, or those in use."""
    suffix = SUFFIX if as_next else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {column.table} t SET {column.name}{suffix} = made.vector::halfvec, {BY}{suffix} = %s"
            f" FROM unnest(%s::{column.key}[], %s::text[]) AS made (id, vector) WHERE t.id = made.id",
            [made_by, list(vectors), [vector.to_text() for vector in vectors.values()]],
        )


def average(into: VectorColumn, of: VectorColumn, by: str, made_by: str, *, as_next: bool, where: str = "true") -> None:
    """Set vectors that are the mean of others', of the rows that name theirs in the column `by`: the next ones that are
    missing, or those in use that are of another model.
    """
    suffix = SUFFIX if as_next else ""
    wanted = f"{into.next} IS NULL" if as_next else f"{BY} NOT IN ('', %(by)s)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {into.table} t SET {into.name}{suffix} = mean.vector, {BY}{suffix} = %(by)s FROM ("
            f" SELECT {by} AS id, avg({of.name}{suffix}) AS vector FROM {of.table}"
            f" WHERE {where} AND {BY}{suffix} = %(by)s AND {by} IN"
            f" (SELECT id FROM {into.table} WHERE {into.name} IS NOT NULL AND {wanted}) GROUP BY {by}"
            f") AS mean WHERE mean.id = t.id",
            {"by": made_by},
        )


def of_others(column: VectorColumn, made_by: str) -> list[Any]:
    """The keys of rows whose vector in use is of another model."""
    found = rows(
        f"SELECT id FROM {column.table} WHERE {column.name} IS NOT NULL AND {BY} <> '' AND ({BY} < %s OR {BY} > %s)"
        " ORDER BY id",
        [made_by, made_by],
    )
    return [key for (key,) in found]


# --- its indexes --------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Twin:
    name: str
    definition: str


def _twins(column: VectorColumn) -> list[_Twin]:
    """The indexes of the column in use, as the next one has them."""
    found = []
    for name, text in rows(
        "SELECT c.relname, pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
        " WHERE i.indrelid = %s::regclass AND i.indisvalid ORDER BY 1",
        [column.table],
    ):
        definition = f"USING {text.partition(' USING ')[2]}"
        twin = _WORD.sub(lambda word: f"{word[0]}{SUFFIX}" if word[0] in (column.name, BY) else word[0], definition)
        if twin != definition and not name.endswith((SUFFIX, MISSING)):
            found.append(_Twin(name, f"ON {column.table} {twin}"))
    return found


def build_indexes(column: VectorColumn, progress: Progress, *, megabytes: int) -> None:
    """Build those of the next column that are not there, while others read and write. `megabytes`: of memory for each;
    0 for as much as the graph of the rows takes, or the server gives, whichever is more.
    """
    size = rows("SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = %s::regclass", [column.table])[0][0]
    wanted = megabytes or max(LEAST_MEMORY, size * BYTES_A_ROW // 1_000_000)
    for twin in _twins(column):
        with watched(f"index {twin.name}", progress), _memory(wanted, least=not megabytes):
            _index(column, f"{twin.name}{SUFFIX}", twin.definition)


@contextmanager
def _memory(megabytes: int, *, least: bool) -> Iterator[None]:
    """Memory for building indexes, of this session. `least`: not less than the server gives by itself."""
    before = rows("SELECT pg_size_bytes(current_setting('maintenance_work_mem')) / 1048576")[0][0]
    given = max(megabytes, before) if least else megabytes
    rows(f"SET maintenance_work_mem = '{given}MB'")
    try:
        yield
    finally:
        rows("RESET maintenance_work_mem")
        rows("RESET max_parallel_maintenance_workers")


def _index(column: VectorColumn, name: str, definition: str) -> None:
    """Build an index unless it is there and whole: one that was cut off is built again."""
    found = rows("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [name])
    if found and found[0][0]:
        return
    # A second process where the memory that they share has room; containers often hold /dev/shm to 64 MB.
    for workers in (1, 0):
        rows(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        rows(f"SET max_parallel_maintenance_workers = {workers}")
        try:
            rows(f"CREATE INDEX CONCURRENTLY {name} {definition}")
            return
        except OperationalError as error:
            if not workers or "shared memory" not in str(error):
                raise


# --- the switch, and its undoing ------------------------------------------------------------------------------------
def take_place(cursor: Any, columns: Sequence[VectorColumn]) -> dict[str, list[Any]]:
    """The next vectors are those in use, and those before are gone. Returns by table the keys of rows whose next vector
    was missing: they have none. The tables are locked.
    """
    left = {}
    _drop_triggers(cursor, columns)
    for one in columns:
        cursor.execute(f"SELECT id FROM {one.table} WHERE {one.name} IS NOT NULL AND {one.next} IS NULL")
        left[one.table] = [key for (key,) in cursor.fetchall()]
        names = [twin.name for twin in _twins(one)]
        cursor.execute(f"DROP INDEX IF EXISTS {one.table}{MISSING}")
        cursor.execute(f"ALTER TABLE {one.table} DROP COLUMN {one.name}, DROP COLUMN {BY}")
        cursor.execute(f"ALTER TABLE {one.table} RENAME COLUMN {one.next} TO {one.name}")
        cursor.execute(f"ALTER TABLE {one.table} RENAME COLUMN {BY}{SUFFIX} TO {BY}")
        cursor.execute(f"ALTER TABLE {one.table} ALTER COLUMN {BY} DROP DEFAULT")
        for name in names:
            cursor.execute(f"ALTER INDEX {name}{SUFFIX} RENAME TO {name}")
    return left


def remove(columns: Sequence[VectorColumn], *, patience: float) -> None:
    """Drop the columns of the next vectors with all that belongs to them. Raises TablesBusy."""

    def work(cursor: Any) -> None:
        _drop_triggers(cursor, columns)
        for one in columns:
            cursor.execute(
                f"ALTER TABLE {one.table} DROP COLUMN IF EXISTS {one.next}, DROP COLUMN IF EXISTS {BY}{SUFFIX}"
            )

    locked(columns, work, patience=patience)


def _drop_triggers(cursor: Any, columns: Sequence[VectorColumn]) -> None:
    for one in columns:
        cursor.execute(f"DROP TRIGGER IF EXISTS {TRIGGER} ON {one.table}")
    for name in {one.name for one in columns}:
        cursor.execute(f"DROP FUNCTION IF EXISTS {TRIGGER}_{name}")


# --- one process at a time -------------------------------------------------------------------------------------------
@contextmanager
def exclusively(key: tuple[int, int]) -> Iterator[bool]:
    """Within, no other process is within, however this one ends; False if one is."""
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as server:
        found = server.execute("SELECT pg_try_advisory_lock(%s, %s)", key).fetchone()
        yield bool(found and found[0])
        # The server ends a session some time after the client has closed it.
        server.execute("SELECT pg_advisory_unlock_all()")
