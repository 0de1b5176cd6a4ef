"""Find what is shown next to an insight: the most similar insights, and the ones it superseded."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.db.models.fields.json import KeyTextTransform

from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from knowledge.models import Corroboration, Insight
from knowledge.retrieval.rules.reach import READ_WHOLE


@dataclass(frozen=True)
class Near:
    """An insight that is near another one. `similarity`: the cosine of their vectors."""

    insight: Insight
    similarity: float


# As many as fit on the page without scrolling past its main content.
NEAREST = 5


def nearest(*, ref: str, by: Member) -> tuple[Insight, list[Near]]:
    """Return an insight and the nearest insights of its team, nearest first. Raises NotFound."""
    row = Insight.objects.visible_to(by).whole().filter(ref=ref).first()
    if row is None:
        raise NotFound
    if row.embedding is None:
        return row, []
    others = Insight.objects.visible_to(by, only=[row.team_id]).retrievable().exclude(pk=row.pk)
    few = others.values("pk")[: READ_WHOLE + 1].count() <= READ_WHOLE
    found = others.whole().measured(row.embedding, whole=few)[:NEAREST]
    return row, [Near(other, 1.0 - other.distance) for other in found]


# The most generations to follow. Each takes a query, and nobody reads further back.
STEPS = 6


def chain(row: Insight, *, by: Member) -> list[Insight]:
    """Return the insights it superseded, those that these superseded, and so on, the latest first. Merged ones are left
    out, because they say the same.
    """
    said = Corroboration.objects.all().merged().annotate(of=KeyTextTransform("ref", "draft"))
    merged = said.filter(insight=OuterRef("superseded_by"), of=OuterRef("ref"))
    found: list[Insight] = []
    level = [row]
    for _ in range(STEPS):
        rows = Insight.objects.visible_to(by).filter(~Exists(merged), superseded_by__in=level)
        level = list(rows.named().order_by("-pk"))
        found += level
        if not level:
            break
    return found
