"""The differences between two texts. A strong cue forbids any merge; any cue forbids a merge that the server makes
alone.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from types import MappingProxyType

from knowledge.judging.rules.reading import UNIT_OF, Reading, Sentence, figures_by_dimension
from knowledge.judging.rules.relations import Cue, CueKind

# Two sentences are about the same if they share this part of their words (Dice), and at least two.
ABOUT_THE_SAME = 0.5
SHARED = 2
# From this share on they are nearly the same sentence, once affirmed and once denied.
NEARLY = 0.75
# The share of what a sentence denies that the other one must say.
DENIED = 2 / 3
# The number of words of each side that a cue shows.
SHOWN = 4


def differences(first: Reading, second: Reading) -> tuple[Cue, ...]:
    """Return all cues between two readings, strong ones first."""
    found = [
        *_figures(first, second),
        *_counted(first, second),
        *_leftovers(CueKind.PATH, True, first.paths, second.paths),
        *_negations(first, second),
        *_added_denials(first, second),
        *_exceptions(first, second),
        *_changes(first, second),
        *_names(first, second),
    ]
    once: dict[tuple[object, ...], Cue] = {}
    for cue in sorted(found, key=lambda cue: not cue.strong):
        once.setdefault((cue.kind, cue.first, cue.second), cue)
    return tuple(once.values())


def overlap(first: Sentence, second: Sentence) -> float:
    """Return Dice's coefficient of what two sentences say; 0 if they share less than two words."""
    one, other = first.content, second.content
    shared = len(one & other)
    return 2 * shared / (len(one) + len(other)) if shared >= SHARED else 0.0


def denies(one: Sentence, other: Sentence) -> frozenset[str]:
    """Return the stems of `other` that `one` denies. Most of a denial, with every figure in it, must be said in
    `other`, and less of it denied there as well than not. "Never as two" denies nothing of "as one".
    """
    own, both = one.denied - other.denied, one.denied & other.denied
    said = own & other.content
    if not said or len(both) >= len(own) or own & one.figures - said or len(said) < DENIED * len(own):
        return frozenset()
    return said


def _kind(dimension: str) -> CueKind:
    """Return the kind of the cue of a figure."""
    if dimension.startswith(UNIT_OF):
        return CueKind.UNIT
    return CueKind.VERSION if dimension == "version" else CueKind.NUMBER


def _figures(first: Reading, second: Reading) -> Iterator[Cue]:
    """Yield the dimensions in which each has a value that the other lacks. Another unit ("in kilograms", "in pounds")
    is another value wherever it stands.
    """
    mine = figures_by_dimension(first.figures - second.figures)
    theirs = figures_by_dimension(second.figures - first.figures)
    for dimension in sorted(mine | theirs):
        one, other = mine.get(dimension, set()), theirs.get(dimension, set())
        other_unit = dimension.startswith(UNIT_OF) and bool(one and other)
        strong = other_unit or _in_one_place(first, one, second, other)
        yield Cue(_kind(dimension), strong, _first_few(one, first.written), _first_few(other, second.written))


# The share of words (Dice) of two sentences with different values from which on one is the other's update. Two
# paragraphs that say the same each have figures that the other one leaves out.
IN_ONE_PLACE = 0.25


def _in_one_place(first: Reading, mine: set[str], second: Reading, theirs: set[str]) -> bool:
    """Return whether a value of the one stands in a sentence about what a value of the other is said of."""
    return any(
        one.figures & mine and other.figures & theirs and _about(one, other) >= IN_ONE_PLACE
        for one, other in product(first.sentences, second.sentences)
    )


def _counted(first: Reading, second: Reading) -> Iterator[Cue]:
    """Yield different values of the same thing in a sentence of each ("Node 16", "Node 20"), if one of the texts lacks
    the other's value. A text that mentions both ("Node 16 no longer installs") still has another value. Texts that both
    have both values ("120 ms, 15 with a cache") only differ in order.
    """
    for one, other in product(first.sentences, second.sentences):
        mine, theirs = _by_thing(one), _by_thing(other)
        for thing, dimension in sorted(mine.keys() & theirs.keys()):
            values, others = mine[thing, dimension], theirs[thing, dimension]
            same = _by_thing(first)[thing, dimension] == _by_thing(second)[thing, dimension]
            lacking = values - second.figures or others - first.figures
            if not same and lacking and not values & others:
                shown = _first_few(values, one.written), _first_few(others, other.written)
                yield Cue(_kind(dimension), True, *shown)


def _by_thing(text: Sentence | Reading) -> dict[tuple[str, str], set[str]]:
    """Return {("node", "count"): {"count:16"}}."""
    found: dict[tuple[str, str], set[str]] = {}
    for thing, figure in text.counted:
        found.setdefault((thing, figure.partition(":")[0]), set()).add(figure)
    return found


def _about(one: Sentence, other: Sentence) -> float:
    return 2 * len(one.words & other.words) / (len(one.words) + len(other.words) or 1)


def _leftovers(kind: CueKind, strong: bool, first: frozenset[str], second: frozenset[str]) -> Iterator[Cue]:
    mine, theirs = first - second, second - first
    if mine or theirs:
        yield Cue(kind, strong and bool(mine and theirs), _first_few(mine), _first_few(theirs))


def _negations(first: Reading, second: Reading) -> Iterator[Cue]:
    for one, other in product(first.sentences, second.sentences):
        alike = overlap(one, other)
        for taken, turned in ((denies(one, other), False), (denies(other, one), True)):
            denial, answered = (other, first) if turned else (one, second)
            if taken and alike >= ABOUT_THE_SAME and not _said_briefly(denial, answered):
                words = _first_few(taken, {**other.written, **one.written})
                sides = ((), words) if turned else (words, ())
                strong = alike >= NEARLY or _is_denial(other if turned else one, taken)
                yield Cue(CueKind.NEGATION, strong, *sides)
    mine, theirs = first.denied & second.words - second.denied, second.denied & first.words - first.denied
    if mine or theirs:
        yield Cue(CueKind.NEGATION, False, _first_few(mine, first.written), _first_few(theirs, second.written))


# The number of words of a denial that refers to its subject by a pronoun: "so don't compare them".
BRIEF = 2


def _said_briefly(denial: Sentence, other: Reading) -> bool:
    """Return whether the other text denies the same and refers to its subject as "them"."""
    return any(each.denied and each.denied <= denial.denied and len(each.denied) <= BRIEF for each in other.sentences)


# The share of a sentence that it denies ...
BARE = 0.75
# ... and the least number of denied words, for a sentence that is little more than a denial.
DENIAL = 3


def _is_denial(one: Sentence, taken: frozenset[str]) -> bool:
    """Return whether `one` only says that something in the other is not so, however much else the other says: "Nobody
    rotates the keys from a laptop" against an instruction how to.
    """
    return taken == one.denied and len(taken) >= max(DENIAL, BARE * len(one.content))


# The share of a text that another one must repeat, so that its addition sets the two apart. Of 170 rewordings by five
# authors none repeats as much and denies, or excludes, something in addition; from .8 on one does, from .75 on four
# (docs/decisions/0014-relations.md).
REPEATED = 0.85


def _repeats(one: Reading, other: Reading) -> bool:
    return len(one.words & other.words) >= max(SHARED, REPEATED * len(other.words))


def _added_denials(first: Reading, second: Reading) -> Iterator[Cue]:
    """Yield the denials that one text adds while it repeats the other, which denies nothing: "…, the data squad is not
    asked".
    """
    for one, other, turned in ((first, second, False), (second, first, True)):
        if other.denied or one.denied <= other.words or not _repeats(one, other):
            continue
        for sentence in one.sentences:
            for subject in sentence.subjects:
                if len(subject) >= SHARED and subject <= other.words:
                    words = _first_few(subject, sentence.written)
                    yield Cue(CueKind.NEGATION, True, *((), words) if turned else (words, ()))


def _exceptions(first: Reading, second: Reading) -> Iterator[Cue]:
    """Yield the exceptions of a text that repeats the other, which has none: "…, unless the author is ill"."""
    mine, theirs = excepted(first), excepted(second)
    if (mine and not theirs and _repeats(first, second)) or (theirs and not mine and _repeats(second, first)):
        yield Cue(CueKind.NEGATION, True, mine[:SHOWN], theirs[:SHOWN])


def excepted(reading: Reading) -> tuple[str, ...]:
    """Return the words by which a text makes an exception."""
    return tuple(dict.fromkeys(word for sentence in reading.sentences for word in sentence.exceptions))


def _changes(first: Reading, second: Reading) -> Iterator[Cue]:
    mine, theirs = announced(first), announced(second)
    if bool(mine) != bool(theirs):
        yield Cue(CueKind.CHANGE, False, mine[:SHOWN], theirs[:SHOWN])


def announced(reading: Reading) -> tuple[str, ...]:
    """Return the words by which a text announces a change."""
    return tuple(dict.fromkeys(word for sentence in reading.sentences for word in sentence.changes))


def _names(first: Reading, second: Reading) -> Iterator[Cue]:
    """Yield names that the other text does not have in any form."""
    mine = frozenset(name for name in first.names if not _spoken_of(name, second))
    theirs = frozenset(name for name in second.names if not _spoken_of(name, first))
    yield from _leftovers(CueKind.NAME, False, mine, theirs)


def _spoken_of(name: str, other: Reading) -> bool:
    return name in other.names or name in other.words or name.rstrip("s") in other.words


def _first_few(words: Iterable[str], written: Mapping[str, str] = MappingProxyType({})) -> tuple[str, ...]:
    """Return the first few, as they are `written`."""
    return tuple(written.get(word, word) for word in sorted(words)[:SHOWN])
