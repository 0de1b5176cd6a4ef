"""The tables that a benchmark prints."""

from collections.abc import Callable, Sequence
from typing import Any

from sessions_app.lab.benchmark import conversations, hooks, pages, replays
from sessions_app.lab.metrics.tables import Table


def tables_of(about: dict[str, Any], sizes: Sequence[dict[str, Any]]) -> list[Table]:
    here, on = about["machine"], about["versions"]
    note = (
        f"{here['processor']}, {here['cores']} cores, {here['memory_gb']} GB; PostgreSQL {on['postgresql']} with "
        f"pgvector {on['vector']}; one web process; {about['queries']} questions, none twice; {about['date'][:10]}. "
        "Milliseconds, from outside over HTTP; memory of the web process in MB; SQL: round trips of one question, for "
        "insights only and by default."
    )
    tables = [_speed(sizes, about["clients"], note), _costs(sizes), hooks.table(sizes), _neighbours(sizes)]
    if sizes and "conversations" in sizes[0]:
        tables.append(conversations.table(sizes))
    return [*tables, pages.table(sizes), replays.table(sizes)]


def _speed(sizes: Sequence[dict[str, Any]], clients: int, note: str) -> Table:
    columns: dict[str, Callable[[dict[str, Any]], str]] = {
        "insights": lambda one: f"{one['insights']:,}",
        "query p50": lambda one: f"{one['query']['p50']:.1f}",
        "p95": lambda one: f"{one['query']['p95']:.1f}",
        "p99": lambda one: f"{one['query']['p99']:.1f}",
        f"queries/s, {clients} clients": lambda one: f"{one['sustained']['per_second']:.0f}",
        "p95 then": lambda one: f"{one['sustained']['p95']:.0f}",
        "errors": lambda one: str(sum(one[part]["errors"] for part in ("query", "sustained", "deposit"))),
        "deposit p50": lambda one: f"{one['deposit']['p50']:.1f}",
        "p95 ": lambda one: f"{one['deposit']['p95']:.1f}",
        "memory": lambda one: f"{one['memory_mb']['most'] or 0:.0f}",
        "SQL": lambda one: f"{one['statements']['insights']} / {one['statements']['default']}",
        "load s": lambda one: f"{one['seconds']['load']:.0f}",
        "index s": lambda one: f"{one['seconds']['index']:.0f}",
    }
    rows = [[cell(one) for cell in columns.values()] for one in sizes]
    return Table("Speed by size", list(columns), rows, note)


def _costs(sizes: Sequence[dict[str, Any]]) -> Table:
    columns: dict[str, Callable[[dict[str, Any]], str]] = {
        "insights": lambda one: f"{one['insights']:,}",
        "CPU of a query": lambda one: f"{one['query']['web_ms'] + one['query']['database_ms']:.1f}",
        "web": lambda one: f"{one['query']['web_ms']:.1f}",
        "database": lambda one: f"{one['query']['database_ms']:.1f}",
        "CPU of a deposit": lambda one: f"{one['deposit']['web_ms'] + one['deposit']['database_ms']:.1f}",
        "web ": lambda one: f"{one['deposit']['web_ms']:.1f}",
        "database ": lambda one: f"{one['deposit']['database_ms']:.1f}",
        "disk": lambda one: f"{one['disk_mb']['database']:,.0f}",
        "rows": lambda one: f"{one['disk_mb']['table']:,.0f}",
        "vectors": lambda one: f"{one['disk_mb'].get('insight_near', 0):,.0f}",
    }
    rows = [[cell(one) for cell in columns.values()] for one in sizes]
    note = "Milliseconds of the processor for each request, one after the other; MB of the database before it is asked."
    return Table("Cost by size", list(columns), rows, note)


def _neighbours(sizes: Sequence[dict[str, Any]]) -> Table:
    columns = [
        "insights, team",
        "its insights",
        "vector leg",
        "candidates ms",
        "recall@10",
        "query p50",
        "p95",
        "reads all",
    ]
    rows = [
        [
            f"{one['insights']:,}, {slug}",
            f"{team['insights']:,}",
            "HNSW" if team["hnsw"] else "sorted",
            f"{team['candidates_ms']:.1f}",
            f"{team['recall_at_10']:.3f}",
            f"{timed['p50']:.1f}",
            f"{timed['p95']:.1f}",
            "YES" if team["sequential_scan"] else "no",
        ]
        for one in sizes
        for slug, team in one["teams"].items()
        for timed in [team.get("query", one["query"])]
    ]
    return Table("The candidates of teams of different sizes", columns, rows)
