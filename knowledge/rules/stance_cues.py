"""What speaks against two texts being the same: cues, each with the words that triggered it.

A hard cue says that one text denies, drops or reverses what the other affirms; only with one may the local judge say
contradiction. A soft cue says that they differ in something a merge would lose (a number, a version, a named thing);
it forbids a merge and proves nothing more. `conflicts` must be empty before any merge, whatever judge spoke, and also
when none did.

A detail that only one text has is no conflict, for a merge keeps both texts' words.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from knowledge.rules.code import is_code
from knowledge.rules.stance_reading import Reading, read
from knowledge.rules.stance_slots import Akin, slots
from knowledge.rules.stance_tokens import Sort, Token, parts, stem
from knowledge.rules.stance_words import ALTERNATIVES, CONTRASTS, GENERIC, MOVED, OPPOSITES, REVERSING

_DIGITS = re.compile(r"\d+")


class CueKind(StrEnum):
    NEGATION = "negation"
    SWITCH = "switch"
    PREFERENCE = "preference"
    ANTONYM = "antonym"
    NUMBER = "number"
    VERSION = "version"
    NAME = "name"
    ALTERNATIVE = "alternative"
    ORDER = "order"
    WORD = "word"
    LENGTH = "length"
    CODE = "code"


@dataclass(frozen=True)
class Cue:
    """`first` and `second`: the words of either text that it rests on."""

    kind: CueKind
    hard: bool
    first: tuple[str, ...]
    second: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kind}: {' '.join(self.first) or '–'} / {' '.join(self.second) or '–'}"


# Two fillings of a slot whose vectors are nearer than this are two words for one thing: folder and directory .80,
# customers and clients .72, error and exception .70; user and tenant .32, tag and digest .31, redis and memcached .21.
# At .4, "database" and "object storage" would be one.
AKIN = 0.5
# Characters. Some comparisons are quadratic in the words; what is longer is not for a machine to merge.
LONGEST_COMPARED = 3_000


def conflicts(a: str, b: str, akin: Akin | None = None) -> tuple[Cue, ...]:
    """All cues between two texts, hard ones first; empty if nothing structural speaks against a merge.

    Without `akin` every word that stands in the place of another one counts as another word.
    """
    if alike(a, b):
        return ()
    if max(len(a), len(b)) > LONGEST_COMPARED:
        return (Cue(CueKind.LENGTH, False, (), ()),)
    if is_code(a) or is_code(b):
        return (Cue(CueKind.CODE, False, (), ()),)
    one, other = read(a), read(b)
    found = [*_left_behind(one, other), *_negations(one, other), *_antonyms(one, other)]
    found += [*_moved(one, other), *_numbers(one, other), *_names(one, other), *_alternatives(one, other)]
    found += [*_exchanged(one, other), *_replaced(one, other, akin)]
    return tuple(dict.fromkeys(sorted(found, key=lambda cue: not cue.hard)))


_MARKS = re.compile(r"[\s`*_\"'.,;:!?]+")


def alike(a: str, b: str) -> bool:
    """The same words in the same order, whatever stands around them; of code, the same characters but for spaces."""
    if is_code(a) or is_code(b):
        return a.split() == b.split()
    return _MARKS.sub(" ", a.casefold()).strip() == _MARKS.sub(" ", b.casefold()).strip()


def _turned(cue: Cue) -> Cue:
    return Cue(cue.kind, cue.hard, cue.second, cue.first)


def _texts(tokens: Iterable[Token]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(token.text for token in tokens))


# --- what one left behind and the other affirms ---------------------------------------------------------------
# Of what a text leaves behind ("instead of X", "no longer X", "from X to"), the other must affirm this share by weight.
# At half, "no longer use Redis for them" is seen to drop what "counted in Redis" has.
LEFT_SHARE = 0.5
# It is a hard cue if the other has its last word, which in English is what a compound is, or nearly all of it: who
# leaves "our own JWT code" leaves code, and not JWT.
WHOLE_SHARE = 0.8


def _left_behind(one: Reading, other: Reading) -> Iterator[Cue]:
    yield from _left(one, other)
    yield from map(_turned, _left(other, one))


def _left(leaver: Reading, other: Reading) -> Iterator[Cue]:
    kept = _keys(other, sign=1) - _keys(other, sign=-1)
    affirmed = _keys(leaver, sign=1)
    for clause in leaver.clauses:
        left = [token for token in clause if token.over and token.key not in affirmed]
        solid = [token for token in left if not _generic(token)]
        taken = [token for token in solid if _among(token, kept)]
        if not solid or _weight(taken) < LEFT_SHARE * _weight(solid):
            continue
        whole = _among(left[-1], kept) or _weight(taken) >= WHOLE_SHARE * _weight(left)
        prefers = any(token.text in ("prefer", "rather", "instead") for token in leaver.tokens)
        kind = CueKind.PREFERENCE if prefers else CueKind.SWITCH
        yield Cue(kind, whole, _texts(left), _texts(token for token in other.content if _same_any(token, taken)))


def _keys(reading: Reading, sign: int) -> frozenset[str]:
    found: set[str] = set()
    for token in reading.content:
        if token.sign == sign and not (sign == 1 and token.doubt):
            found.update((token.key, *(parts(token.key) if token.sort is Sort.NAME else ())))
    return frozenset(found)


def _among(token: Token, keys: frozenset[str]) -> bool:
    return token.key in keys or (token.sort is Sort.NAME and any(part in keys for part in parts(token.key)))


def _same_any(token: Token, others: Iterable[Token]) -> bool:
    return any(_among(other, frozenset({token.key, *parts(token.key)})) for other in others)


_GENERIC = frozenset(map(stem, GENERIC))


def _generic(token: Token) -> bool:
    return token.sort is Sort.WORD and token.key in _GENERIC


def _weight(tokens: Iterable[Token]) -> float:
    return sum(token.weight for token in tokens)


# --- what one denies and the other affirms ----------------------------------------------------------------------
# Of what a clause denies, one clause of the other text must affirm this share by weight, and the first word of it: that
# is mostly a verb, and who affirms the rest with another verb may well agree.
DENIED_SHARE = 0.6
# Without that word so much of the rest is a soft cue: "do not return X to Y", "show X to Y". So is the word alone, if
# both texts begin with it: "no deploys on Fridays", "deploy on any day".
REST_SHARE = 0.8


def _negations(one: Reading, other: Reading) -> Iterator[Cue]:
    yield from _denied(one, other)
    yield from map(_turned, _denied(other, one))


def _denied(denier: Reading, other: Reading) -> Iterator[Cue]:
    for place, clause in enumerate(denier.clauses):
        denied = [token for token in clause if token.sign == -1 and not token.over]
        solid = [token for token in denied if not _generic(token)]
        if not solid or _denied_there(solid, other):
            continue
        met = [_affirmed(denied, clause_there) for clause_there in other.clauses]
        best = max(met, key=_weight, default=[])
        if _weight(best) >= DENIED_SHARE * _weight(denied) and _has_head(best, solid):
            yield Cue(CueKind.NEGATION, True, _texts(denied), _texts(best))
        elif len(solid) > 1 and _weight(best) >= REST_SHARE * _weight(solid[1:]):
            yield Cue(CueKind.NEGATION, False, _texts(denied), _texts(best))
        elif place == 0 and met and _has_head(met[0], solid):
            yield Cue(CueKind.NEGATION, False, _texts(denied), _texts(met[0]))


def _has_head(met: list[Token], solid: list[Token]) -> bool:
    return any(_same_any(token, solid[:1]) for token in met)


def _denied_there(tokens: list[Token], other: Reading) -> bool:
    """Whether the other text denies something of these too, or nowhere asserts it."""
    keys = frozenset(token.key for token in tokens)
    asserted = frozenset(token.key for token in other.content if _asserted(token, keys))
    open_ = frozenset(token.key for token in other.content if not _asserted(token, keys)) - asserted
    return any(_among(token, open_ | _keys(other, sign=-1)) for token in tokens)


def _affirmed(denied: list[Token], clause: tuple[Token, ...]) -> list[Token]:
    keys = frozenset(key for token in denied for key in (token.key, *parts(token.key)))
    return [token for token in clause if _asserted(token, keys) and _among(token, keys)]


def _asserted(token: Token, denied: frozenset[str]) -> bool:
    """A clause that says what goes wrong asserts only that: "it fails" opposes "it never fails", and nothing else."""
    return token.sign == 1 and not token.limited and (not token.doubt or token.doubt in denied)


# --- antonyms -------------------------------------------------------------------------------------------------
# The clauses that two opposites stand in must share this part of the shorter one's other words; more of it if the two
# are words of place, size or time, of which any two sentences may have one.
ANTONYM_CONTEXT = 0.5
CONTRAST_CONTEXT = 0.7


def _both_ways(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Stem → the stems of its opposites."""
    found: dict[str, frozenset[str]] = {}
    for first, second in pairs:
        one, other = stem(first), stem(second)
        found[one] = found.get(one, frozenset()) | {other}
        found[other] = found.get(other, frozenset()) | {one}
    return found


_OPPOSITES = _both_ways(OPPOSITES)
_CONTRASTS = _both_ways(CONTRASTS)


def _antonyms(one: Reading, other: Reading) -> Iterator[Cue]:
    """Function words count here ("on", "before", "never")."""
    yield from _opposed(one, other, _OPPOSITES, True, ANTONYM_CONTEXT)
    yield from _opposed(one, other, _both_ways(_prefixed(one, other)), True, ANTONYM_CONTEXT)
    yield from _opposed(one, other, _CONTRASTS, False, CONTRAST_CONTEXT)


# "Do" and "undo", "able" and "disable" are other words.
SHORTEST_REVERSED = 4


def _prefixed(one: Reading, other: Reading) -> Iterator[tuple[str, str]]:
    mine, theirs = frozenset(one.words), frozenset(other.words)
    for word in (mine | theirs) - (mine & theirs):
        if len(word) >= SHORTEST_REVERSED:
            for prefix in REVERSING:
                if prefix + word in (theirs if word in mine else mine):
                    yield word, prefix + word


def _opposed(
    one: Reading, other: Reading, table: dict[str, frozenset[str]], hard: bool, context: float
) -> Iterator[Cue]:
    mine, theirs = ({stem(word): word for word in reading.words} for reading in (one, other))
    for word in mine:
        for opposite in table.get(word, frozenset()) & theirs.keys():
            if opposite in mine or table[opposite] & theirs.keys():
                continue
            places = [(first, second) for first in _around(one, word) for second in _around(other, opposite)]
            if any(_alike(first, second, context) for first, second in places):
                yield Cue(CueKind.ANTONYM, hard, (mine[word],), (theirs[opposite],))


@dataclass(frozen=True)
class _Place:
    """Where a word stands: what else its clause says, and the sign it has."""

    others: frozenset[str]
    sign: int


# What "before" and "after" are said of follows them, within so many content words.
_SEQUENCE = frozenset({"before", "after"})
FOLLOWING = 3


def _around(reading: Reading, word: str) -> list[_Place]:
    places = []
    for at, token in enumerate(reading.tokens):
        if stem(token.text) != word:
            continue
        if word in _SEQUENCE:
            mates = [mate for mate in reading.tokens[at + 1 :] if mate.content][:FOLLOWING]
        else:
            mates = [mate for mate in reading.content if mate.clause == token.clause and stem(mate.text) != word]
        places.append(_Place(frozenset(mate.key for mate in mates), token.sign))
    return places


def _alike(first: _Place, second: _Place, context: float) -> bool:
    """The same context and the same sign: "never open" does not oppose "closed"."""
    shared = first.others & second.others
    shorter = min(len(first.others), len(second.others))
    return first.sign * second.sign == 1 and len(shared) >= max(1, context * shorter)


# --- that something was otherwise before --------------------------------------------------------------------------
def _moved(one: Reading, other: Reading) -> Iterator[Cue]:
    """Only one of the two tells of a change: the other may be what it was before."""
    mine, theirs = _changes(one), _changes(other)
    if mine and not _tells(other):
        yield Cue(CueKind.SWITCH, False, mine, ())
    elif theirs and not _tells(one):
        yield Cue(CueKind.SWITCH, False, (), theirs)


def _changes(reading: Reading) -> tuple[str, ...]:
    """The words that tell of a change: "has moved to", "no longer"."""
    words = reading.words
    for at, word in enumerate(words):
        if word in MOVED and "to" in words[at + 1 : at + 6]:
            return (word, "to")
        if word == "no" and words[at + 1 : at + 2] == ("longer",):
            return ("no", "longer")
    return ()


def _tells(reading: Reading) -> bool:
    return bool(_changes(reading)) or any(token.over for token in reading.content)


# --- numbers and versions ---------------------------------------------------------------------------------------
def _numbers(one: Reading, other: Reading) -> Iterator[Cue]:
    """Each text has a figure of one dimension that the other lacks."""
    mine, theirs = _figures(one, other), _figures(other, one)
    for dimension in sorted({token.dimension for token in mine} & {token.dimension for token in theirs}):
        first = [token for token in mine if token.dimension == dimension]
        second = [token for token in theirs if token.dimension == dimension]
        if any(token.certain for token in first) or any(token.certain for token in second):
            kind = CueKind.VERSION if dimension == "version" else CueKind.NUMBER
            yield Cue(kind, False, _texts(first), _texts(second))


def _figures(reading: Reading, other: Reading) -> list[Token]:
    return [token for token in reading.content if token.sort is Sort.NUMBER and token.key not in other.keys]


# --- names ----------------------------------------------------------------------------------------------------
def _names(one: Reading, other: Reading) -> Iterator[Cue]:
    """Each text names something (a tool, an identifier, a path) that the other does not have in any form."""
    mine, theirs = _named(one, other), _named(other, one)
    if mine and theirs:
        yield Cue(CueKind.NAME, False, _texts(mine), _texts(theirs))
    variants = [
        (first, second) for first in _whole(one, other) for second in _whole(other, one) if _variants(first, second)
    ]
    if variants:
        yield Cue(CueKind.VERSION, False, _texts(pair[0] for pair in variants), _texts(pair[1] for pair in variants))


def _named(reading: Reading, other: Reading) -> list[Token]:
    return [token for token in reading.content if token.sort is Sort.NAME and not other.has(token)]


def _whole(reading: Reading, other: Reading) -> list[Token]:
    """Names with figures in them that the other text does not have as they are."""
    return [
        token
        for token in reading.content
        if token.sort is Sort.NAME and token.key not in other.keys and any(map(str.isdigit, token.key))
    ]


def _variants(first: Token, second: Token) -> bool:
    """One name with other figures: `node:18-alpine`, `node:22-alpine`."""
    return _DIGITS.sub("#", first.key) == _DIGITS.sub("#", second.key)


# --- alternatives -------------------------------------------------------------------------------------------------
_SETS = [frozenset(line.split()) for line in ALTERNATIVES]


def _alternatives(one: Reading, other: Reading) -> Iterator[Cue]:
    """Another member of one closed set: staging and production, Monday and Friday."""
    mine, theirs = frozenset(one.words), frozenset(other.words)
    for members in _SETS:
        first, second = members & mine - theirs, members & theirs - mine
        if first and second:
            yield Cue(CueKind.ALTERNATIVE, False, tuple(sorted(first)), tuple(sorted(second)))


# --- order ----------------------------------------------------------------------------------------------------------
def _exchanged(one: Reading, other: Reading) -> Iterator[Cue]:
    """The same words, with two that changed places around others that did not: "init before connect"."""
    first, second = one.content, other.content
    if len(first) != len(second) or "by" in one.words or "by" in other.words:
        return
    places = [at for at in range(len(first)) if first[at].key != second[at].key]
    if len(places) == 2 and places[1] - places[0] > 1:
        left, right = places
        if first[left].key == second[right].key and first[right].key == second[left].key:
            yield Cue(
                CueKind.ORDER, False, (first[left].text, first[right].text), (second[left].text, second[right].text)
            )


# --- another word in the same place -------------------------------------------------------------------------------
def _replaced(one: Reading, other: Reading, akin: Akin | None) -> Iterator[Cue]:
    for slot in slots(one, other):
        if slot.named:
            yield Cue(CueKind.NAME, False, slot.first, slot.second)
        elif akin is None or akin(" ".join(slot.first), " ".join(slot.second)) < AKIN:
            yield Cue(CueKind.WORD, False, slot.first, slot.second)
