"""How much two notes stand out as a pair: the measure that decides whether a deposit asks its agent, or a person.

Similarity alone cannot say whether two notes are about one thing: among a thousand notes on Git the nearest has a
cosine of .75 and is about something else, while a changed fact in other words has .6. The surroundings decide. Six
notes on the regions of six services are all alike. The one that a new note is about is nearer to it than the other
five, is the only one with its words ("search-indexer"), and has few others near it:

    closeness = 1.2 · lead + own words + .2 · shared words − 1.2 · (surroundings − .3)

`lead`: by how much its cosine exceeds that of anything else near the new note; `own words`: the share of the new note's
words, by rarity, that it has and nothing else near has; `shared words`: the share of all; `surroundings`: the mean
cosine of its five nearest others, .3 being that of two unrelated notes. (Cross-domain similarity local scaling, Conneau
et al. 2018, corrects nearest neighbours for hubs in the same way.)

Measured on the changed facts of four authors, none of whom knew the formula, against 1,871 notes on distinct things
deposited one after the other. Its weights are rounded from a logistic regression, each author's figures from one fitted
without that author. The runs: docs/decisions/0014-relations.md
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

LEAD_WEIGHT = 1.2
SHARED_WEIGHT = 0.2
SURROUNDINGS_WEIGHT = 1.2
# The number of others that count; missing ones in a small team have the cosine of two unrelated notes.
OTHERS = 5
UNRELATED = 0.3
# From this cosine on two notes are asked about in any surroundings: five notes on one thing surround each other.
SURELY = 0.92


# The bonus for the same error: it makes two notes about one thing in any surroundings.
SAME_ERROR = 0.15
# The bonus for a note that the session was served before it deposits: the deposit often corrects it, and the agent has
# read it. It applies to questions to agents only; a pair waits for a person by closeness alone. With 0, .10, .15 and
# .20 here the agent is asked about 192, 195, 199 and 202 of 205 changed facts that it has looked up (188 if it has
# not), and about 58, 103, 133 and 290 of 899 notes on distinct things that it has looked up by their titles (51). The
# run: docs/decisions/0014-relations.md
CONSULTED = 0.15

# How much more a note of another repository needs, among the three nearest of the team. A fact of the team ("patch
# night is the second Tuesday") may be learned in any repository, but two repositories have many notes that read alike.
# Of the 1,871 notes, each in the repository of its subject, at most 14 more are asked about (31 without this), of 205
# changed facts deposited in another repository 175 (188): docs/decisions/0014-relations.md
ELSEWHERE = 0.1

# One of a family ("the Graz office uplink", among those of five offices) is asked about, however near its siblings are
# to it, if it is this much nearer than any of them and alone has this share of the note's words. Of 12 families with
# one changed 7 are asked about instead of 3, of the 1,871 notes 4 more; of the 205 changed facts as many as before
# (docs/decisions/0014-relations.md).
ALONE_LEAD = 0.2
ALONE_WORDS = 0.12


@dataclass(frozen=True)
class Thresholds:
    """Thresholds of closeness: from `asked` on, the depositing agent is asked about a neighbour; from `paired` on, the
    two are a pair that is served together and waits for a person if nobody answers.
    """

    asked: float
    paired: float


def lead(cosine: float, others: Iterable[float]) -> float:
    """Return by how much a neighbour is nearer than the nearest of the others; below 0 if it is not the nearest."""
    return cosine - max(others, default=UNRELATED)


def own_words(
    words: Collection[str],
    neighbour: Collection[str],
    others: Iterable[Collection[str]],
    documents: int,
    df: Mapping[str, int],
) -> float:
    """Return the share of a note's words, weighted by rarity, that a neighbour has and no other near it has, 0 to 1.
    `df`: the number of the team's `documents` that have each word.
    """
    alone = set(words).intersection(neighbour).difference(*others)
    whole = _weight(set(words), documents, df)
    return _weight(alone, documents, df) / whole if whole else 0.0


def shared(one: Collection[str], other: Collection[str], documents: int, df: Mapping[str, int]) -> float:
    """Return the share of the shorter text's words, weighted by rarity, that the longer one has, 0 to 1."""
    mine, theirs = _weight(set(one), documents, df), _weight(set(other), documents, df)
    shorter = min(mine, theirs)
    return min(_weight(set(one) & set(other), documents, df) / shorter, 1.0) if shorter else 0.0


def surroundings(cosines: Sequence[float]) -> float:
    """Return how near a note's surroundings are, from the cosines of its nearest others, nearest first, without the
    note it is compared with.
    """
    nearest = list(cosines[:OTHERS])
    return (sum(nearest) + UNRELATED * (OTHERS - len(nearest))) / OTHERS


def stands_alone(lead: float, own_words: float) -> bool:
    """Return whether a neighbour is the one of its family that the note is about."""
    return lead >= ALONE_LEAD and own_words >= ALONE_WORDS


def closeness(lead: float, own_words: float, shared: float, surroundings: float) -> float:
    """Return how much two notes stand out as a pair. `surroundings`: of the neighbour."""
    around = SURROUNDINGS_WEIGHT * (surroundings - UNRELATED)
    return LEAD_WEIGHT * lead + own_words + SHARED_WEIGHT * shared - around


def _weight(words: Collection[str], documents: int, df: Mapping[str, int]) -> float:
    return sum(log(1 + (documents - df.get(word, 0) + 0.5) / (df.get(word, 0) + 0.5)) for word in words)
