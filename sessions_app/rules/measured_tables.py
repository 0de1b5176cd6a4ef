"""The columns of the lists behind the dashboard."""

from knowledge.review.rules.table import RowTable, TableColumn

QUESTIONS = RowTable(
    title=TableColumn("question", "Question"),
    columns=(
        TableColumn("at", "Asked", ("at",), largest_first=True),
        TableColumn("outcome", "Outcome"),
        TableColumn("results", "Results"),
    ),
    shown=("at", "outcome", "results"),
    order="-at",
)
SIGNALS = RowTable(
    title=TableColumn("insight", "Insight"),
    columns=(
        TableColumn("at", "When", ("at",), largest_first=True),
        TableColumn("kind", "What", ("kind",)),
        TableColumn("who", "Who"),
        TableColumn("question", "Question"),
        TableColumn("reason", "Reason"),
    ),
    shown=("at", "kind", "who", "question", "reason"),
    order="-at",
)
CONTRADICTIONS = RowTable(
    title=TableColumn("insights", "Insights"),
    columns=(
        TableColumn("raised", "Reported", ("raised_at",), largest_first=True),
        TableColumn("by", "Reported by"),
        TableColumn("reason", "Reason"),
        TableColumn("state", "State", ("state",)),
        TableColumn("settled", "Settled", ("settled_at",), largest_first=True),
        TableColumn("resolution", "Resolution"),
    ),
    shown=("raised", "by", "reason", "state", "settled"),
    order="-raised",
)
