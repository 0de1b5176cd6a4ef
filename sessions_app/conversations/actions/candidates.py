"""Candidates: the passages that a question finds, and what they tell before a conversation is read.

The passages nearest in meaning are searched first. Passages that only words find are no nearer, so what they can add is
bounded. If the bound is too low, no word is looked up: most questions have no answer in conversations.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from accounts.rules.rights import Member
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.retrieval.rules import bm25, relevance
from knowledge.retrieval.rules.ask import Ask
from knowledge.retrieval.rules.locality import without_files
from knowledge.rules.vectors import half, sparse
from sessions_app.conversations.rules.answering import Collection as Searched
from sessions_app.conversations.rules.answering import Floor, never_said, prominence, strength
from sessions_app.conversations.rules.copies import find_copies
from sessions_app.conversations.rules.echoes import LEAST_REPLY, LOOKED_AT, is_echo
from sessions_app.conversations.rules.files import file_queries, file_weights
from sessions_app.conversations.rules.question import lookup
from sessions_app.conversations.rules.spread import PassagePlace
from sessions_app.models import Passage
from sessions_app.querysets.passage_search import MEASURED_WHOLE, PassageLine, Spot

# The largest number of conversations with a file of the question that are considered.
MOST_WITH_FILES = 30
# The number of nearest passages checked for echoes of the question. The ten nearest decide whether there is an answer,
# and somebody who asks the same each morning has asked it a few dozen times.
MOST_TYPED = 60


@dataclass(frozen=True)
class ConversationQuery:
    """A question prepared for the search: its words with the rarity of each among `total` passages, its vector, the
    number of passages it searches (up to a limit), and the floor that an answer must reach.
    """

    ask: Ask
    vector: np.ndarray | None
    words: Sequence[str]
    df: dict[str, int]
    total: int
    teams: Sequence[int]
    searched: int
    floor: Floor

    @cached_property
    def vector_text(self) -> str | None:
        return None if self.vector is None else half(self.vector).to_text()

    @property
    def repo(self) -> str:
        return self.ask.repo.strip()

    @property
    def is_measured_whole(self) -> bool:
        """Whether every searched vector is measured, instead of only those that the HNSW graph reaches."""
        return self.searched <= MEASURED_WHOLE

    @cached_property
    def rarity(self) -> dict[str, float]:
        return {word: bm25.idf(self.total, self.df.get(word, 0)) for word in set(self.words)}

    @cached_property
    def total_idf(self) -> float:
        return bm25.total_idf(self.words, self.total, self.df)

    @cached_property
    def collection(self) -> Searched:
        return Searched(self.searched, len(self.rarity), never_said(self.rarity, self.df))

    @cached_property
    def weights(self) -> str:
        return sparse(bm25.query_weights(self.words, self.total, self.df)).to_text()


@dataclass(frozen=True)
class Candidates:
    """The passages that a question found; copies count once.

    `copies`: by the session that owns some passages, the sessions that have copies of them. `files`: by session, the
    weight of the question's files. `is_hopeless`: the nearest passages show that nothing answers, so words were not
    searched. `echoes`: the places where the question itself was typed before. `silent`: sessions without a reply of an
    agent; they are no answer.
    """

    spots: Sequence[Spot] = ()
    copies: Mapping[int, frozenset[int]] = field(default_factory=dict)
    is_hopeless: bool = False
    files: Mapping[int, float] = field(default_factory=dict)
    echoes: frozenset[PassagePlace] = frozenset()
    silent: frozenset[int] = frozenset()

    def without(self, sessions: Collection[int]) -> "Candidates":
        """Return the same candidates without these sessions."""
        spots = [spot for spot in self.spots if spot.session not in sessions]
        files = {session: weight for session, weight in self.files.items() if session not in sessions}
        return replace(self, spots=spots, files=files)


def find_candidates(asked: ConversationQuery, by: Member, without: Collection[int] = ()) -> Candidates:
    """Return the passages that the question finds and that may tell something, each once. If the nearest show that none
    answers, only the nearest are returned, echoes included. `without`: sessions that are not searched.
    """
    found = _found(asked, by, without)
    return found if found.is_hopeless or not asked.ask.trim else answered(found, asked, by)


def answered(found: Candidates, asked: ConversationQuery, by: Member) -> Candidates:
    """Return the candidates without echoes of the question and without silent conversations. At most one statement;
    none if no passage is near enough to be an echo.

    A conversation is silent if it has an echo and no reply of an agent. If an answer must have a reply
    (`Floor.replied`), any conversation without one is silent.
    """
    near = sorted((spot.distance, spot[:2]) for spot in found.spots if spot.distance is not None)
    places = [place for distance, place in near[:MOST_TYPED] if asked.floor.replied or 1 - distance >= LOOKED_AT]
    if not places:
        return found
    typed = Passage.objects.all().typed(by, teams=asked.teams, places=places, least=LEAST_REPLY)
    cosine = {place: 1 - distance for distance, place in near}
    echoes = {
        one[:2] for one in typed if is_echo(one.text, one.reply, asked.ask.text, cosine[one[:2]], before=one.before)
    }
    silent = frozenset(one.session for one in typed if not one.replied and (asked.floor.replied or one[:2] in echoes))
    spots = [spot for spot in found.spots if spot[:2] not in echoes]
    heard = replace(found, spots=spots, echoes=frozenset(map(PassagePlace._make, echoes)), silent=silent)
    return heard.without(silent)


def _found(asked: ConversationQuery, by: Member, without: Collection[int]) -> Candidates:
    """Return the passages that the question finds, each once; only the nearest if they show that none answers."""
    rows = Passage.objects.all()
    near: list[Spot] = []
    files = {session: weight for session, weight in _files(asked, by).items() if session not in without}
    if asked.vector_text is not None:
        near, waiting = rows.nearest(
            by,
            teams=asked.teams,
            repo=asked.repo,
            vector=asked.vector_text,
            weights=asked.weights,
            whole=asked.is_measured_whole,
        )
        distinct = without_copies(near).without(without).spots
        if asked.ask.trim and distinct and not waiting and not files and _is_hopeless(asked, distinct):
            return Candidates(distinct, is_hopeless=True)
    words = lookup(asked.df, words_alone=asked.vector is None)
    if files:
        of_files = rows.of_sessions(
            by, teams=asked.teams, sessions=list(files), vector=asked.vector_text, weights=asked.weights
        )
        near = list(dict.fromkeys([*near, *of_files]))
    if not words:
        return replace(without_copies(near).without(without), files=files)
    found = rows.best_by_words(
        by, teams=asked.teams, repo=asked.repo, vector=asked.vector_text, words=words, weights=asked.weights
    )
    return replace(without_copies(list(dict.fromkeys([*near, *found]))).without(without), files=files)


def _files(asked: ConversationQuery, by: Member) -> dict[int, float]:
    """Return how much the files of the question speak for each session."""
    paths, any_of = file_queries(asked.ask.context)
    if not any_of:
        return {}
    found = Passage.objects.all().with_files(
        by, teams=asked.teams, repo=asked.repo, paths=paths, any_of=any_of, most=MOST_WITH_FILES
    )
    return file_weights(found)


def is_worded(asked: ConversationQuery, least: float | None, vectors: Iterable[np.ndarray | None]) -> bool:
    """Return whether the question is near one of these passages by more than the names of its files. Takes one
    embedding if it names files. `least`: the least cosine that is near; None if any is.
    """
    text = asked.ask.text
    words = without_files(text)
    if least is None or asked.vector is None or words == text:
        return True
    vector = vector_of(words, asked.vector) if words.strip() else np.zeros_like(asked.vector)
    return any(one is not None and float(one @ vector) >= least for one in vectors)


def vector_of(text: str, otherwise: np.ndarray) -> np.ndarray:
    """Return the vector of a text; `otherwise` while there is no embedder."""
    try:
        return current().embed([text])[0]
    except EmbedderDown:
        return otherwise


def _is_hopeless(asked: ConversationQuery, near: Sequence[Spot]) -> bool:
    """Return whether neither the nearest passages nor any that words may add can answer."""
    return not asked.floor.admits(most_strength(asked, near), prominence_of(asked, near), clear=False)


def prominence_of(asked: ConversationQuery, spots: Sequence[Spot]) -> float:
    """Return how far the nearest passages are ahead (`answering.prominence`)."""
    near = [spot for spot in spots if spot.distance is not None]
    cosines = np.array([1 - spot.distance for spot in near if spot.distance is not None])
    return prominence(cosines, [spot.session for spot in near], asked.collection)


def without_copies(spots: Sequence[Spot]) -> Candidates:
    """Return the passages without copies of other passages."""
    said: dict[int, dict[Hashable, int]] = defaultdict(dict)
    for spot in spots:
        said[spot.session][spot.text] = spot.length
    copies = find_copies(said)
    return Candidates([spot for spot in spots if not copies.has(spot.session, spot.text)], copies.sessions)


def evidence_of(spots: Sequence[Spot], total_idf: float) -> np.ndarray:
    """Return how much speaks for each passage."""
    cosine = np.array([np.nan if spot.distance is None else 1 - spot.distance for spot in spots])
    keyword = np.array([-spot.keyword for spot in spots])
    return relevance.evidence(cosine, keyword, np.zeros(len(spots)), total_idf)


def strength_of(asked: ConversationQuery, spots: Sequence[Spot], evidence: np.ndarray, unseen: float = 0.0) -> float:
    """Return how much speaks for an answer (`answering.strength`)."""
    cosines = np.array([1 - spot.distance for spot in spots if spot.distance is not None])
    return strength(cosines, [spot.session for spot in spots], evidence, asked.collection, unseen)


def most_strength(asked: ConversationQuery, near: Sequence[Spot]) -> float:
    """Return the upper bound of the strength before words are searched. A passage that only words find is no nearer
    than the last of the nearest passages, and has every word at best.
    """
    least = min(1 - spot.distance for spot in near if spot.distance is not None)
    unseen = max(least, 0.0) + relevance.COVERAGE_WEIGHT
    return strength_of(asked, near, evidence_of(near, asked.total_idf), unseen)


def known_strength(asked: ConversationQuery, spots: Sequence[Spot], evidence: np.ndarray) -> float | None:
    """Return how much speaks for an answer before a conversation is read; None if vectors are missing."""
    if asked.vector is None or any(spot.distance is None for spot in spots):
        return None
    return strength_of(asked, spots, evidence)


def measured(
    spots: Sequence[Spot], lines: Sequence[PassageLine], vectors: Mapping[int, np.ndarray], vector: np.ndarray
) -> Sequence[Spot]:
    """Return the candidates, with distances for those whose vector was made in the meantime."""
    made = {(line.session, line.position): vectors[line.pk] for line in lines if line.pk in vectors}
    return [
        spot._replace(distance=1 - float(made[spot[:2]] @ vector))
        if spot.distance is None and spot[:2] in made
        else spot
        for spot in spots
    ]


def relevance_of(
    spots: Sequence[Spot], lines: Sequence[PassageLine], vectors: Mapping[int, np.ndarray], vector: np.ndarray | None
) -> dict[PassagePlace, float]:
    """Return the relevance of each passage that was found or read, in the unit of `relevance.fuse`: its cosine, and its
    keywords if it was a candidate.
    """
    keyword = np.array([-spot.keyword for spot in spots])
    spread = max(float(keyword.std()), float(keyword.max()) / relevance.SPREAD_FLOOR, 1e-9)
    said = dict(zip([spot[:2] for spot in spots], (relevance.PROSE_WEIGHT * keyword / spread).tolist(), strict=True))
    found = {
        PassagePlace(*spot[:2]): said[spot[:2]] + (0.0 if spot.distance is None else 1 - spot.distance)
        for spot in spots
    }
    read = [line for line in lines if vector is not None and line.pk in vectors]
    cosines = (np.array([vectors[line.pk] for line in read]) @ vector).tolist() if read else []
    near = {line.pk: cosine for line, cosine in zip(read, cosines, strict=True)}
    for line in lines:
        place = PassagePlace(line.session, line.position)
        found[place] = near.get(line.pk, 0.0) + said.get(place, 0.0)
    return found
