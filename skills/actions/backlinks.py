"""Find the skills that name an insight."""

from collections.abc import Sequence

from accounts.rules.rights import Member
from knowledge.rules.references import names_one
from skills.models import Skill

# A team has tens of skills; the limit only bounds the page.
MOST_NAMING = 50


def skills_naming(refs: Sequence[str], *, by: Member) -> list[Skill]:
    """Return the skills the member may see whose text names one of these references, or that were distilled from it."""
    rows = Skill.objects.visible_to(by).naming(refs).select_related("team", "live", "ahead").order_by("name", "pk")
    return [row for row in rows[:MOST_NAMING] if _names(row, refs)]


def _names(row: Skill, refs: Sequence[str]) -> bool:
    versions = [version for version in (row.live, row.ahead) if version]
    said = any(names_one(f"{one.description}\n{one.instructions}", refs) for one in versions)
    return said or not set(refs).isdisjoint(row.sources)
