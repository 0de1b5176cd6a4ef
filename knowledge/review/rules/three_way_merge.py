"""Merge two edits of one text, made from the same version, into one that has the changes of both.

The unit is a line, which in Markdown prose is a paragraph. Lines that only one side changed are taken from that side.
Lines that both changed differently are a conflict: the merged text has both versions, theirs first, for a person to
settle.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True)
class MergedText:
    """The text with both edits. `conflicts`: (theirs, mine) for each stretch that both changed differently."""

    text: str
    conflicts: tuple[tuple[str, str], ...] = ()


def merge_texts(base: str, theirs: str, mine: str) -> MergedText:
    """Return both edits of `base` as one text."""
    if theirs in (base, mine):
        return MergedText(mine)
    if mine == base:
        return MergedText(theirs)
    lines, left, right = (text.split("\n") for text in (base, theirs, mine))
    out: list[str] = []
    conflicts: list[tuple[str, str]] = []
    places = (0, 0, 0)
    for start, a_start, b_start, length in _common(lines, left, right):
        one, two = left[places[1] : a_start], right[places[2] : b_start]
        out += _settled(lines[places[0] : start], one, two, conflicts)
        out += lines[start : start + length]
        places = (start + length, a_start + length, b_start + length)
    return MergedText("\n".join(out), tuple(conflicts))


def join_texts(first: str, second: str) -> str:
    """Return two texts without a common version as one: the first, then the paragraphs of the second that the first
    lacks.
    """
    have = {part.strip() for part in first.split("\n\n")}
    added = [part.strip("\n") for part in second.split("\n\n") if part.strip() and part.strip() not in have]
    return "\n\n".join([*([first.strip("\n")] if first.strip() else []), *added])


def merge_entries(base: Sequence[str], theirs: Sequence[str], mine: Sequence[str]) -> list[str]:
    """Return both edits of a list: with what either added, without what either removed."""
    removed = (set(base) - set(theirs)) | (set(base) - set(mine))
    return [entry for entry in dict.fromkeys([*theirs, *mine]) if entry not in removed]


def _settled(was: list[str], one: list[str], two: list[str], conflicts: list[tuple[str, str]]) -> list[str]:
    """Return the merged lines between two stretches that all three versions have in common. Adds to `conflicts`."""
    if one in (was, two):
        return two
    if two == was:
        return one
    conflicts.append(("\n".join(one), "\n".join(two)))
    gap = [""] if one and two and one[-1] and two[0] else []
    return [*one, *gap, *two]


def _common(base: list[str], left: list[str], right: list[str]) -> list[tuple[int, int, int, int]]:
    """Return the stretches that all three versions have in common, as (place in each, length), with an empty one at the
    end.
    """
    in_left, in_right = (_matches(base, other) for other in (left, right))
    found: list[tuple[int, int, int, int]] = []
    for place in range(len(base)):
        if place not in in_left or place not in in_right:
            continue
        at = (place, in_left[place], in_right[place])
        if found and all(before + found[-1][3] == now for before, now in zip(found[-1][:3], at, strict=True)):
            found[-1] = (*found[-1][:3], found[-1][3] + 1)
        else:
            found.append((*at, 1))
    return [*found, (len(base), len(left), len(right), 0)]


def _matches(base: list[str], other: list[str]) -> dict[int, int]:
    """Return, for each line of the base that is in the other version, its place there."""
    blocks = SequenceMatcher(None, base, other, autojunk=False).get_matching_blocks()
    return {one + step: two + step for one, two, length in blocks for step in range(length)}
