"""Who of the team answers for a skill."""

from datetime import datetime

from django.db import transaction

from accounts.actions.members import owner_named, require_owner
from accounts.rules.guard.detection import masked
from accounts.rules.rights import Member
from skills.models import Skill


def set_owner(*, name: str, team: str = "", owner: str, by: Member, now: datetime, why: str = "") -> Skill:
    """Say who of the team answers for a skill; empty: nobody. A lead's act, or the present owner's.

    Raises NotFound, Ambiguous, NotAllowed, NotAMember on `owner`.
    """
    found = Skill.objects.all().one_named(name, team, by)
    with transaction.atomic():
        Skill.objects.select_for_update(no_key=True).get(pk=found.pk)
        skill: Skill = Skill.objects.all().whole().get(pk=found.pk)
        require_owner(by, team_id=skill.team_id, owner_id=skill.owner_id)
        user = owner_named(owner, team_id=skill.team_id)
        if skill.owner_id != (user.pk if user else None):
            skill.set_owner(user, by=by, at=now, why=masked(why))
    return skill


def leave_skills(*, user_id: int, team_id: int, by: Member, now: datetime) -> None:
    """Nobody answers any more for what a member owned who leaves the team."""
    for skill in Skill.objects.filter(team_id=team_id, owner_id=user_id).select_related("owner"):
        skill.set_owner(None, by=by, at=now, why="the owner left the team")
