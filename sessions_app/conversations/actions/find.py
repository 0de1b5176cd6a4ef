"""Find: the conversations that answer a question, out of those the member may see.

One statement counts the words, and ends it where there are no passages; two find candidate passages; one reads the
conversations that are worth scoring, and where one of them may stand out one more those that lie beside it. Where none
does, one reads the nearest passages of other conversations. The rules say which are told.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, groupby

import numpy as np

from accounts.adapters.traces import traced
from accounts.rules.rights import Member
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.ask import DEEPEST, Ask
from knowledge.rules.vectors import half
from sessions_app.conversations.actions.candidates import (
    ConversationQuery,
    evidence_of,
    find_candidates,
    known_strength,
    measured,
    prominence_of,
    relevance_of,
    strength_of,
)
from sessions_app.conversations.actions.passage_rows import (
    conversation_of,
    distinct,
    vectors_of,
    with_vectors,
)
from sessions_app.conversations.rules.answering import ASKED, SIZES, UNASKED, Floor
from sessions_app.conversations.rules.asked import subject_of
from sessions_app.conversations.rules.choose import choose
from sessions_app.conversations.rules.excerpts import FoundConversation, chained
from sessions_app.conversations.rules.named import LONGEST_NAMED, NamedConversation
from sessions_app.conversations.rules.score import (
    LEAST_EVIDENCE,
    MOST_SCORED,
    MOST_UNTRIMMED,
    Scored,
    ScoredConversation,
    may_lead,
    scored,
    shortlist,
    stands_out,
    to_the_point,
)
from sessions_app.conversations.rules.spread import PassagePlace, nearly_best, weights
from sessions_app.conversations.rules.subject import (
    NEARLY,
    Exchange,
    exchanges,
    is_sure,
    maybe_same,
    near,
    perhaps_same,
    same_file,
    same_subject,
)
from sessions_app.models import Passage as PassageRow
from sessions_app.models import PassageTerm
from sessions_app.querysets.passage_search import ALL, PassageLine, SessionSize, Spot

# Conversations beside the best one that are looked at for others on its subject.
BESIDE = 6
# How much of a conversation is read: a longer one where it is nearest to the question. How long it is the words tell,
# not the passages: people who type "ok, 30" make 50 passages of what others say in ten. 24 passages of sde-bench and
# BEAM have some 1,000 terms; the longest of sde-bench's 158 conversations has 760.
READ = SessionSize(most=24, most_short=100, short=800)
# Of the passages with the greatest weights so many are told at most, of whichever conversation: as many short ones fit
# into 800 tokens.
MOST_NEAREST = 24
# Conversations that are named where none answers, and the least cosine of the passage that is told of each. Of 14
# questions below the least strength of an answer the right one is named for 13 with .30 and for 8 with .35; 120 on
# other work in the same repositories bring .74 and .34 (26 Nov 2026).
MOST_NAMED, NAMED_FROM = 3, 0.30
# Conversations on one subject that are told.
MOST_ON_SUBJECT = 3


@dataclass(frozen=True)
class ConversationAnswer:
    """The conversations to be told, best subject first, and the latest of a subject first; none if none is relevant.

    `stands_out`: whether the first is the answer, or only passages of some of them; `nearest`: the cosine of the
    nearest passage. `lines`: their rows, and `scores`, by the reference of the session. `named`: those with the
    nearest passages, where none answers.
    """

    found: list[FoundConversation] = field(default_factory=list)
    stands_out: bool = False
    nearest: float = 0.0
    lines: dict[str, list[PassageLine]] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    named: list[NamedConversation] = field(default_factory=list)


@traced("query conversations")
def find(
    *,
    ask: Ask,
    vector: np.ndarray | None,
    by: Member,
    floor: Floor = ASKED,
    counted: Mapping[str, int] | None = None,
) -> ConversationAnswer:
    """The conversations that answer a question. `vector`: of the question; None without an embedder. `counted`: how
    many passages have each of its words, if that is known, and under "" how many there are (`Retrieved.beside`).

    None is looked for where insights of some kind, or of a topic, or topics alone are asked for. A repository that is
    named is searched alone. Without `trim` nothing is left out: passages are told by their weight, of whichever
    conversation.
    """
    if not searched_for(ask):
        return ConversationAnswer()
    team_ids = [by.named(slug).id for slug in ask.teams] or list(by.team_ids)
    whole, ask = ask.text, replace(ask, text=subject_of(ask.text))
    words = list(chain(*(bm25.terms(text) for text, _ in ask.question.weighted_texts)))
    if counted is None:
        total, df = PassageTerm.objects.all().counted(team_ids, words)
    else:
        total, df = counted.get(ALL, 0), {word: counted[word] for word in words if word in counted}
    if not total:
        return ConversationAnswer()
    if vector is not None and ask.text != whole:
        vector = _vector_of(ask.text, vector)
    # One repository of many is a small collection.
    searched, repo = total, ask.repo.strip()
    if repo and total > SIZES[0]:
        searched = PassageRow.objects.all().count_of_repo(by, teams=team_ids, repo=repo, most=SIZES[1])
    return _Search(ConversationQuery(ask, vector, words, df, total, team_ids, searched, floor), by).answer()


def searched_for(ask: Ask) -> bool:
    """Whether conversations are searched for such a question."""
    return not (ask.kinds or ask.topic) and ask.depth >= DEEPEST


def _vector_of(subject: str, otherwise: np.ndarray) -> np.ndarray:
    try:
        return current().embed([subject])[0]
    except EmbedderDown:
        return otherwise


class _Search:
    """One question on its way from candidates to an answer."""

    def __init__(self, asked: ConversationQuery, by: Member) -> None:
        self.asked, self.by, self.rows = asked, by, PassageRow.objects.all()
        self.spots: Sequence[Spot] = []
        self.copies: Mapping[int, frozenset[int]] = {}
        self.lines: list[PassageLine] = []
        self.vectors: dict[int, np.ndarray] = {}
        # How much speaks for an answer, if the candidates tell that already.
        self.known: float | None = None

    def answer(self) -> ConversationAnswer:
        asked = self.asked
        found = find_candidates(asked, self.by)
        self.spots, self.copies = found.spots, found.copies
        if not self.spots or found.is_hopeless:
            return self.named()
        evidence = evidence_of(self.spots, asked.total_idf)
        trim = asked.ask.trim
        strong = self.known = known_strength(asked, self.spots, evidence)
        hopeless = strong is not None and not asked.floor.admits(strong, self.prominence, clear=False)
        if trim and (hopeless or (strong is None and float(evidence.max()) < LEAST_EVIDENCE)):
            return self.named()
        most = MOST_SCORED if trim else MOST_UNTRIMMED
        sessions = shortlist([spot.session for spot in self.spots], evidence, most)
        self.read(
            self.rows.conversations(self.by, teams=asked.teams, sessions=sessions, vector=asked.vector_text, size=READ)
        )
        ranked = self.ranked()
        return (
            self.build_answer(self.with_beside(ranked, sessions) if trim else ranked)
            if ranked
            else ConversationAnswer()
        )

    def named(self) -> ConversationAnswer:
        """No answer, but the conversations with the nearest passages, if the asker may judge them."""
        asked = self.asked
        if not asked.floor.names or asked.vector is None or not self.spots:
            return ConversationAnswer()
        weight = weights(relevance_of(self.spots, self.lines, self.vectors, asked.vector))
        near = {spot[:2] for spot in self.spots if spot.distance is not None and 1 - spot.distance >= NAMED_FROM}
        best: dict[int, PassagePlace] = {}
        for place in sorted(near.intersection(weight), key=lambda place: (-weight[PassagePlace(*place)], place)):
            best.setdefault(place[0], PassagePlace(*place))
        places = list(best.values())[:MOST_NAMED]
        rows = {(one.session, one.position): one for one in self.rows.at(self.by, teams=asked.teams, places=places)}
        return ConversationAnswer(named=[_pointer(rows[place], asked, self.by) for place in places if place in rows])

    @cached_property
    def prominence(self) -> float:
        """How far the nearest passages are ahead of the others."""
        return prominence_of(self.asked, self.spots)

    def is_whole(self, one: ScoredConversation) -> bool:
        """Whether all of a conversation was read."""
        return next(line.whole for line in self.lines if line.session == one.session)

    def read(self, lines: Sequence[PassageLine]) -> None:
        """Add passages to what is read, each session's in their order, copies once."""
        added = list(lines) if self.asked.vector is None else with_vectors(lines)
        self.lines = distinct(sorted([*self.lines, *added], key=lambda line: (line.session, line.position)))
        self.vectors |= vectors_of(added)

    def by_session(self) -> dict[int, list[PassageLine]]:
        return {session: list(some) for session, some in groupby(self.lines, key=lambda line: line.session)}

    def ranked(self) -> list[Scored]:
        conversations = [conversation_of(session, some, self.vectors) for session, some in self.by_session().items()]
        return scored(conversations, self.asked.vector, self.asked.rarity)

    def with_beside(self, ranked: Sequence[Scored], sessions: Sequence[int]) -> Sequence[Scored]:
        """Those conversations with the ones that lie beside the best, where that may be the answer by itself."""
        asked, words = self.asked, len(self.asked.rarity)
        best, others = ranked[0].conversation, [one.conversation for one in ranked[1:]]
        if asked.vector_text is None or best.middle is None or not self.is_whole(best):
            return ranked
        if not may_lead(ranked, [one.session for one in near(best, others)], words):
            return ranked
        copies = [*chain(*self.copies.values())]
        self.read(
            self.rows.beside(
                self.by,
                teams=asked.teams,
                repo=next(line.repo for line in self.lines if line.session == best.session),
                middle=half(best.middle).to_text(),
                best=[best.session, *self.copies.get(best.session, ())],
                sessions=[*sessions, *copies],
                vector=asked.vector_text,
                beside=BESIDE,
                size=READ,
            )
        )
        return self.ranked()

    def build_answer(self, ranked: Sequence[Scored]) -> ConversationAnswer:
        asked = self.asked
        best, others = ranked[0].conversation, [one.conversation for one in ranked[1:]]
        same = same_subject(best, others) or perhaps_same(best, others, asked.vector)
        same += [one for one in same_file(best, others) if one not in same]
        # A long one is about several things: what answers is near the question, not all that is said in it.
        short = self.is_whole(best)
        clear = short and stands_out(ranked, [one.session for one in same], len(asked.rarity))
        strong = self.strength(best)
        if asked.ask.trim and not asked.floor.admits(strong, self.prominence, clear=clear):
            return self.named()
        sure = UNASKED.admits(strong, self.prominence, clear=clear)
        clear = asked.ask.trim and clear
        nearest = max(one.nearest for one in ranked)
        weight = weights(relevance_of(self.spots, self.lines, self.vectors, asked.vector))
        if asked.ask.trim and (changed := self.read_nearest(weight)):
            ranked = self.ranked_as_before(ranked, changed)
        told = [one.conversation for one in ranked]
        if clear:
            told = [told[0], *_narrowed(told[1:], nearly_best(weight), {one.session for one in same})]
        said = exchanges(told, asked.vector) if asked.ask.trim else []
        if clear:
            said.sort(key=lambda one: one.conversation.session != best.session)
        subject = _Subject(said, [best.session, *(one.session for one in same)] if clear else [])
        rows = self.by_session()
        # How near each passage is to the point is asked where sentences are chosen.
        found = [
            _found(one, rows[one.session][0], subject, weight, asked, self.by, sure=sure, clear=clear)
            for one in subject.in_order(told)
        ]
        found = [*chain(*(chained(list(some)) for _, some in groupby(found, key=lambda one: one.subject)))]
        of_ref = {f"S-{one.conversation.session}": one for one in ranked}
        return ConversationAnswer(
            found,
            clear,
            nearest,
            {one.ref: rows[of_ref[one.ref].conversation.session] for one in found},
            {one.ref: of_ref[one.ref].score for one in found},
        )

    def strength(self, best: ScoredConversation) -> float | None:
        """How much speaks for an answer; None where there are no vectors to tell."""
        if self.known is not None or self.asked.vector is None or best.middle is None:
            return self.known
        spots = measured(self.spots, self.lines, self.vectors, self.asked.vector)
        return strength_of(self.asked, spots, evidence_of(spots, self.asked.total_idf))

    def read_nearest(self, weight: Mapping[PassagePlace, float]) -> set[int]:
        """Read the passages with the greatest weights as far as they are not; the sessions of those that were read."""
        here = {(line.session, line.position) for line in self.lines}
        best = sorted(weight, key=lambda place: (-weight[place], place))[:MOST_NEAREST]
        places = [place for place in best if place not in here]
        if places:
            self.read(self.rows.at(self.by, teams=self.asked.teams, places=places))
        return {place.session for place in places}.intersection(self.by_session())

    def ranked_as_before(self, ranked: Sequence[Scored], changed: Collection[int]) -> list[Scored]:
        """The conversations with what was read of them since: those that were ranked in their order, then others."""
        rows = self.by_session()
        some = [conversation_of(session, rows[session], self.vectors) for session in changed]
        now = {one.conversation.session: one for one in scored(some, self.asked.vector, self.asked.rarity)}
        first = [now.pop(one.conversation.session, one) for one in ranked]
        return [*first, *now.values()]


class _Subject:
    """What was said on the subject of the question, and which conversations that was in.

    `said`: on the question in each conversation, in the best one first; `whole`: sessions that are on it as a whole,
    the one that stands out and others like it.
    """

    def __init__(self, said: Sequence[Exchange], whole: Sequence[int]) -> None:
        near = [one for one in said[1:] if one.relevance >= NEARLY * said[0].relevance]
        alike = [one for one in near if one.conversation.session in whole]
        self.whole = {*whole[:1], *(one.conversation.session for one in alike)}
        related = [*said[:1], *alike, *maybe_same(said)]
        self.said = {one.conversation.session: one for one in related[: MOST_ON_SUBJECT + 1]}
        self.sure = {session for session, one in self.said.items() if one is said[0] or is_sure(said[0], one)}

    def in_order(self, conversations: Sequence[ScoredConversation]) -> list[ScoredConversation]:
        """These conversations: those on the subject first, the latest of them first."""

        def place(one: ScoredConversation) -> tuple[bool, float, int]:
            said = self.said.get(one.session)
            return (said is None, -said.said_at.timestamp(), -one.session) if said else (True, 0.0, 0)

        return sorted(conversations, key=place)


def _narrowed(
    conversations: Sequence[ScoredConversation], places: Collection[PassagePlace], whole: Collection[int]
) -> list[ScoredConversation]:
    """The conversations with no other passages than these, but for those of `whole`; without those that have none."""
    kept = [
        one
        if one.session in whole
        else ScoredConversation(
            one.session, [row for row in one.passages if PassagePlace(one.session, row.position) in places]
        )
        for one in conversations
    ]
    return [one for one in kept if one.passages]


def _pointer(line: PassageLine, asked: ConversationQuery, by: Member) -> NamedConversation:
    return NamedConversation(
        ref=f"S-{line.session}",
        date=f"{line.said_at:%Y-%m-%d}",
        who="you" if line.user == by.user_id else line.who,
        agent=line.agent,
        sentences=choose([conversation_of(line.session, [line], {}).passages[0]], asked.ask.text, LONGEST_NAMED),
        readable=line.session_team in by.team_ids,
    )


def _found(
    one: ScoredConversation,
    first: PassageLine,
    subject: _Subject,
    weight: dict[PassagePlace, float],
    asked: ConversationQuery,
    by: Member,
    *,
    sure: bool,
    clear: bool,
) -> FoundConversation:
    places = {passage.position: PassagePlace(one.session, passage.position) for passage in one.passages}
    repo = first.repo if first.repo != asked.repo else ""
    branch = f"branch {first.branch}" if first.branch else ""
    said, whole = subject.said.get(one.session), one.session in subject.whole
    return FoundConversation(
        ref=f"S-{one.session}",
        date=f"{said.said_at if said else one.said_at:%Y-%m-%d}",
        who="you" if first.user == by.user_id else first.who,
        agent=first.agent,
        where=" ".join(filter(None, [repo, branch])),
        passages=one.passages,
        relevance=to_the_point(one, asked.vector) if clear and whole else {},
        weights={position: weight.get(place, 0.0) for position, place in places.items()},
        subject=0 if said else one.session,
        readable=first.session_team in by.team_ids,
        sure=sure,
        perhaps=said is not None and one.session not in subject.sure,
        beside=clear and not whole,
    )
