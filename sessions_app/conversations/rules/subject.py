"""Whether two conversations are about the same subject, and which of them is the later one.

A later conversation that changes a decision names what it changes: some of its figures and names, in words of the same
field. So three conditions must hold: the middles of the two are near each other, they share figures and names, and they
share words. Each share is relative to the smaller conversation and weighted by rarity among the conversations at hand,
because an amendment is short. Two conversations that are merely alike (both about retries) share no figures; two that
share figures by chance are not near each other.

Experts do not repeat what they know: "scanners go quiet for over an hour, make it 90" changes "20 minutes without a
request" and shares no figure with it. So a conversation that stands out as nearest to the best one may be on its
subject, if it shares a word and is as relevant to the question. In one repository all conversations are somewhat like
every other, so its lead over the next ones counts; a nearer one needs less lead. It may still be on a related subject,
so a later one takes little room from the best one, and an earlier one only the room that is left.

A conversation about several things has a middle that is about none of them. So if no conversation stands out as a
whole, exchanges are compared: the few passages of each conversation that are nearest to the question. An exchange may
be on the subject of the nearest one if it is nearly as near to the question, and near that one.

A decision that is changed in passing is named, and little else is said of it: "the payment events prune, make it 400
days". Neither the middle nor an exchange of that conversation is near the one in which 90 days were agreed, but only
these two contain `prune-payment-events`. So two conversations that share a rare name may be on one subject.

A later conversation is said to be on the same subject only if the two exchanges are near each other and share several
figures and names. Any other is said to be later, and perhaps on the same subject.
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

# All 19 pairs of 16 amended decisions, in several fields and wordings, exceed all three thresholds. So does one of some
# 400 pairs on two subjects that a question found together (docs/decisions/0019-searching-conversations.md).
NEAR, NAMES, WORDS = 0.47, 0.15, 0.15
# Of 20 pairs of amended decisions in ordinary chat 4 share names, and 16 are the nearest to each other and this far
# ahead of the mean of the next ones. So are 9 of 16 decisions of sde-bench with one of another subject; AS_NEAR
# separates them. With .6 of the best one's cosine to the question .986 of sde-bench's facts are quoted within 400
# tokens, with .65 all of them (docs/decisions/0019-searching-conversations.md).
AHEAD, LEAST_WORDS, AS_NEAR = 0.06, 0.04, 0.65
# Conversations of short turns are less near, so a conversation that is this far ahead need not be NEAR. Of 22 pairs in
# which people type little 14 are; so are 5 of 31 conversations with one of another subject, 3 of them NEAR and AHEAD as
# well.
FAR_AHEAD = 0.1
# Of 56 pairs of amended decisions, most in conversations about six other things, 43 have exchanges with this share of
# the better one's relevance and a cosine of .3. 33 are among the three with the greatest product of both; most
# questions find others that have as much (docs/decisions/0019-searching-conversations.md). In 42 answers on an
# outsider's decisions 18 sessions on other things are called later or earlier with .3, 13 with .4 and 5 with .5. Of 8
# changes in few words 8 come first with .3 and .4, and 5 with .5 (28 Nov 2026).
NEARLY, ALIKE = 0.6, 0.4
# If a possible change is known already, other exchanges must be nearer. Of the heads of a second outsider's answers 76
# name the right session and 92 another one (72 and 105 with .4), and every change is quoted as before. With .55 one of
# the 8 changes in few words is not (28 Nov 2026).
ALIKE_BESIDE_CHANGE = 0.5
MOST_PERHAPS = 3
# Exchanges that are surely on one subject: they have this cosine, share this many figures and names, and these are this
# share of the smaller exchange's. Pairs that repeat what they change have all three; in the cases of
# docs/decisions/0019 no pair of two subjects has.
SURE_ALIKE, SURE_SHARED, SURE_NAMES = 0.5, 2, 0.25
# A change often names the file of the decision, and nothing else of it: "dunning/schedule.py", where "7, 14, 28"
# replaces "7, 14 and 30". A file that more than three conversations name, a decision and two changes, is a subject of
# its own.
MOST_WITH_FILE, NEAR_BY_FILE = 3, 0.3
# Rare names are words written together (`event_seq`, `deckhand/ais/dedupe.py`), because such a name is given once.
# JOINTS are the characters that join them; a shorter one is a figure or an abbreviation. A name in one passage is in no
# other conversation, and a name in more than MOST_WITH_NAME is a subject of its own. The rarest LOOKED_UP are looked
# up, and the latest MOST_NAMED conversations that have one are read.
JOINTS, SHORTEST = "_-./", 6
FEWEST_WITH_NAME, MOST_WITH_NAME = 2, 12
LOOKED_UP, MOST_NAMED = 8, 5
_ENDING = re.compile(r"\w\.[a-z]\w{0,7}$", re.IGNORECASE)
# Passages on each side of the middle one of an exchange.
AROUND = 2


def near(best: ScoredConversation, others: Sequence[ScoredConversation]) -> list[ScoredConversation]:
    """Return the conversations whose middle is near that of the best one: they may be about the same subject."""
    return [one for one in others if _cosine(best, one) >= NEAR]


def same_subject(best: ScoredConversation, others: Sequence[ScoredConversation]) -> list[ScoredConversation]:
    """Return the conversations that are about the same subject as the best one. Rarity is counted among all of them."""
    beside = near(best, others)
    if not beside:
        return []
    count = Counter(chain.from_iterable(each.words for each in (best, *others)))
    rare = [log(1 + (len(others) + 1.5 - n) / (n + 0.5)) for n in range(len(others) + 2)]
    rarity = {word: rare[n] for word, n in count.items()}
    # Names come last because finding them takes longest.
    alike = [one for one in beside if _share(best.words, one.words, rarity) >= WORDS]
    names = _names(best.passages) if alike else frozenset()
    return [one for one in alike if _share(names, _names(one.passages), {}) >= NAMES]


def same_file(best: ScoredConversation, others: Sequence[ScoredConversation]) -> list[ScoredConversation]:
    """Return the conversations that are somewhat near the best one and name a file of it that few of them name."""
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
    """Return the conversation that may be on the subject of the best one although it shares no names with it, as a
    list; [] for none.
    """
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
    """Return what the conversation says on the question; None without vectors. Its relevance is the mean of two
    cosines: that of the nearest passage, in the exchange or not, and the mean of the exchange.
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
    """Return some passages of a conversation as an exchange. All must have vectors."""
    middle = np.array([one.vector for one in passages]).mean(axis=0)
    return Exchange(conversation, passages, middle / max(float(np.linalg.norm(middle)), 1e-9), relevance)


def exchanges(conversations: Iterable[ScoredConversation], vector: Floats | None) -> list[Exchange]:
    """Return what each conversation says on the question, the most relevant first."""
    found = [said for one in conversations if vector is not None and (said := exchange(one, vector))]
    return sorted(found, key=lambda one: -one.relevance)


def maybe_same(said: Sequence[Exchange], *, changed: bool) -> list[Exchange]:
    """Return the exchanges that may be on the subject of the first one, the likeliest first. `changed`: another
    exchange is known that may have changed the first.
    """
    if not said:
        return []
    least = ALIKE_BESIDE_CHANGE if changed else ALIKE
    best, *others = said
    worth = {
        one.conversation.session: alike * one.relevance
        for one in others
        if not on_other_files(best.conversation, one.conversation)
        and one.relevance >= NEARLY * best.relevance
        and (alike := float(best.middle @ one.middle)) >= least
    }
    chosen = sorted(worth, key=lambda session: (-worth[session], session))[:MOST_PERHAPS]
    return [one for one in others if one.conversation.session in chosen]


def is_sure(one: Exchange, other: Exchange) -> bool:
    """Return whether two exchanges show that they are on one subject."""
    shared = len(one.names & other.names)
    return (
        float(one.middle @ other.middle) >= SURE_ALIKE
        and shared >= SURE_SHARED
        and shared >= SURE_NAMES * min(len(one.names), len(other.names))
    )


def compound_names(words: Iterable[str]) -> set[str]:
    """Return the terms that are compound names."""
    return {word for word in words if len(word) >= SHORTEST and any(joint in word for joint in JOINTS)}


def rare(df: Mapping[str, int]) -> list[str]:
    """Return the names to look up; `df`: the number of passages that have each."""
    few = [name for name, count in df.items() if FEWEST_WITH_NAME <= count <= MOST_WITH_NAME]
    return sorted(few, key=lambda name: (df[name], name))[:LOOKED_UP]


def sharing(best: ScoredConversation, said: Sequence[Exchange], rare: Collection[str]) -> list[Exchange]:
    """Return the exchanges that contain a rare name of the best conversation and are nearly as relevant as its
    exchange, the most relevant first.
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
    """Return whether both conversations edited files and share none of them."""
    return bool(one.files and other.files) and one.files.isdisjoint(other.files)


def _files(one: ScoredConversation) -> frozenset[str]:
    """Return the files that it names with their folder, in lower case."""
    texts = [passage.text for passage in one.passages if "/" in passage.text or "\\" in passage.text]
    found = chain.from_iterable(map(named_files, texts))
    return frozenset(file.lower() for file in found if "/" in file and is_file(file))


def is_file(path: str) -> bool:
    """Return whether a path-like text has a file ending; "m/s" has none."""
    return bool(_ENDING.search(path))


def _cosine(one: ScoredConversation, other: ScoredConversation) -> float:
    return 0.0 if one.middle is None or other.middle is None else float(one.middle @ other.middle)


def _names(passages: Sequence[ScoredPassage]) -> frozenset[str]:
    # All texts in one call, because no name spans two lines.
    return names_of("\n".join(passage.text for passage in passages))


def _share(mine: frozenset[str], theirs: frozenset[str], rarity: dict[str, float]) -> float:
    """Return what both have, as a share of what the smaller one has."""

    def weight(words: frozenset[str]) -> float:
        return sum([rarity[word] for word in words]) if rarity else float(len(words))

    least = min(weight(mine), weight(theirs))
    return weight(mine & theirs) / least if least else 0.0


def in_time(told: Sequence[tuple[int, tuple[str, int], frozenset[str]]]) -> list[int]:
    """Return the positions of conversations in the order to tell them.

    Each has its subject, its date with what decides on one day, and its files. Those on one subject, or with a file in
    common, stand together, the latest first: what was said of a file later may have changed what was said before.
    Groups keep the order of their first.
    """
    group = list(range(len(told)))
    for at, (subject, _, files) in enumerate(told):
        for before in range(at):
            if told[before][0] == subject or files & told[before][2]:
                low, high = sorted((group[before], group[at]))
                group = [low if one == high else one for one in group]
    latest = sorted(range(len(told)), key=lambda at: told[at][1], reverse=True)
    return sorted(latest, key=lambda at: group[at])
