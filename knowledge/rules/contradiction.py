"""Whether two insights of one answer speak against each other: warned of when they are served, without a model.

Theory of operation. Two insights can only conflict if they are about the same: they share a topic or an anchor, or are
near by meaning. Then four things speak for a conflict, each a sign:

- their kinds: a SOLUTION or PATTERN against a PITFALL;
- their histories: one was helpful, the other not;
- their words, in sentences about the same: one denies what the other says (`negation`), one says it is over
  (`temporal`), each chooses something else (`preference`), one holds it only here, the other everywhere (`context`).

SAME's formula makes one confidence of the number of signs and the nearness. It is a hint for whoever reads the answer,
and a candidate for the human queue; nothing is superseded by it. What wording cannot show (that 30 seconds are too few,
say) is not found.

The signs of wording are looked for sentence by sentence, as two long texts always have a "not" and a word in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from knowledge.rules.contradiction_wording import Sentence, agreeing, opposing, sentences
from knowledge.rules.vocabulary import Kind, Status

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Advice:
    """An insight of an answer, as far as it can contradict another.

    `status`: what it is worth; `anchors`: its files, symbols and error fingerprints as "kind:value", tags left out
    (they are too wide); `topic`: an id or None; `helpful` and `unhelpful`: how many ratings it has.
    """

    ref: str
    kind: Kind
    text: str
    status: Status = Status.DRAFT
    repo: str = ""
    anchors: frozenset[str] = frozenset()
    topic: UUID | None = None
    helpful: int = 0
    unhelpful: int = 0


@dataclass(frozen=True)
class Contradiction:
    """A warning: `a` and `b` are refs in the order given, `signs` the names of what spoke for it, `reason` says it;
    `stands`: the ref of the one to go by, or "" where neither is worth more.
    """

    a: str
    b: str
    confidence: float
    signs: tuple[str, ...]
    reason: str
    stands: str = ""


# SAME's: what is less alike is another subject; half of what there is to gain by the first sign; reported from .3 on,
# that is, from one sign at .70 or two at .59.
ALIKE = 0.70
SIGNS_WEIGHT = 0.6
ALIKE_WEIGHT = 0.4
REPORTED = 0.30


def confidence(signs: int, cosine: float) -> float:
    """0–1. Less alike than ALIKE takes away from it, so that more signs must make up for it."""
    if not signs:
        return 0.0
    return max(0.0, SIGNS_WEIGHT * (1 - 0.5**signs) + ALIKE_WEIGHT * (min(cosine, 1.0) - ALIKE) / (1 - ALIKE))


# Below it even five signs are not reported, so wording need not be read.
LEAST_ALIKE = 0.50


def contradictions(advice: Sequence[Advice], vectors: Floats) -> list[Contradiction]:
    """The pairs that speak against each other, surest first. `vectors`: (n, dimensions), of length 1, or zeros."""
    cosines = (vectors @ vectors.T).tolist()
    read: dict[int, tuple[Sentence, ...]] = {}  # of those that are compared: of most answers few are
    found = []
    for i, j in combinations(range(len(advice)), 2):
        cosine = cosines[i][j]
        if same_area(advice[i], advice[j], cosine):
            for at in (i, j):
                if at not in read:
                    read[at] = sentences(advice[at].text)
            found += _compare(advice[i], advice[j], read[i], read[j], cosine)
    return sorted(found, key=lambda one: -one.confidence)


def same_area(a: Advice, b: Advice, cosine: float) -> bool:
    """Whether two insights are about the same. What holds in one repo need not in another."""
    if cosine < LEAST_ALIKE or (a.repo and b.repo and a.repo != b.repo):
        return False
    return cosine >= ALIKE or _share(a, b)


def _share(a: Advice, b: Advice) -> bool:
    """Whether they have a topic or an anchor in common."""
    return (a.topic is not None and a.topic == b.topic) or bool(a.anchors & b.anchors)


def _compare(
    a: Advice, b: Advice, own: tuple[Sentence, ...], others: tuple[Sentence, ...], cosine: float
) -> list[Contradiction]:
    signs: dict[str, str] = {}
    if _split(a, b) or _split(b, a):
        signs["history"] = f"{a.ref} was rated {_history(a)}, {b.ref} {_history(b)}"
    for cue in opposing(own, others):
        signs[cue.family] = f"{cue.family}: {cue.why}"
    if {a.kind, b.kind} in AGAINST and _share(a, b) and (signs or not agreeing(own, others)):
        signs["kinds"] = f"{a.ref} is a {a.kind}, {b.ref} a {b.kind} for the same area"
    sure = confidence(len(signs), cosine)
    if sure < REPORTED:
        return []
    reason = "; ".join(signs.values())
    return [Contradiction(a.ref, b.ref, sure, tuple(signs), reason, outranking((a.ref, a.status), (b.ref, b.status)))]


AGAINST = ({Kind.SOLUTION, Kind.PITFALL}, {Kind.PATTERN, Kind.PITFALL})

# One vote is an opinion.
CLEAR = 2


def _split(a: Advice, b: Advice) -> bool:
    """Whether `a` was clearly helpful and `b` clearly not."""
    return a.helpful - a.unhelpful >= CLEAR and b.unhelpful - b.helpful >= CLEAR


def _history(one: Advice) -> str:
    return f"helpful {one.helpful} times, unhelpful {one.unhelpful}"


# What the team has confirmed stands above one voice, and both above what is on its way out.
_RANKS = (Status.PROMOTED, Status.DRAFT, Status.DEPRECATED, Status.ARCHIVED)


def outranking(a: tuple[str, Status], b: tuple[str, Status]) -> str:
    """Which of two (ref, status) that contradict each other to go by: its ref, or "" if neither is worth more."""
    one, other = _RANKS.index(a[1]), _RANKS.index(b[1])
    return "" if one == other else a[0] if one < other else b[0]
