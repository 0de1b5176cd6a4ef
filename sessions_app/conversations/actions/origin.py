"""Origin: in which conversations it was said what an insight says."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F

from accounts.rules.rights import Member
from knowledge.models import Insight
from sessions_app.models import AgentSession, Passage, Quotation

# Of an insight that many sessions corroborate, the latest tell enough.
MOST = 5


@dataclass(frozen=True)
class ProposalOrigin:
    """Quoted passages that the member may read, in order, and the other sessions that it was deposited in."""

    quotes: Sequence[Passage]
    sessions: Sequence[AgentSession]
    proposed: bool

    def __bool__(self) -> bool:
        return bool(self.quotes or self.sessions)


def origin_of(insight: Insight, *, by: Member) -> ProposalOrigin:
    """The conversations that an insight comes from, as far as the member may read them. The caller has checked that the
    member may read the insight.

    These are the sessions in which the insight or one of its corroborations was deposited.
    """
    quotes = quotes_of(insight, by=by)
    keys = {insight.session_key, *insight.corroborations.values_list("session_key", flat=True)} - {""}
    sessions = AgentSession.objects.with_any_of(Passage.objects.visible_to(by)).filter(key__in=keys).with_people()
    others = sessions.exclude(pk__in={row.session_id for row in quotes}).order_by(F("started_at").desc())
    proposed = Quotation.objects.visible_to(by).filter(insight=insight, proposed=True)
    return ProposalOrigin(quotes, list(others[:MOST]), bool(quotes) and proposed.exists())


def quotes_of(insight: Insight, *, by: Member) -> list[Passage]:
    """The passages that it quotes and that the member may read, in order. One statement."""
    quotations = Quotation.objects.visible_to(by).filter(insight=insight)
    rows = Passage.objects.visible_to(by).filter(quotations__in=quotations).select_related("user", "team")
    return list(rows.defer("embedding", "lexemes", "bm25").order_by("session_id", "position")[: 4 * MOST])
