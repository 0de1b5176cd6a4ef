"""What is exported of what a team knows. No column names what is out of every read, nor what is of another team."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from accounts.admin.exports import Column, Rows
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

    ref = Column(lambda row: row.ref)
    team = Column(lambda row: row.team.slug)
    kind = Column(lambda row: row.kind)
    title = Column(lambda row: row.title)
    body = Column(lambda row: row.body)
    reasoning = Column(lambda row: row.reasoning)
    tags = Column(lambda row: listed(row, "tags"))
    files = Column(lambda row: listed(row, "files"))
    symbols = Column(lambda row: listed(row, "symbols"))
    repo = Column(lambda row: row.repo)
    stability = Column(lambda row: row.stability)
    source_date = Column(lambda row: row.source_date)
    source_url = Column(lambda row: row.source_url)
    source_type = Column(lambda row: row.source_type)
    status = Column(lambda row: row.status)
    strength = Column(lambda row: round(row.effective_strength(timezone.now()), 1))
    pinned = Column(lambda row: row.pinned)
    trust = Column(lambda row: row.trust)
    confidence = Column(lambda row: row.confidence)
    corroborations = Column(lambda row: row.corroboration_count)
    superseded_by = Column(heir)
    author = Column(lambda row: row.author and row.author.username)
    created_at = Column(lambda row: row.created_at)
    updated_at = Column(lambda row: row.updated_at)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        rows = rows.select_related("team", "author", "superseded_by").prefetch_related("anchors")
        return rows.defer(*heavy("", "superseded_by__"))


class PairRows(Rows):
    what = "contradictions and duplicates"

    team = Column(lambda row: row.a.team.slug)
    question = Column(lambda row: row.question)
    state = Column(lambda row: row.state)
    a = Column(lambda row: row.a.ref)
    a_title = Column(lambda row: row.a.title)
    b = Column(lambda row: row.b.ref)
    b_title = Column(lambda row: row.b.title)
    reason = Column(lambda row: row.reason)
    similarity = Column(lambda row: row.similarity)
    raised_by = Column(lambda row: row.raised_by)
    raised_at = Column(lambda row: row.raised_at)
    settled_by = Column(lambda row: row.settled_by and row.settled_by.username)
    settled_at = Column(lambda row: row.settled_at)
    resolution = Column(lambda row: row.resolution)
    scope = Column(lambda row: row.scope)

    def team_of(self, row: Any) -> int:
        return int(row.a.team_id)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("a__team", "b", "settled_by").defer(*heavy("a__", "b__"))


class SignalRows(Rows):
    what = "ratings"

    at = Column(lambda row: row.at)
    team = Column(lambda row: row.insight.team.slug)
    insight = Column(lambda row: row.insight.ref)
    kind = Column(lambda row: row.kind)
    human = Column(lambda row: row.human)
    by = Column(lambda row: row.user and row.user.username)
    question = Column(lambda row: row.question)
    reason = Column(lambda row: row.reason)

    def team_of(self, row: Any) -> int:
        return int(row.insight.team_id)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("insight__team", "user").defer("embedding", *heavy("insight__"))


class TopicRows(Rows):
    what = "topics"

    team = Column(lambda row: row.team.slug)
    label = Column(lambda row: row.label)
    terms = Column(lambda row: ", ".join(row.terms))
    insights = Column(lambda row: row.size)
    named = Column(lambda row: row.named)
    merged_into = Column(lambda row: row.merged_into and row.merged_into.label)
    created_at = Column(lambda row: row.created_at)
    updated_at = Column(lambda row: row.updated_at)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("team", "merged_into").defer("centroid", "merged_into__centroid")
