"""Later notes: which note that was learned after a served one is perhaps about the same thing, though nobody said so.

A fact often changes in words that no server takes for a change ("one frame every 10 minutes", "uplink cadence is
6 min"): the two are no pair, and the later one is too unlike the question to be served. But of all that was learned
later it is mostly the nearest to the earlier one and the question, and of all that was there before the earlier one is
the nearest to it. By how much it is that says more than any cosine: `lead`, as in `judging.rules.closeness`.

Chosen on 300 questions about changed facts by six authors, the earlier note being served, and on 300 titles of 1,871
notes on distinct things, dated at random (docs/decisions/0032-later-notes.md).
"""

from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from knowledge.judging.rules.closeness import OTHERS, lead

# Nearer than this in time, two notes were learned side by side, and the later one seldom changes the earlier.
A_DAY = 86_400.0
# The cosine of the two notes, that of the later one and the question, and LEAD_WEIGHT times the lead, together. Of the
# 300 changed facts 291 are named, with 1.04 lines a question; of what is no change 1.29 lines. With .6 291, 1.06 and
# 1.35; with .7 289, 1.02 and 1.22; with a weight of 2 and .65 291, 1.06 and 1.39. Until 28 Nov 2026 the earlier one had
# to be among the three nearest, whatever its lead: 288, 1.39 and 1.32.
LEAST = 0.65
LEAD_WEIGHT = 3.0
MOST = 2
# So many of those that are near enough are looked at: each costs a product with all the others.
LOOKED_AT = 6

# Two that are each other's nearest, by so much together, are taken for tellings of one thing though nobody has paired
# them, if they are this near and as many others are there that neither stands out beside: of two notes of a repository
# that has few, one is always the nearest (docs/decisions/0014-relations.md).
STANDS_OUT = 0.3
NEAR = 0.4


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
    least a day later. `known`: places of those of which something is said already.
    """
    near = vectors @ vectors[at] + relevance
    fits = _later(at, learned_at)
    fits[list(known)] = False
    ranked = sorted(np.flatnonzero(fits).tolist(), key=lambda place: -near[place])
    looked_at = ranked[: LOOKED_AT + len(served)]
    likelihood = {
        place: near[place] + LEAD_WEIGHT * _lead_of_served(place, at, vectors, learned_at) for place in looked_at
    }
    likely = sorted((place for place in looked_at if likelihood[place] >= LEAST), key=lambda place: -likelihood[place])
    named = list(islice((place for place in likely if place not in served), MOST))
    return [place for place in likely if place in served or place in named]


def successor(at: int, vectors: np.ndarray, learned_at: np.ndarray, known: Sequence[int] = ()) -> int | None:
    """Return the place of the later note that the served one at `at` and no other is near to, as it is near to no other
    later one; None if there is none, or fewer than OTHERS notes beside the two. Arguments as of `likely_later`.
    """
    cosines = vectors @ vectors[at]
    later = np.flatnonzero(_later(at, learned_at)).tolist()
    place = max(later, key=lambda one: float(cosines[one]), default=None)
    if place is None or place in known or cosines[place] < NEAR or len(learned_at) < 2 + OTHERS:
        return None
    among_later = lead(float(cosines[place]), (float(cosines[one]) for one in later if one != place))
    among_earlier = _lead_of_served(place, at, vectors, learned_at)
    return place if among_earlier >= 0 and among_earlier + among_later >= STANDS_OUT else None


def _later(at: int, learned_at: np.ndarray) -> NDArray[np.bool_]:
    return np.asarray(learned_at >= learned_at[at] + A_DAY)


def _lead_of_served(place: int, at: int, vectors: np.ndarray, learned_at: np.ndarray) -> float:
    """By how much the served one is nearer to the one at `place` than anything else that was learned up to its day is.

    What was learned between the two counts for nothing: it may tell of the same fact.
    """
    cosines = vectors @ vectors[place]
    others = ~_later(at, learned_at)
    others[at] = False
    return lead(float(cosines[at]), [float(cosines[others].max())] if others.any() else [])
