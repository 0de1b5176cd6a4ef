"""What PostgreSQL says it does for a statement: reading `EXPLAIN (FORMAT JSON)`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SEQUENTIAL = {"Seq Scan", "Parallel Seq Scan"}


@dataclass(frozen=True)
class PlanScan:
    """One way a plan comes to rows: the table ("" where only the index is named), the index ("" without one)."""

    how: str
    table: str
    index: str


def scans(plan: Mapping[str, Any]) -> list[PlanScan]:
    """Every scan of a plan, as EXPLAIN gives it ({"Plan": …}), subplans and CTEs included."""
    return [
        PlanScan(node["Node Type"], node.get("Relation Name", ""), node.get("Index Name", ""))
        for node in _nodes(plan["Plan"])
        if "Relation Name" in node or "Index Name" in node
    ]


def reads_whole(plan: Mapping[str, Any], table: str) -> bool:
    """Whether a table is read from one end to the other."""
    return any(scan.how in SEQUENTIAL and scan.table == table for scan in scans(plan))


def uses(plan: Mapping[str, Any], index: str) -> bool:
    return any(scan.index == index for scan in scans(plan))


def indexes(plan: Mapping[str, Any]) -> list[str]:
    """The indexes it uses, each once, in the order of the plan."""
    return list(dict.fromkeys(scan.index for scan in scans(plan) if scan.index))


def _nodes(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)
