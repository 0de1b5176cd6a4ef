"""Whether a sentence of one text contradicts a sentence of another, for a warning beside two served notes.

Two sentences are compared only if they share at least half of their words. Then one may deny what the other says, say
that it no longer holds, or give another value or another name in the same place.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from knowledge.judging.rules.differences import ABOUT_THE_SAME, denies, overlap
from knowledge.judging.rules.reading import Reading, Sentence, figures_by_dimension
from knowledge.judging.rules.relations import CueKind

# The share of words of two sentences that differ in one place and in little else.
SAME_PLACE = 0.75


@dataclass(frozen=True)
class Opposition:
    """The `kind` of a contradiction between two sentences, with both."""

    kind: CueKind
    first: str
    second: str


def opposing(one: Reading, other: Reading) -> list[Opposition]:
    """Return the contradictions between two texts, one of each kind."""
    found: dict[CueKind, Opposition] = {}
    for first, second in product(one.sentences, other.sentences):
        if overlap(first, second) >= ABOUT_THE_SAME:
            for kind in _kinds(first, second):
                found.setdefault(kind, Opposition(kind, first.text, second.text))
    return list(found.values())


def agreeing(one: Reading, other: Reading) -> bool:
    """Return whether a sentence of each says the same: nearly the same words, or both deny the same."""
    return any(
        overlap(first, second) >= (ABOUT_THE_SAME if first.denied & second.denied else SAME_PLACE)
        for first, second in product(one.sentences, other.sentences)
    )


def _kinds(first: Sentence, second: Sentence) -> Iterator[CueKind]:
    if denies(first, second) or denies(second, first):
        yield CueKind.NEGATION
    if bool(first.changes) != bool(second.changes):
        yield CueKind.CHANGE
    if _rest(first, second) < SAME_PLACE:
        return
    mine, theirs = first.figures - second.figures, second.figures - first.figures
    if figures_by_dimension(mine).keys() & figures_by_dimension(theirs).keys():
        yield CueKind.NUMBER
    if (first.names | first.paths) - second.words - second.names and (
        second.names | second.paths
    ) - first.words - first.names:
        yield CueKind.NAME


def _rest(first: Sentence, second: Sentence) -> float:
    """Return Dice's coefficient of the words of two sentences, without their own figures and names."""
    one, other = first.words - first.names, second.words - second.names
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
