"""Split two texts into stretches that are equal and stretches that differ, so that a person can read what changed.

Compared word by word, a rewritten text keeps single words here and there. Marked like that, deleted and added words
alternate every few words, and neither text can be read. So such islands are joined with the changes around them. If
little else is left, it is better to show the new text alone.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

# (whether it is the same in both, its old text, its new text)
Stretch = tuple[bool, str, str]
# Equal words between two changes: from this number on they are shown as equal; fewer are an island.
ISLAND_BELOW = 4
# A shorter text can be read at a glance, however much it differs.
DENSE_FROM = 20
# If less than this share of both texts is kept, or there is more than one change in this many words, the marks hide the
# text.
KEPT_FROM = 0.5
WORDS_A_CHANGE = 8


def stretches(before: Sequence[str], after: Sequence[str]) -> list[Stretch]:
    """Return both texts, given as words and spaces, as stretches in order; islands are joined with the changes around
    them.
    """
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
    """Return whether the difference is harder to read than the new text itself."""
    words = len("".join(two for _, _, two in found).split())
    if words < DENSE_FROM:
        return False
    total = sum(len(one) + len(two) for _, one, two in found)
    kept = sum(len(one) + len(two) for same, one, two in found if same)
    changes = sum(not same for same, _, _ in found)
    return kept < KEPT_FROM * total or changes * WORDS_A_CHANGE > words


def _is_island(text: str, before: Stretch, after: Stretch) -> bool:
    """Return whether a few equal words in a line stand between two longer changes."""
    around = min(max(len(one), len(two)) for _, one, two in (before, after))
    return "\n" not in text and len(text.split()) < ISLAND_BELOW and len(text) <= around
