"""Hide the parts of an insight's history that belong to another team.

Who rated an insight, and for which question, is shown only in the team where it was rated. A move takes along only the
verdict.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from accounts.models import LogEntry
from accounts.rules.rights import Member
from accounts.rules.webhooks import AGAINST
from knowledge.models import Insight


def withhold_names(given: Iterable[Any], *, insight: Insight, by: Member) -> list[Any]:
    """Return these ratings or corroborations, unsaved; those given in a team that the member is not in are `withheld`
    (without person, question and reason). One statement.
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
    """Return the log lines, unsaved, without the reasons of those about another insight that the member cannot see,
    because a reason may quote the words of a forgotten insight. One statement, if any line names another insight.
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
    """Return the team it belonged to at that time."""
    return next((team for moved, team in moves if moved >= at), now)
