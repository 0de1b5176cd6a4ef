"""Origin: the conversations in which an insight was first said, and those in which it may have been changed since."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import F

from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.rules.vectors import unit
from sessions_app.conversations.actions.reading import likely_changes, rare_files_of
from sessions_app.conversations.rules.amendments import EarlierStatement
from sessions_app.models import AgentSession, Passage, Quotation

# The latest sessions are enough for an insight that many sessions corroborate.
MOST = 5


@dataclass(frozen=True)
class ProposalOrigin:
    """The quoted passages that the member may read, in order, and the other sessions in which the insight was
    deposited.
    """

    quotes: Sequence[Passage]
    sessions: Sequence[AgentSession]
    proposed: bool

    def __bool__(self) -> bool:
        return bool(self.quotes or self.sessions)


def origin_of(insight: Insight, *, by: Member) -> ProposalOrigin:
    """Return the conversations that an insight comes from, as far as the member may read them: the sessions in which
    the insight or one of its corroborations was deposited. The caller has checked that the member may read the insight.
    """
    quotes = quotes_of(insight, by=by)
    keys = {insight.session_key, *insight.corroborations.values_list("session_key", flat=True)} - {""}
    sessions = AgentSession.objects.with_any_of(Passage.objects.visible_to(by)).filter(key__in=keys).with_people()
    others = sessions.exclude(pk__in={row.session_id for row in quotes}).order_by(F("started_at").desc())
    proposed = Quotation.objects.visible_to(by).filter(insight=insight, proposed=True)
    return ProposalOrigin(quotes, list(others[:MOST]), bool(quotes) and proposed.exists())


def quotes_of(insight: Insight, *, by: Member) -> list[Passage]:
    """Return the passages that the insight quotes and the member may read, in order. One statement."""
    quotations = Quotation.objects.visible_to(by).filter(insight=insight)
    rows = Passage.objects.visible_to(by).filter(quotations__in=quotations).select_related("user", "team")
    return list(rows.defer("embedding", "lexemes", "bm25").order_by("session_id", "position")[: 4 * MOST])


def as_earlier(insight: Insight, vector: np.ndarray | None, repo: str) -> EarlierStatement | None:
    """Return the insight as a statement that a conversation may have changed since it was learned, or since a person
    last confirmed it; None if it has no file that could point to a change. `vector` has length 1. `repo`: used if the
    insight names none.
    """
    repo = insight.repo or repo
    if not repo or vector is None or not vector.any() or not insight.files:
        return None
    since = max(insight.learned_at, insight.confirmed_at or insight.learned_at)
    return EarlierStatement(vector, since, repo, insight.files, ref=insight.ref, deposited_in=insight.session_key)


def changes_of(insight: Insight, *, by: Member) -> list[Passage]:
    """Return the passages of later conversations that may have changed the insight and that the member may read, the
    latest first, each with its neighbours. One statement where no passage has its files.
    """
    if not rare_files_of(insight.files, by.team_ids):
        return []
    vector = Insight.objects.all().meanings([insight.pk]).get(insight.pk)
    statement = as_earlier(insight, None if vector is None else unit(vector), "")
    if statement is None:
        return []
    found = likely_changes(statement, by=by, teams=by.team_ids, whole=True)
    places = [(one.session, at) for one in found for at in range(one.position - 1, one.position + 2)]
    rows = Passage.objects.visible_to(by).at_places(places).select_related("user", "team")
    return list(rows.defer("embedding", "lexemes", "bm25").order_by("-session_id", "position"))
