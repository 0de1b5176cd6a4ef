"""Set which member of the team answers for a skill."""

from datetime import datetime

from django.db import transaction

from accounts.actions import owners
from accounts.rules.rights import Member
from skills.models import Skill


def set_owner(*, name: str, team: str = "", owner: str, by: Member, now: datetime, why: str = "") -> Skill:
    """Set which member of the team answers for a skill; "" for nobody. Raises NotFound, Ambiguous, and what
    `owners.set_owner` raises.
    """
    found = Skill.objects.all().one_named(name, team, by)
    with transaction.atomic():
        Skill.objects.select_for_update(no_key=True).get(pk=found.pk)
        skill: Skill = Skill.objects.all().whole().get(pk=found.pk)
        owners.set_owner(skill, owner=owner, by=by, now=now, why=why)
    return skill
