"""A skill as a folder: SKILL.md and the files beside it. Finds such folders among loose files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from accounts.rules.archive import LARGEST_FILE, LARGEST_SKILL, MOST_FILES, path_fault
from skills.rules import skill_md
from skills.rules.refusals import NotASkill
from skills.rules.sheet import Sheet


@dataclass(frozen=True)
class Package:
    """`files`: by their path within the folder, without SKILL.md."""

    sheet: Sheet
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class FoundSkills:
    """One folder with a SKILL.md: its path for the report, and the package, or why it has none. `note`: a remark on one
    that was accepted.
    """

    path: str
    package: Package | None = None
    why: str = ""
    note: str = ""


def packages(files: Mapping[str, bytes]) -> list[FoundSkills]:
    """Return every folder with a SKILL.md, by path. A file belongs to the innermost such folder above it."""
    roots = {str(PurePosixPath(path).parent): path for path in files if PurePosixPath(path).name == skill_md.FILE}
    inside: dict[str, dict[str, bytes]] = {root: {} for root in roots}
    for path, content in files.items():
        home = next((str(parent) for parent in PurePosixPath(path).parents if str(parent) in roots), None)
        if home is not None and path != roots[home]:
            inside[home][str(PurePosixPath(path).relative_to(home))] = content
    return [_package(root, files[roots[root]], inside[root]) for root in sorted(roots)]


def files_fault(files: Mapping[str, bytes]) -> str:
    """Return why these files cannot be stored beside a SKILL.md; "" if they can."""
    if len(files) > MOST_FILES:
        return f"{len(files):,} attached files; the limit is {MOST_FILES}"
    for path, content in files.items():
        fault = path_fault(path)
        if fault:
            return f"{path[:80]!a}: {fault}"
        if path.casefold() == skill_md.FILE.casefold():
            return f"{path[:80]!a}: the skill itself, not an attached file"
        if len(content) > LARGEST_FILE:
            return f"{path[:80]!a} has {len(content):,} bytes; the limit is {LARGEST_FILE:,}"
    together = sum(map(len, files.values()))
    return f"{together:,} bytes of attached files; the limit is {LARGEST_SKILL:,}" if together > LARGEST_SKILL else ""


def _package(root: str, text: bytes, files: dict[str, bytes]) -> FoundSkills:
    path = "" if root == "." else root
    try:
        sheet = skill_md.read(text.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return FoundSkills(path, why="its SKILL.md is not UTF-8")
    except NotASkill as error:
        return FoundSkills(path, why=str(error))
    except Exception as error:  # an error in one stranger's file must not affect the others
        return FoundSkills(path, why=f"its SKILL.md cannot be read: {type(error).__name__}")
    if "\0" in text.decode("utf-8-sig"):
        return FoundSkills(path, why="its SKILL.md contains NUL characters")
    fault = files_fault(files)
    if fault:
        return FoundSkills(path, why=fault)
    folder = PurePosixPath(path).name
    # The format requires them to be equal. The folder may only have been renamed or unpacked elsewhere: the name in the
    # file counts.
    note = f"its folder is called {folder}" if folder and folder != sheet.name else ""
    return FoundSkills(path, Package(sheet, files), note=note)
