"""The SQL of changes to another embedding model."""

from datetime import timedelta
from typing import Any, Self

from django.db import connection
from django.db.models import DateTimeField, Func, Q, QuerySet, Value

# The key of the lock that a process holds on its connection while it works on a change.
LOCK = (0x4C6F616D, 0x766563)
_RUNNING = """
SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = %s AND objid = %s AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
"""


class ClockTimestamp(Func):
    """Now, not the begin of the transaction."""

    function = "clock_timestamp"
    output_field = DateTimeField()


class EmbeddingChangeQuerySet(QuerySet[Any]):
    def open(self) -> Self:
        """The one that is not switched yet, if there is one."""
        return self.filter(switched_at__isnull=True).order_by("-pk")

    def in_use(self) -> str:
        """The model of the last switch; empty if there was none."""
        last = self.filter(switched_at__isnull=False).order_by("-switched_at")
        return str(last.values_list("model", flat=True).first() or "")

    def keep_quiet(self, span: timedelta) -> None:
        self.update(quiet_until=ClockTimestamp() + Value(span))

    def switch(self, *, left: timedelta, quiet: timedelta) -> bool:
        """Note that the vectors in use are the new ones, and that none are used for the time `quiet`; False where less
        than `left` of the time in which nobody uses vectors is left.
        """
        timely = Q(quiet_until__gt=ClockTimestamp() + Value(left))
        until = ClockTimestamp() + Value(quiet)
        return bool(self.filter(timely).update(switched_at=ClockTimestamp(), quiet_until=until))

    def is_running(self) -> bool:
        """Whether a process is at work on a change."""
        with connection.cursor() as cursor:
            cursor.execute(_RUNNING, LOCK)
            return bool(cursor.fetchone()[0])
