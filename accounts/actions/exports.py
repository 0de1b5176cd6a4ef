"""Log exports: rows leave Loam in a file, and the log of each of their teams says so."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction

from accounts.models import LogEntry
from accounts.rules.rights import Member


def note_export(
    *, what: str, counts: Mapping[int, int], columns: Sequence[str], form: str, by: Member, now: datetime
) -> None:
    """Log in each team who exported how many of its rows. `counts`: rows by team id; `what`: their name in the
    plural.
    """
    with transaction.atomic():
        for team_id, count in sorted(counts.items()):
            LogEntry.write(
                team_id=team_id,
                verb="exported",
                line=f"{count:,} {what} exported as {form.upper()}",
                after={"rows": count, "columns": list(columns), "format": form},
                by=by,
                at=now,
            )
