"""Set which member of a team answers for something that belongs to it: an insight, a topic, a skill."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Protocol

from accounts.models import User
from accounts.rules.guard.detection import masked
from accounts.rules.refused import Refused
from accounts.rules.rights import Level, Member


class Owned(Protocol):
    """A row of a team that a member of it may own."""

    team_id: Any
    owner_id: Any

    def set_owner(self, owner: User | None, *, by: Member, at: datetime, why: str = "") -> None:
        """Set the owner, with a line in its history."""


class NotAMember(Refused):
    code = "invalid"


def set_owner(row: Owned, *, owner: str, by: Member, now: datetime, why: str = "") -> None:
    """Set the owner of a row that the caller has found for `by` and locked; "" for nobody. For leads, and for the
    present owner.

    Raises NotAllowed, NotAMember on `owner`.
    """
    own = row.owner_id is not None and row.owner_id == by.user_id
    by.require(row.team_id, Level.CONTRIBUTOR if own and not by.may(row.team_id, Level.LEAD) else Level.LEAD)
    user = _named(owner, row.team_id)
    if row.owner_id != (user.pk if user else None):
        row.set_owner(user, by=by, at=now, why=masked(why))


# The models with owners. Apps add theirs at startup.
OWNED: list[Any] = []


def leave_owned(*, user_id: int, team_id: int, by: Member, now: datetime) -> None:
    """Remove a member as owner from everything in a team that they leave. In the caller's transaction."""
    for model in OWNED:
        rows: Iterable[Owned] = model.objects.filter(team_id=team_id, owner_id=user_id)
        for row in rows:
            row.set_owner(None, by=by, at=now, why="the owner left the team")


def _named(username: str, team_id: int) -> User | None:
    if not username:
        return None
    found = User.objects.filter(username=username, is_active=True, memberships__team_id=team_id).first()
    if found is None:
        raise NotAMember(errors={"owner": [f"{username[:60]} is not a member of the team."]})
    return found
