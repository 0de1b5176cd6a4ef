"""Which clusters belong together: near questions, the same files. Bands after Sirchmunk's evolver."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# From here on two clusters are one, if they also lean on the same files; and below it they are linked.
MERGE = 0.90
CONNECT = 0.60
# Of the smaller one's files, the share both lean on.
SAME_FILES = 0.5


def pairs(
    vectors: Sequence[Floats], files: Sequence[frozenset[tuple[str, str]]]
) -> list[tuple[int, int, float, float]]:
    """(row, row, cosine, share of files in common) of all that are worth linking or merging."""
    found = []
    for one, other in combinations(range(len(vectors)), 2):
        cosine = float(vectors[one] @ vectors[other])
        common = len(files[one] & files[other]) / max(1, min(len(files[one]), len(files[other])))
        if cosine >= CONNECT or common >= SAME_FILES:
            found.append((one, other, cosine, common))
    return found


def one_and_the_same(cosine: float, common: float) -> bool:
    return cosine >= MERGE and common >= SAME_FILES
