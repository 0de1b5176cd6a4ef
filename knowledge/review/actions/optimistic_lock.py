"""Optimistic locking: refuse a decision on an insight that has changed since its page was opened, and return what
happened.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from django.db import transaction

from accounts.models import LogEntry, Team
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.review.rules import version_token

# The largest number of log lines returned for one insight; its history has all of them.
LINES = 5


class Changed(Refused):
    """Somebody else changed the insight since the page was opened. `mark`: the version token of the page; `lines`: what
    happened, oldest first.
    """

    code = "stale_revision"
    status = 412

    def __init__(self, ref: str, mark: str, lines: list[LogEntry]) -> None:
        super().__init__(f"{ref} has changed since you opened the page.")
        self.ref, self.mark, self.lines = ref, mark, lines


def version_of(row: Insight) -> str:
    """Return the version token of the insight as it is now."""
    return version_token.mark(row.revision, row.superseded_by_id, row.updated_at)


@contextmanager
def locked_unchanged(*, ref: str, mark: str, by: Member) -> Iterator[None]:
    """Open a transaction in which the insight is locked at the version `mark`; without a mark nothing is checked.

    The team's row is locked first, as in all actions. Raises NotFound, Changed.
    """
    if not mark:
        yield
        return
    with transaction.atomic():
        found = Insight.objects.visible_to(by).filter(ref=ref).values("pk", "team_id").first()
        if found is None:
            raise NotFound
        Team.objects.select_for_update(no_key=True).get(pk=found["team_id"])
        row = Insight.objects.select_for_update(no_key=True).get(pk=found["pk"])
        if version_of(row) != mark:
            raise Changed(ref, mark, since([row], {ref: mark}, by=by).get(ref, []))
        yield


def since(rows: Iterable[Insight], marks: Mapping[str, str], *, by: Member) -> dict[str, list[LogEntry]]:
    """Return, by reference, the log lines of the insights that have changed since `marks`, oldest first. One
    statement.
    """
    moments = {
        row.ref: version_token.moment(marks[row.ref])
        for row in rows
        if marks.get(row.ref, version_of(row)) != version_of(row)
    }
    if not moments:
        return {}
    lines = LogEntry.objects.visible_to(by).filter(at__gt=min(moments.values())).about(*moments)
    found: dict[str, list[LogEntry]] = {ref: [] for ref in moments}
    for line in lines[: LINES * len(moments)]:
        if line.at > moments[line.subject]:
            found[line.subject].append(line)
    return {ref: some[:LINES][::-1] for ref, some in found.items()}
