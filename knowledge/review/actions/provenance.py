"""What of the history of an insight is not everybody's.

Who rated an insight, and for which question, is told in the team where they did: a move takes only the verdict.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from accounts.models import LogEntry
from accounts.rules.rights import Member
from accounts.rules.webhooks import AGAINST
from knowledge.models import Insight


def withhold_names(given: Iterable[Any], *, insight: Insight, by: Member) -> list[Any]:
    """Return these ratings or corroborations, unsaved, each `withheld` (without person, question and reason) that was
    given in a team the member is not of. In one statement.
    """
    rows = list(given)
    moves = [(one.at, one.team_id) for one in sorted(insight.former.all(), key=lambda one: (one.at, one.pk))]
    for row in rows:
        row.withheld = _team_of(row.at, moves, insight.team_id) not in by.team_ids
        if row.withheld:
            row.user, row.token = None, None
            for name in ("question", "reason"):
                if hasattr(row, name):
                    setattr(row, name, "")
    return rows


def without_reasons_about_hidden(lines: Iterable[LogEntry], by: Member) -> list[LogEntry]:
    """Return the lines, unsaved, without the reason of those about another insight that the member cannot see: of what
    was forgotten a reason may repeat the words. One statement, where a line names another insight at all.
    """
    rows = list(lines)
    named = {row.after[AGAINST] for row in rows if row.after.get(AGAINST)}
    if named:
        seen = set(Insight.objects.visible_to(by).filter(ref__in=named).values_list("ref", flat=True))
        for row in rows:
            if row.after.get(AGAINST, "") in named - seen:
                row.why = ""
    return rows


def _team_of(at: datetime, moves: list[tuple[datetime, int]], now: int) -> int:
    """The team it belonged to at that moment."""
    return next((team for moved, team in moves if moved >= at), now)
