"""Many rows at once into a database that is only measured on, and what its planner says of a statement."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, cast

from django.db import connection, models, transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from psycopg import sql

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


# The graph of an HNSW index is built in memory as long as it fits: 100,000 halfvecs of 384 take some 200 MB, a million
# 2 GB. In one process: parallel ones share it through /dev/shm, which containers often hold to 64 MB.
BUILD_MEMORY = "2GB"


@contextmanager
def indexed_afterwards(model: type[models.Model]) -> Iterator[None]:
    """Drop the model's own indexes, and build them when the rows are in."""
    with connection.schema_editor() as editor:
        for index in model._meta.indexes:
            editor.remove_index(model, index)
    yield
    with connection.cursor() as cursor:
        cursor.execute(f"SET maintenance_work_mem = '{BUILD_MEMORY}'")
        cursor.execute("SET max_parallel_maintenance_workers = 0")
    with connection.schema_editor() as editor:
        for index in model._meta.indexes:
            editor.add_index(model, index)


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
