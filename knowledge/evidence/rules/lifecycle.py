"""The life of a cluster: its hotness and its status.

Hotness rises by a tenth with each reuse, up to 1, and halves every two weeks without one; it is computed when it is
read, and rows are not rewritten. An emerging cluster becomes stable after several answers for which its evidence was
read again and was unchanged. It is contested if some of its evidence is deleted or changed, and deprecated if none is
left, or nobody has asked for long. Only emerging and stable clusters answer.

Clusters of near questions that cite the same files belong together. Bands after Sirchmunk's evolver.
"""

from collections.abc import Sequence
from enum import StrEnum
from itertools import combinations

import numpy as np
from numpy.typing import NDArray


class Lifecycle(StrEnum):
    EMERGING = "emerging"
    STABLE = "stable"
    CONTESTED = "contested"
    DEPRECATED = "deprecated"


ANSWERING = (Lifecycle.EMERGING, Lifecycle.STABLE)

# Sirchmunk's step and cap. There it never cools, so that what was once asked often stays in front for ever.
HOT_STEP = 0.1
NEW = 0.5
HALF_LIFE_DAYS = 14.0


def hotness(stored: float, days: float) -> float:
    """Return what is left of a hotness after some days without use."""
    return float(stored * 2 ** (-max(days, 0.0) / HALF_LIFE_DAYS))


def warmed(left: float) -> float:
    return min(1.0, left + HOT_STEP)


# Three answers, each with its evidence read and compared, are no coincidence.
STABLE_REUSES = 3
# Below this (some seven weeks unused) it is not offered any more; its files may have new neighbours.
COLD = 0.05


def after_reuse(now: Lifecycle, reuses: int) -> Lifecycle:
    """Return the status after a reuse: an emerging cluster that has answered often enough with unchanged evidence is
    stable.
    """
    return Lifecycle.STABLE if now is Lifecycle.EMERGING and reuses >= STABLE_REUSES else now


def after_check(now: Lifecycle, held: int, lost: int) -> Lifecycle:
    """Return the status after evidence was read again: `held` pieces are unchanged, `lost` are not."""
    if held == 0:
        return Lifecycle.DEPRECATED
    if lost:
        return Lifecycle.CONTESTED
    return Lifecycle.EMERGING if now in (Lifecycle.CONTESTED, Lifecycle.DEPRECATED) else now


def after_cooling(now: Lifecycle, left: float) -> Lifecycle:
    return Lifecycle.DEPRECATED if now is not Lifecycle.STABLE and left < COLD else now


# --- clusters that belong together -------------------------------------------------------------------------------
Floats = NDArray[np.float64]

# From this cosine on two clusters are one if they also cite the same files; below it they are linked.
MERGE = 0.90
CONNECT = 0.60
# The share of the smaller one's files that both cite.
SAME_FILES = 0.5


def pairs(
    vectors: Sequence[Floats], files: Sequence[frozenset[tuple[str, str]]]
) -> list[tuple[int, int, float, float]]:
    """Return (row, row, cosine, share of files in common) of all that are worth linking or merging."""
    found = []
    for one, other in combinations(range(len(vectors)), 2):
        cosine = float(vectors[one] @ vectors[other])
        common = len(files[one] & files[other]) / max(1, min(len(files[one]), len(files[other])))
        if cosine >= CONNECT or common >= SAME_FILES:
            found.append((one, other, cosine, common))
    return found


def one_and_the_same(cosine: float, common: float) -> bool:
    return cosine >= MERGE and common >= SAME_FILES
