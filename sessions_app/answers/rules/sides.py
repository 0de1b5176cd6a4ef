"""The two sides of an open pair in a text for agents: a reader of one must know of the other, however little room there
is.
"""

from collections.abc import Mapping, Sequence

from sessions_app.answers.rules import item_forms
from sessions_app.answers.rules.parts import Item

OPEN = ("newer", "older")
# The characters of the newer side that precede the older side's sentence: head, title and two or three sentences,
# because a change often stands in the second.
NEWER_SIDE = 520


def newer_side(items: Sequence[Item], order: Sequence[int], texts: Mapping[int, str], room: int) -> dict[int, str]:
    """Return some sentences of the first item if it is the newer side of a pair: a single sentence of it, beside one of
    the outdated side, may contain everything except the change. Empty if no pair is first, or without room.
    """
    at = order[0] if order else 0
    if at not in texts or items[at].side != "newer" or other_side(items, order) is None:
        return {}
    within = min(room - sum(map(len, texts.values())) + len(texts[at]), NEWER_SIDE)
    whole = item_forms.full(items[at])
    text = whole if len(whole) <= within else item_forms.cut(items[at], within)
    return {at: text} if text else {}


def other_side(items: Sequence[Item], order: Sequence[int]) -> int | None:
    """Return the place of the second of the first two items if both are sides of open pairs."""
    pair = [at for at in order[:2] if items[at].side]
    return pair[1] if len(pair) > 1 else None


def least_of_sides(items: Sequence[Item]) -> int:
    """Return the room in which every side of a pair has its date and a sentence; 0 without a pair."""
    return sum(len(item_forms.dated(items[at], None)) for at in _sides(items))


def least_of_pair(items: Sequence[Item], order: Sequence[int]) -> int:
    """Return the room of the sides, and of a pair at the head with their notes; 0 without a pair."""
    both = [items[at] for at in range(2)] if other_side(items, order) is not None else []
    return max(sum(len(item_forms.least(item)) for item in both), least_of_sides(items))


def dated_sides(items: Sequence[Item], room: int) -> dict[int, str]:
    """Return the sides with their dates and sentences within `room`: the newer ones whole as far as the others have the
    beginning of theirs. Without room for all it is the newer ones.
    """
    sides = _sides(items)
    for count in range(len(sides), 0, -1):
        texts: dict[int, str] = {}
        for number, at in enumerate(sides[:count], 1):
            left = room - sum(map(len, texts.values()))
            others = sum(item_forms.least_dated(items[other]) for other in sides[number:count])
            texts[at] = item_forms.dated(items[at], left - others)
        enough = item_forms.least_dated(items[sides[0]], item_forms.LEAST_BODY if count > 1 else 0)
        if all(texts.values()) and len(texts[sides[0]]) >= enough:
            return texts
    return {}


def told_sides(items: Sequence[Item], texts: Mapping[int, str]) -> tuple[int, int, int]:
    """Return how well the texts tell of the sides, to compare two divisions of the room: 2 for a date and a sentence, 1
    if the sentence is cut, 0 for less, of the least told side; of all together; and of the newer one.
    """
    told = [item_forms.tells(items[at], texts.get(at, "")) for at in _sides(items)]
    return min(told, default=2), sum(told), next(iter(told), 0)


def _sides(items: Sequence[Item]) -> list[int]:
    """Return the places of the items that are sides of open pairs, newer ones first; none if only one of them is, whose
    note quotes the other.
    """
    open_ = [at for at, item in enumerate(items) if item.side in OPEN]
    return sorted(open_, key=lambda at: (items[at].side != "newer", at)) if len(open_) > 1 else []
