"""The columns of the table of insights."""

from knowledge.review.rules.table import RowTable, TableColumn

INSIGHTS = RowTable(
    title=TableColumn("title", "Title", ("title",)),
    columns=(
        TableColumn("kind", "Kind", ("kind",)),
        TableColumn("status", "Status", ("status",)),
        TableColumn("team", "Team", ("team__name",)),
        TableColumn("repo", "Repository", ("repo",)),
        TableColumn("tags", "Tags"),
        TableColumn("author", "Author", ("author__username",)),
        TableColumn("owner", "Owner", ("owner__username",)),
        TableColumn("strength", "Strength"),
        TableColumn("corroborations", "Corroborations", ("corroboration_count",), largest_first=True),
        TableColumn("fades", "Next change", ("fades_at",)),
        TableColumn("updated", "Updated", ("updated_at",), largest_first=True),
        TableColumn("created", "Deposited", ("created_at",), largest_first=True),
    ),
    shown=("status", "created"),
    order="-created",
    # The name that the API uses.
    synonyms={"-created_at": "-created", "created_at": "created"},
)
