"""What happened to an insight since somebody looked at it: who decides on what they did not see is told, not obeyed."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from django.db import transaction

from accounts.models import LogEntry, Team
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.review.rules import version_token

# Of one insight so many lines: more has happened than a page can tell, and its history has them all.
LINES = 5


class Changed(Refused):
    """Somebody else changed it since it was seen. `mark`: as it was seen; `lines`: what happened, the oldest first."""

    code = "stale_revision"
    status = 412

    def __init__(self, ref: str, mark: str, lines: list[LogEntry]) -> None:
        super().__init__(f"{ref} has changed since you opened the page.")
        self.ref, self.mark, self.lines = ref, mark, lines


def version_of(row: Insight) -> str:
    """How it is seen now."""
    return version_token.mark(row.revision, row.superseded_by_id, row.updated_at)


@contextmanager
def locked_unchanged(*, ref: str, mark: str, by: Member) -> Iterator[None]:
    """A transaction in which the insight is held as it was seen; without a mark nothing is asked.

    The team's row is taken first, as every act takes it. Raises NotFound, Changed.
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
    """By reference what happened to those that are not as they were seen, the oldest first: in one statement."""
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
