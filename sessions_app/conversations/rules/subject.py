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
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import log

from knowledge.retrieval.rules.relevance import Floats
from sessions_app.conversations.rules.score import ScoredConversation, standing_out
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
