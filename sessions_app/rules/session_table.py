"""The columns of the table of sessions. What a session is about is no order: a prompt that is not shown would tell by
its place.
"""

from knowledge.review.rules.table import RowTable, TableColumn

SESSIONS = RowTable(
    title=TableColumn("session", "Session"),
    columns=(
        TableColumn("repo", "Repository", ("repo",)),
        TableColumn("branch", "Branch", ("branch",)),
        TableColumn("user", "User", ("user__username",)),
        TableColumn("agent", "Agent", ("agent",)),
        TableColumn("team", "Team", ("team__name",)),
        TableColumn("state", "State", ("state",)),
        TableColumn("handoff", "Handoff"),
        TableColumn("events", "Events"),
        TableColumn("started", "Started", ("started_at",), largest_first=True),
        TableColumn("ended", "Ended", ("ended_at",), largest_first=True),
        TableColumn("last", "Last activity", ("last_seen_at",), largest_first=True),
    ),
    shown=("repo", "user", "agent", "state", "handoff", "last"),
    order="-last",
)
