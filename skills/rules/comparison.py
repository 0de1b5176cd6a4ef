"""What changed from one version of a skill to another, as a unified diff of their SKILL.md."""

import difflib

from skills.rules import skill_md
from skills.rules.sheet import Sheet

CONTEXT = 3
# A diff is for a person to read; past this they open both.
LONGEST = 200_000


def difference(old: Sheet | None, new: Sheet, *, names: tuple[str, str]) -> str:
    """Empty when they say the same; against None everything came."""
    before = skill_md.write(old).splitlines(keepends=True) if old else []
    after = skill_md.write(new).splitlines(keepends=True)
    return "".join(difflib.unified_diff(before, after, *names, n=CONTEXT))[:LONGEST]
