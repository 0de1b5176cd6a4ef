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

A conversation about several things has a middle that is about none of them, and shares with others what it says of
these. What it says on the question is an exchange of a few passages in it. So where no conversation stands out as a
whole, exchanges are compared: those that are nearly as near to the question as the nearest one, and near that one, may
be on its subject.

Who changes a decision in passing, among other work, names what is changed and nothing else of it: "the payment events
prune, make it 400 days". Neither middle nor exchange of that conversation is near the one in which 90 days were agreed,
but `prune-payment-events` is in these two alone. So two that have a rare name may be on one subject.

Either way it is what was said on the question that tells whether the one changes the other: only where the two
exchanges are near each other and share several figures and names is a later one said to be on the same subject. Of all
others it is said that it is later, and may be.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain
from math import log

import numpy as np

from knowledge.retrieval.rules.locality import named_files
from knowledge.retrieval.rules.relevance import Floats
from sessions_app.conversations.rules.score import ScoredConversation, ScoredPassage, standing_out
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
# Of 56 pairs of amended decisions, most in conversations about six other things, 43 have exchanges with this share of
# the better one's relevance and a cosine of .3, and 33 are among the three with the greatest product of both; most
# questions find others that have as much (docs/decisions/0019-searching-conversations.md). With .3 18 sessions on other
# things are said to be later or earlier ones in 42 answers on an outsider's decisions, with .4 13 and with .5 5; of 8
# changes in few words 8 come first with .3 and .4, and 5 with .5 (28 Nov 2026).
NEARLY, ALIKE = 0.6, 0.4
MOST_PERHAPS = 3
# Exchanges that are this near each other, and share so many figures and names, which are this share of the smaller
# one's: pairs that repeat what they change, and in the cases of docs/decisions/0019 no pair of two subjects.
SURE_ALIKE, SURE_SHARED, SURE_NAMES = 0.5, 2, 0.25
# Who changes a decision often names the file that it is in, and nothing else of it: "dunning/schedule.py", where "7,
# 14, 28" replaces "7, 14 and 30". A file that more speak of than a decision and two changes is a subject of its own.
MOST_WITH_FILE, NEAR_BY_FILE = 3, 0.3
# Names that few conversations have: words written together (`event_seq`, `deckhand/ais/dedupe.py`), for these are given
# once. What joins them; a shorter one is a figure or an abbreviation. In so many passages a name stands: in one it is
# nobody else's; what is in more is a subject of its own. So many are looked up, the rarest first, and so many of the
# conversations that have one are read, the latest first.
JOINTS, SHORTEST = "_-./", 6
FEWEST_WITH_NAME, MOST_WITH_NAME = 2, 12
LOOKED_UP, MOST_NAMED = 8, 5
_ENDING = re.compile(r"\w\.[a-z]\w{0,7}$", re.IGNORECASE)
# Passages on each side of the middle one of an exchange.
AROUND = 2


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
    names = _names(best.passages) if alike else frozenset()
    return [one for one in alike if _share(names, _names(one.passages), {}) >= NAMES]


def same_file(best: ScoredConversation, others: Sequence[ScoredConversation]) -> list[ScoredConversation]:
    """Those of the others that speak of a file of the best one that few of them speak of, and are somewhat near it."""
    mine = _files(best)
    if not mine:
        return []
    files = {best.session: mine} | {one.session: _files(one) for one in others}
    count = Counter(chain.from_iterable(files.values()))
    rare = {file for file in files[best.session] if count[file] <= MOST_WITH_FILE}
    return [one for one in others if files[one.session] & rare and _cosine(best, one) >= NEAR_BY_FILE]


def perhaps_same(
    best: ScoredConversation, others: Sequence[ScoredConversation], vector: Floats | None
) -> list[ScoredConversation]:
    """The one of the others that may be on the subject of the best one, though it names nothing of it; or none."""
    ranked = sorted(others, key=lambda one: -_cosine(best, one))
    if ranked and on_other_files(best, ranked[0]):
        return []
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
    passages: Sequence[ScoredPassage]
    middle: Floats
    relevance: float

    @property
    def said_at(self) -> datetime:
        return max(one.said_at for one in self.passages)

    @cached_property
    def names(self) -> frozenset[str]:
        """The figures and names in it."""
        return _names(self.passages)


def exchange(conversation: ScoredConversation, vector: Floats) -> Exchange | None:
    """What the conversation says on the question; None without vectors. Its relevance is the mean of the nearest
    passage's cosine, wherever that is, and the mean cosine of the exchange.
    """
    passages = [one for one in conversation.passages if one.vector is not None]
    if not passages:
        return None
    cosines = np.array([one.vector for one in passages]) @ vector
    windows = [slice(max(0, at - AROUND), at + AROUND + 1) for at in range(len(passages))]
    nearest = max(windows, key=lambda window: float(cosines[window].mean()))
    relevance = (float(cosines.max()) + float(cosines[nearest].mean())) / 2
    return exchange_of(conversation, passages[nearest], relevance)


def exchange_of(
    conversation: ScoredConversation, passages: Sequence[ScoredPassage], relevance: float = 1.0
) -> Exchange:
    """Some passages of a conversation, all with vectors, as an exchange."""
    middle = np.array([one.vector for one in passages]).mean(axis=0)
    return Exchange(conversation, passages, middle / max(float(np.linalg.norm(middle)), 1e-9), relevance)


def exchanges(conversations: Iterable[ScoredConversation], vector: Floats | None) -> list[Exchange]:
    """What each of them says on the question, the most relevant first."""
    found = [said for one in conversations if vector is not None and (said := exchange(one, vector))]
    return sorted(found, key=lambda one: -one.relevance)


def maybe_same(said: Sequence[Exchange]) -> list[Exchange]:
    """Those of what was said that may be on the subject of the first; most likely first."""
    if not said:
        return []
    best, *others = said
    worth = {
        one.conversation.session: alike * one.relevance
        for one in others
        if not on_other_files(best.conversation, one.conversation)
        and one.relevance >= NEARLY * best.relevance
        and (alike := float(best.middle @ one.middle)) >= ALIKE
    }
    chosen = sorted(worth, key=lambda session: (-worth[session], session))[:MOST_PERHAPS]
    return [one for one in others if one.conversation.session in chosen]


def is_sure(one: Exchange, other: Exchange) -> bool:
    """Whether what is said in both shows that they are on one subject."""
    shared = len(one.names & other.names)
    return (
        float(one.middle @ other.middle) >= SURE_ALIKE
        and shared >= SURE_SHARED
        and shared >= SURE_NAMES * min(len(one.names), len(other.names))
    )


def compound_names(words: Iterable[str]) -> set[str]:
    """Those of the terms that are names."""
    return {word for word in words if len(word) >= SHORTEST and any(joint in word for joint in JOINTS)}


def rare(df: Mapping[str, int]) -> list[str]:
    """The names that are looked up; `df`: in how many passages each is."""
    few = [name for name, count in df.items() if FEWEST_WITH_NAME <= count <= MOST_WITH_NAME]
    return sorted(few, key=lambda name: (df[name], name))[:LOOKED_UP]


def sharing(best: ScoredConversation, said: Sequence[Exchange], rare: Collection[str]) -> list[Exchange]:
    """What was said on the question together with a rare name of the best conversation, and is nearly as relevant as
    what that says; most relevant first.
    """
    mine = best.words.intersection(rare)
    if not mine or not said:
        return []
    least = NEARLY * next((one.relevance for one in said if one.conversation.session == best.session), 0.0)
    return [
        one
        for one in said
        if one.conversation.session != best.session
        and one.relevance >= least
        and not mine.isdisjoint(" ".join(passage.words for passage in one.passages).split())
    ]


def on_other_files(one: ScoredConversation, other: ScoredConversation) -> bool:
    """Whether other files were edited in the one than in the other."""
    return bool(one.files and other.files) and one.files.isdisjoint(other.files)


def _files(one: ScoredConversation) -> frozenset[str]:
    """The files that it names with their folder, in lower case."""
    texts = [passage.text for passage in one.passages if "/" in passage.text or "\\" in passage.text]
    found = chain.from_iterable(map(named_files, texts))
    return frozenset(file.lower() for file in found if "/" in file and is_file(file))


def is_file(path: str) -> bool:
    """Whether what looks like a path has an ending: "m/s" has none."""
    return bool(_ENDING.search(path))


def _cosine(one: ScoredConversation, other: ScoredConversation) -> float:
    return 0.0 if one.middle is None or other.middle is None else float(one.middle @ other.middle)


def _names(passages: Sequence[ScoredPassage]) -> frozenset[str]:
    # In one go: no name goes over the end of a line.
    return names_of("\n".join(passage.text for passage in passages))


def _share(mine: frozenset[str], theirs: frozenset[str], rarity: dict[str, float]) -> float:
    """What both have, of what the smaller one has."""

    def weight(words: frozenset[str]) -> float:
        return sum([rarity[word] for word in words]) if rarity else float(len(words))

    least = min(weight(mine), weight(theirs))
    return weight(mine & theirs) / least if least else 0.0
