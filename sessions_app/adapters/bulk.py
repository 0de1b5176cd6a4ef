"""Many rows at once into a database that is only measured on, and what its planner says of a statement."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from threading import Event, Thread
from time import monotonic
from typing import Any, cast

import psycopg
from django.db import OperationalError, connection, models, transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from psycopg import sql

from sessions_app.adapters.steps import StepLog

# Rows in one COPY: enough that the command costs nothing, little enough to be held as Python objects.
CHUNK = 2_000


def copy(rows: Iterable[models.Model]) -> int:
    """Write unsaved rows of one model by COPY, in one transaction, with the keys they bear; returns how many."""
    done = 0
    remaining = iter(rows)
    with transaction.atomic():
        while chunk := list(islice(remaining, CHUNK)):
            model = type(chunk[0])
            keyed = chunk[0].pk is not None
            written = [field for field in model._meta.concrete_fields if not field.generated]
            fields = [field for field in written if keyed or not field.primary_key]
            names = [sql.Identifier(str(field.column)) for field in fields]
            into = sql.SQL("COPY {} ({}) FROM STDIN").format(
                sql.Identifier(model._meta.db_table), sql.SQL(", ").join(names)
            )
            with connection.cursor() as cursor, cursor.copy(into) as stream:
                for row in chunk:
                    stream.write_row([_value(field, row) for field in fields])
            done += len(chunk)
    return done


def copy_values(model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write rows of these columns by COPY, without making an object of the model for each; the other columns must have
    a default in the database.
    """
    into = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(model._meta.db_table), sql.SQL(", ").join(map(sql.Identifier, names))
    )
    with connection.cursor() as cursor, cursor.copy(into) as stream:
        for row in rows:
            stream.write_row(row)


def _value(field: Any, row: models.Model) -> Any:
    return field.get_db_prep_save(getattr(row, field.attname), connection)


def keep_counting(model: type[models.Model]) -> None:
    """Let the key's sequence go on after the highest key that was written."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            sql.SQL("SELECT setval(pg_get_serial_sequence({}, 'id'), max(id)) FROM {}").format(
                sql.Literal(table), sql.Identifier(table)
            )
        )


# The graph of an HNSW index is built in memory as long as it fits, and several times slower when it does not: 100,000
# halfvecs of 384 take some 200 MB. Processes that build together set all of it aside at once, so it is no more than
# the rows need.
BYTES_A_ROW, LEAST_MEMORY = 2_500, 64
# Seconds between two looks at how far an index is.
WATCH = 5.0

Progress = Callable[[str, int, int], None]


@contextmanager
def indexed_afterwards(model: type[models.Model]) -> Iterator[None]:
    """Drop the model's own indexes, and build them when the rows are in."""
    drop_indexes(model)
    yield
    build_indexes(model, lambda *_: None, StepLog())


def drop_indexes(*some: type[models.Model]) -> None:
    """Drop the models' own indexes, as far as they are there."""
    for model in some:
        there = _indexes(model)
        with connection.schema_editor() as editor:
            for index in model._meta.indexes:
                if index.name in there:
                    editor.remove_index(model, index)
        _let_autovacuum(model, False)


def build_indexes(model: type[models.Model], progress: Progress, steps: StepLog) -> dict[str, float]:
    """Build those of the model's own indexes that are not there; returns the seconds of each, also of those that
    `steps` knows from before.
    """
    there = _indexes(model)
    for index in model._meta.indexes:
        if index.name not in there:
            step = f"index {index.name}"
            begun = monotonic()
            with watched(step, progress):
                _build(model, index)
            steps.record(step, round(monotonic() - begun, 1))
    _let_autovacuum(model, True)
    named = {index.name: f"index {index.name}" for index in model._meta.indexes}
    return {name: steps.result(step) for name, step in named.items() if steps.has(step)}


def _let_autovacuum(model: type[models.Model], on: bool) -> None:
    """Whether the table is vacuumed by itself: it would be read over and over while it is filled."""
    with connection.cursor() as cursor:
        cursor.execute(
            sql.SQL("ALTER TABLE {} SET (autovacuum_enabled = {})").format(
                sql.Identifier(model._meta.db_table), sql.Literal(on)
            )
        )


def _indexes(model: type[models.Model]) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE tablename = %s", [model._meta.db_table])
        return {name for (name,) in cursor.fetchall()}


def _build(model: type[models.Model], index: models.Index) -> None:
    """With a second process where the memory that they share has room; containers often hold /dev/shm to 64 MB."""
    megabytes = max(LEAST_MEMORY, model._default_manager.count() * BYTES_A_ROW // 1_000_000)
    for workers in (1, 0):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL maintenance_work_mem = '{megabytes}MB'")
                cursor.execute(f"SET LOCAL max_parallel_maintenance_workers = {workers}")
                with connection.schema_editor(atomic=False) as editor:
                    editor.add_index(model, index)
            return
        except OperationalError as error:
            if not workers or "shared memory" not in str(error):
                raise


@contextmanager
def watched(what: str, progress: Progress) -> Iterator[None]:
    """Report how many blocks of the table an index has been built of, from a connection beside this one."""
    progress(what, 0, 1)
    over = Event()
    # Taken before the thread, which must not use this one's.
    parameters = connection.get_connection_params()
    watcher = Thread(target=_watch, args=(what, progress, over, parameters), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
    progress(what, 1, 1)


def _watch(what: str, progress: Progress, over: Event, parameters: dict[str, Any]) -> None:
    with psycopg.connect(**parameters, autocommit=True) as server:
        while not over.wait(WATCH):
            found = server.execute(
                "SELECT blocks_done, blocks_total FROM pg_stat_progress_create_index"
                " WHERE datname = current_database() AND blocks_total > 0"
            ).fetchone()
            if found:
                progress(what, *found)


def settle() -> None:
    """What autovacuum has done in a database that is in use: statistics, visibility, nothing left to write."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE)")
        cursor.execute("CHECKPOINT")


def explain(statement: str) -> dict[str, Any]:
    """The plan of a statement that only reads, run once: {"Plan": …, "Execution Time": ms, "Planning Time": ms}."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement}")
        (found,) = cursor.fetchone()
    plans = json.loads(found) if isinstance(found, str) else found
    return dict(plans[0])


def sizes(table: str) -> dict[str, int]:
    """Bytes of the `database`, of the `table` without its indexes, and of each of those by its name."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 'database', pg_database_size(current_database())"
            " UNION ALL SELECT 'table', pg_table_size(%s::regclass)"
            " UNION ALL SELECT * FROM (SELECT indexname::text, pg_relation_size(quote_ident(indexname)::regclass)"
            " FROM pg_indexes WHERE tablename = %s ORDER BY 2 DESC) AS largest",
            [table, table],
        )
        return {name: int(size) for name, size in cursor.fetchall()}


def backends(database: str) -> list[int]:
    """The processes of this machine that serve connections to a database; none where the server is elsewhere."""
    host = str(connection.settings_dict["HOST"])
    if not (host.startswith("/") or host in ("", "localhost", "127.0.0.1")):
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'", [database]
        )
        return [pid for (pid,) in cursor.fetchall()]


def keep(name: str, lasting: str) -> None:
    """Rename the database `name`, so that it outlives the measurement; an older one of that name goes."""
    wrapper = cast(DatabaseWrapper, connection)
    wrapper.close()
    wrapper.close_pool()
    with wrapper._nodb_cursor() as cursor:
        cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(lasting)))
        cursor.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(name), sql.Identifier(lasting)))
