"""Detect insights of one answer that contradict each other, without a model, to warn of them.

Theory of operation. Two insights can conflict only if they are about the same area: they share a topic or an anchor, or
are near by meaning. Then these signs of a conflict are counted:

- their kinds: a SOLUTION or PATTERN against a PITFALL;
- their ratings: one was helpful, the other not;
- their wording, in sentences about the same thing: one denies what the other says, one says it is over, or each gives
  another figure or name in the same place (`judging/wording`).

The formula of SAME makes one confidence from the number of signs and the nearness. The result is a hint for readers of
the answer and a candidate for the review queue; it supersedes nothing. What wording cannot show (that 30 seconds are
too few, say) is not found.

Wording is compared sentence by sentence, because two long texts always have a "not" and a word in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from knowledge.judging.rules.reading import Reading, read
from knowledge.judging.rules.wording import agreeing, opposing
from knowledge.rules.vocabulary import Kind

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Advice:
    """An insight of an answer, with what is needed to find contradictions.

    `learned_at`: in epoch seconds. `anchors`: its files, symbols and error fingerprints as "kind:value"; tags are left
    out because they are too broad. `topic`: an id or None. `helpful`, `unhelpful`: the number of its ratings.
    """

    ref: str
    kind: Kind
    text: str
    learned_at: float = 0.0
    repo: str = ""
    anchors: frozenset[str] = frozenset()
    topic: UUID | None = None
    helpful: int = 0
    unhelpful: int = 0


@dataclass(frozen=True)
class Contradiction:
    """A warning that two insights contradict each other.

    `a`, `b`: their references in the given order. `signs`: the names of the signs that were found; `reason`: the same
    in words. `newer`: the reference of the one learned later, or "" if both were learned at the same time. For a pair
    that somebody raised, `claim` says who states what, and `quote` has their words.
    """

    a: str
    b: str
    confidence: float
    signs: tuple[str, ...]
    reason: str
    newer: str = ""
    claim: str = ""
    quote: str = ""


# The values of SAME. Below a cosine of ALIKE, two notes are about different subjects. The first sign gives half of
# SIGNS_WEIGHT, each further one half of the rest. A contradiction is reported from REPORTED on, that is, with one sign
# at a cosine of 0.70 or two at 0.59.
ALIKE = 0.70
SIGNS_WEIGHT = 0.6
ALIKE_WEIGHT = 0.4
REPORTED = 0.30


def confidence(signs: int, cosine: float) -> float:
    """Return the confidence, 0–1. A cosine below ALIKE lowers it, so that more signs are needed."""
    if not signs:
        return 0.0
    return max(0.0, SIGNS_WEIGHT * (1 - 0.5**signs) + ALIKE_WEIGHT * (min(cosine, 1.0) - ALIKE) / (1 - ALIKE))


# Below this cosine even five signs are not reported, so the wording need not be read.
LEAST_ALIKE = 0.50


def contradictions(advice: Sequence[Advice], vectors: Floats) -> list[Contradiction]:
    """Return the pairs that contradict each other, the surest first. `vectors`: (n, dimensions), of length 1 or 0."""
    cosines = (vectors @ vectors.T).tolist()
    texts: dict[int, Reading] = {}  # only of the insights that are compared: few in most answers
    found = []
    for i, j in combinations(range(len(advice)), 2):
        cosine = cosines[i][j]
        if same_area(advice[i], advice[j], cosine):
            for at in (i, j):
                if at not in texts:
                    texts[at] = read(advice[at].text)
            found += _compare(advice[i], advice[j], texts[i], texts[j], cosine)
    return sorted(found, key=lambda one: -one.confidence)


def same_area(a: Advice, b: Advice, cosine: float) -> bool:
    """Return whether two insights are about the same area. Insights of two repositories never are."""
    if cosine < LEAST_ALIKE or (a.repo and b.repo and a.repo != b.repo):
        return False
    return cosine >= ALIKE or _share(a, b)


def _share(a: Advice, b: Advice) -> bool:
    """Return whether they have a topic or an anchor in common."""
    return (a.topic is not None and a.topic == b.topic) or bool(a.anchors & b.anchors)


def _compare(a: Advice, b: Advice, own: Reading, others: Reading, cosine: float) -> list[Contradiction]:
    signs: dict[str, str] = {}
    if _split(a, b) or _split(b, a):
        signs["history"] = f"{a.ref} was rated {_history(a)}, {b.ref} {_history(b)}"
    for one in opposing(own, others):
        signs[one.kind.value] = f"“{_short(one.first)}” against “{_short(one.second)}”"
    if {a.kind, b.kind} in AGAINST and _share(a, b) and (signs or not agreeing(own, others)):
        signs["kinds"] = f"{a.ref} is a {a.kind}, {b.ref} a {b.kind} for the same area"
    sure = confidence(len(signs), cosine)
    if sure < REPORTED:
        return []
    reason = "; ".join(dict.fromkeys(signs.values()))
    return [
        Contradiction(a.ref, b.ref, sure, tuple(signs), reason, newer((a.ref, a.learned_at), (b.ref, b.learned_at)))
    ]


def claimed(who: str, successor: str = "") -> str:
    """Return who raised a pair. `successor`: the reference that is proposed to replace the other one."""
    return f"{who} proposes {successor} in place of the other" if successor else f"{who} says so"


def reported(claim: str, quote: str, most: int | None = None) -> str:
    """Return the claim and the contributor's statement as a quotation, because it is the word of one contributor.
    `most`: the number of words to quote; None for all.
    """
    said = quote.replace("“", '"').replace("”", '"').split()
    words = " ".join(said[:most]) + ("" if most is None or len(said) <= most else " …")
    return f"{claim}: “{words}”" if said and most != 0 else f"{claim}."


# In characters: enough to recognise a sentence, and short enough for a warning of one line.
QUOTED = 80


def _short(text: str) -> str:
    return text if len(text) <= QUOTED else text[: QUOTED - 1].rsplit(" ", 1)[0] + "…"


AGAINST = ({Kind.SOLUTION, Kind.PITFALL}, {Kind.PATTERN, Kind.PITFALL})

# The least difference between helpful and unhelpful ratings that counts. A single vote is only an opinion.
CLEAR = 2


def _split(a: Advice, b: Advice) -> bool:
    """Return whether `a` was clearly helpful and `b` clearly not."""
    return a.helpful - a.unhelpful >= CLEAR and b.unhelpful - b.helpful >= CLEAR


def _history(one: Advice) -> str:
    return f"helpful {one.helpful} times, unhelpful {one.unhelpful}"


def newer(a: tuple[str, float], b: tuple[str, float]) -> str:
    """Return the reference of the one of two (reference, time) that was learned later; "" if both were learned at the
    same time.
    """
    return "" if a[1] == b[1] else a[0] if a[1] > b[1] else b[0]
