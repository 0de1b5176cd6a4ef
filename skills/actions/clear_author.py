"""Remove a person's name from skills. A team's skills stay; those of the personal team are deleted."""

from collections.abc import Mapping

from django.db.models import Case, CharField, Value, When

from accounts.models import User
from skills.models import Skill, SkillUse, SkillVersion
from skills.rules.vocabulary import SkillStatus


def clear_skill_author(*, user: User, sessions: Mapping[str, str]) -> dict[str, int]:
    """Remove a person's name from skills, versions and uses, and delete the skills of their personal team.

    `sessions`: the new name of each of their sessions. The caller holds the transaction.
    """
    own = Skill.objects.filter(team__owner=user)
    own.update(status=SkillStatus.DRAFT, live=None)  # a version that is live cannot be deleted
    counts = {"personal skills": own.delete()[1].get("skills.Skill", 0)}
    counts["skills"] = Skill.objects.filter(author=user).update(author=None, token=None)
    Skill.objects.filter(owner=user).update(owner=None)
    SkillVersion.objects.filter(written_by=user).update(written_by=None)
    SkillVersion.objects.filter(published_by=user).update(published_by=None)
    cases = [When(session_key=old, then=Value(new)) for old, new in sessions.items()]
    renamed = Case(*cases, default="session_key", output_field=CharField())
    counts["uses of skills"] = SkillUse.objects.filter(user=user).update(user=None, session_key=renamed)
    return counts
