"""Find: the conversations that answer a question, out of those the member may see.

One statement counts the words, and ends it where there are no passages; one finds candidate passages; one reads the
conversations that are worth scoring, with those that lie beside the best one. The rules say which are told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, groupby

import numpy as np

from accounts.adapters.traces import traced
from accounts.rules.rights import Member
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.retrieval.rules import bm25, relevance
from knowledge.retrieval.rules.ask import DEEPEST, Ask
from knowledge.rules.vectors import half, sparse, units
from sessions_app.conversations.rules.answering import ASKED, UNASKED, Floor, never_said, strength
from sessions_app.conversations.rules.asked import subject_of
from sessions_app.conversations.rules.excerpts import FoundConversation, chained
from sessions_app.conversations.rules.lookup import lookup
from sessions_app.conversations.rules.score import (
    LEAST_EVIDENCE,
    MOST_SCORED,
    MOST_UNTRIMMED,
    Scored,
    ScoredConversation,
    ScoredPassage,
    has_passage,
    scored,
    shortlist,
    stands_out,
    to_the_point,
)
from sessions_app.conversations.rules.spread import PassagePlace, weights
from sessions_app.conversations.rules.subject import newest_first, same_subject
from sessions_app.models import Passage as PassageRow
from sessions_app.models import PassageTerm
from sessions_app.querysets.passage_search import MEASURED_WHOLE, Legs, PassageLine, Spot

# Conversations beside the best one that are looked at for others on its subject, and passages of each conversation that
# are read: a longer one is read where it is nearest to the question.
BESIDE, MOST_READ = 6, 24
# Passages that wait for the worker and get their vector while the question waits, at some 10 ms each.
MOST_EMBEDDED = 32
# Conversations that are told: on one subject, and in all. Another subject is told if it is nearly as good.
MOST_ON_SUBJECT, MOST_TOLD = 3, 4
NEARLY = 0.85


@dataclass(frozen=True)
class ConversationAnswer:
    """The conversations to be told, best subject first, and the latest of a subject first; none if none is relevant.

    `stands_out`: whether the first is the answer, or only passages of some of them; `nearest`: the cosine of the
    nearest passage. `lines`: their rows, and `scores`, by the reference of the session.
    """

    found: list[FoundConversation] = field(default_factory=list)
    stands_out: bool = False
    nearest: float = 0.0
    lines: dict[str, list[PassageLine]] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class _Asked:
    """A question: its words with how rare each is among `total` passages, its vector, and from where on what is found
    answers it.
    """

    ask: Ask
    vector: np.ndarray | None
    words: Sequence[str]
    df: dict[str, int]
    total: int
    teams: Sequence[int]
    floor: Floor

    @cached_property
    def vector_text(self) -> str | None:
        return None if self.vector is None else half(self.vector).to_text()

    @property
    def repo(self) -> str:
        return self.ask.repo.strip()

    @cached_property
    def rarity(self) -> dict[str, float]:
        return {word: bm25.idf(self.total, self.df.get(word, 0)) for word in set(self.words)}

    @cached_property
    def total_idf(self) -> float:
        return bm25.total_idf(self.words, self.total, self.df)


@traced("query conversations")
def find(*, ask: Ask, vector: np.ndarray | None, by: Member, floor: Floor = ASKED) -> ConversationAnswer:
    """The conversations that answer a question. `vector`: of the question; None without an embedder.

    None is looked for where insights of some kind, or of a topic, or topics alone are asked for. A repository that is
    named is searched alone. Without `trim` nothing is left out: passages are told by their weight, of whichever
    conversation.
    """
    if ask.kinds or ask.topic or ask.depth < DEEPEST:
        return ConversationAnswer()
    team_ids = [by.named(slug).id for slug in ask.teams] or list(by.team_ids)
    whole, ask = ask.text, replace(ask, text=subject_of(ask.text))
    words = list(chain(*(bm25.terms(text) for text, _ in ask.question.weighted_texts)))
    total, df = PassageTerm.objects.all().counted(team_ids, words)
    if not total:
        return ConversationAnswer()
    if vector is not None and ask.text != whole:
        vector = _vector_of(ask.text, vector)
    asked = _Asked(ask, vector, words, df, total, team_ids, floor)
    spots = _spots(asked, by)
    if not spots:
        return ConversationAnswer()
    evidence = _evidence(spots, asked.total_idf)
    if ask.trim and not _may_answer(asked, spots, evidence):
        return ConversationAnswer()
    most = MOST_SCORED if ask.trim else MOST_UNTRIMMED
    sessions = shortlist([spot.session for spot in spots], evidence, most)
    rows = PassageRow.objects.all()
    lines = rows.conversations(
        by, teams=team_ids, sessions=sessions, vector=asked.vector_text, beside=BESIDE, most=MOST_READ
    )
    return _answer(asked, spots, lines if vector is None else _embedded(lines), by)


def _vector_of(subject: str, otherwise: np.ndarray) -> np.ndarray:
    try:
        return current().embed([subject])[0]
    except EmbedderDown:
        return otherwise


def _embedded(lines: Sequence[PassageLine]) -> Sequence[PassageLine]:
    """The passages with the vectors that the worker has not made yet, of a few: what was just said is asked for first,
    and a conversation without vectors stands out from nothing.
    """
    waiting = [at for at, line in enumerate(lines) if line.meant is None][:MOST_EMBEDDED]
    if not waiting:
        return lines
    try:
        vectors = current().embed([lines[at].text for at in waiting])
    except EmbedderDown:
        return lines
    made = {at: half(vector).to_binary() for at, vector in zip(waiting, vectors, strict=True)}
    return [line._replace(meant=made[at]) if at in made else line for at, line in enumerate(lines)]


def _spots(asked: _Asked, by: Member) -> list[Spot]:
    found_by = lookup(asked.df, words_alone=asked.vector is None)
    return PassageRow.objects.all().found(
        by,
        Legs(asked.vector is not None, asked.total <= MEASURED_WHOLE, bool(found_by), bool(asked.repo)),
        teams=asked.teams,
        repo=asked.repo,
        vector=asked.vector_text,
        words=found_by,
        weights=sparse(bm25.query_weights(asked.words, asked.total, asked.df)).to_text(),
    )


def _evidence(spots: Sequence[Spot], total_idf: float) -> np.ndarray:
    cosine = np.array([np.nan if spot.distance is None else 1 - spot.distance for spot in spots])
    keyword = np.array([-spot.keyword for spot in spots])
    return relevance.evidence(cosine, keyword, np.zeros(len(spots)), total_idf)


def _may_answer(asked: _Asked, spots: Sequence[Spot], evidence: np.ndarray) -> bool:
    """False where it is clear before a conversation is read that none answers."""
    if float(evidence.max()) < LEAST_EVIDENCE:
        return False
    if asked.vector is None or any(spot.distance is None for spot in spots):
        return True
    return _strength(asked, spots, evidence) >= asked.floor.clear


def _strength(asked: _Asked, spots: Sequence[Spot], evidence: np.ndarray) -> float:
    cosines = np.array([1 - spot.distance for spot in spots if spot.distance is not None])
    never = never_said(asked.rarity, asked.df)
    return strength(cosines, [spot.session for spot in spots], evidence, never, asked.total)


def _measured(
    spots: Sequence[Spot], lines: Sequence[PassageLine], vectors: Mapping[int, np.ndarray], vector: np.ndarray
) -> Sequence[Spot]:
    """The candidates, those that had no vector yet with their distance if they have one now."""
    made = {(line.session, line.position): vectors[line.pk] for line in lines if line.pk in vectors}
    return [
        spot._replace(distance=1 - float(made[spot[:2]] @ vector))
        if spot.distance is None and spot[:2] in made
        else spot
        for spot in spots
    ]


def _answer(asked: _Asked, spots: Sequence[Spot], lines: Sequence[PassageLine], by: Member) -> ConversationAnswer:
    rows = {session: list(some) for session, some in groupby(lines, key=lambda line: line.session)}
    vectors = _vectors(lines)
    conversations = [_conversation(session, some, vectors) for session, some in rows.items()]
    ranked = scored(conversations, asked.vector, asked.rarity)
    if not ranked:
        return ConversationAnswer()
    best, others = ranked[0].conversation, [one.conversation for one in ranked[1:]]
    same = same_subject(best, others)
    # A long one is about several things: what answers is near the question, not all that is said in it.
    short = len(best.passages) < MOST_READ
    clear = short and stands_out(ranked, [one.session for one in same], len(asked.rarity))
    strong = None
    if asked.vector is not None and best.middle is not None:
        measured = _measured(spots, lines, vectors, asked.vector)
        strong = _strength(asked, measured, _evidence(measured, asked.total_idf))
    if asked.ask.trim and not asked.floor.admits(strong, clear=clear):
        return ConversationAnswer()
    sure = UNASKED.admits(strong, clear=clear)
    # What was said more than once on a subject is told as one story, the latest first.
    clear = asked.ask.trim and (clear or (short and bool(same) and has_passage(ranked, len(asked.rarity))))
    # Where one conversation is the answer, its sentences are chosen, and the weights of passages are not needed.
    weight = {} if clear else weights(_relevance(spots, lines, vectors, asked.vector))
    found: list[FoundConversation] = []
    for number, subject in enumerate(_subjects(ranked, same, every=not clear)):
        found += chained([_found(one, rows[one.session][0], number, weight, asked, by, sure=sure) for one in subject])
    found = found[:MOST_TOLD] if clear else found
    of_ref = {f"S-{session}": session for session in rows}
    scores = {one.conversation.session: one.score for one in ranked}
    return ConversationAnswer(
        found,
        clear,
        max(one.nearest for one in ranked),
        {one.ref: rows[of_ref[one.ref]] for one in found},
        {one.ref: scores[of_ref[one.ref]] for one in found},
    )


def _subjects(
    ranked: Sequence[Scored], same: Sequence[ScoredConversation], *, every: bool
) -> list[list[ScoredConversation]]:
    """The conversations by subject, the best subject first and the latest of each first. `same`: those on the subject
    of the best one. Of the others those that are nearly as good, or every one.
    """
    best, *others = ranked
    alike = {one.session for one in same}
    subject = [one.conversation for one in others if one.conversation.session in alike][: MOST_ON_SUBJECT - 1]
    left = [one for one in others if one.conversation.session not in alike]
    return [
        newest_first([best.conversation, *subject]),
        *([one.conversation] for one in left if every or one.score >= NEARLY * best.score),
    ]


def _vectors(lines: Sequence[PassageLine]) -> dict[int, np.ndarray]:
    """The vectors of those that have one, by key."""
    found = {line.pk: line.meant for line in lines if line.meant is not None}
    return dict(zip(found, units(list(found.values())), strict=True)) if found else {}


def _conversation(session: int, lines: Sequence[PassageLine], vectors: Mapping[int, np.ndarray]) -> ScoredConversation:
    return ScoredConversation(session, [_passage(line, vectors.get(line.pk)) for line in lines])


def _passage(line: PassageLine, vector: np.ndarray | None) -> ScoredPassage:
    return ScoredPassage(line.pk, line.position, line.speaker, line.text, line.words, vector, line.said_at)


def _found(
    one: ScoredConversation,
    first: PassageLine,
    subject: int,
    weight: dict[PassagePlace, float],
    asked: _Asked,
    by: Member,
    *,
    sure: bool,
) -> FoundConversation:
    places = {passage.position: PassagePlace(one.session, passage.position) for passage in one.passages}
    repo = first.repo if first.repo != asked.repo else ""
    branch = f"branch {first.branch}" if first.branch else ""
    return FoundConversation(
        ref=f"S-{one.session}",
        date=f"{one.said_at:%Y-%m-%d}",
        who="you" if first.user == by.user_id else first.who,
        agent=first.agent,
        where=" ".join(filter(None, [repo, branch])),
        passages=one.passages,
        relevance=to_the_point(one, asked.vector),
        weights={position: weight.get(place, 0.0) for position, place in places.items()},
        subject=subject,
        readable=first.session_team in by.team_ids,
        sure=sure,
    )


def _relevance(
    spots: Sequence[Spot], lines: Sequence[PassageLine], vectors: Mapping[int, np.ndarray], vector: np.ndarray | None
) -> dict[PassagePlace, float]:
    """What each passage that was read has to do with the question: its cosine, and its keywords if it was a candidate,
    in the unit of `relevance.fuse`.
    """
    keyword = np.array([-spot.keyword for spot in spots])
    spread = max(float(keyword.std()), float(keyword.max()) / relevance.SPREAD_FLOOR, 1e-9)
    said = {(spot.session, spot.position): relevance.PROSE_WEIGHT * -spot.keyword / spread for spot in spots}
    found = {}
    for line in lines:
        cosine = 0.0 if vector is None or line.pk not in vectors else float(vectors[line.pk] @ vector)
        found[PassagePlace(line.session, line.position)] = cosine + said.get((line.session, line.position), 0.0)
    return found
