"""What two texts differ in. A strong cue forbids any merge; any cue at all forbids one that the server makes alone."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from types import MappingProxyType

from knowledge.judging.rules.reading import UNIT_OF, Reading, Sentence, figures_by_dimension
from knowledge.judging.rules.relations import Cue, CueKind

# Two sentences are about the same if they share this part of their words (Dice), and at least two.
ABOUT_THE_SAME = 0.5
SHARED = 2
# ... and from here on nearly the same sentence, once affirmed and once denied.
NEARLY = 0.75
# Of what a sentence denies, so much must be said by the other one.
DENIED = 2 / 3
# Words of each side that a cue shows.
SHOWN = 4


def differences(first: Reading, second: Reading) -> tuple[Cue, ...]:
    """All cues between two readings, strong ones first."""
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
    """Dice of what two sentences say; 0 if they share less than two words."""
    one, other = first.content, second.content
    shared = len(one & other)
    return 2 * shared / (len(one) + len(other)) if shared >= SHARED else 0.0


def denies(one: Sentence, other: Sentence) -> frozenset[str]:
    """What `one` takes back of what `other` says: most of a denial, with every figure in it, must be said there, and
    less of it taken back there as well than not. "Never as two" denies nothing of "as one".
    """
    own, both = one.denied - other.denied, one.denied & other.denied
    said = own & other.content
    if not said or len(both) >= len(own) or own & one.figures - said or len(said) < DENIED * len(own):
        return frozenset()
    return said


def _kind(dimension: str) -> CueKind:
    """Of the cue of a figure."""
    if dimension.startswith(UNIT_OF):
        return CueKind.UNIT
    return CueKind.VERSION if dimension == "version" else CueKind.NUMBER


def _figures(first: Reading, second: Reading) -> Iterator[Cue]:
    """Each has a value of one dimension that the other lacks. Another unit ("in kilograms", "in pounds") is another
    value wherever it stands.
    """
    mine = figures_by_dimension(first.figures - second.figures)
    theirs = figures_by_dimension(second.figures - first.figures)
    for dimension in sorted(mine | theirs):
        one, other = mine.get(dimension, set()), theirs.get(dimension, set())
        other_unit = dimension.startswith(UNIT_OF) and bool(one and other)
        strong = other_unit or _in_one_place(first, one, second, other)
        yield Cue(_kind(dimension), strong, _first_few(one, first.written), _first_few(other, second.written))


# Of the words of the two sentences that two values stand in, so much is shared (Dice) where one is the other's update.
# Two paragraphs that say the same each have figures that the other one leaves out.
IN_ONE_PLACE = 0.25


def _in_one_place(first: Reading, mine: set[str], second: Reading, theirs: set[str]) -> bool:
    """Whether a value of the one stands in a sentence about what a value of the other is said of."""
    return any(
        one.figures & mine and other.figures & theirs and _about(one, other) >= IN_ONE_PLACE
        for one, other in product(first.sentences, second.sentences)
    )


def _counted(first: Reading, second: Reading) -> Iterator[Cue]:
    """A sentence of each gives another value of the same thing ("Node 16", "Node 20"), and one of the texts lacks the
    other's: that the other one also speaks of both ("Node 16 no longer installs") makes it no less another one. Where
    both texts have both values ("120 ms, 15 with a cache"), they only tell them in another order.
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
    """{("node", "count"): {"count:16"}}."""
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


# So few words has a denial that refers to what was said before: "so don't compare them".
BRIEF = 2


def _said_briefly(denial: Sentence, other: Reading) -> bool:
    """Whether the other text denies the same and refers to its subject as "them"."""
    return any(each.denied and each.denied <= denial.denied and len(each.denied) <= BRIEF for each in other.sentences)


# So much of a sentence is what it denies ...
BARE = 0.75
# ... and at least this many words, for a sentence that is little more than a denial.
DENIAL = 3


def _is_denial(one: Sentence, taken: frozenset[str]) -> bool:
    """Whether all that `one` says is that something the other one says is not so, however much the other says beside
    it: "Nobody rotates the keys from a laptop" against an instruction how to.
    """
    return taken == one.denied and len(taken) >= max(DENIAL, BARE * len(one.content))


# So much of a text is said again by another one that what this one adds sets the two apart. Of 170 rewordings by five
# authors none says again so much and denies, or leaves out, something beside it; from .8 on one does, from .75 on four
# (docs/decisions/0014-relations.md).
REPEATED = 0.85


def _repeats(one: Reading, other: Reading) -> bool:
    return len(one.words & other.words) >= max(SHARED, REPEATED * len(other.words))


def _added_denials(first: Reading, second: Reading) -> Iterator[Cue]:
    """The denials that one text adds while it repeats the other, which denies nothing: "…, the data squad is not
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
    """One repeats the other, which leaves out nothing, and leaves something out: "…, unless the author is ill"."""
    mine, theirs = excepted(first), excepted(second)
    if (mine and not theirs and _repeats(first, second)) or (theirs and not mine and _repeats(second, first)):
        yield Cue(CueKind.NEGATION, True, mine[:SHOWN], theirs[:SHOWN])


def excepted(reading: Reading) -> tuple[str, ...]:
    """The words by which a text leaves something out."""
    return tuple(dict.fromkeys(word for sentence in reading.sentences for word in sentence.exceptions))


def _changes(first: Reading, second: Reading) -> Iterator[Cue]:
    mine, theirs = announced(first), announced(second)
    if bool(mine) != bool(theirs):
        yield Cue(CueKind.CHANGE, False, mine[:SHOWN], theirs[:SHOWN])


def announced(reading: Reading) -> tuple[str, ...]:
    """The words by which a text tells of a change."""
    return tuple(dict.fromkeys(word for sentence in reading.sentences for word in sentence.changes))


def _names(first: Reading, second: Reading) -> Iterator[Cue]:
    """Names that the other text does not have in any form."""
    mine = frozenset(name for name in first.names if not _spoken_of(name, second))
    theirs = frozenset(name for name in second.names if not _spoken_of(name, first))
    yield from _leftovers(CueKind.NAME, False, mine, theirs)


def _spoken_of(name: str, other: Reading) -> bool:
    return name in other.names or name in other.words or name.rstrip("s") in other.words


def _first_few(words: Iterable[str], written: Mapping[str, str] = MappingProxyType({})) -> tuple[str, ...]:
    """The first few, as they are `written`."""
    return tuple(written.get(word, word) for word in sorted(words)[:SHOWN])
