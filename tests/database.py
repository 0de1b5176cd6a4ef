"""The whole database at a glance: to show that nothing has changed, or that a word is nowhere in it."""

from functools import cache

from django.db import connection
from psycopg import Cursor

# Calls are counted whether or not they are answered.
COUNTED = "accounts_tally"
ROW = {
    # When and from where a token was last used is kept at every call, to the minute.
    "accounts_apitoken": "to_jsonb(t) - ARRAY['last_used_at', 'last_used_from']",
    # That an act was refused is logged, and changes nothing.
    "accounts_logentry": "CASE WHEN t.verb = 'refused' THEN NULL ELSE to_jsonb(t) END",
}
ROWS = """
    SELECT '{table}', (
        SELECT string_agg(row, chr(10) ORDER BY row)
        FROM (SELECT ({row})::text AS row FROM "{table}" t) rows
    )
"""
# Rows that this connection's open transaction has written to each table so far, undone ones too.
WRITES = """
    SELECT relname, n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_xact_user_tables
    UNION ALL SELECT 'the transaction', coalesce(pg_current_xact_id_if_assigned()::text::bigint, 0)
"""
TRANSACTION = "the transaction"


class Contents(dict[str, str]):
    """Every row as text, by table; and what had been written by then, by which transaction."""

    def __init__(self, rows: dict[str, str], writes: dict[str, int]) -> None:
        super().__init__(rows)
        self.writes = writes

    def undone(self) -> "Contents":
        """The same rows, where all that was written since is undone."""
        return Contents(self, _writes())


def contents() -> Contents:
    """Every row of every table as text, by table: equal before and after if nothing was written."""
    return Contents(_rows(_tables()), _writes())


def changed(before: Contents) -> list[str]:
    """The tables that are not as they were.

    Reading all takes several times as long as asking what was written. So while the transaction of `before` lasts, only
    those tables are read that it has written to since.
    """
    now, tables = _writes(), _tables()
    if now[TRANSACTION] and now[TRANSACTION] == before.writes[TRANSACTION]:
        tables = tuple(table for table in tables if now.get(table) != before.writes.get(table))
    return [table for table, rows in _rows(tables).items() if rows != before[table]]


def _rows(tables: tuple[str, ...]) -> dict[str, str]:
    if not tables:
        return {}
    with connection.cursor() as cursor:
        # Sweeps ask some thousand times: planning sixty tables again would be most of it.
        rows = Cursor(cursor.connection).execute(_statement(tables), prepare=True).fetchall()
    return {table: text or "" for table, text in rows}


def _writes() -> dict[str, int]:
    with connection.cursor() as cursor:
        return dict(Cursor(cursor.connection).execute(WRITES, prepare=True).fetchall())


@cache
def _tables() -> tuple[str, ...]:
    """All of them; no test makes one."""
    with connection.cursor() as cursor:
        tables = [table.name for table in connection.introspection.get_table_list(cursor) if table.type == "t"]
    tables.remove(COUNTED)
    return tuple(tables)


@cache
def _statement(tables: tuple[str, ...]) -> str:
    return " UNION ALL ".join(ROWS.format(table=table, row=ROW.get(table, "t")) for table in tables)
