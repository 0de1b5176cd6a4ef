"""Replay the questions of the last month with and without a suggested edit, to find the answers it would change.
Nothing is written.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta

import numpy as np
from django.db.models import Q

from accounts.actions.members import member_of
from accounts.models import Membership
from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from knowledge.models import Insight, Lexicon, Pair, Query, Term
from knowledge.retrieval.actions.search import search_again, search_for
from knowledge.retrieval.actions.search_state import SearchState
from knowledge.retrieval.rules import bm25, relevance
from knowledge.retrieval.rules.ask import DEEPEST, Ask
from knowledge.retrieval.rules.changed_text import ChangedText
from knowledge.review.proposals.actions.decide import fields_of, one_proposal
from knowledge.rules.draft import searchable
from knowledge.rules.quality import quality
from knowledge.rules.vectors import unit

# As many as a worker ranks in a few seconds; the newest are taken.
MOST_QUESTIONS = 200
LOOKED_BACK = timedelta(days=30)
# The number of questions between two progress reports.
STEP = 10
_ASK = {one.name for one in fields(Ask)}


@dataclass
class ReplayEffect:
    """The result of a replay. `recorded`: questions of the team in that time; `replayed`: those that were ranked;
    `changed`: those with another first answer; `first`: those that the insight answers first today; `listed`: of either
    kind. `own`: of the reviewer's own questions those of either kind, as (question, first answer before, after); an
    answer is a reference, or "" for none.
    """

    recorded: int = 0
    replayed: int = 0
    changed: int = 0
    first: int = 0
    listed: int = 0
    own: list[tuple[str, str, str]] = field(default_factory=list)


def replay(
    *, proposal_id: int, by: Member, now: datetime, progress: Callable[[int, int], bool] | None = None
) -> ReplayEffect:
    """Rank the recorded questions of the team's members with the insight as it is, and with the proposal applied.

    Each question is ranked with its asker's permissions; of others' questions only the counts are kept. `progress` is
    called with (done, total), and stops the replay by returning False. Raises NotFound; EmbedderDown if the changed
    text has no vector.
    """
    row = one_proposal(proposal_id=proposal_id, by=by)
    changed = _changed_text(row.insight, {one.name: one.merged for one in fields_of(row)})
    reach = _reach(row.insight, changed)
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
        answers = _first_answers(query, changed, reach, seen_as[query.user_id], now)
        if answers is None:
            continue
        found.replayed += 1
        differs, is_first = answers[0] != answers[1], answers[0] == row.insight.ref
        found.changed += differs
        found.first += is_first
        found.listed += differs or is_first
        if (differs or is_first) and query.user_id == by.user_id:
            found.own.append((str(query.pk), *answers))
    return found


@dataclass(frozen=True)
class _Reach:
    """How high an insight can rank for a question, by its text as it is and as it would be: the words and vectors of
    both.
    """

    terms: frozenset[str]
    vectors: Sequence[np.ndarray]
    names: Sequence[str]
    sizes: dict[tuple[int, ...], int] = field(default_factory=dict)

    def evidence(self, ask: Ask, vector: np.ndarray) -> float | None:
        """Return the highest evidence for the insight (`relevance.evidence`), if only its meaning can match: the
        question has none of its words, and no error, file or reference of it. None for any other question.
        """
        asked = ask.question
        if not self.vectors or not ask.trim or ask.depth < DEEPEST or ask.topic or asked.errors or asked.parts:
            return None
        named = any(name.lower() in ask.text.lower() for name in self.names)
        if named or ask.context.file_names or not self.terms.isdisjoint(bm25.terms(asked.text)):
            return None
        return max(float(one @ vector) for one in self.vectors)

    def least(self, ask: Ask, who: Member) -> float:
        """Return the evidence below which nothing is served to this member, whatever the best answer is."""
        teams = tuple([who.named(slug).id for slug in ask.teams] or who.team_ids)
        if teams not in self.sizes:
            self.sizes[teams], _ = Term.objects.all().frequencies(teams, [], Lexicon.objects.all())
        # If a repository is named, fewer insights may be searched.
        return relevance.TRIM * relevance.floor(0 if ask.repo.strip() else self.sizes[teams])


# The largest difference between vectors of half and of full precision.
ROUNDING = 0.005


def _reach(insight: Insight, changed: ChangedText) -> _Reach:
    """Return the reach of an insight. If it is in an open pair it has no vectors, so that every question is ranked: a
    pair may be served although the insight itself is not near.
    """
    now = searchable(insight.title, insight.body, insight.reasoning)
    then = searchable(changed.title, changed.body, changed.reasoning)
    paired = Pair.objects.filter(Q(a=insight) | Q(b=insight)).open().exists()
    own = None if paired else insight.embedding
    return _Reach(
        terms=frozenset([*bm25.terms(now), *bm25.terms(then), *insight.heard]),
        vectors=[] if own is None else [unit(own), changed.vector],
        names=insight.names(),
    )


def _first_answers(
    query: Query, changed: ChangedText, reach: _Reach, who: Member, now: datetime
) -> tuple[str, str] | None:
    """Return the first answer with the insight as it is, and as it would be; None for a question that can no longer be
    asked. If neither text is near enough to be served beside any answer, the two are equal and the question is not
    ranked.
    """
    ask = Ask(**{name: value for name, value in query.ask.items() if name in _ASK})
    assert query.embedding is not None
    vector = unit(query.embedding)
    try:
        least, speaks = reach.least(ask, who), reach.evidence(ask, vector)
        if speaks is not None and speaks + ROUNDING < least:
            return "", ""
        before = search_for(ask, who, now, vector=vector, include=changed.ref)
    except Refused:
        return None
    return _first(before), _first(search_again(before, changed, now, alone=bool(reach.vectors)))


def _first(search: SearchState) -> str:
    order = search.cut.order
    return "" if search.cut.abstained or not order else search.rows[order[0]].ref


def _changed_text(insight: Insight, merged: dict[str, object]) -> ChangedText:
    """Return the insight as the proposal would make it, with the vector and the weights of its words. Nothing
    is saved.
    """
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
        prose=relevance.prose(text),
        quality=quality(said["title"], said["body"], said["reasoning"], anchors).total,
        **said,
    )
