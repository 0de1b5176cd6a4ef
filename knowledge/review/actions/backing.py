"""What stands behind an insight besides its author, read from its row and its log."""

from accounts.models import LogEntry
from knowledge.models import Insight
from knowledge.review.rules.backing import CONFIRMED_BY, WORKED_ON_BY, Backing
from knowledge.rules.vocabulary import Status

VERBS = (*CONFIRMED_BY, *WORKED_ON_BY)


def backing_of(row: Insight) -> Backing:
    """Return what others than its author did for it."""
    lines = LogEntry.objects.filter(team_id=row.team_id, subject=row.ref, verb__in=VERBS, user__isnull=False)
    acts = lines.exclude(user_id=row.author_id).order_by().values_list("verb", flat=True).distinct()
    return Backing(
        people=row.people - 1,
        favoured=row.favoured_at is not None,
        promoted=row.status == Status.PROMOTED,
        pinned=row.pinned,
        acts=list(acts),
    )
