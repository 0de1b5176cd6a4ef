"""When an answer of before is the answer now.

Four conditions, all needed: the question means the same, the cluster is of a mode at least as thorough, all of its
files lie within what is asked, and its evidence reads as it did (by hash; that one is the action's to see).
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
    """A cluster answers its own mode or a lighter one; names alone neither make nor use one."""
    return asked is not ReuseMode.FILENAME_ONLY and DEPTH[made] >= DEPTH[asked]


# Sirchmunk's .85 was set for another model, and compares nothing but vectors: .10 of the look-alikes of the lab are as
# near. What asks for the same, `likeness` tells from the words and the evidence; this only finds what it looks at.
SAME_QUESTION = 0.80
# From here on an older cluster is a hint: its files are looked at, its answer is not taken.
RELATED = 0.65


def in_scope(files: Collection[tuple[str, str]], sources: Collection[str], scope: SearchScope) -> bool:
    """Whether all of the cluster's (source, path) lie within what is asked: no answer cites what was left out."""
    return bool(files) and all(source in sources and scope.takes(path) for source, path in files)


def mean_vector(vectors: Iterable[Floats]) -> Floats:
    """Of length 1."""
    total = np.sum(list(vectors), axis=0)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9))
