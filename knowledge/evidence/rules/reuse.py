"""Whether a saved answer can be used for the present question.

All of four conditions must hold: the question means the same, the cluster is of a mode at least as thorough, all of its
files are within the scope of the question, and its evidence is unchanged (by hash; the action checks that).
"""

from collections.abc import Collection, Iterable
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from knowledge.evidence.rules.scope import SearchScope

Floats = NDArray[np.float64]


class ReuseMode(StrEnum):
    FILENAME_ONLY = "FILENAME_ONLY"
    FAST = "FAST"
    DEEP = "DEEP"


DEPTH = {ReuseMode.FILENAME_ONLY: 0, ReuseMode.FAST: 1, ReuseMode.DEEP: 2}


def serves(made: ReuseMode, asked: ReuseMode) -> bool:
    """Return whether a cluster of one mode answers another: its own or a lighter one. FILENAME_ONLY neither makes nor
    uses one.
    """
    return asked is not ReuseMode.FILENAME_ONLY and DEPTH[made] >= DEPTH[asked]


# Sirchmunk's .85 was set for another model, and compares only vectors: .10 of the look-alikes of the lab are as near.
# This threshold only finds candidates; `likeness` decides from the words and the evidence.
SAME_QUESTION = 0.80
# From this cosine on an older cluster is a hint: its files are read, its answer is not used.
RELATED = 0.65


def in_scope(files: Collection[tuple[str, str]], sources: Collection[str], scope: SearchScope) -> bool:
    """Return whether all (source, path) of the cluster are within the question's scope: no answer cites what was left
    out.
    """
    return bool(files) and all(source in sources and scope.takes(path) for source, path in files)


def mean_vector(vectors: Iterable[Floats]) -> Floats:
    """Return the mean of the vectors, with length 1."""
    total = np.sum(list(vectors), axis=0)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9))
