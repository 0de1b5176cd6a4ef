"""Import and export skills as folders and zip archives.

An import reads everything first and writes skill by skill: one that breaks the format is reported and does not affect
the others. If the team has a skill of that name, it is edited; agents get the change when a lead publishes it. Nothing
is deleted here.
"""

import logging
import os
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from accounts.actions.jobs import is_database_away
from accounts.rules.archive import (
    LARGEST_ARCHIVE,
    LARGEST_FILE,
    LARGEST_UNPACKED,
    MOST_ENTRIES,
    HostileArchive,
    is_litter,
    pack,
    unpack,
)
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from skills.actions import author
from skills.models import Resource, Skill, SkillVersion
from skills.rules import skill_md
from skills.rules.arrivals import CHANGED, CREATED, REFUSED, UNCHANGED, Arrived, ExportedSkills
from skills.rules.package import FoundSkills, Package, packages
from skills.rules.sheet import Sheet

logger = logging.getLogger("loam.import")
FAILED = "internal error; it was logged"


class BadArchive(Refused):
    code = "invalid"
    detail = "The archive was refused; nothing was stored."


class NoSkills(Refused):
    code = "invalid"


# --- in ---------------------------------------------------------------------------------------------------------
def import_zip(*, data: bytes, team: str, by: Member, now: datetime, live: bool = False) -> list[Arrived]:
    """Import every skill in an archive into the team of that slug; published if `live`. Raises BadArchive, NoSkills,
    NoSuchTeam, NotAllowed; then nothing was stored.
    """
    try:
        files = unpack(data)
    except HostileArchive as hostile:
        raise BadArchive(errors={"file": [str(hostile)]}) from None
    return _import(files, team=team, by=by, now=now, live=live)


def import_path(*, path: Path, team: str, by: Member, now: datetime, live: bool = False) -> list[Arrived]:
    """Import a folder, or a file that is a zip archive. Raises what `import_folder` and `import_zip` raise."""
    if not path.is_file():
        return import_folder(path=path, team=team, by=by, now=now, live=live)
    with path.open("rb") as file:
        data = file.read(LARGEST_ARCHIVE + 1)
    return import_zip(data=data, team=team, by=by, now=now, live=live)


def import_folder(*, path: Path, team: str, by: Member, now: datetime, live: bool = False) -> list[Arrived]:
    """Import every skill in a folder, as `import_zip` does. Links are not followed."""
    if not path.is_dir():
        raise NoSkills(f"No such folder: {path}.")
    return _import(_read(path), team=team, by=by, now=now, live=live)


def _import(files: Mapping[str, bytes], *, team: str, by: Member, now: datetime, live: bool) -> list[Arrived]:
    access = by.named(team)
    by.require(access.id, Level.LEAD)
    found = packages(files)
    if not found:
        raise NoSkills(f"There is no {skill_md.FILE} in it.")
    return [_arrive(one, access.slug, by, now, live) for one in found]


def _arrive(one: FoundSkills, team: str, by: Member, now: datetime, live: bool) -> Arrived:
    if one.package is None:
        return Arrived(one.path, REFUSED, why=one.why)
    name = one.package.sheet.name
    try:
        return Arrived(one.path, _store(one.package, team, by, now, live), name, one.note)
    except Refused as refused:
        return Arrived(one.path, REFUSED, name, refused.in_full)
    except Exception as error:
        if is_database_away(error):
            raise
        logger.exception("an import leaves the skill %s out", one.path)
        return Arrived(one.path, REFUSED, name, FAILED)


def _store(package: Package, team: str, by: Member, now: datetime, live: bool) -> str:
    sheet, files = package.sheet, package.files
    done = author.create(sheet=sheet, team=team, by=by, now=now, files=files, live=live)
    if done.created:
        return CREATED
    changes = {name: getattr(sheet, name) for name in author.EDITABLE}
    edited = author.edit(
        name=sheet.name, team=team, changes=changes, revision=None, by=by, now=now, why="imported", files=files
    )
    if live:
        author.publish(name=sheet.name, team=team, by=by, now=now, why="imported")
    return CHANGED if edited.changed else UNCHANGED


def _read(root: Path) -> dict[str, bytes]:
    """Return the files of a folder by relative path. A file over the size limit is cut just above it, so that the check
    refuses it.
    """
    found: dict[str, bytes] = {}
    left = LARGEST_UNPACKED
    for folder, folders, names in os.walk(root, followlinks=False):
        folders[:] = sorted(name for name in folders if not is_litter(name))
        for name in sorted(names):
            path = Path(folder) / name
            if is_litter(name) or path.is_symlink() or not path.is_file():
                continue
            with path.open("rb") as file:
                content = file.read(LARGEST_FILE + 1)
            left -= len(content)
            if left < 0 or len(found) >= MOST_ENTRIES:
                most = f"{MOST_ENTRIES:,} files or {LARGEST_UNPACKED:,} bytes"
                raise NoSkills(f"{root} has more than {most}: name a folder of skills.")
            found[path.relative_to(root).as_posix()] = content
    return found


# --- out --------------------------------------------------------------------------------------------------------
def export_zip(*, name: str, team: str = "", by: Member) -> tuple[str, bytes]:
    """Return a skill as an archive: its file name, and the bytes. The published version, or the draft if there is none.

    Raises NotFound, Ambiguous.
    """
    found = Skill.objects.all().one_named(name, team, by)
    skill = Skill.objects.all().whole().get(pk=found.pk)
    return skill.name, pack({f"{skill.name}/{path}": data for path, data in _files(skill, skill.served).items()})


def export_folder(
    *,
    path: Path,
    team: str,
    by: Member,
    drafts: bool = False,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ExportedSkills:
    """Write every published skill of a team as a folder under `path`; drafts and retired ones too if `drafts`.

    A SKILL.md that was edited there since it was exported is kept, unless `force`. Nothing is deleted. Raises NotFound.
    """
    slug = by.named(team).slug
    rows = Skill.objects.visible_to(by).of_team(slug).whole().order_by("name")
    skills = list(rows if drafts else rows.published())
    if not skills:
        raise NotFound(f"{slug} has no {'' if drafts else 'published '}skill.")
    done = ExportedSkills()
    for number, skill in enumerate(skills, start=1):
        folder = path / skill.name
        if not force and _edited(folder / skill_md.FILE, skill.served.sheet):
            done.kept.append(skill.name)
        else:
            for name, data in _files(skill, skill.served).items():
                _write_file(folder / name, data)
            done.written.append(skill.name)
        progress(number, len(skills))
    return done


def _files(skill: Skill, version: SkillVersion) -> dict[str, bytes]:
    """Return SKILL.md and the files beside it, by path."""
    wanted = {file["sha256"] for file in version.files.values()}
    data = dict(Resource.objects.filter(skill=skill, sha256__in=wanted).values_list("sha256", "data"))
    status = "published" if version.published_at else "draft, not reviewed"
    origin = f"{skill.team.slug}/{skill.name}"
    text = skill_md.write(version.sheet, origin=origin, version=version.number, status=status)
    beside = {path: bytes(data[file["sha256"]]) for path, file in version.files.items()}
    return {skill_md.FILE: text.encode(), **beside}


def _edited(path: Path, sheet: Sheet) -> bool:
    """Return whether a SKILL.md was written elsewhere or changed since the export, and does not say what the skill
    says.
    """
    if not path.is_file():
        return False
    text = path.read_text(encoding="utf-8", errors="replace")
    return not skill_md.untouched(text) and not skill_md.says(text, sheet)


def _write_file(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        raise NoSkills(f"{path} is a link; Loam does not write to links.")
    if not path.is_file() or path.read_bytes() != data:
        path.write_bytes(data)
