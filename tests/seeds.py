"""What the migrations put into the tables, kept to be put back behind a test that commits.

Django empties every table there is and saves each seeded row by itself, before such a test and after it: a third of a
second, several times what most of these tests take. Here only those tables are touched that the test has changed.
"""

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper


class Seeds:
    """Tables and their rows as they are when this is made: when the migrations have run."""

    def __init__(self) -> None:
        self.tables = sorted(connection.introspection.django_table_names(only_existing=True, include_views=False))
        with connection.cursor() as cursor:
            self.rows = {table: copied(cursor, table) for table in filled(cursor, self.tables)}

    def put_back(self) -> None:
        """Every table is as it was; sequences go on. Waits for writers, as TRUNCATE would."""
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {', '.join(map(quoted, self.tables))} IN SHARE ROW EXCLUSIVE MODE")
            changed = set(filled(cursor, self.tables)) - set(self.rows)
            changed |= {table for table, rows in self.rows.items() if copied(cursor, table) != rows}
            for table in changed:
                cursor.execute(f"DELETE FROM {quoted(table)}")  # references are looked at when all of it is done
            for table in changed & set(self.rows):
                with cursor.copy(f"COPY {quoted(table)} FROM STDIN") as into:
                    into.write(self.rows[table])


def quoted(table: str) -> str:
    return connection.ops.quote_name(table)


def filled(cursor: CursorWrapper, tables: list[str]) -> list[str]:
    """Those that have a row."""
    asked = (f"SELECT '{table}' WHERE EXISTS (SELECT FROM {quoted(table)})" for table in tables)
    cursor.execute(" UNION ALL ".join(asked))
    return [table for (table,) in cursor.fetchall()]


def copied(cursor: CursorWrapper, table: str) -> bytes:
    """All rows, as COPY writes them."""
    with cursor.copy(f"COPY {quoted(table)} TO STDOUT") as out:
        return b"".join(map(bytes, out))
