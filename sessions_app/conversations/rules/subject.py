"""Whether two conversations are about the same subject, and which of them is the later one.

A later conversation that changes a decision names what it changes: some of its figures and names, in words of the same
field. So three things must hold together: the middles of the two are near each other, they share figures and names, and
they share words. Each share is of the smaller one's, by rarity among the conversations at hand: an amendment is short.
Two conversations that are merely alike (both about retries) share no figures; two that share figures by chance
are not near each other.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import log

from sessions_app.conversations.rules.score import ScoredConversation
from sessions_app.conversations.rules.sentences import names_of

# All 19 pairs of 16 amended decisions have more of each, in other fields and wordings; so has one of some 400 pairs
# that a question found together and that are of two subjects (docs/decisions/0019-searching-conversations.md).
NEAR, NAMES, WORDS = 0.47, 0.15, 0.15


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
