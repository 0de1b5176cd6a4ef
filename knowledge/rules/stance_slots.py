"""Slots: places where two texts stand word for word alike, but for a few words that one has and the other has not.

Who says a lesson in other words changes the sentence; who gives it another value changes one word of it and leaves the
rest. Of developers' paraphrases next to none have a slot, of edits of a value most have. Whether the two fillings mean
the same (folder, directory) is not told by their letters: `Akin` says how near they are, and is handed in.
"""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher

from knowledge.rules.stance_reading import Reading
from knowledge.rules.stance_tokens import Sort, Token

# How near two short phrases are in meaning: their cosine, −1 to 1.
Akin = Callable[[str, str], float]

# Words alike that must stand on either side of a slot, unless the text begins or ends there.
FRAME = 2
# A longer filling is a clause of its own and no value.
LONGEST_FILLING = 3
# Of the shorter text this much must be the same, word for word and in order: below it, other things differ too.
SAME_WORDS = 0.6


@dataclass(frozen=True)
class Slot:
    """The content words that fill it in either text. `named`: a name or identifier stands on both sides."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    named: bool


# Comparing is quadratic in the words at worst: of longer texts only what stands between their common beginning and
# their common end is looked at.
MOST_WORDS = 250

Block = tuple[str, int, int, int, int]


def slots(one: Reading, other: Reading) -> tuple[Slot, ...]:
    """The slots of two texts; none if they are not mostly the same words in the same order."""
    if (other.text, one.text) < (one.text, other.text):
        return tuple(Slot(slot.second, slot.first, slot.named) for slot in slots(other, one))
    mine = [token for token in one.tokens if token.sort is not Sort.STOP]
    theirs = [token for token in other.tokens if token.sort is not Sort.STOP]
    blocks = _blocks([token.text for token in mine], [token.text for token in theirs])
    alike = sum(end - start for kind, start, end, _, _ in blocks if kind == "equal")
    if alike < SAME_WORDS * min(len(mine), len(theirs)):
        return ()
    found = []
    for at, (kind, start, end, from_, to) in enumerate(blocks):
        if kind == "replace" and _framed(blocks, at, len(mine)) and max(end - start, to - from_) <= LONGEST_FILLING:
            slot = _slot(_missing(mine[start:end], other), _missing(theirs[from_:to], one))
            found += [slot] if slot else []
    return tuple(found)


def _blocks(mine: list[str], theirs: list[str]) -> list[Block]:
    """What is equal, replaced, put in and left out, in order, as difflib tells it."""
    if max(len(mine), len(theirs)) <= MOST_WORDS:
        return [(*block,) for block in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()]
    shorter = min(len(mine), len(theirs))
    start = next((at for at in range(shorter) if mine[at] != theirs[at]), shorter)
    most = shorter - start
    tail = next((at for at in range(most) if mine[-1 - at] != theirs[-1 - at]), most)
    end, to = len(mine) - tail, len(theirs) - tail
    return [
        ("equal", 0, start, 0, start),
        ("replace", start, end, start, to),
        ("equal", end, len(mine), to, len(theirs)),
    ]


def _framed(blocks: list[Block], at: int, length: int) -> bool:
    """Whether the words on both sides are the same, far enough or to where the text begins or ends."""
    before, after = (blocks[at - 1] if at else None), (blocks[at + 1] if at + 1 < len(blocks) else None)
    left = before is None or (before[0] == "equal" and (before[1] == 0 or before[2] - before[1] >= FRAME))
    right = after is None or (after[0] == "equal" and (after[2] == length or after[2] - after[1] >= FRAME))
    return left and right


def _missing(tokens: list[Token], other: Reading) -> list[Token]:
    """What fills a slot and is nowhere in the other text as it is."""
    return [token for token in tokens if token.content and token.key not in other.keys]


def _slot(mine: list[Token], theirs: list[Token]) -> Slot | None:
    if not _identifies(mine, theirs) and not _identifies(theirs, mine):
        mine, theirs = _without_numbers(mine), _without_numbers(theirs)
    if not mine or not theirs:
        return None
    named = all(any(token.sort in (Sort.NAME, Sort.NUMBER) for token in side) for side in (mine, theirs))
    return Slot(tuple(token.text for token in mine), tuple(token.text for token in theirs), named)


def _identifies(numbers: list[Token], names: list[Token]) -> bool:
    """Whether a number stands where the other text has a name: then it is one, as 204815 is beside 9fe04c."""
    return {token.sort for token in numbers} == {Sort.NUMBER} and {token.sort for token in names} == {Sort.NAME}


def _without_numbers(tokens: list[Token]) -> list[Token]:
    """Numbers have a cue of their own."""
    return [token for token in tokens if token.sort is not Sort.NUMBER]
