"""Skills a team was taught stay when their author is forgotten, without the name; the person's own go."""

from collections.abc import Mapping

from django.db.models import Case, CharField, Value, When

from accounts.models import User
from skills.models import Skill, SkillUse, SkillVersion
from skills.rules.vocabulary import SkillStatus


def clear_skill_author(*, user: User, sessions: Mapping[str, str]) -> dict[str, int]:
    """Take a person's name off skills, versions and uses, and delete the skills of their personal team.

    `sessions`: what their sessions are called from now on. The caller holds the transaction.
    """
    own = Skill.objects.filter(team__owner=user)
    own.update(status=SkillStatus.DRAFT, live=None)  # a version that is live is protected
    counts = {"personal skills": own.delete()[1].get("skills.Skill", 0)}
    counts["skills"] = Skill.objects.filter(author=user).update(author=None, token=None)
    Skill.objects.filter(owner=user).update(owner=None)
    SkillVersion.objects.filter(written_by=user).update(written_by=None)
    SkillVersion.objects.filter(published_by=user).update(published_by=None)
    cases = [When(session_key=old, then=Value(new)) for old, new in sessions.items()]
    renamed = Case(*cases, default="session_key", output_field=CharField())
    counts["uses of skills"] = SkillUse.objects.filter(user=user).update(user=None, session_key=renamed)
    return counts
