"""Export the table of skills as rows of a file."""

from typing import Any

from knowledge.review.actions.export_table import ExportedTable, moment


def _cells(row: Any) -> list[str]:
    version = row.latest
    triggers = version.called_by
    return [
        row.name,
        row.team.slug,
        row.status,
        version.description,
        version.instructions,
        ", ".join(triggers.tags),
        "\n".join(triggers.files),
        "\n".join(triggers.errors),
        row.author.username if row.author else "",
        row.owner.username if row.owner else "",
        str(version.number),
        str(row.use_count),
        moment(row.last_used_at),
        moment(row.created_at),
        moment(row.updated_at),
    ]


SKILLS = ExportedTable(
    "skill",
    (
        *("name", "team", "status", "description", "instructions", "tags", "files", "errors", "author", "owner"),
        *("version", "served", "last_served", "created", "changed"),
    ),
    _cells,
)
