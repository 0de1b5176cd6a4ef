"""What is exported of what a team knows. No column names what is out of every read, nor what is of another team."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from accounts.admin.exports import ExportColumn, Rows
from knowledge.forms.insights import LISTS
from knowledge.models import Insight

# What a row is found by, and no file needs: kilobytes of each.
WEIGHT = ("embedding", "lexemes", "bm25", "heard")


def heavy(*paths: str) -> list[str]:
    """The names of those fields, on the way of each of these paths."""
    return [f"{path}{name}" for path in paths for name in WEIGHT]


def listed(insight: Insight, name: str) -> str:
    """Its tags, files or symbols as they are typed in a form, and read by an import."""
    mark = LISTS[name]
    return (f"{mark} " if mark == "," else mark).join(getattr(insight, name))


def heir(insight: Insight) -> str:
    """The reference of what took its place, if that is shown itself."""
    other = insight.superseded_by
    if other is None or other.forgotten_at or other.quarantined_at or other.team_id != insight.team_id:
        return ""
    return other.ref


class InsightRows(Rows):
    """What a person writes first, as an import reads it; then what became of it."""

    what = "insights"

    ref = ExportColumn(lambda row: row.ref)
    team = ExportColumn(lambda row: row.team.slug)
    kind = ExportColumn(lambda row: row.kind)
    title = ExportColumn(lambda row: row.title)
    body = ExportColumn(lambda row: row.body)
    reasoning = ExportColumn(lambda row: row.reasoning)
    tags = ExportColumn(lambda row: listed(row, "tags"))
    files = ExportColumn(lambda row: listed(row, "files"))
    symbols = ExportColumn(lambda row: listed(row, "symbols"))
    questions = ExportColumn(lambda row: "\n".join(row.questions))
    repo = ExportColumn(lambda row: row.repo)
    stability = ExportColumn(lambda row: row.stability)
    source_date = ExportColumn(lambda row: row.source_date)
    source_url = ExportColumn(lambda row: row.source_url)
    source_type = ExportColumn(lambda row: row.source_type)
    status = ExportColumn(lambda row: row.status)
    strength = ExportColumn(lambda row: round(row.effective_strength(timezone.now()), 1))
    pinned = ExportColumn(lambda row: row.pinned)
    trust = ExportColumn(lambda row: row.trust)
    confidence = ExportColumn(lambda row: row.confidence)
    corroborations = ExportColumn(lambda row: row.corroboration_count)
    superseded_by = ExportColumn(heir)
    author = ExportColumn(lambda row: row.author and row.author.username)
    created_at = ExportColumn(lambda row: row.created_at)
    updated_at = ExportColumn(lambda row: row.updated_at)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        rows = rows.select_related("team", "author", "superseded_by").prefetch_related("anchors")
        return rows.defer(*heavy("", "superseded_by__"))


class PairRows(Rows):
    what = "contradictions and duplicates"

    team = ExportColumn(lambda row: row.a.team.slug)
    question = ExportColumn(lambda row: row.question)
    state = ExportColumn(lambda row: row.state)
    a = ExportColumn(lambda row: row.a.ref)
    a_title = ExportColumn(lambda row: row.a.title)
    b = ExportColumn(lambda row: row.b.ref)
    b_title = ExportColumn(lambda row: row.b.title)
    reason = ExportColumn(lambda row: row.reason)
    similarity = ExportColumn(lambda row: row.similarity)
    raised_by = ExportColumn(lambda row: row.raised_by)
    raised_at = ExportColumn(lambda row: row.raised_at)
    settled_by = ExportColumn(lambda row: row.settled_by and row.settled_by.username)
    settled_at = ExportColumn(lambda row: row.settled_at)
    resolution = ExportColumn(lambda row: row.resolution)
    scope = ExportColumn(lambda row: row.scope)

    def team_of(self, row: Any) -> int:
        return int(row.a.team_id)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("a__team", "b", "settled_by").defer(*heavy("a__", "b__"))


def given_here(row: Any) -> bool:
    """Whether a rating was given in the team that its insight belongs to now; a move takes only the verdict along."""
    return all(moved.at < row.at for moved in row.insight.former.all())


class SignalRows(Rows):
    what = "ratings"

    at = ExportColumn(lambda row: row.at)
    team = ExportColumn(lambda row: row.insight.team.slug)
    insight = ExportColumn(lambda row: row.insight.ref)
    kind = ExportColumn(lambda row: row.kind)
    human = ExportColumn(lambda row: row.human)
    by = ExportColumn(lambda row: row.user.username if row.user and given_here(row) else "")
    question = ExportColumn(lambda row: row.question if given_here(row) else "")
    reason = ExportColumn(lambda row: row.reason if given_here(row) else "")

    def team_of(self, row: Any) -> int:
        return int(row.insight.team_id)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        rows = rows.select_related("insight__team", "user").prefetch_related("insight__former")
        return rows.defer("embedding", *heavy("insight__"))


class TopicRows(Rows):
    what = "topics"

    team = ExportColumn(lambda row: row.team.slug)
    label = ExportColumn(lambda row: row.label)
    terms = ExportColumn(lambda row: ", ".join(row.terms))
    insights = ExportColumn(lambda row: row.size)
    named = ExportColumn(lambda row: row.named)
    merged_into = ExportColumn(lambda row: row.merged_into and row.merged_into.label)
    created_at = ExportColumn(lambda row: row.created_at)
    updated_at = ExportColumn(lambda row: row.updated_at)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("team", "merged_into").defer("centroid", "merged_into__centroid")
