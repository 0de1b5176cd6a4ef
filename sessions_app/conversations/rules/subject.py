"""Whether two conversations are about the same subject, and which of them is the later one.

A later conversation that changes a decision names what it changes: some of its figures and names, in words of the same
field. So three things must hold together: the middles of the two are near each other, they share figures and names, and
they share words. Each share is of the smaller one's, by rarity among the conversations at hand: an amendment is short.
Two conversations that are merely alike (both about retries) share no figures; two that share figures by chance
are not near each other.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from math import log

from sessions_app.conversations.rules.score import C, Conversation, Outline
from sessions_app.conversations.rules.sentences import names_of

# All 19 pairs of 16 amended decisions have more of each, in other fields and wordings; so has one of some 400 pairs
# that a question found together and that are of two subjects (docs/decisions/0019-searching-conversations.md).
NEAR, NAMES, WORDS = 0.47, 0.15, 0.15


def near(best: Outline, others: Sequence[C]) -> list[C]:
    """Those of the others whose middle is near that of the best one: they may be about the same subject."""
    return [one for one in others if _cosine(best, one) >= NEAR]


def narrowed_down(best: Conversation, others: Sequence[Conversation]) -> Iterator[list[Conversation]]:
    """Those of the others that may be about the same subject as the best one, each time fewer; the last that come are.

    What takes longest to find comes last, so whoever has seen enough stops: names take ten times as long as middles.
    """
    left = near(best, others)
    yield left
    left = _in_same_words(best, left, others)
    yield left
    names = _names(best) if left else frozenset()
    for one in left.copy():
        if _share(names, _names(one), {}) < NAMES:
            left = [other for other in left if other is not one]
            yield left


def same_subject(best: Conversation, others: Sequence[Conversation]) -> list[Conversation]:
    """Those of the others that are about the same subject as the best one."""
    *_, last = narrowed_down(best, others)
    return last


def _in_same_words(
    best: Conversation, beside: Sequence[Conversation], others: Sequence[Conversation]
) -> list[Conversation]:
    """Those beside the best one that share words with it. Rarity is counted among all of them."""
    if not beside:
        return []
    count = Counter(chain.from_iterable(each.words for each in (best, *others)))
    rare = [log(1 + (len(others) + 1.5 - n) / (n + 0.5)) for n in range(len(others) + 2)]
    rarity = {word: rare[n] for word, n in count.items()}
    return [one for one in beside if _share(best.words, one.words, rarity) >= WORDS]


def _cosine(one: Outline, other: Outline) -> float:
    return 0.0 if one.middle is None or other.middle is None else float(one.middle @ other.middle)


def newest_first(conversations: Sequence[Conversation]) -> list[Conversation]:
    """By when they were said; two of one moment by which session began later."""
    return sorted(conversations, key=lambda one: (one.said_at, one.session), reverse=True)


def _names(one: Conversation) -> frozenset[str]:
    # In one go: no name goes over the end of a line.
    return names_of("\n".join(passage.text for passage in one.passages))


def _share(mine: frozenset[str], theirs: frozenset[str], rarity: dict[str, float]) -> float:
    """What both have, of what the smaller one has."""

    def weight(words: frozenset[str]) -> float:
        return sum([rarity[word] for word in words]) if rarity else float(len(words))

    least = min(weight(mine), weight(theirs))
    return weight(mine & theirs) / least if least else 0.0
