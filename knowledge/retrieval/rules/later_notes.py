"""Later notes: which note that was learned after a served one is perhaps about the same thing, though nobody said so.

A fact often changes in words that no server takes for a change ("one frame every 10 minutes", "uplink cadence is
6 min"): the two are no pair, and the later one is too unlike the question to be served. But of all that was learned
later it is mostly the nearest to the earlier one and the question, and the earlier one is among the nearest to it.

Chosen on 160 questions about 80 changed facts by two authors who knew nothing of Loam (2026-11-26), the earlier note
being served: the right later one is among the two for .82 of them, and other questions get .95 lines that say nothing
new, some 40 tokens each. With LEAST .7 .77 and .70 lines; with NEAREST 2 .80 and .82, with 1 .67 and .55.
"""

from collections.abc import Sequence
from itertools import islice

import numpy as np

# Nearer than this in time, two notes were learned side by side, and the later one seldom changes the earlier.
A_DAY = 86_400.0
# The cosine of the two notes and that of the later one and the question, together.
LEAST = 0.6
NEAREST = 3
MOST = 2
# So many of those that are near enough are looked at: each costs a product with all the others.
LOOKED_AT = 6


def likely_later(
    at: int,
    vectors: np.ndarray,
    learned_at: np.ndarray,
    relevance: np.ndarray,
    known: Sequence[int] = (),
    served: Sequence[int] = (),
) -> list[int]:
    """Return the places of the later notes, the likeliest first, at most MOST besides those that are `served`.

    `vectors` (n, dimensions), of length 1, `learned_at` (n), in epoch seconds, and `relevance` (n), the cosine with the
    question, are of notes that may be about one thing; `at` is the place of the served one. A later one was learned at
    least a day later, and the sum of its two cosines, by which they are ranked, is LEAST or more; the served one is
    among the NEAREST to it of what is older. `known`: places of those of which something is said already.
    """
    cosines = vectors @ vectors[at]
    near = cosines + relevance
    fits = (learned_at >= learned_at[at] + A_DAY) & (near >= LEAST)
    fits[[at, *known]] = False
    ranked = sorted(np.flatnonzero(fits).tolist(), key=lambda place: -near[place])
    looked_at = ranked[: LOOKED_AT + len(served)]
    mutual = [place for place in looked_at if _nearer_older(place, at, vectors, learned_at) < NEAREST]
    named = list(islice((place for place in mutual if place not in served), MOST))
    return [place for place in mutual if place in served or place in named]


def _nearer_older(place: int, at: int, vectors: np.ndarray, learned_at: np.ndarray) -> int:
    """How many older notes are nearer to the one at `place` than the one at `at` is."""
    cosines = vectors @ vectors[place]
    older = learned_at <= learned_at[place]
    older[place] = False
    return int((cosines[older] > cosines[at]).sum())
