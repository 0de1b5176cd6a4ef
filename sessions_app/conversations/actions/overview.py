"""Overview: how much was said in each repository of a member, and with whom it is shared."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Q

from accounts.rules.rights import Member
from sessions_app.models import Passage, SessionSharing

# One page of repositories, the latest conversation first. The setting of all repositories covers those beyond it too.
MOST_LISTED = 60


@dataclass(frozen=True)
class Repository:
    """A repository, or all of them (`""`): its number of sessions and of passages, and the number of passages that a
    team reads now. `row`: its own setting. `general`: the setting of all repositories.
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
    """Return all repositories as one, then each one with a conversation or a setting of the member. Two statements.

    Sessions that were begun in the member's personal team are counted, and never shared.
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
