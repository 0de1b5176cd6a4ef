"""Two runs of the benchmark against each other: what has grown, and whether a query costs more of the processor."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sessions_app.lab.metrics.tables import Table

Figure = Callable[[Mapping[str, Any]], float | None]

CPU = "query CPU"


def _at(*path: str) -> Figure:
    """The figure at a path of one size; None where a run has none, as older ones have fewer."""

    def found(one: Mapping[str, Any]) -> float | None:
        value: Any = one
        for name in path:
            if not isinstance(value, Mapping) or name not in value:
                return None
            value = value[name]
        return float(value) if isinstance(value, int | float) else None

    return found


def _cpu(what: str) -> Figure:
    web, database = _at(what, "web_ms"), _at(what, "database_ms")

    def found(one: Mapping[str, Any]) -> float | None:
        here, there = web(one), database(one)
        return None if here is None or there is None else here + there

    return found


FIGURES: dict[str, Figure] = {
    "query p50": _at("query", "p50"),
    "query p95": _at("query", "p95"),
    CPU: _cpu("query"),
    "deposit p50": _at("deposit", "p50"),
    "deposit p95": _at("deposit", "p95"),
    "deposit CPU": _cpu("deposit"),
    "queries/s": _at("sustained", "per_second"),
    "memory of the web": _at("memory_mb", "most"),
    "disk": _at("disk_mb", "database"),
    "SQL of a query": _at("statements", "default"),
}


def compared(before: Mapping[str, Any], after: Mapping[str, Any]) -> Table:
    """Each figure of the sizes that both runs have, and by how much it has changed."""
    rows = []
    for size, old, new in _pairs(before, after):
        for name, figure in FIGURES.items():
            was, now = figure(old), figure(new)
            if was is not None and now is not None:
                ratio = f"{now / was:.2f}" if was else "–"
                rows.append([f"{size:,}", name, f"{was:,.1f}", f"{now:,.1f}", ratio])
    note = f"Before: {before.get('date', '?')[:10]}, {_said(before)}. After: {_said(after)}."
    return Table("Compared with an earlier run", ["insights", "figure", "before", "after", "ratio"], rows, note)


def grown(before: Mapping[str, Any], after: Mapping[str, Any], *, most: float) -> list[str]:
    """One line for each size at which a query takes more of the processor than before, by more than `most` of it."""
    found = []
    for size, old, new in _pairs(before, after):
        was, now = FIGURES[CPU](old), FIGURES[CPU](new)
        if was and now and now > was * (1 + most):
            found.append(
                f"a query at {size:,} insights takes {now:.1f} ms of CPU, {now / was - 1:+.0%} ({was:.1f} before)"
            )
    return found


def comparable(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[int]:
    """The sizes at which both runs say what a query costs the processor."""
    figure = FIGURES[CPU]
    return [size for size, old, new in _pairs(before, after) if figure(old) and figure(new)]


def _pairs(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> Sequence[tuple[int, Mapping[str, Any], Mapping[str, Any]]]:
    old = {one["insights"]: one for one in before.get("sizes", [])}
    return [(one["insights"], old[one["insights"]], one) for one in after["sizes"] if one["insights"] in old]


def _said(run: Mapping[str, Any]) -> str:
    machine = run.get("machine", {})
    return f"Loam {run.get('versions', {}).get('loam', '?')} on {machine.get('cores', '?')} cores"
