"""Export the filtered rows of a table as rows of a file."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from accounts.models import LogEntry
from accounts.rules.cells import as_text
from accounts.rules.rights import Member, TeamKind

# The largest export, as in the admin. For more, make a backup.
MOST = 10_000
CHUNK = 500


@dataclass(frozen=True)
class ExportedTable:
    """`noun`: the name of a row in the log. `cells`: the texts of one row, in the order of `header`."""

    noun: str
    header: Sequence[str]
    cells: Callable[[Any], Sequence[str]]


def exported_rows(table: ExportedTable, rows: Any, *, by: Member, now: datetime) -> Iterator[list[str]]:
    """Yield the heading and each row as cells that no spreadsheet reads as a formula; at the end, log the number of
    exported rows for each shared team. `rows`: a queryset in the order of the file.
    """
    counts: Counter[int] = Counter()
    yield list(table.header)
    for row in rows[:MOST].iterator(chunk_size=CHUNK):
        counts[row.team_id] += 1
        yield [as_text(cell) for cell in table.cells(row)]
    for team in by.teams:
        if counts[team.id] and team.kind is not TeamKind.PERSONAL:
            line = f"{counts[team.id]} {table.noun}{'' if counts[team.id] == 1 else 's'} exported"
            LogEntry.write(team_id=team.id, verb="exported", line=line, by=by, at=now)


def moment(at: datetime | None) -> str:
    """Return a time as a cell: ISO 8601, in UTC."""
    return at.astimezone(UTC).isoformat(timespec="seconds") if at else ""


def _insight_cells(row: Any) -> list[str]:
    return [
        row.ref,
        row.team.slug,
        row.kind,
        row.standing,
        row.title,
        row.body,
        row.reasoning,
        ", ".join(row.tags),
        "\n".join(row.files),
        "\n".join(row.symbols),
        "\n".join(row.questions),
        row.repo,
        row.author.username if row.author else "",
        row.owner.username if row.owner else "",
        str(row.corroboration_count),
        "true" if row.pinned else "false",
        moment(row.created_at),
        moment(row.updated_at),
    ]


INSIGHTS = ExportedTable(
    "insight",
    (
        *("ref", "team", "kind", "status", "title", "body", "reasoning", "tags", "files", "symbols", "questions"),
        *("repo", "author", "owner", "corroborations", "pinned", "created", "updated"),
    ),
    _insight_cells,
)
