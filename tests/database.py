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


def contents() -> dict[str, str]:
    """Every row of every table as text, by table: equal before and after if nothing was written."""
    with connection.cursor() as cursor:
        # Sweeps ask some thousand times: planning sixty tables again would be most of it.
        rows = Cursor(cursor.connection).execute(_statement(), prepare=True).fetchall()
    return {table: text or "" for table, text in rows}


@cache
def _statement() -> str:
    """Asks for them all; no test makes a table."""
    with connection.cursor() as cursor:
        tables = [table.name for table in connection.introspection.get_table_list(cursor) if table.type == "t"]
    tables.remove(COUNTED)
    return " UNION ALL ".join(ROWS.format(table=table, row=ROW.get(table, "t")) for table in tables)


def changed(before: dict[str, str]) -> list[str]:
    """The tables that are not as they were."""
    return [table for table, rows in contents().items() if rows != before[table]]
