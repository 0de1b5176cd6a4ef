"""Order the rows of an answer so that related notes stand together. A row is an index into the candidates."""

from collections.abc import Callable, Collection, Mapping, Sequence


def arrange(
    order: Sequence[int],
    companions: Mapping[int, Sequence[int]],
    first: Callable[[int, int], bool | None],
    *,
    chained: bool = True,
) -> list[int]:
    """Return the rows with the rows of each one's pairs next to it, the current one first.

    `companions`: by row, the rows that belong next to it. `first(row, other)`: whether `other` comes before `row`; None
    to keep their order. A row that moves before another one brings along the rows that come before itself, so that the
    latest version of a fact that changed twice comes first. If `chained` is false, only direct companions of a row move
    before it.
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
    """Return the rows with at most one rival before each confirmed row, and its other rivals right behind it.

    A later version of a confirmed note may be the current one. But three later versions must not push the confirmed
    note out of an answer of three results, or the most prolific writer would decide what is served.
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
    """Return, for each row, the smallest row of its connected component. `links`: by row, the rows it is linked to."""
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
    """Return the rows in an order in which no key of `before` precedes its value.

    The value moves up to right before the key, so that both keep a place near the top of the answer.
    """
    found = list(order)
    for late in [row for row in order if row in before]:
        first = before[late]
        if found.index(late) < found.index(first):
            found.remove(first)
            found.insert(found.index(late), first)
    return found


def held_behind(order: Sequence[int], behind: Mapping[int, Collection[int]]) -> list[int]:
    """Return the rows in an order in which no key of `behind` precedes any of its values.

    A key that does moves down to right behind the last of its values.
    """
    found = list(order)
    for late, before in behind.items():
        last = max((found.index(row) for row in before), default=-1)
        if found.index(late) < last:
            found.remove(late)
            found.insert(last, late)
    return found
