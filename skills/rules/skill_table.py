"""The columns of the table of skills."""

from knowledge.review.rules.table import RowTable, TableColumn

SKILLS = RowTable(
    title=TableColumn("name", "Skill", ("name",)),
    columns=(
        TableColumn("status", "Status", ("status",)),
        TableColumn("team", "Team", ("team__name",)),
        TableColumn("author", "Author", ("author__username",)),
        TableColumn("owner", "Owner", ("owner__username",)),
        TableColumn("triggers", "Triggers"),
        TableColumn("version", "Version"),
        TableColumn("served", "Served", ("use_count",), largest_first=True),
        TableColumn("used", "Last served", ("last_used_at",), largest_first=True),
        TableColumn("created", "Created", ("created_at",), largest_first=True),
        TableColumn("changed", "Changed", ("updated_at",), largest_first=True),
    ),
    # The other columns are shown in the panel beside the table.
    shown=("status", "served", "changed"),
    order="-changed",
)
