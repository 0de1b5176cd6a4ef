"""Arrangement: the rows of an answer in an order in which what belongs together stands together."""

from collections.abc import Callable, Collection, Mapping, Sequence


def arrange(
    order: Sequence[int],
    companions: Mapping[int, Sequence[int]],
    first: Callable[[int, int], bool | None],
    *,
    chained: bool = True,
) -> list[int]:
    """The rows of an answer, each with the rows of its pairs beside it, the current one first. A row that comes before
    another brings the row that comes before itself, so the latest telling of a fact that changed twice leads.

    `first(row, other)`: whether the other comes first; None if either may, and the order stays. Without `chained`, only
    rows in a pair with a row come before it.
    """
    found: list[int] = []
    done: set[int] = set()
    for row in order:
        if row in done:
            continue
        group = [row]
        leading = [row]
        while leading:
            one = leading.pop(0)
            for other in companions.get(one, ()):
                ahead = first(one, other)
                if other in done or other in group or (one != row and not ahead):
                    continue
                group.insert(next((at for at, mate in enumerate(group) if first(mate, other)), len(group)), other)
                if ahead and chained:
                    leading.append(other)
        found += group
        done.update(group)
    return found


def kept_near(order: Sequence[int], confirmed: Callable[[int], bool], rivals: Callable[[int, int], bool]) -> list[int]:
    """The same rows with at most one rival before each confirmed row, and the other rivals right behind it.

    One later telling may be the current one. Three must not push a confirmed note out of an answer with room for three:
    then the most prolific writer would decide.
    """
    found = list(order)
    for row in order:
        if not confirmed(row):
            continue
        before = [one for one in found[: found.index(row)] if not confirmed(one) and rivals(row, one)]
        for late in reversed(before[1:]):
            found.remove(late)
            found.insert(found.index(row) + 1, late)
    return found


def chains(links: Mapping[int, Collection[int]]) -> dict[int, int]:
    """Which of the rows hang together by their links, directly or by others: for each the least row of its chain."""
    chain: dict[int, int] = {}
    for start in sorted(links):
        reached = [start]
        while reached:
            row = reached.pop()
            if row not in chain:
                chain[row] = start
                reached += links.get(row, ())
    return chain


def brought_before(order: Sequence[int], before: Mapping[int, int]) -> list[int]:
    """The same rows, what each of `before` must not precede brought up to right before it: both keep their room."""
    found = list(order)
    for late in [row for row in order if row in before]:
        first = before[late]
        if found.index(late) < found.index(first):
            found.remove(first)
            found.insert(found.index(late), first)
    return found


def held_behind(order: Sequence[int], behind: Mapping[int, Collection[int]]) -> list[int]:
    """The same rows, with each of `behind` moved right behind the last row that it must not precede."""
    found = list(order)
    for late, before in behind.items():
        last = max((found.index(row) for row in before), default=-1)
        if found.index(late) < last:
            found.remove(late)
            found.insert(last, late)
    return found
