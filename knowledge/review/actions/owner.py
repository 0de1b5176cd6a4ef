"""Who of the team answers for an insight."""

from datetime import datetime

from django.db import transaction

from accounts.actions.members import owner_named, require_owner
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotFound, Stale
from accounts.rules.rights import Member
from knowledge.models import Insight


def set_owner(*, ref: str, owner: str, by: Member, now: datetime, why: str = "") -> Insight:
    """Say who of the team answers for an insight; empty: nobody. A lead's act, or the present owner's.

    Raises NotFound, NotAllowed, NotAMember on `owner`.
    """
    seen = Insight.objects.visible_to(by).called(ref).first()
    if seen is None:
        raise NotFound
    with transaction.atomic():
        Insight.objects.select_for_update(no_key=True).get(pk=seen.pk)
        row: Insight = Insight.objects.whole().get(pk=seen.pk)
        require_owner(by, team_id=row.team_id, owner_id=row.owner_id)
        user = owner_named(owner, team_id=row.team_id)
        if row.owner_id != (user.pk if user else None):
            row.set_owner(user, by=by, at=now, why=masked(why))
    return row


def leave_insights(*, user_id: int, team_id: int, by: Member, now: datetime) -> None:
    """Nobody answers any more for what a member owned who leaves the team."""
    for row in Insight.objects.filter(team_id=team_id, owner_id=user_id):
        row.set_owner(None, by=by, at=now, why="the owner left the team")


def owner_back(*, ref: str, given: str, was: str, by: Member, now: datetime) -> Insight:
    """Undo the setting of an owner, as long as nobody has set another since. Raises as `set_owner`, and Stale."""
    row = Insight.objects.visible_to(by).whole().called(ref).first()
    if row is not None and (row.owner.username if row.owner else "") != given:
        raise Stale(f"The owner of {ref} was changed since.")
    return set_owner(ref=ref, owner=was, by=by, now=now, why="undone")
