"""The log as an audit log: what a member may see of it, narrowed; one line of it; and its export."""

import json
from typing import Any

from accounts.models import LogEntry, User
from accounts.querysets import LogQuerySet
from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.review.actions.export_table import ExportedTable, moment
from knowledge.review.actions.provenance import without_reasons_about_hidden
from knowledge.review.rules.version_token import VERDICTS
from knowledge.rules.vocabulary import verb_name
from sessions_app.actions.named_objects import names_of
from sessions_app.querysets.activity import narrowed_log, with_hidden_reasons


def activity_of(*, by: Member, ref: str = "", team: str = "", **asked: Any) -> LogQuerySet:
    """Return the lines of the member's teams that fit; in no order yet. `ref`: what they are about, by any of its
    names. Raises NoSuchTeam on `team`.
    """
    team_id = by.named(team).id if team else None
    about = names_of(ref, by) if ref else ()
    rows = narrowed_log(LogEntry.objects.visible_to(by), User.objects.all(), team_id=team_id, about=about, **asked)
    return with_hidden_reasons(rows, Insight.objects.visible_to(by))


def one_line(*, line_id: int, by: Member) -> LogEntry:
    """One line with its values before and after. Raises NotFound."""
    rows = LogEntry.objects.visible_to(by).filter(pk=line_id).select_related("team", "token")
    found = without_reasons_about_hidden(rows, by)
    if not found:
        raise NotFound
    line: LogEntry = found[0]
    return line


def _cells(row: Any) -> list[str]:
    values = ({name: value for name, value in side.items() if name not in VERDICTS} for side in (row.before, row.after))
    return [
        moment(row.at),
        row.team.slug,
        row.actor,
        verb_name(row.verb),
        row.subject,
        row.line,
        "" if row.reason_hidden else row.why,
        *(json.dumps(one, ensure_ascii=False, sort_keys=True) if one else "" for one in values),
    ]


# Verdicts are left out: they may name insights that are hidden by now.
LOG_LINES = ExportedTable(
    "log line", ("at", "team", "actor", "action", "object", "event", "reason", "before", "after"), _cells
)


def exported_log(rows: LogQuerySet) -> LogQuerySet:
    """In the order of the file, the newest first."""
    return rows.order_by("-at", "-pk")
