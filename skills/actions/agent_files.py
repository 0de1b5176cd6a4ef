"""Write skills into the files that agents load by themselves (AGENTS.md, CLAUDE.md, Cursor's rules), and read back
edits made there. Text that people wrote around the sections is never changed.
"""

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from skills.actions import author
from skills.models import Skill
from skills.rules.agent_files import (
    Published,
    SkillSection,
    changes,
    cursor_body,
    cursor_rule,
    sections,
    write_sections,
)
from skills.rules.arrivals import CHANGED, REFUSED, UNCHANGED, Arrived, ExportedSkills


class Form(StrEnum):
    """The kind of file."""

    AGENTS = "agents"
    CLAUDE = "claude"
    CURSOR = "cursor"


FILES = {Form.AGENTS: "AGENTS.md", Form.CLAUDE: "CLAUDE.md"}
CURSOR_RULES = Path(".cursor/rules")
# Agents load the whole file at every start; a larger one is no such file.
LARGEST = 2_000_000


class BadFile(Refused):
    code = "invalid"


def export_to(*, path: Path, form: Form, team: str, by: Member, force: bool = False) -> ExportedSkills:
    """Write the published skills of a team into a repository's file of that form; `path` is the repository's folder.

    Sections that were edited there are kept, unless `force`. Raises NotFound without a published skill, BadFile.
    """
    slug = by.named(team).slug
    rows = Skill.objects.visible_to(by).of_team(slug).published().whole().order_by("name")
    skills = [Published(f"{slug}/{row.name}", row.served.number, row.served.sheet) for row in rows]
    if not skills:
        raise NotFound(f"{slug} has no published skill.")
    if form is Form.CURSOR:
        return _to_rules(path / CURSOR_RULES, skills, slug, force)
    file = path / FILES[form]
    done = write_sections(_text(file) if file.exists() else "", skills, team=slug, force=force)
    _write(file, done.text)
    return ExportedSkills([s.sheet.name for s in skills if s.key not in done.kept], [_name(key) for key in done.kept])


def import_from(*, path: Path, form: Form, team: str, by: Member, now: datetime) -> list[Arrived]:
    """Read edits of a team's sections back as edits of its skills; agents get them when they are published. A section
    whose skill has changed since it was written is refused, because its editor did not see the change.

    Raises NoSuchTeam, NotAllowed, BadFile.
    """
    access = by.named(team)
    by.require(access.id, Level.LEAD)
    found = [one for one in _found(path, form) if one.key.startswith(f"{access.slug}/")]
    return [_take_section(one, access.slug, by, now) for one in found]


# --- out --------------------------------------------------------------------------------------------------------
def _to_rules(folder: Path, skills: list[Published], team: str, force: bool) -> ExportedSkills:
    """Write a file for each skill, and delete those of skills that are no longer published, unless somebody has edited
    them.
    """
    done = ExportedSkills()
    for skill in skills:
        file = folder / f"{skill.sheet.name}.mdc"
        if not force and file.exists() and not _is_ours(_text(file), skill.key):
            done.kept.append(skill.sheet.name)
        else:
            _write(file, cursor_rule(skill))
            done.written.append(skill.sheet.name)
    wanted = {skill.key for skill in skills}
    for file in sorted(folder.glob("*.mdc")):
        ours = [one for one in sections(_text(file)) if one.key.startswith(f"{team}/")]
        if len(ours) == 1 and ours[0].key not in wanted and _is_ours(_text(file), ours[0].key):
            file.unlink()
    return done


def _is_ours(text: str, key: str) -> bool:
    """Return whether a rule is as it was written: one unedited section of that skill, and nothing around it."""
    found = sections(text)
    alone = not write_sections(cursor_body(text), [], team=key.split("/")[0]).text.strip()
    return alone and [(one.key, one.edited) for one in found] == [(key, False)]


# --- in ---------------------------------------------------------------------------------------------------------
def _found(path: Path, form: Form) -> Iterator[SkillSection]:
    if form is not Form.CURSOR:
        yield from sections(_text(path / FILES[form]))
        return
    for file in sorted((path / CURSOR_RULES).glob("*.mdc")):
        yield from sections(cursor_body(_text(file)))


def _take_section(found: SkillSection, team: str, by: Member, now: datetime) -> Arrived:
    name = _name(found.key)
    if not found.edited:
        return Arrived(found.key, UNCHANGED, name)
    try:
        row = Skill.objects.all().one_named(name, team, by)
        skill = Skill.objects.all().whole().get(pk=row.pk)
        said = changes(found, skill.latest.sheet)
        if not said:
            return Arrived(found.key, UNCHANGED, name)
        if skill.ahead is not None or skill.latest.number != found.version:
            why = f"the skill changed since version {found.version}; export it again and edit the new file"
            return Arrived(found.key, REFUSED, name, why)
        author.edit(
            name=name, team=team, changes=said, revision=skill.revision, by=by, now=now, why="edited in an agent's file"
        )
    except Refused as refused:
        return Arrived(found.key, REFUSED, name, refused.in_full)
    return Arrived(found.key, CHANGED, name)


def _name(key: str) -> str:
    return key.split("/")[1]


def _text(file: Path) -> str:
    """Return the text of a file. Raises BadFile if it is no text, too large, a link, or missing."""
    if file.is_symlink() or not file.is_file():
        raise BadFile(f"No such file: {file} (or it is a link).")
    if file.stat().st_size > LARGEST:
        raise BadFile(f"{file} has more than {LARGEST:,} bytes.")
    try:
        return file.read_text(encoding="utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise BadFile(f"{file} is not UTF-8.") from None


def _write(file: Path, text: str) -> None:
    if file.is_symlink():
        raise BadFile(f"{file} is a link; Loam does not write to links.")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
