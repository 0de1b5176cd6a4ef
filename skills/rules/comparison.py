"""The changes between two versions of a skill, as a unified diff of their SKILL.md."""

import difflib

from skills.rules import skill_md
from skills.rules.sheet import Sheet

CONTEXT = 3
# A diff is for people; longer texts they open side by side.
LONGEST = 200_000


def difference(old: Sheet | None, new: Sheet, *, names: tuple[str, str]) -> str:
    """Return the diff, "" if both say the same; with None as the old version everything is added."""
    before = skill_md.write(old).splitlines(keepends=True) if old else []
    after = skill_md.write(new).splitlines(keepends=True)
    return "".join(difflib.unified_diff(before, after, *names, n=CONTEXT))[:LONGEST]
