"""Find the insights whose text names an insight, and the references in a text that a member may see."""

from collections.abc import Sequence

from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.rules.references import names_one

# Return at most this many insights, the newest.
MOST_NAMING = 100
# Look up at most this many references of one text.
MOST_NAMED = 200


def insights_naming(insight: Insight, *, by: Member) -> list[Insight]:
    """Return the insights the member may see whose text names this one, by its current or a former reference, the
    newest first.
    """
    names = insight.names()
    # The terms as indexed, including the one of "PLAT-42's".
    terms = [term for name in names for term in (name.lower(), f"{name.lower()}s")]
    found = Insight.objects.visible_to(by).with_any_term(terms).exclude(pk=insight.pk)
    rows = found.only("ref", "title", "body", "reasoning", "kind").order_by("-created_at", "-pk")[:MOST_NAMING]
    return [row for row in rows if names_one(row.text, names)]


def visible_references(refs: Sequence[str], *, by: Member) -> set[str]:
    """Return those of the references that name an insight the member may see."""
    rows = Insight.objects.visible_to(by).with_ref(list(refs)[:MOST_NAMED])
    return set(rows.order_by().values_list("ref", flat=True)) if refs else set()
