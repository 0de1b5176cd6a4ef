"""Two texts as stretches that are the same and stretches that differ, so that a person can read what changed.

Compared word by word, a text that was rewritten keeps a word here and there: marked as they stand, what went and what
came alternate every few words and neither can be read. Such islands go with the changes around them, and a text of
which little else is left is better read as it will be.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

# (whether it is the same in both, what the old text says there, what the new one says)
Stretch = tuple[bool, str, str]
# So many words that stayed between two changes carry the eye over; fewer are an island.
ISLAND_BELOW = 4
# Shorter texts are taken in at a glance, however they differ.
DENSE_FROM = 20
# With less than this share of both texts kept, or more than one change in so many words, the marks hide the text.
KEPT_FROM = 0.5
WORDS_A_CHANGE = 8


def stretches(before: Sequence[str], after: Sequence[str]) -> list[Stretch]:
    """Return both texts, given in words and spaces, as stretches in order; islands go with the change around them."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return joined(
        [(tag == "equal", "".join(before[i:j]), "".join(after[k:m])) for tag, i, j, k, m in matcher.get_opcodes()]
    )


def joined(found: Sequence[Stretch]) -> list[Stretch]:
    """Return the stretches with each island joined to its neighbours."""
    out: list[Stretch] = []
    for place, (same, one, two) in enumerate(found):
        between = 0 < place < len(found) - 1
        kept = same and not (between and _is_island(one, found[place - 1], found[place + 1]))
        if out and not kept and not out[-1][0]:
            out[-1] = (False, out[-1][1] + one, out[-1][2] + two)
        else:
            out.append((kept, one, two))
    return out


def is_dense(found: Sequence[Stretch]) -> bool:
    """Whether the difference is harder to read than the new text itself."""
    words = len("".join(two for _, _, two in found).split())
    if words < DENSE_FROM:
        return False
    total = sum(len(one) + len(two) for _, one, two in found)
    kept = sum(len(one) + len(two) for same, one, two in found if same)
    changes = sum(not same for same, _, _ in found)
    return kept < KEPT_FROM * total or changes * WORDS_A_CHANGE > words


def _is_island(text: str, before: Stretch, after: Stretch) -> bool:
    """Whether a few words stayed in the middle of a line between two changes that are longer."""
    around = min(max(len(one), len(two)) for _, one, two in (before, after))
    return "\n" not in text and len(text.split()) < ISLAND_BELOW and len(text) <= around
