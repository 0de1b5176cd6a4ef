"""Restore an earlier version of a skill as a new draft. Agents get it when it is published."""

from datetime import datetime

from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from skills.actions.author import Authored, edit
from skills.models import Resource, Skill, SkillVersion


def version_of(*, name: str, team: str, number: int, by: Member) -> SkillVersion:
    """Return one version of a skill that the member may see, with its triggers. Raises NotFound, Ambiguous."""
    skill = Skill.objects.all().one_named(name, team, by)
    found = SkillVersion.objects.filter(skill=skill, number=number).by_number().prefetch_related("triggers").first()
    if found is None:
        raise NotFound
    version: SkillVersion = found
    return version


def restore(
    *, name: str, team: str, number: int, revision: int | None, by: Member, now: datetime, why: str = ""
) -> Authored:
    """Write a new version with the text, triggers and files of version `number`. Nothing is lost: the live version
    stays, and a present draft becomes a version that can be restored as well. Raises what `edit` raises.
    """
    version = version_of(name=name, team=team, number=number, by=by)
    sheet = version.sheet
    digests = {path: file["sha256"] for path, file in version.files.items()}
    rows = Resource.objects.filter(skill=version.skill_id, sha256__in=digests.values())
    data = {sha256: bytes(held) for sha256, held in rows.values_list("sha256", "data")}
    return edit(
        name=name,
        team=team,
        changes={part: getattr(sheet, part) for part in ("description", "instructions", "triggers", "extra")},
        files={path: data[sha256] for path, sha256 in digests.items()},
        restored=number,
        revision=revision,
        by=by,
        now=now,
        why=why,
    )
