"""Which conversations a question is about, and whether any is.

Theory of operation. A question finds passages, but it is about a conversation. So the conversation is scored as a
whole: half by its passage nearest to the question and half by the middle of its passages, plus the share of the
question's words (by rarity) that occur anywhere in it. Length alone is no advantage: only the nearest passage counts,
and the middle is a mean.

    score = .5 · nearest cosine + .5 · cosine of the middle + .3 · words covered

A second rule decides whether one conversation is the answer by itself, and so how it is quoted; a third decides whether
there is an answer at all (`answering`). In one repository every conversation is somewhat like every question, and many
cover a short question of common words. So the second rule measures how far the middle of the best conversation stands
out from those of the next ones:

    standing = s + (s - mean of the next five),  s = cosine of the middle + .1 · words covered

A single remark in a conversation about something else can be the answer too: then its cosine stands out in the same
way.

Where the constants come from, with all the figures: docs/decisions/0019-searching-conversations.md
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from types import MappingProxyType

import numpy as np

from knowledge.retrieval.rules.relevance import Floats
from sessions_app.conversations.rules import files

NEAREST, MIDDLE, COVERED = 0.5, 0.5, 0.3
# The number of conversations read in full to be scored. The right one led the shortlist in 46 of 47 cases, and was
# second in one. If nothing is left out (evaluation), more are read.
MOST_SCORED, MOST_UNTRIMMED = 6, 30
# The number of best passages whose mean evidence ranks a conversation in the shortlist.
SHORTLISTED_BY = 2
# The number of best conversations that may be meant if a file of the question points to them, and how fast the
# likelihood falls with the score. Of the facts of 44 decisions .67 and .71 are quoted within 400 tokens, .62 and .68
# with a power of 4; with three conversations .61 and .69, .56 and .68 (docs/decisions/0031-files-of-a-question.md).
MOST_LIKELY, LIKELY_POWER = 2, 2.0
# The share of its worth that a passage beside the point keeps, in a conversation on one subject.
ASIDE = 0.25
# In a conversation about several things the nearest passages determine the point: each counts by this power of its
# cosine. A conversation is about several things if the median of its passages is less near to the point than the first
# value of SCATTERED, and about one from the second value on. Of 34 conversations with a decision among other talk 19 of
# 20 have less than .24; as many of sde-bench's on one decision have more than .44, of LoCoMo's .61. Of fewer than
# FEWEST_SCATTERED passages the median tells nothing.
POWER, SCATTERED, FEWEST_SCATTERED = 3, (0.22, 0.36), 5
# In such a conversation a passage counts by how much nearer than a stranger it is, and not at all with less than
# LEAST_SHARE. A passage of up to REPLY_WORDS[0] words takes the first share of the passage it replies to; one of
# REPLY_WORDS[1] words or more takes the second. Within 400 tokens 34 of 36 plain later changes are quoted if the
# question names the file (13 before), and 29 without it (25). With the neighbours on both sides it is 33 and 28, with
# the share of the preceding passage's own nearness 31 and 28 (28 Nov 2026).
STRANGE, MOST_STRANGE, LEAST_SHARE = 0.3, 0.8, 0.2
REPLY_WORDS, REPLY_SHARES = (12, 30), (0.8, 0.3)
# If the best passage has less evidence, no conversation is read. The least of 47 true ones has .38, and half of the
# unrelated questions stay below.
LEAST_EVIDENCE = 0.33

STANDING_COVERED = 0.1
# The number of next conversations that the best is compared with. Missing ones are replaced by strangers, which have
# about this cosine with any question.
COMPARED, STRANGER = 5, 0.15
# The numbers of different words of a short and of a long question; between them the thresholds are interpolated. With
# fewer words a chance likeness to one of them counts more, and the conversation that is meant stands out further.
SHORT, LONG = 8, 18
# The least standing of a conversation that is an answer, to a short and to a long question; likewise of a passage.
LEAST_STANDING = (0.74, 0.54)
LEAST_PASSAGE_STANDING = (0.85, 0.70)
# The share of the question that must be covered without vectors.
WORDS_ALONE = 0.6


@dataclass(frozen=True)
class ScoredPassage:
    """A passage of a conversation. `words`: its terms, between spaces. `vector` has length 1, or is None if there is
    none yet.
    """

    pk: int
    position: int
    speaker: str
    text: str
    words: str
    vector: Floats | None
    said_at: datetime
    files: str = ""


@dataclass(frozen=True)
class ScoredConversation:
    """The passages of one session, in order."""

    session: int
    passages: Sequence[ScoredPassage]
    middle: Floats | None = field(init=False)
    words: frozenset[str] = field(init=False)
    files: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        vectors = [one.vector for one in self.passages if one.vector is not None]
        mean = np.mean(vectors, axis=0) if vectors else None
        object.__setattr__(self, "middle", None if mean is None else mean / max(float(np.linalg.norm(mean)), 1e-9))
        files = chain.from_iterable(one.files.split("\n") for one in self.passages if one.files)
        object.__setattr__(self, "files", frozenset(files))
        object.__setattr__(self, "words", frozenset(" ".join([one.words for one in self.passages]).split()))

    @property
    def said_at(self) -> datetime:
        """The moment of its last word."""
        return max(one.said_at for one in self.passages)


@dataclass(frozen=True)
class Scored:
    """A conversation with its scores, each from 0 to about 1."""

    conversation: ScoredConversation
    nearest: float
    middle: float
    covered: float
    files: float = 0.0

    @property
    def score(self) -> float:
        return NEAREST * self.nearest + MIDDLE * self.middle + COVERED * self.covered + files.SCORE * self.files

    @property
    def strength(self) -> float:
        return self.middle + STANDING_COVERED * self.covered


def shortlist(sessions: Sequence[int], evidence: Floats, most: int = MOST_SCORED) -> list[int]:
    """Return the sessions with the best passages, best first. Both sequences are of the candidate passages."""
    least = float(evidence.min()) if len(evidence) else 0.0
    found: dict[int, list[float]] = {}
    for session, value in zip(sessions, evidence.tolist(), strict=True):
        found.setdefault(session, []).append(value)

    def weight(session: int) -> float:
        best = sorted(found[session], reverse=True)[:SHORTLISTED_BY]
        return sum([*best, *[least] * (SHORTLISTED_BY - len(best))])

    return sorted(found, key=lambda session: (-weight(session), session))[:most]


def scored(
    conversations: Sequence[ScoredConversation],
    vector: Floats | None,
    rarity: Mapping[str, float],
    held: Mapping[int, float] = MappingProxyType({}),
) -> list[Scored]:
    """Return the conversations, best first. `rarity`: the weight of each word of the question. `held`: by session, the
    weight of the question's files.
    """
    total = sum(rarity.values()) or 1.0
    found = []
    for one in conversations:
        nearest = middle = 0.0
        if vector is not None and one.middle is not None:
            nearest = max(float(passage.vector @ vector) for passage in one.passages if passage.vector is not None)
            middle = float(one.middle @ vector)
        covered = sum(weight for word, weight in rarity.items() if word in one.words) / total
        found.append(Scored(one, nearest, middle, covered, held.get(one.session, 0.0)))
    return sorted(found, key=lambda one: (-one.score, -one.conversation.session))


def likelihoods(ranked: Sequence[Scored], most: int, also: Collection[int] = ()) -> dict[int, float]:
    """Return how likely each of the first `most` sessions, and of `also`, is the one that is meant; 1 for the best."""
    best = max(ranked[0].score, 1e-9) if ranked else 1.0
    some = [one for place, one in enumerate(ranked) if place < most or one.conversation.session in also]
    return {one.conversation.session: (max(one.score, 0.0) / best) ** LIKELY_POWER for one in some}


def to_the_point(conversation: ScoredConversation, vector: Floats | None) -> dict[int, float]:
    """Return the share of each passage's worth that its distance to the point of the conversation leaves, 0 to 1, by
    position; 0 for a passage about something else. Empty without vectors.

    The point is the middle of the passages, each weighted by its own cosine: an answer is often a passage that shares
    nothing with the question ("No, 30 seconds") and stands among passages that do.

    A conversation on one subject drifts, and a passage far from the question may be the exception that is asked for, so
    it keeps ASIDE. In a conversation about several things the plain middle is about none of them. There the nearest
    passages count most (POWER), and passages as far away as strangers are left out. The median passage tells how many
    things a conversation is about (SCATTERED).
    """
    passages = [one for one in conversation.passages if one.vector is not None]
    if vector is None or not passages:
        return {}
    matrix = np.array([one.vector for one in passages])
    cosines = np.maximum(matrix @ vector, 0.0)
    point = matrix.T @ cosines
    focused = np.maximum(matrix @ point, 0.0)
    if not focused.max() > 0:
        return {}
    point = matrix.T @ cosines**POWER
    near = np.maximum(matrix @ (point / max(float(np.linalg.norm(point)), 1e-9)), 0.0)
    scattered = float(np.interp(np.median(near), SCATTERED, (1.0, 0.0))) if len(passages) >= FEWEST_SCATTERED else 0.0
    share = (1 - scattered) * (ASIDE + (1 - ASIDE) * focused / focused.max()) + scattered * _of_subject(passages, near)
    share[share < LEAST_SHARE] = 0.0
    return dict(zip((one.position for one in passages), share.tolist(), strict=True))


def _of_subject(passages: Sequence[ScoredPassage], near: Floats) -> Floats:
    """Return how far each passage is from strangers toward the nearest, 0 to 1. A short passage takes a share of the
    passage it replies to, a long one a smaller share.
    """
    shares = np.interp([len(one.text.split()) for one in passages], REPLY_WORDS, REPLY_SHARES).tolist()
    at: dict[int, float] = {}
    for one, value, share in zip(passages, near.tolist(), shares, strict=True):
        at[one.position] = max(value, share * at.get(one.position - 1, 0.0))
    found = np.array(list(at.values()))
    best = float(found.max())
    least = min(STRANGE, MOST_STRANGE * best)
    return np.clip((found - least) / max(best - least, 1e-9), 0.0, 1.0)


def stands_out(ranked: Sequence[Scored], same: Collection[int], words: int) -> bool:
    """Return whether the best conversation is an answer to a question of so many different words.

    `same`: sessions on its subject, which do not speak against it.
    """
    if not ranked:
        return False
    best = ranked[0]
    if best.conversation.middle is None or not best.nearest:
        return best.covered >= WORDS_ALONE
    others = [one.strength for one in ranked[1:] if one.conversation.session not in same]
    return standing(best.strength, others) >= _least(LEAST_STANDING, words)


def has_passage(ranked: Sequence[Scored], words: int) -> bool:
    """Return whether a single passage is an answer, whatever else its conversation is about."""
    nearest = sorted((one.nearest for one in ranked), reverse=True)
    return bool(nearest) and standing(nearest[0], nearest[1:]) >= _least(LEAST_PASSAGE_STANDING, words)


def may_lead(ranked: Sequence[Scored], alike: Collection[int], words: int) -> bool:
    """Return whether one conversation, or a passage, may be the answer once it is known which others are on its
    subject.

    `alike`: sessions that may be on its subject.
    """
    return stands_out(ranked, alike, words) or has_passage(ranked, words)


def _least(of: tuple[float, float], words: int) -> float:
    return float(np.interp(words, (SHORT, LONG), of))


def standing(best: float, others: Sequence[float]) -> float:
    """Return the best value plus its lead over the next ones, which are in falling order."""
    return best + standing_out(best, others)


def standing_out(best: float, others: Sequence[float]) -> float:
    """Return how far the best value stands out from the next ones, which are in falling order."""
    next_ones = [*others[:COMPARED], *[STRANGER] * (COMPARED - len(others))]
    return best - sum(next_ones) / COMPARED
