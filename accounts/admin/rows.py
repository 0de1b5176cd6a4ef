"""What is exported of accounts: who is of which team, what teams prefer, the log. No secret, digest or address."""

from typing import Any

from django.db.models import QuerySet

from accounts.admin.exports import Column, Rows
from accounts.rules.rights import Level


class MembershipRows(Rows):
    what = "memberships"

    team = Column(lambda row: row.team.slug)
    username = Column(lambda row: row.user.username)
    level = Column(lambda row: Level(row.level).name.lower())
    since = Column(lambda row: row.created_at)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("team", "user")


class PreferenceRows(Rows):
    what = "preferences"

    team = Column(lambda row: row.team.slug)
    key = Column(lambda row: row.key)
    value = Column(lambda row: row.value)
    category = Column(lambda row: row.category)
    statement = Column(lambda row: row.statement)
    source = Column(lambda row: row.source)
    confidence = Column(lambda row: row.confidence)
    changed_by = Column(lambda row: row.changed_by and row.changed_by.username)
    changed_at = Column(lambda row: row.changed_at)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("team", "changed_by")


class LogRows(Rows):
    """Who did what, to what, when and why; what stood there before and after is in the history of the thing itself."""

    what = "log entries"

    at = Column(lambda row: row.at)
    team = Column(lambda row: row.team.slug)
    actor = Column(lambda row: row.actor)
    verb = Column(lambda row: row.verb)
    subject = Column(lambda row: row.subject)
    line = Column(lambda row: row.line)
    why = Column(lambda row: row.why)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("team").defer("before", "after")
