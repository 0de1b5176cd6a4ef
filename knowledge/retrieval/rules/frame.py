"""The frame two notes share, and what each puts into it.

"Commits in the firmware repo need a sign-off" and "Commits in the web repo need a ticket number" begin alike and are of
two things: who asks about the firmware repo asks for the first, though "firmware" is a plain word and no name.
"""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORD = re.compile(r"[\w@.-]+")
_OPENING_END = re.compile(r"(?<=[.!?:;])\s|\n")

# Openings are of one frame from this likeness (difflib: twice the words they share in order, by all their words) and so
# many shared words. 205 changed facts and 88 siblings of three authors, mute agents: .30 takes four changed facts for
# siblings, .35 two, .40 none, .45 none; of 24 siblings whose own word was not heard 14, 13, 13 and 11 are found
# (2026-11-25). Only 25 of the changed facts open alike at all, so that none of them is a small number.
ONE_FRAME = 0.4
LEAST_SHARED = 3


@dataclass(frozen=True)
class Blanks:
    """Of two openings, what each has where the other has something else: `mine` and `theirs`."""

    mine: frozenset[str]
    theirs: frozenset[str]


def shared_frame(mine: str, theirs: str) -> Blanks | None:
    """How the openings of two notes differ, as words; None where they are not of one frame.

    What a single sentence ends with is what it says, not what it speaks of: the fact itself may have changed there.
    """
    (own_opening, own_rest), (other_opening, other_rest) = _opening(mine), _opening(theirs)
    matcher = SequenceMatcher(None, own_opening, other_opening, autojunk=False)
    blocks = matcher.get_opcodes()
    shared = sum(end - start for kind, start, end, *_ in blocks if kind == "equal")
    if shared < LEAST_SHARED or matcher.ratio() < ONE_FRAME:
        return None
    blanks = [block for block in blocks if block[0] != "equal"]
    if not (own_rest and other_rest):
        blanks = blanks[:-1]
    filled = {word for _, start, end, *_ in blanks for word in own_opening[start:end]}
    refilled = {word for *_, start, end in blanks for word in other_opening[start:end]}
    return Blanks(frozenset(filled.difference(other_opening)), frozenset(refilled.difference(own_opening)))


def _opening(text: str) -> tuple[list[str], str]:
    """The words of the first sentence, or of what stands before its colon; and what comes after it."""
    opening, *rest = _OPENING_END.split(text.strip(), maxsplit=1)
    words = (word.strip(".-") for word in _WORD.findall(opening.lower()))
    return [word for word in words if word], "".join(rest).strip()
