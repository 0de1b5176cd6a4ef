"""Later notes: find notes that were learned after a served one and are probably about the same fact.

A fact often changes in words in which no pair is detected ("one frame every 10 minutes", later "uplink cadence is 6
min"). The two notes are then not linked, and the later one is too unlike the question to be served. But of all later
notes it is usually the nearest to the earlier note and to the question, and of all notes that existed before it, the
earlier note is the nearest. How much nearer it is than the next one (`judging.rules.closeness.lead`) tells more than
any single cosine.

The constants were chosen on 300 questions about changed facts by six authors, with the earlier note served, and on 300
titles of 1,871 notes on distinct subjects with random dates (docs/decisions/0032-later-notes.md).
"""

from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from knowledge.judging.rules.closeness import OTHERS, lead

# In seconds. Two notes learned less than a day apart were usually learned together, and the later one seldom changes
# the earlier.
A_DAY = 86_400.0
# A later note is named if this sum is at least LEAST: the cosine of the two notes, plus the cosine of the later note
# and the question, plus LEAD_WEIGHT times the lead. Of 300 changed facts it names 291, at 1.04 notes per question; it
# also names 1.29 notes per question about an unchanged fact. Other values (found, notes per changed, notes per
# unchanged): LEAST 0.6: 291, 1.06, 1.35; LEAST 0.7: 289, 1.02, 1.22; LEAD_WEIGHT 2 with 0.65: 291, 1.06, 1.39. Until
# 2026-11-28 the earlier note had to be among the three nearest, whatever its lead: 288, 1.39, 1.32.
LEAST = 0.65
LEAD_WEIGHT = 3.0
MOST = 2
# Compute the lead of this many later notes at most, because each takes a product with all other vectors.
LOOKED_AT = 6

# Two notes are taken for versions of one fact without a known pair if their cosine is at least NEAR, and if their two
# leads (of each over the other candidates for its place) sum to at least STANDS_OUT. Besides the two there must be at
# least OTHERS notes, because in a repository with few notes one is always the nearest
# (docs/decisions/0014-relations.md).
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
    """Return the places of the later notes, the likeliest first: at most MOST, plus those that are `served`.

    `vectors` (n, dimensions) of length 1, `learned_at` (n) in epoch seconds, and `relevance` (n), the cosine with the
    question, describe notes that may be about one fact. `at` is the place of the served note. A note is later if it was
    learned at least a day after that one. `known`: places of notes whose relation to it is already known.
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
    """Return the place of the later note that is the successor of the one at `at`, or None.

    The two must be each other's nearest: no other later note is as near to the earlier one, and no other earlier note
    is as near to the later one. Returns None with fewer than OTHERS further notes. Arguments as in `likely_later`.
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
    """Return how much nearer the note at `at` is to the one at `place` than any other note that is not later than it.

    Notes learned between the two are left out, since they may be about the same fact.
    """
    cosines = vectors @ vectors[place]
    others = ~_later(at, learned_at)
    others[at] = False
    return lead(float(cosines[at]), [float(cosines[others].max())] if others.any() else [])
