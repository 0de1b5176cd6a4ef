"""Overview: of each repository of a member, how much was said, and with whom it is shared."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Q

from accounts.rules.rights import Member
from sessions_app.models import Passage, SessionSharing

# A page's worth, those with the latest conversation first; what holds for all repositories holds for the others too.
MOST_LISTED = 60


@dataclass(frozen=True)
class Repository:
    """A repository, or all of them (`""`): its sessions, its passages, and how many passages a team reads now. `row`:
    its own setting. `general`: the setting of all repositories.
    """

    repo: str
    sessions: int
    passages: int
    shared: int
    row: SessionSharing | None
    general: SessionSharing | None = None

    @property
    def holds(self) -> SessionSharing | None:
        """The setting in effect; None if nothing is shared."""
        return self.row or self.general


def repositories_of(*, by: Member) -> Sequence[Repository]:
    """All repositories first, then each that the member has a conversation of or has set something for. Two statements.

    Sessions that were begun in the member's own team are counted, and never shared.
    """
    rows = {row.repo: row for row in SessionSharing.objects.all().of(by.user_id)}
    told = (
        Passage.objects.filter(user_id=by.user_id)
        .order_by()
        .values("repo")
        .annotate(
            sessions=Count("session", distinct=True),
            passages=Count("pk"),
            shared=Count("pk", filter=~Q(team_id=by.home_id)),
            last=Max("said_at"),
        )
    )
    counts = list(told.order_by("-last", "repo").values_list("repo", "sessions", "passages", "shared"))
    general = rows.get("")
    listed = [
        Repository(repo, sessions, passages, shared, rows.get(repo), general)
        for repo, sessions, passages, shared in counts[:MOST_LISTED]
    ]
    missing = set(rows) - {"", *(one.repo for one in listed)}
    listed += [Repository(repo, 0, 0, 0, rows[repo]) for repo in sorted(missing)]
    sessions, passages, shared = (sum(found[place] for found in counts) for place in (1, 2, 3))
    return [Repository("", sessions, passages, shared, general), *listed]
