"""Backlinks: which insights name another one in their text, and which of the named ones a member may see."""

from collections.abc import Sequence

from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.rules.references import names_one

# Of an insight that very many name, the newest.
MOST_NAMING = 100
# References that are looked up for one text.
MOST_NAMED = 200


def insights_naming(insight: Insight, *, by: Member) -> list[Insight]:
    """The insights the member may see whose text names this one, by its reference or one it had, the newest first."""
    names = insight.names()
    # As they stand in the index of words: also in "PLAT-42's".
    terms = [term for name in names for term in (name.lower(), f"{name.lower()}s")]
    found = Insight.objects.visible_to(by).with_any_term(terms).exclude(pk=insight.pk)
    rows = found.only("ref", "title", "body", "reasoning", "kind").order_by("-created_at", "-pk")[:MOST_NAMING]
    return [row for row in rows if names_one(row.text, names)]


def visible_references(refs: Sequence[str], *, by: Member) -> set[str]:
    """The references that name an insight the member may see."""
    rows = Insight.objects.visible_to(by).with_ref(list(refs)[:MOST_NAMED])
    return set(rows.order_by().values_list("ref", flat=True)) if refs else set()
