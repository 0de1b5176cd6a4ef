"""Whether two claims mean the same files: each is a path or a glob.

As in the triggers of skills: `*` and `?` stay within a folder, `**` stands for any folders. A claim of a folder
(`importer/`) is one of all that is in it. Two globs overlap when some path answers to both.
"""

from collections.abc import Sequence
from functools import lru_cache


def overlap(one: str, other: str) -> bool:
    """Whether some path answers to both."""
    return one == other or _paths(_parts(one), _parts(other))


def _parts(claim: str) -> tuple[str, ...]:
    """The folders and the name of a claim; one that ends with a slash is of all below it."""
    whole = f"{claim}**" if claim.endswith("/") else claim
    return tuple(whole.removeprefix("./").strip("/").split("/"))


def _paths(one: Sequence[str], other: Sequence[str]) -> bool:
    """`reach[n][m]`: whether the first n parts of one and the first m of the other can have taken the same folders."""
    reach = [[False] * (len(other) + 1) for _ in range(len(one) + 1)]
    reach[0][0] = True
    for n in range(len(one) + 1):
        for m in range(len(other) + 1):
            skips = (n > 0 and one[n - 1] == "**" and reach[n - 1][m]) or (
                m > 0 and other[m - 1] == "**" and reach[n][m - 1]
            )
            both = n > 0 and m > 0 and reach[n - 1][m - 1] and _part(one[n - 1], other[m - 1])
            takes = (n > 0 and m > 0) and (
                (one[n - 1] == "**" and reach[n][m - 1]) or (other[m - 1] == "**" and reach[n - 1][m])
            )
            reach[n][m] = bool(reach[n][m] or skips or both or takes)
    return reach[-1][-1]


@lru_cache(maxsize=10_000)
def _part(one: str, other: str) -> bool:
    """Whether some name answers to both patterns of a name; by the same table, for characters."""
    if one == other or "**" in (one, other):
        return True
    if not any(sign in one + other for sign in "*?"):
        return False
    reach = [[False] * (len(other) + 1) for _ in range(len(one) + 1)]
    reach[0][0] = True
    for n in range(len(one) + 1):
        for m in range(len(other) + 1):
            if n and one[n - 1] == "*":
                reach[n][m] = reach[n][m] or reach[n - 1][m] or (m > 0 and reach[n][m - 1])
            if m and other[m - 1] == "*":
                reach[n][m] = reach[n][m] or reach[n][m - 1] or (n > 0 and reach[n - 1][m])
            if n and m and reach[n - 1][m - 1]:
                reach[n][m] = reach[n][m] or one[n - 1] == other[m - 1] or "?" in (one[n - 1], other[m - 1])
    return reach[-1][-1]
