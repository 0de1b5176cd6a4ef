"""Find: the conversations that answer a question, among those that the member may see.

One statement counts the question's words; without passages the search ends there. Two statements find candidate
passages, and one reads the conversations that are worth scoring. If one conversation may stand out, one more statement
reads the conversations near it. If none does, one reads the nearest passages of other conversations. The rules decide
which conversations are quoted.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, groupby

import numpy as np

from accounts.adapters.traces import traced
from accounts.rules.rights import Member
from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.ask import DEEPEST, Ask
from sessions_app.conversations.actions.candidates import (
    Candidates,
    ConversationQuery,
    answered,
    evidence_of,
    find_candidates,
    is_worded,
    known_strength,
    measured,
    prominence_of,
    relevance_of,
    strength_of,
    vector_of,
)
from sessions_app.conversations.actions.describe import (
    AMENDMENT_LIKELY,
    Subject,
    describe,
    describe_changes,
    pointer,
)
from sessions_app.conversations.actions.passage_rows import (
    conversation_of,
    narrowed_to,
    or_replies,
    unread_replies,
    vectors_of,
    with_vectors,
)
from sessions_app.conversations.actions.reading import ConversationReading
from sessions_app.conversations.rules import files
from sessions_app.conversations.rules.amendments import EarlierStatement, nearest_of, statement_at
from sessions_app.conversations.rules.answering import ASKED, SIZES, SURE, WORDED, Floor
from sessions_app.conversations.rules.found import FoundConversation, NamedConversation, chained
from sessions_app.conversations.rules.question import subject_of
from sessions_app.conversations.rules.score import (
    LEAST_EVIDENCE,
    MOST_LIKELY,
    MOST_SCORED,
    MOST_UNTRIMMED,
    Scored,
    ScoredConversation,
    likelihoods,
    may_lead,
    shortlist,
    stands_out,
)
from sessions_app.conversations.rules.spread import PassagePlace, nearly_best, raised, weights
from sessions_app.conversations.rules.subject import (
    Exchange,
    exchanges,
    near,
    perhaps_same,
    same_file,
    same_subject,
    sharing,
)
from sessions_app.models import Passage as PassageRow
from sessions_app.models import PassageTerm
from sessions_app.querysets.passage_search import PassageLine
from sessions_app.querysets.passage_terms import ALL

# The least cosine of the passage that names a conversation, when no conversation answers. 14 questions fall below the
# least strength of an answer: the right conversation is named for 13 with .30 and for 8 with .35. 120 questions on
# other work in the same repositories get .74 and .34 names each (26 Nov 2026).
NAMED_FROM = 0.30


@dataclass(frozen=True)
class ConversationAnswer:
    """The conversations to quote: the best subject first, and within a subject the latest first; none if none is
    relevant.

    `stands_out`: whether the first conversation is the answer by itself; otherwise single passages are. `nearest`: the
    cosine of the nearest passage. `lines` and `scores`: the rows and the scores, by the reference of the session.
    `named`: the conversations with the nearest passages, if none answers; looked up on first use, because most answers
    name none.
    """

    found: list[FoundConversation] = field(default_factory=list)
    stands_out: bool = False
    nearest: float = 0.0
    lines: dict[str, list[PassageLine]] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    find_named: Callable[[], list[NamedConversation]] = list
    # How much the files of the question speak for the best conversation, 0 to 1.
    held: float = 0.0
    # The reference of the conversation that answers: the one that stands out, or the one with the nearest passage.
    best: str = ""
    find_changes: Callable[["ConversationAnswer", EarlierStatement], "ConversationAnswer"] | None = None

    def with_changes(self, note: EarlierStatement | None) -> "ConversationAnswer":
        """Return the answer, with the later conversations that may have changed the insight `note` placed first."""
        return self.find_changes(self, note) if self.find_changes and note else self

    @cached_property
    def named(self) -> list[NamedConversation]:
        return self.find_named()


@traced("query conversations")
def find(
    *,
    ask: Ask,
    vector: np.ndarray | None,
    by: Member,
    floor: Floor = ASKED,
    counted: Mapping[str, int] | None = None,
    without: Collection[int] = (),
) -> ConversationAnswer:
    """Return the conversations that answer a question.

    `vector`: of the question; None without an embedder. `counted`: the number of passages that have each word of the
    question, if known, and under "" the number of all passages (`Retrieved.beside`). `without`: sessions that are not
    searched.

    Nothing is searched if the question asks for insights of a kind, for a topic, or for topics alone. If a repository
    is named, only its conversations are searched. Without `trim` nothing is left out, and passages are quoted by their
    weight, from any conversation.
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
        vector = vector_of(ask.text, vector)
    # Count the passages of the repository alone: the thresholds depend on the size of what is searched.
    searched, repo = total, ask.repo.strip()
    if repo and total > SIZES[0]:
        searched = PassageRow.objects.all().count_of_repo(by, teams=team_ids, repo=repo)
    search = _Search(ConversationQuery(ask, vector, words, df, total, team_ids, searched, floor), by, without)
    return replace(search.answer(), find_changes=search.with_changes)


def searched_for(ask: Ask) -> bool:
    """Return whether conversations are searched for a question with these filters."""
    return not (ask.kinds or ask.topic) and ask.depth >= DEEPEST


class _Search:
    """The search for one question, from its candidates to an answer."""

    def __init__(self, asked: ConversationQuery, by: Member, without: Collection[int]) -> None:
        self.asked, self.by, self.without, self.rows = asked, by, without, PassageRow.objects.all()
        self.found = Candidates()
        self.reading = ConversationReading(asked, by, self.found, without)
        # The strength of the answer, if the candidates determine it.
        self.known: float | None = None

    def answer(self) -> ConversationAnswer:
        asked = self.asked
        self.found = find_candidates(asked, self.by, self.without)
        if not self.found.spots or self.found.is_hopeless:
            return self.named()
        evidence = evidence_of(self.found.spots, asked.total_idf)
        trim = asked.ask.trim
        strong = known_strength(asked, self.found.spots, evidence)
        strong = self.known = None if strong is None else strong + self.held
        hopeless = strong is not None and not asked.floor.admits(strong, self.prominence, clear=False)
        if trim and (hopeless or (strong is None and float(evidence.max()) < LEAST_EVIDENCE)):
            return self.named()
        most = MOST_SCORED if trim else MOST_UNTRIMMED
        evidence += files.EVIDENCE * np.array([self.found.files.get(spot.session, 0.0) for spot in self.found.spots])
        sessions = shortlist([spot.session for spot in self.found.spots], evidence, most)
        self.reading = ConversationReading(asked, self.by, self.found, self.without)
        self.reading.read(sessions)
        ranked = self.reading.ranked()
        if not ranked:
            return ConversationAnswer()
        return self.build_answer(self.with_beside(ranked, sessions) if trim else ranked)

    def named(self) -> ConversationAnswer:
        """Return an answer without quotations that names the conversations with the nearest passages, if the asker may
        judge them.
        """
        asked, floor = self.asked, self.asked.floor.names
        if floor is None or asked.vector is None or not self.found.spots:
            return ConversationAnswer()
        strong = known_strength(asked, self.found.spots, evidence_of(self.found.spots, asked.total_idf))
        if strong is None or not floor.admits(strong + self.held, self.prominence, clear=False):
            return ConversationAnswer()
        return ConversationAnswer(find_named=self.find_named)

    def find_named(self) -> list[NamedConversation]:
        """Return up to `most_named` conversations with the nearest passages."""
        asked, floor = self.asked, self.asked.floor.names
        assert floor is not None
        if self.found.is_hopeless:
            self.found = answered(self.found, asked, self.by)
        weight = weights(self.relevance())
        of_file = self.found.files if floor.of_file else ()
        cosine = {spot[:2]: 0.0 if spot.distance is None else 1 - spot.distance for spot in self.found.spots}
        near = {place for place, value in cosine.items() if place[0] in of_file or value >= NAMED_FROM}
        best: dict[int, PassagePlace] = {}
        for place in sorted(near.intersection(weight), key=lambda place: (-weight[PassagePlace(*place)], place)):
            best.setdefault(place[0], PassagePlace(*place))
        places = list(best.values())[: floor.most_named]
        read = self.rows.at(self.by, teams=asked.teams, places=[*places, *unread_replies([], places)]) if places else []
        if read and not is_worded(asked, asked.floor.worded, vectors_of(with_vectors(read)).values()):
            return []
        rows = or_replies(read, places)
        # A less near passage is seldom the one that is meant, and most questions find no nearer one.
        changed = self.changed_since(read, places[0]) if places and cosine[places[0]] >= WORDED else []
        first = {one.session for one in changed}
        return [pointer(one, asked, self.by) for one in (*changed, *(row for row in rows if row.session not in first))]

    def changed_since(self, read: Sequence[PassageLine], place: PassagePlace) -> list[PassageLine]:
        """Return the nearest passage of the latest conversation that may have changed what was said at `place`, or
        nothing.
        """
        reading = ConversationReading(self.asked, self.by, self.found, self.without)
        reading.add(read)
        rows = reading.by_session().get(place.session, [])
        said = statement_at(conversation_of(place.session, rows, reading.vectors), place.position)
        later = reading.read_later(reading.statement_of(said)) if said else []
        if not said or not later:
            return []
        nearest = nearest_of(max(later, key=lambda one: one.said_at), said).pk
        return [line for line in reading.lines if line.pk == nearest]

    def with_changes(self, answer: ConversationAnswer, note: EarlierStatement) -> ConversationAnswer:
        """Return the answer, with the later conversations in which this insight may have been changed placed first."""
        later = self.reading.read_later(note)
        if not later:
            return answer
        rows, read = self.reading.by_session(), self.reading.ranked([one.conversation.session for one in later])
        return replace(
            answer,
            found=describe_changes(note.ref, later, answer.found, rows, self.asked, self.by),
            lines={f"S-{one.conversation.session}": rows[one.conversation.session] for one in read} | answer.lines,
            scores={f"S-{one.conversation.session}": one.score for one in read} | answer.scores,
        )

    def relevance(self) -> dict[PassagePlace, float]:
        spots = [spot for spot in self.found.spots if spot[:2] not in self.reading.asked_again]
        found = relevance_of(spots, self.reading.lines, self.reading.vectors, self.asked.vector)
        return {
            place: value + files.RELEVANCE * self.found.files.get(place.session, 0.0) for place, value in found.items()
        }

    @property
    def held(self) -> float:
        """What the files of the question add to the strength of an answer."""
        return self.asked.floor.of_file * max(self.found.files.values(), default=0.0)

    @cached_property
    def prominence(self) -> float:
        """How far the nearest passages are ahead of the others."""
        return prominence_of(self.asked, self.found.spots) + self.held

    def with_beside(self, ranked: Sequence[Scored], sessions: Sequence[int]) -> Sequence[Scored]:
        """Return the ranked conversations, with those nearest to the best one if it may be the answer by itself."""
        best, others = ranked[0].conversation, [one.conversation for one in ranked[1:]]
        if self.asked.vector_text is None or best.middle is None or not self.reading.is_whole(best.session):
            return ranked
        if not may_lead(ranked, [one.session for one in near(best, others)], len(self.asked.rarity)):
            return ranked
        self.reading.read_beside(best, sessions)
        return self.reading.ranked()

    def build_answer(self, ranked: Sequence[Scored]) -> ConversationAnswer:
        asked = self.asked
        best = ranked[0].conversation
        self.reading.count_once(best.session)
        ranked = self.reading.ranked_as_before(ranked, {place.session for place in self.reading.asked_again})
        others = [one.conversation for one in ranked[1:]]
        same = same_subject(best, others) or perhaps_same(best, others, asked.vector)
        same += [one for one in same_file(best, others) if one not in same]
        # A long conversation is about several things. One passage of it may answer; the conversation as a whole does
        # not.
        short = self.reading.is_whole(best.session)
        clear = short and stands_out(ranked, [one.session for one in same], len(asked.rarity))
        strong = self.strength(best)
        if asked.ask.trim and not asked.floor.admits(strong, self.prominence, clear=clear):
            return self.named()
        # A conversation in which a file of the question was edited or named is likelier to answer, but the file alone
        # does not make it an answer.
        alone, ahead = None if strong is None else strong - self.held, self.prominence - self.held
        worded = is_worded(asked, WORDED, [one.vector for one in best.passages])
        if asked.ask.trim and not worded and (asked.floor.worded or not asked.floor.admits(alone, ahead, clear=False)):
            return self.named()
        sure = worded and SURE.admits(alone, ahead, clear=clear)
        clear = asked.ask.trim and clear
        nearest = max(one.nearest for one in ranked)
        weight = weights(self.relevance())
        first = best.session if clear or not weight else max(weight, key=lambda place: weight[place]).session
        later: list[Exchange] = []
        if asked.ask.trim:
            ranked = self.reading.ranked_as_before(ranked, self.reading.read_nearest(weight))
            ranked, later = self.with_later(ranked, weight, first)
            places = [PassagePlace(one.conversation.session, at.position) for one in later for at in one.passages]
            weight = nearly_best(raised(weight, places), asked.floor.nearly)
        ranked, few = self.with_named(ranked) if asked.ask.trim else (ranked, [])
        told = [one.conversation for one in ranked]
        named = sharing(best, exchanges(told, asked.vector), few) if few else []
        changed = {one.conversation.session: one for one in later}
        if clear:
            kept = {one.session for one in same} | {one.conversation.session for one in named} | {*changed}
            told = [told[0], *narrowed_to(told[1:], weight, kept)]
        said = exchanges(told, asked.vector) if asked.ask.trim else []
        if clear or best.session in self.found.files:
            said.sort(key=lambda one: one.conversation.session != best.session)
        said = [*said[:1], *(changed.get(one.conversation.session, one) for one in said[1:])]
        of_file = [one.conversation.session for one in ranked[:MOST_LIKELY] if one.files]
        whole = [best.session, *(one.session for one in same)] if clear else []
        subject = Subject(said, whole, of_file, [*later, *named])
        rows = self.reading.by_session()
        likely: dict[int, float] = {}
        if asked.ask.trim and self.found.files:
            likely = likelihoods(ranked, MOST_LIKELY, subject.whole | subject.sure)
        elif clear:
            likely = likelihoods(ranked, 1, subject.along(best))
        if likely:
            likely |= {session: max(likely.get(session, 0.0), AMENDMENT_LIKELY) for session in changed}
        # `describe` computes how near each passage is to the point only for conversations that sentences are chosen
        # from.
        found = [
            describe(one, rows[one.session][0], subject, weight, likely, asked, self.by, sure=sure, changed=changed)
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
            held=self.found.files.get(best.session, 0.0),
            best=f"S-{best.session if likely else first}",
        )

    def with_later(
        self, ranked: Sequence[Scored], weight: Mapping[PassagePlace, float], session: int
    ) -> tuple[Sequence[Scored], list[Exchange]]:
        """Return the ranked conversations followed by later ones that may change the best passage of `session`, and the
        exchanges of the later ones that may change it. Conversations that were read but may change nothing are left
        out.
        """
        one = next((one.conversation for one in ranked if one.conversation.session == session), None)
        places = [place for place in weight if place.session == session]
        said = statement_at(one, max(places, key=lambda place: weight[place]).position) if one and places else None
        if said is None:
            return ranked, []
        later = self.reading.read_later(self.reading.statement_of(said))
        changed = {found.conversation.session for found in later}
        return self.reading.ranked_as_before(ranked, changed), later

    def with_named(self, ranked: Sequence[Scored]) -> tuple[Sequence[Scored], list[str]]:
        """Return the ranked conversations followed by the latest others that have a rare name of the best one, and
        these names.
        """
        added, names = self.reading.read_named(ranked[0].conversation)
        return self.reading.ranked_as_before(ranked, added), names

    def strength(self, best: ScoredConversation) -> float | None:
        """Return how much speaks for an answer; None without vectors."""
        if self.known is not None or self.asked.vector is None or best.middle is None:
            return self.known
        spots = measured(self.found.spots, self.reading.lines, self.reading.vectors, self.asked.vector)
        return strength_of(self.asked, spots, evidence_of(spots, self.asked.total_idf)) + self.held
