"""A map of topics: circles as large as what they hold, near one another as far as they mean alike.

The wish of each is its place on the two axes along which the topics differ most (principal components of their
centres). The largest takes its wish; each next one the free place nearest to its own, along a spiral.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# In units of the largest circle's radius.
SMALLEST = 0.28
GAP = 0.05
# How far wishes are spread: wide enough that neighbours show, narrow enough that the map has no holes.
SPREAD = 1.5
# The golden angle and a step of the spiral: it meets every direction before it comes back to one.
TURN = math.pi * (3 - math.sqrt(5))
STEP = 0.06
TRIES = 4_000


@dataclass(frozen=True)
class Circle:
    x: float
    y: float
    r: float


def wishes(centres: Sequence[Sequence[float] | None]) -> list[tuple[float, float]]:
    """Where each would like to be, within −1 … 1 on both axes; what has no centre, or has no others, in the middle."""
    known = [place for place, centre in enumerate(centres) if centre is not None]
    placed = [(0.0, 0.0)] * len(centres)
    if len(known) < 3:
        return placed
    points = np.array([centres[place] for place in known], dtype=np.float64)
    points -= points.mean(axis=0)
    left, scale, _ = np.linalg.svd(points, full_matrices=False)
    flat = left[:, :2] * scale[:2]
    # A direction has no sign of its own: the first is to the right and above, so that the map stays the same.
    flat *= np.where(flat[0] < 0, -1.0, 1.0)
    flat /= max(float(np.abs(flat).max()), 1e-9)
    for place, (x, y) in zip(known, flat.tolist(), strict=True):
        placed[place] = (x, y)
    return placed


def circles(sizes: Sequence[int], wanted: Sequence[tuple[float, float]], *, wide: float = 2.0) -> list[Circle]:
    """One for each size, none over another; `wide`: how much wider than high the map is. The largest come first."""
    largest = max(sizes, default=1) or 1
    radii = [max(math.sqrt(max(size, 0) / largest), SMALLEST) for size in sizes]
    spread = SPREAD * math.sqrt(sum(r * r for r in radii)) / 2
    found: list[Circle] = []
    for r, (x, y) in zip(radii, wanted, strict=True):
        found.append(_free(Circle(x * spread * wide, y * spread, r), found, wide))
    return found


def _free(wish: Circle, taken: Sequence[Circle], wide: float) -> Circle:
    for turn in range(TRIES):
        far = STEP * math.sqrt(turn) * 2
        spot = Circle(wish.x + far * wide * math.cos(turn * TURN), wish.y + far * math.sin(turn * TURN), wish.r)
        if all(math.hypot(spot.x - o.x, spot.y - o.y) >= spot.r + o.r + GAP for o in taken):
            return spot
    lowest = max((o.y + o.r for o in taken), default=0.0)
    return Circle(wish.x, lowest + wish.r + GAP, wish.r)
