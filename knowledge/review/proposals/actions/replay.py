"""Which questions of the last month a suggested edit would answer otherwise: ranked twice, and nothing is written."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta

import numpy as np

from accounts.actions.members import member_of
from accounts.models import Membership
from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from knowledge.models import Insight, Lexicon, Query
from knowledge.retrieval.actions.search import search_again, search_for
from knowledge.retrieval.actions.search_state import SearchState
from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.ask import Ask
from knowledge.retrieval.rules.changed_text import ChangedText
from knowledge.retrieval.rules.relevance import prose
from knowledge.review.proposals.actions.decide import fields_of, one_proposal
from knowledge.rules.draft import searchable
from knowledge.rules.quality import quality
from knowledge.rules.vectors import unit

# What a worker ranks in a few seconds; the newest are taken.
MOST_QUESTIONS = 200
LOOKED_BACK = timedelta(days=30)
# Between two reports of how far it is.
STEP = 10
_ASK = {one.name for one in fields(Ask)}


@dataclass
class ReplayEffect:
    """What a replay found. `recorded`: questions of the team in that time; `replayed`: those that were ranked;
    `changed`: those with another first answer. `own`: of the reviewer's own questions the changed ones, as
    (question, first answer before, after), each answer a reference, or empty for none.
    """

    recorded: int = 0
    replayed: int = 0
    changed: int = 0
    own: list[tuple[str, str, str]] = field(default_factory=list)


def replay(
    *, proposal_id: int, by: Member, now: datetime, progress: Callable[[int, int], bool] | None = None
) -> ReplayEffect:
    """Rank the recorded questions of the team's members with the insight as it is, and as the proposal would make it.

    Each is ranked as its asker would be answered; of others' questions nothing but the count is kept. `progress` gets
    (done, total), and ends it by returning False. Raises NotFound; EmbedderDown without a vector of the changed text.
    """
    row = one_proposal(proposal_id=proposal_id, by=by)
    changed = _changed_text(row.insight, {one.name: one.merged for one in fields_of(row)})
    members = Membership.objects.filter(team_id=row.team_id, user__is_active=True).values("user_id")
    asked = Query.objects.all().asked_since(now - LOOKED_BACK, current().name).filter(user__in=members)
    questions = list(asked.select_related("user")[:MOST_QUESTIONS])
    found = ReplayEffect(recorded=asked.count())
    seen_as: dict[int, Member] = {}
    for place, query in enumerate(questions):
        if progress and place % STEP == 0 and not progress(place, len(questions)):
            break
        if query.user_id not in seen_as:
            seen_as[query.user_id] = member_of(user=query.user)
        answers = _first_answers(query, changed, seen_as[query.user_id], now)
        if answers is None:
            continue
        found.replayed += 1
        if answers[0] != answers[1]:
            found.changed += 1
            if query.user_id == by.user_id:
                found.own.append((str(query.pk), *answers))
    return found


def _first_answers(query: Query, changed: ChangedText, who: Member, now: datetime) -> tuple[str, str] | None:
    """The first answer as it is, and as it would be; None of a question that cannot be asked any more."""
    ask = Ask(**{name: value for name, value in query.ask.items() if name in _ASK})
    assert query.embedding is not None
    try:
        before = search_for(ask, who, now, vector=unit(query.embedding), include=changed.ref)
    except Refused:
        return None
    return _first(before), _first(search_again(before, changed, now))


def _first(search: SearchState) -> str:
    order = search.cut.order
    return "" if search.cut.abstained or not order else search.rows[order[0]].ref


def _changed_text(insight: Insight, merged: dict[str, object]) -> ChangedText:
    """The insight as the proposal would make it: its vector, and the weights of its words. Nothing is saved."""
    said = {name: str(merged.get(name, getattr(insight, name))) for name in ("title", "body", "reasoning")}
    text = searchable(**said)
    [vector] = current().embed([text])
    words = [*bm25.terms(text), *insight.heard]
    tags = merged.get("tags")
    anchors = insight.anchors.count()
    return ChangedText(
        id=insight.pk,
        ref=insight.ref,
        kind=str(merged.get("kind", insight.kind)),
        tags=None if tags is None else tuple(str(tag) for tag in tags),  # type: ignore[attr-defined]
        vector=np.asarray(vector, dtype=np.float64),
        weights=bm25.document_weights(words, Lexicon.of(insight.team_id).pivot),
        prose=prose(text),
        quality=quality(said["title"], said["body"], said["reasoning"], anchors).total,
        **said,
    )
