"""Write skills as sections between markers in AGENTS.md, CLAUDE.md and Cursor's rules, and read them back.

A section begins with `<!-- loam:begin skill=team/name version=3 digest=… sources=PLAT-1,PLAT-4 -->` and ends with `<!--
loam:end skill=team/name -->`. The markers stay the same from export to export, so that a section is replaced in place
and the text that people wrote around it is never touched. (Claude Code removes HTML comments when it loads the file, so
they cost no tokens.) The digest is of the section as it was written. If the section has another one now, somebody has
edited it, and it is read back instead of overwritten.

Cursor has one file per rule, with front matter that says when it applies; the section in it is the same.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skills.rules.front_matter import joined, split
from skills.rules.refusals import NotASkill
from skills.rules.sheet import Sheet, tidy_description, tidy_glob, tidy_instructions

_BEGIN = re.compile(
    r"^<!-- loam:begin skill=(?P<key>[\w-]{1,80}/[a-z0-9-]{1,64}) version=(?P<version>\d{1,9})"
    r" digest=(?P<digest>[0-9a-f]{16})(?: sources=[\w,-]{0,2000})? -->$",
    re.MULTILINE,
)
_TITLE = re.compile(r"\A\s*## (?P<name>[^\n]*)\n")
_QUOTE = re.compile(r"\A(?:[ \t]*\n)*(?P<quote>(?:>[^\n]*(?:\n|\Z))+)")
# A text that contains one of our markers would end its section early, so the marker is written with a space in it,
# which is removed when it is read.
_MARK, _BROKEN = "<!-- loam:", "<!-- loam :"


@dataclass(frozen=True)
class Published:
    """A skill to write. `key`: team/name."""

    key: str
    version: int
    sheet: Sheet


@dataclass(frozen=True)
class SkillSection:
    """A section of a file. `edited`: it differs from what was written."""

    key: str
    version: int
    description: str
    instructions: str
    edited: bool


@dataclass(frozen=True)
class WrittenFile:
    """The text of the file. `kept`: the keys of sections that were edited there and therefore not changed."""

    text: str
    kept: tuple[str, ...] = ()


def section(skill: Published) -> str:
    """Return the section of one skill, from marker to marker."""
    body = _inside(skill.sheet)
    sources = f" sources={','.join(skill.sheet.sources)}" if skill.sheet.sources else ""
    begin = f"<!-- loam:begin skill={skill.key} version={skill.version} digest={_digest(body)}{sources} -->"
    return f"{begin}\n{body}\n<!-- loam:end skill={skill.key} -->"


def write_sections(text: str, skills: Sequence[Published], *, team: str, force: bool = False) -> WrittenFile:
    """Return the file with the sections of these skills replaced in place, new ones at its end, and those of the team's
    other skills removed. Edited ones stay unless `force`.
    """
    wanted = {skill.key: section(skill) for skill in skills}
    kept: list[str] = []
    for start, end, found in reversed(_places(text)):
        if not found.key.startswith(f"{team}/"):
            continue
        if found.edited and not force:
            kept.append(found.key)
            wanted.pop(found.key, None)
        elif found.key in wanted:
            text = text[:start] + wanted.pop(found.key) + text[end:]
        else:
            text = text[:start].rstrip("\n") + "\n" + text[end:].lstrip("\n")
    parts = [text.strip("\n"), *(wanted[skill.key] for skill in skills if skill.key in wanted)]
    return WrittenFile("\n\n".join(part for part in parts if part) + "\n", tuple(reversed(kept)))


def sections(text: str) -> list[SkillSection]:
    """Return the sections of a file, in order. One without an end is ignored."""
    return [found for _, _, found in _places(text.replace("\r\n", "\n"))]


def cursor_rule(skill: Published) -> str:
    """Return a `.mdc` file. It applies to the files of its globs; without any, the agent chooses it by its
    description.
    """
    front = joined({"description": skill.sheet.description, "alwaysApply": False}, section(skill))
    # Cursor writes globs without quotes, although a leading `*` is invalid YAML; so do we.
    globs = ",".join(map(tidy_glob, skill.sheet.triggers.files))
    return front.replace("\nalwaysApply: false\n", f"\nglobs: {globs}\nalwaysApply: false\n".replace(": \n", ":\n"), 1)


def cursor_body(text: str) -> str:
    """Return a `.mdc` file without its front matter; the section is below it, whatever the front matter says."""
    try:
        return split(text)[1]
    except NotASkill:
        return text


def changes(found: SkillSection, sheet: Sheet) -> Mapping[str, str]:
    """Return the fields in which an edited section differs from the skill."""
    said = {"description": found.description, "instructions": found.instructions}
    return {name: text for name, text in said.items() if text and text != getattr(sheet, name)}


def _inside(sheet: Sheet) -> str:
    """Return heading, description and instructions, changed so that no line can be taken for a marker."""
    text = f"## {sheet.name}\n\n> {sheet.description}\n\n{sheet.instructions}"
    return text.replace(_MARK, _BROKEN)


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def _places(text: str) -> list[tuple[int, int, SkillSection]]:
    """Return each section with its start and end."""
    found: list[tuple[int, int, SkillSection]] = []
    at = 0
    while begin := _BEGIN.search(text, at):
        marker = f"\n<!-- loam:end skill={begin['key']} -->"
        end = text.find(marker, begin.end())
        if end < 0:
            at = begin.end()
            continue
        body = text[begin.end() : end].strip("\n")
        at = end + len(marker)
        found.append((begin.start(), at, _read(begin, body)))
    return found


def _read(begin: re.Match[str], body: str) -> SkillSection:
    rest = _TITLE.sub("", body.replace(_BROKEN, _MARK), count=1)
    quote = _QUOTE.match(rest)
    description = ""
    if quote:
        rest = rest[quote.end() :]
        description = tidy_description(" ".join(line.lstrip("> ") for line in quote["quote"].split("\n")))
    edited = _digest(body) != begin["digest"]
    return SkillSection(begin["key"], int(begin["version"]), description, tidy_instructions(rest), edited)
