"""Whether two conversations are about the same subject, and which of them is the later one.

A later conversation that changes a decision names what it changes: some of its figures and names, in words of the same
field. So three things must hold together: the middles of the two are near each other, they share figures and names, and
they share words. Each share is of the smaller one's, by rarity among the conversations at hand: an amendment is short.
Two conversations that are merely alike (both about retries) share no figures; two that share figures by chance
are not near each other.

But people who know what they talk about do not repeat it: "scanners go quiet for over an hour, make it 90" changes "20
minutes without a request" and shares no figure with it. So one that stands out as nearest to the best one may be on its
subject, if it shares a word and has as much to do with the question. How far it is ahead of the next ones tells, for in
one repository every conversation is somewhat like every other; one that is nearer need not be as far ahead. What only
stands out may as well be on a related subject, so a later one takes little room from the best one, and an earlier one
only what that leaves.

A conversation about several things has a middle that is about none of them. What it says on the question is an exchange
of a few passages in it. So where no conversation stands out as a whole, exchanges are compared: those that are nearly
as near to the question as the nearest one, and near that one, are perhaps on its subject.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import log

import numpy as np

from knowledge.retrieval.rules.relevance import Floats
from sessions_app.conversations.rules.answering import AROUND
from sessions_app.conversations.rules.score import Scored, ScoredConversation, standing_out
from sessions_app.conversations.rules.sentences import names_of

# All 19 pairs of 16 amended decisions have more of each, in other fields and wordings; so has one of some 400 pairs
# that a question found together and that are of two subjects (docs/decisions/0019-searching-conversations.md).
NEAR, NAMES, WORDS = 0.47, 0.15, 0.15
# Of 20 pairs of amended decisions in ordinary chat 4 have the names, and 16 are the nearest to each other and this far
# ahead of the mean of the next ones; so are 9 of 16 decisions of sde-bench with one of another subject, and AS_NEAR
# tells: with .6 of the best one's cosine to the question .986 of sde-bench's facts are told within 400 tokens, with .65
# all of them (docs/decisions/0019-searching-conversations.md).
AHEAD, LEAST_WORDS, AS_NEAR = 0.06, 0.04, 0.65
# Conversations of short turns are less near, so one that is this far ahead need not be. Of 22 pairs in which people
# type little 14 are; so are 5 of 31 conversations with one of another subject, 3 of them NEAR and AHEAD as well.
FAR_AHEAD = 0.1
# Of 13 pairs of amended decisions in conversations about six other things 10 have exchanges with these shares of the
# better one's relevance and this cosine; so have 2 of the 17 decisions of sde-bench with one of another subject
# (docs/decisions/0019-searching-conversations.md).
NEARLY, ALIKE = 0.7, 0.36
MOST_PERHAPS = 2


def near(best: ScoredConversation, others: Sequence[ScoredConversation]) -> list[ScoredConversation]:
    """Those of the others whose middle is near that of the best one: they may be about the same subject."""
    return [one for one in others if _cosine(best, one) >= NEAR]


def same_subject(best: ScoredConversation, others: Sequence[ScoredConversation]) -> list[ScoredConversation]:
    """Those of the others that are about the same subject as the best one. Rarity is counted among all of them."""
    beside = near(best, others)
    if not beside:
        return []
    count = Counter(chain.from_iterable(each.words for each in (best, *others)))
    rare = [log(1 + (len(others) + 1.5 - n) / (n + 0.5)) for n in range(len(others) + 2)]
    rarity = {word: rare[n] for word, n in count.items()}
    # Names last: to find them takes longest.
    alike = [one for one in beside if _share(best.words, one.words, rarity) >= WORDS]
    names = _names(best) if alike else frozenset()
    return [one for one in alike if _share(names, _names(one), {}) >= NAMES]


def perhaps_same(
    best: ScoredConversation, others: Sequence[ScoredConversation], vector: Floats | None
) -> list[ScoredConversation]:
    """The one of the others that may be on the subject of the best one, though it names nothing of it; or none."""
    ranked = sorted(others, key=lambda one: -_cosine(best, one))
    if not ranked or vector is None or best.middle is None:
        return []
    first = ranked[0]
    ahead = standing_out(_cosine(best, first), [_cosine(best, one) for one in ranked[1:]])
    if ahead < (AHEAD if _cosine(best, first) >= NEAR else FAR_AHEAD) or first.middle is None:
        return []
    if float(first.middle @ vector) < AS_NEAR * float(best.middle @ vector):
        return []
    shared = len(best.words & first.words) / max(min(len(best.words), len(first.words)), 1)
    return [first] if shared >= LEAST_WORDS else []


@dataclass(frozen=True)
class Exchange:
    """The passages of a conversation that are together nearest to a question. `middle` has length 1."""

    conversation: ScoredConversation
    middle: Floats
    relevance: float


def exchange(conversation: ScoredConversation, vector: Floats) -> Exchange | None:
    """What the conversation says on the question; None without vectors. Its relevance is the mean of the nearest
    passage's cosine, wherever that is, and the mean cosine of the exchange.
    """
    rows = [one.vector for one in conversation.passages if one.vector is not None]
    if not rows:
        return None
    matrix = np.array(rows)
    cosines = matrix @ vector
    windows = [slice(max(0, at - AROUND), at + AROUND + 1) for at in range(len(rows))]
    nearest = max(windows, key=lambda window: float(cosines[window].mean()))
    middle = matrix[nearest].mean(axis=0)
    relevance = (float(cosines.max()) + float(cosines[nearest].mean())) / 2
    return Exchange(conversation, middle / max(float(np.linalg.norm(middle)), 1e-9), relevance)


def maybe_same_first(ranked: Sequence[Scored], vector: Floats | None) -> tuple[list[Scored], list[ScoredConversation]]:
    """The conversations, that with the exchange nearest to the question first, if an exchange of others is alike; and
    these others, which are perhaps on its subject.
    """
    if vector is None:
        return list(ranked), []
    found = [said for one in ranked if (said := exchange(one.conversation, vector))]
    best = max(found, key=lambda one: one.relevance, default=None)
    if best is None:
        return list(ranked), []
    worth = {
        one.conversation.session: float(best.middle @ one.middle) * one.relevance
        for one in found
        if one is not best and one.relevance >= NEARLY * best.relevance and float(best.middle @ one.middle) >= ALIKE
    }
    chosen = sorted(worth, key=lambda session: (-worth[session], session))[:MOST_PERHAPS]
    if not chosen:
        return list(ranked), []
    first = sorted(ranked, key=lambda one: one.conversation.session != best.conversation.session)
    return first, [one.conversation for one in ranked if one.conversation.session in chosen]


def _cosine(one: ScoredConversation, other: ScoredConversation) -> float:
    return 0.0 if one.middle is None or other.middle is None else float(one.middle @ other.middle)


def newest_first(conversations: Sequence[ScoredConversation]) -> list[ScoredConversation]:
    """By when they were said; two of one moment by which session began later."""
    return sorted(conversations, key=lambda one: (one.said_at, one.session), reverse=True)


def _names(one: ScoredConversation) -> frozenset[str]:
    # In one go: no name goes over the end of a line.
    return names_of("\n".join(passage.text for passage in one.passages))


def _share(mine: frozenset[str], theirs: frozenset[str], rarity: dict[str, float]) -> float:
    """What both have, of what the smaller one has."""

    def weight(words: frozenset[str]) -> float:
        return sum([rarity[word] for word in words]) if rarity else float(len(words))

    least = min(weight(mine), weight(theirs))
    return weight(mine & theirs) / least if least else 0.0
