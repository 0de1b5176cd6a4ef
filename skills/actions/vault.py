"""Skills as pages of a vault, and back: every version with its triggers, and the bytes that stand beside them.

    <team>/skills/guard-alters.md             what it says last, and all its versions
    <team>/skills/guard-alters.files/<sha256> each file of any version, once

SKILL.md folders, for agents to use, are what `transfer` writes; a version of the past has no place there.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from accounts.actions.vault import records_of_kind
from accounts.actions.vault_rows import People, record, restored
from accounts.models import Team
from accounts.rules.archive import LARGEST_FILE
from accounts.rules.page import BadPage, Page
from skills.models import Resource, Skill, SkillUse, SkillVersion, Trigger
from skills.rules.sheet import NAME

SKILLS = "skills"
_SKILL = ("name", "status", "sources", "proposed", "author", "owner", "token", "revision", "created_at", "updated_at")
_VERSION = (
    *("number", "description", "instructions", "extra", "files", "written_by", "written_at"),
    *("published_by", "published_at", "why", "embedding", "embedded_by"),
)
_USE = ("user", "session_key", "via", "score", "at")
_SHA = re.compile(r"[0-9a-f]{64}")


# --- out --------------------------------------------------------------------------------------------------------
def pages_of(team: Team, people: People) -> Iterator[tuple[str, Page]]:
    for skill in Skill.objects.filter(team=team).select_related("live", "ahead").order_by("name"):
        yield f"{SKILLS}/{skill.name}.md", _page(skill, people)


def files_of(team: Team) -> Iterator[tuple[str, bytes]]:
    rows = Resource.objects.filter(skill__team=team).select_related("skill").order_by("skill__name", "sha256")
    for row in rows.iterator(chunk_size=20):
        yield f"{SKILLS}/{row.skill.name}.files/{row.sha256}", bytes(row.data)


def _page(skill: Skill, people: People) -> Page:
    head = record(skill, _SKILL, people)
    head |= {name: version.number for name in ("live", "ahead") if (version := getattr(skill, name))}
    triggers: dict[int, list[list[str]]] = defaultdict(list)
    for one in Trigger.objects.filter(version__skill=skill).order_by("pk"):
        triggers[one.version_id].append([one.kind, one.value])
    versions = list(skill.versions.order_by("number"))
    records: list[dict[str, Any]] = []
    for row in versions:
        said = record(row, _VERSION, people)
        records.append({"version": said | ({"triggers": triggers[row.pk]} if triggers[row.pk] else {})})
    numbers = {row.pk: row.number for row in versions}
    uses = SkillUse.objects.filter(skill=skill).order_by("pk")
    records += [{"use": record(one, _USE, people) | {"version": numbers[one.version_id]}} for one in uses]
    latest = skill.latest
    related = [f"distilled from [[{ref}]]" for ref in skill.sources]
    return Page(head, {"": f"{latest.description}\n\n{latest.instructions}"}, related, records)


# --- in ---------------------------------------------------------------------------------------------------------
def restore(team: Team, name: str, page: Page, people: People, file: Callable[[str], bytes]) -> None:
    """One skill, from the page in the file of that name. `file`: the bytes by their name in the team's folder.

    Raises BadPage.
    """
    skill = Skill(team=team, **restored(Skill, _SKILL, page.head, people))
    if not NAME.fullmatch(skill.name) or name != f"{skill.name}.md":
        raise BadPage("its name differs from its file name")
    # A published skill must have a live version, so the status is set after the versions exist.
    status, skill.status = skill.status, "draft"
    skill.save(force_insert=True)
    versions = {}
    for said in records_of_kind(page.records, "version"):
        row = SkillVersion(skill=skill, **restored(SkillVersion, _VERSION, said, people))
        row.save(force_insert=True)
        versions[row.number] = row
        _triggers(row, said.get("triggers", []), people)
    if not versions:
        raise BadPage("it has no version")
    for which in ("live", "ahead"):
        number = page.head.get(which)
        if number is not None and number not in versions:
            raise BadPage(f"there is no version {number}")
        setattr(skill, which, versions[number] if number is not None else None)
    if not skill.live and (not skill.ahead or status == "published"):
        raise BadPage("it has no live version")
    skill.status = status
    skill.save()
    uses = [(restored(SkillUse, _USE, one, people), one.get("version")) for one in records_of_kind(page.records, "use")]
    SkillUse.objects.bulk_create(
        SkillUse(skill=skill, version=versions[number], **one) for one, number in uses if number in versions
    )
    _files(skill, versions, file)


def drop(team: Team, name: str) -> None:
    """Delete the skill of that name, if there is one, because its page is read again, or is gone."""
    mine = Skill.objects.filter(team=team, name=name)
    mine.update(live=None, ahead=None, status="draft")
    SkillUse.objects.filter(skill__in=mine).delete()
    mine.delete()


def _triggers(row: SkillVersion, pairs: Any, people: People) -> None:
    try:
        fields = [restored(Trigger, ("kind", "value"), {"kind": k, "value": v}, people) for k, v in pairs]
    except (TypeError, ValueError):
        raise BadPage("its triggers are not pairs") from None
    Trigger.objects.bulk_create(Trigger(version=row, **one) for one in fields)


def _files(skill: Skill, versions: dict[int, SkillVersion], file: Callable[[str], bytes]) -> None:
    try:
        wanted = {one["sha256"] for row in versions.values() for one in row.files.values()}
    except (TypeError, KeyError, AttributeError):
        raise BadPage("its list of files is invalid") from None
    for sha in sorted(wanted):
        if not isinstance(sha, str) or not _SHA.fullmatch(sha):
            raise BadPage("a file of it has no digest")
        data = file(f"{SKILLS}/{skill.name}.files/{sha}")
        if len(data) > LARGEST_FILE or hashlib.sha256(data).hexdigest() != sha:
            raise BadPage(f"the file {sha[:12]} has changed")
        Resource.objects.create(skill=skill, sha256=sha, data=data)


def is_empty(team: Team) -> bool:
    return not Skill.objects.filter(team=team).exists()
