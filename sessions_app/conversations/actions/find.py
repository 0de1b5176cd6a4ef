"""Find: the conversations that answer a question, out of those the member may see.

One statement counts the words, and ends it where there are no passages; one finds candidate passages; one reads the
conversations that are worth scoring, with those that lie beside the best one. The rules say which are told.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, groupby

import numpy as np

from accounts.adapters.traces import traced
from accounts.rules.rights import Member
from knowledge.rules import bm25, relevance
from knowledge.rules.ask import DEEPEST, Ask
from knowledge.rules.vectors import half, lexemes, sparse, unit
from sessions_app.conversations.rules.score import (
    LEAST_EVIDENCE,
    Conversation,
    Passage,
    Scored,
    answers,
    scored,
    shortlist,
)
from sessions_app.conversations.rules.subject import newest_first, same_subject
from sessions_app.conversations.rules.told import Found, chained
from sessions_app.models import Passage as PassageRow
from sessions_app.models import PassageTerm
from sessions_app.querysets_passage_search import MEASURED_WHOLE, Legs, Line, Spot

# Keyword candidates are looked up by the rarest words, as long as no more passages than this have them.
LOOKUP_BUDGET = 2_000
# Passages beside the best conversation that are looked at for others on its subject, and passages of one conversation
# that are read: a longer one is read where it is nearest to the question.
BESIDE, MOST_READ = 24, 40
# Conversations that are told: on one subject, and in all. Another subject is told if it is nearly as good.
MOST_ON_SUBJECT, MOST_TOLD = 3, 4
NEARLY = 0.85


@dataclass(frozen=True)
class Answer:
    """The conversations to be told, best subject first, and the latest of a subject first; none if none is relevant.

    `lines`: their rows by session, for whoever tells of them; `scores` by session.
    """

    found: list[Found] = field(default_factory=list)
    lines: dict[str, list[Line]] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)


@traced("query conversations")
def find(*, ask: Ask, vector: np.ndarray | None, by: Member) -> Answer:
    """The conversations that answer a question. `vector`: of the question; None without an embedder.

    None is looked for where insights of some kind, or of a topic, or topics alone are asked for. A repository that is
    named is searched alone.
    """
    if ask.kinds or ask.topic or ask.depth < DEEPEST:
        return Answer()
    team_ids = [by.named(slug).id for slug in ask.teams] or list(by.team_ids)
    words = list(chain(*(bm25.terms(text) for text, _ in ask.question.weighted_texts)))
    total, df = PassageTerm.objects.all().counted(team_ids, words)
    if not total:
        return Answer()
    spots = _spots(ask, vector, by, team_ids, words, total, df)
    if not spots:
        return Answer()
    evidence = _evidence(spots, bm25.total_idf(words, total, df))
    if ask.trim and float(evidence.max()) < LEAST_EVIDENCE:
        return Answer()
    sessions = shortlist([spot.session for spot in spots], evidence)
    lines = PassageRow.objects.all().conversations(
        by,
        teams=team_ids,
        sessions=sessions,
        vector=None if vector is None else half(vector).to_text(),
        near=BESIDE,
        most=MOST_READ,
    )
    rarity = {word: bm25.idf(total, df.get(word, 0)) for word in set(words)}
    return _answer(ask, lines, vector, rarity, by)


def _spots(
    ask: Ask,
    vector: np.ndarray | None,
    by: Member,
    team_ids: Sequence[int],
    words: Sequence[str],
    total: int,
    df: dict[str, int],
) -> list[Spot]:
    lookup = bm25.rarest(df, LOOKUP_BUDGET)
    legs = Legs(vector is not None, total <= MEASURED_WHOLE, bool(lookup), bool(ask.repo.strip()))
    return PassageRow.objects.all().found(
        by,
        legs,
        teams=team_ids,
        repo=ask.repo.strip(),
        vector=None if vector is None else half(vector).to_text(),
        words=lexemes(lookup, " | "),
        weights=sparse(bm25.query_weights(words, total, df)).to_text(),
    )


def _evidence(spots: Sequence[Spot], total_idf: float) -> np.ndarray:
    cosine = np.array([np.nan if spot.distance is None else 1 - spot.distance for spot in spots])
    keyword = np.array([-spot.keyword for spot in spots])
    return relevance.evidence(cosine, keyword, np.zeros(len(spots)), total_idf)


def _answer(ask: Ask, lines: Sequence[Line], vector: np.ndarray | None, rarity: dict[str, float], by: Member) -> Answer:
    rows = {session: list(some) for session, some in groupby(lines, key=lambda line: line.session)}
    conversations = [_conversation(session, some) for session, some in rows.items()]
    ranked = scored(conversations, vector, rarity)
    subjects = _subjects(ranked, trim=ask.trim)
    if not subjects:
        return Answer()
    scores = {one.conversation.session: one.score for one in ranked}
    told: list[Found] = []
    for number, subject in enumerate(subjects):
        told += chained([_found(one, rows[one.session], number, vector, ask, by) for one in subject])
    of = {f"S-{session}": session for session in rows}
    return Answer(
        told[:MOST_TOLD] if ask.trim else told,
        {one.ref: rows[of[one.ref]] for one in told},
        {one.ref: scores[of[one.ref]] for one in told},
    )


def _subjects(ranked: Sequence[Scored], *, trim: bool) -> list[list[Conversation]]:
    """The conversations by subject, the best subject first and the latest of each first; nothing if none answers.

    Without `trim` every conversation is in, and none is left out for being of little relevance.
    """
    if not ranked:
        return []
    best, *others = ranked
    same = same_subject(best.conversation, [one.conversation for one in others])
    if trim and not answers(ranked, [one.session for one in same]):
        return []
    of_score = sorted(same, key=lambda one: next(n for n, other in enumerate(ranked) if other.conversation is one))
    subjects = [newest_first([best.conversation, *of_score[: MOST_ON_SUBJECT - 1]])]
    left = [one for one in others if one.conversation not in same]
    subjects += [[one.conversation] for one in left if not trim or one.score >= NEARLY * best.score]
    return subjects


def _conversation(session: int, lines: Sequence[Line]) -> Conversation:
    return Conversation(session, [_passage(line) for line in lines])


def _passage(line: Line) -> Passage:
    vector = None if line.meant is None else unit(line.meant)
    return Passage(line.pk, line.position, line.speaker, line.text, frozenset(line.words), vector, line.said_at)


def _found(
    one: Conversation, lines: Sequence[Line], subject: int, vector: np.ndarray | None, ask: Ask, by: Member
) -> Found:
    first = lines[0]
    repo = first.repo if first.repo != ask.repo.strip() else ""
    branch = f"branch {first.branch}" if first.branch else ""
    return Found(
        ref=f"S-{one.session}",
        date=f"{one.said_at:%Y-%m-%d}",
        who="you" if first.user == by.user_id else first.who,
        agent=first.agent,
        where=" ".join(filter(None, [repo, branch])),
        passages=one.passages,
        relevance=_relevance(one, vector),
        subject=subject,
        readable=first.session_team in by.team_ids,
    )


def _relevance(one: Conversation, vector: np.ndarray | None) -> dict[int, float]:
    """What each passage has to do with the question, as a share of the best one; nothing without vectors."""
    if vector is None:
        return {}
    cosine = {p.position: max(float(p.vector @ vector), 0.0) for p in one.passages if p.vector is not None}
    best = max(cosine.values(), default=0.0)
    return {position: value / best for position, value in cosine.items()} if best else {}


def when(one: Found) -> datetime:
    """When the last word of a conversation was said."""
    return max(passage.said_at for passage in one.passages)
