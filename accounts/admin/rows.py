"""What is exported of accounts: who is of which team, what teams prefer, the log. No secret, digest or address."""

from typing import Any

from django.db.models import QuerySet

from accounts.admin.exports import ExportColumn, Rows
from accounts.rules.rights import Level


class MembershipRows(Rows):
    what = "memberships"

    team = ExportColumn(lambda row: row.team.slug)
    username = ExportColumn(lambda row: row.user.username)
    level = ExportColumn(lambda row: Level(row.level).name.lower())
    since = ExportColumn(lambda row: row.created_at)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("team", "user")


class PreferenceRows(Rows):
    what = "preferences"

    team = ExportColumn(lambda row: row.team.slug)
    key = ExportColumn(lambda row: row.key)
    value = ExportColumn(lambda row: row.value)
    category = ExportColumn(lambda row: row.category)
    statement = ExportColumn(lambda row: row.statement)
    source = ExportColumn(lambda row: row.source)
    confidence = ExportColumn(lambda row: row.confidence)
    changed_by = ExportColumn(lambda row: row.changed_by and row.changed_by.username)
    changed_at = ExportColumn(lambda row: row.changed_at)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("team", "changed_by")


class LogRows(Rows):
    """Who did what, to what, when and why; what stood there before and after is in the history of the thing itself."""

    what = "log entries"

    at = ExportColumn(lambda row: row.at)
    team = ExportColumn(lambda row: row.team.slug)
    actor = ExportColumn(lambda row: row.actor)
    verb = ExportColumn(lambda row: row.verb)
    subject = ExportColumn(lambda row: row.subject)
    line = ExportColumn(lambda row: row.line)
    why = ExportColumn(lambda row: row.why)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("team").defer("before", "after")
