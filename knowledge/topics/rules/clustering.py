"""Which insights of a team belong together: groups by meaning and by rare words.

Theory of operation. An insight has a meaning (its vector) and words. Two that share a rare word (a tool, a table)
belong together more often than the vector alone shows, so both are put into one vector, the words as the smaller part.
The vectors of one team all point the same way to some extent, as all are about software; what is common to all is taken
out, which makes one threshold fit a team with one subject and a team with twenty. Each vector is then drawn towards its
nearest neighbours, so that groups become denser than what lies between them, and groups are merged, nearest first, as
long as their average distance is below the threshold (agglomerative clustering, average linkage). Last, each insight
moves to the topic whose centre is nearest, as an early merger cannot be undone otherwise.

Average linkage needs all distances. Beyond some thousands of insights, prototypes (centres of a k-means) are grouped in
their stead.

Only who groups imports this, which is the worker: SciPy takes 30 MB of each process that does.
Figures and what was tried: docs/decisions/0006-topics.md
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import csr_matrix

from knowledge.topics.rules.grouping import Floats, unit_rows

Labels = NDArray[np.int64]

# Two groups at a greater average distance stay two topics. Lower, and topics multiply; higher, and those of two tools
# become one: 1,871 notes fall into 45 topics at .60, 39 at .65, 21 at .75.
THRESHOLD = 0.65

# All distances of 5,000 are 100 MB; their linkage takes seconds.
MOST_AT_ONCE = 5_000
PROTOTYPES = 1_500


def grouped(vectors: Floats, words: Sequence[Sequence[str]], rng: np.random.Generator) -> Labels:
    """The topic of each insight, 0 … k - 1, the largest first; a topic may have a single one.

    `vectors`: (n, dimensions), of length 1; `words`: the terms of each (bm25.terms, of tags too). The same `rng` gives
    the same topics; with another one, those at the edges may fall elsewhere.
    """
    n = len(vectors)
    if n < 2:
        return np.zeros(n, np.int64)
    mixed = _mixed(np.asarray(vectors, np.float32), words, rng)
    points = mixed if n <= MOST_AT_ONCE else _prototypes(mixed, rng)
    dense = _drawn_together(points, _neighbours(n))
    labels = fcluster(linkage(dense, "average", metric="cosine"), THRESHOLD, "distance") - 1
    return _by_size(_settled(dense if n <= MOST_AT_ONCE else mixed, _centres(dense, labels)))


# How much of the squared length words have in the mixed vector, in relation to meaning.
WORDS_SHARE = 0.3


def _mixed(vectors: Floats, words: Sequence[Sequence[str]], rng: np.random.Generator) -> Floats:
    meaning = unit_rows(vectors - _common(vectors))
    return unit_rows(np.hstack([meaning, np.float32(WORDS_SHARE**0.5) * _latent(words, rng)]))


# The mean of a few is no estimate of what all have in common: two vectors without theirs are opposites, however near.
COMMON_FROM = 10


def _common(vectors: Floats) -> Floats:
    return np.asarray(vectors.mean(axis=0) * len(vectors) / (len(vectors) + COMMON_FROM), np.float32)


# Latent semantic analysis (Deerwester et al. 1990): words that keep the same company count as one. Words of a single
# insight join nothing, words of every other one neither; of the rest the most frequent suffice.
DIMENSIONS = 100
MOST_WORDS = 20_000
TOO_COMMON = 0.5


def _latent(words: Sequence[Sequence[str]], rng: np.random.Generator) -> Floats:
    """(n, at most DIMENSIONS), rows of length 1, or 0 where an insight has no word that counts."""
    n = len(words)
    counts = [Counter(terms) for terms in words]
    df = Counter(term for count in counts for term in count)
    kept = [term for term, times in df.most_common(MOST_WORDS) if 2 <= times <= max(2.0, TOO_COMMON * n)]
    dimensions = min(DIMENSIONS, n // 2, len(kept) - 1)
    if dimensions < 1:
        return np.zeros((n, 1), np.float32)
    column = {term: at for at, term in enumerate(kept)}
    entries = [
        (row, column[t], 1 + np.log(c)) for row, count in enumerate(counts) for t, c in count.items() if t in column
    ]
    rows, columns, values = (np.array(part) for part in zip(*entries, strict=True))
    rarity = np.log(n / np.array([df[term] for term in kept]))
    matrix = csr_matrix((values * rarity[columns], (rows, columns)), shape=(n, len(kept)))
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1))).clip(1e-9)
    return unit_rows(_leading(csr_matrix(matrix.multiply(1 / lengths)), dimensions, rng))


# Halko, Martinsson and Tropp 2011: some more directions than asked for, and five rounds, are as good as exact here, and
# nothing in it can fail to converge, as Lanczos can for a team that says everything twice.
SPARE = 10
POWER_ROUNDS = 5


def _leading(matrix: csr_matrix, k: int, rng: np.random.Generator) -> Floats:
    """The rows of `matrix` (n, m) in the k directions in which they differ most: the left half of a randomised SVD."""
    width = min(k + SPARE, *matrix.shape)
    basis = np.linalg.qr(matrix @ rng.normal(size=(matrix.shape[1], width)))[0]
    for _ in range(POWER_ROUNDS):
        basis = np.linalg.qr(matrix @ (matrix.T @ basis))[0]
    image = matrix.T @ basis
    squares, turned = np.linalg.eigh(image.T @ image)
    strength = np.sqrt(squares[::-1][:k].clip(0.0))
    return np.asarray(basis @ turned[:, ::-1][:, :k] * strength, np.float32)


# Rows taken at a time: 1,024 × 5,000 distances and their order are 60 MB.
BLOCK = 1_024

# A neighbourhood is as large as a small topic: a fiftieth of a small team, ten insights, or more in a large one, where
# a subject has more of them; with ten, 5,000 questions about ten subjects fall into 43 topics, with thirty into 33.
NEIGHBOURS = 10
MOST_NEIGHBOURS = 30
NEIGHBOURS_SHARE = 0.02
LARGE_SHARE = 0.006


def _neighbours(n: int) -> int:
    return max(1, min(NEIGHBOURS, round(NEIGHBOURS_SHARE * n)), min(MOST_NEIGHBOURS, round(LARGE_SHARE * n)))


# Neighbours that are on average less alike than this (cosine of the mixed vectors) pull the less: the only two insights
# of a team are each other's nearest, whatever they say.
NEAR = 0.4


def _drawn_together(points: Floats, neighbours: int) -> Floats:
    """Each point half way to the mean of its nearest neighbours, and again."""
    return _nearer(_nearer(points, neighbours), neighbours)


def _nearer(points: Floats, neighbours: int) -> Floats:
    n = len(points)
    drawn = np.empty_like(points)
    for at in range(0, n, BLOCK):
        block = points[at : at + BLOCK]
        distance = -block @ points.T
        distance[np.arange(len(block)), np.arange(at, at + len(block))] = np.inf
        nearest = np.argpartition(distance, neighbours - 1, axis=1)[:, :neighbours]
        alike = -np.take_along_axis(distance, nearest, axis=1).mean(axis=1, keepdims=True)
        pull = np.clip(alike / NEAR, 0.0, 1.0)
        drawn[at : at + BLOCK] = unit_rows(block + pull * unit_rows(points[nearest].mean(axis=1)))
    return drawn


def _centres(points: Floats, labels: NDArray[np.integer]) -> Floats:
    """(k, dimensions): the mean direction of each label's points; zeros where there are none."""
    sums = np.zeros((int(labels.max()) + 1, points.shape[1]), np.float32)
    np.add.at(sums, labels, points)
    return unit_rows(sums)


def _nearest(points: Floats, centres: Floats) -> Labels:
    blocks = (points[at : at + BLOCK] for at in range(0, len(points), BLOCK))
    return np.concatenate([np.argmax(block @ centres.T, axis=1) for block in blocks])


# A topic of fewer is left to its neighbours; nobody reads a list of more than 250.
SMALLEST_SHARE = 1 / 250


def _settled(points: Floats, centres: Floats) -> Labels:
    """The nearest centre of each point, of those that are the nearest of enough points."""
    labels = _nearest(points, centres)
    sizes = np.bincount(labels, minlength=len(centres))
    kept = np.flatnonzero(sizes >= max(1, int(SMALLEST_SHARE * len(points))))
    return kept[_nearest(points, centres[kept])] if len(kept) else labels


# Of spherical k-means. The prototypes need not be the best, only lie where the points are.
ROUNDS = 5


def _prototypes(points: Floats, rng: np.random.Generator) -> Floats:
    centres = points[rng.choice(len(points), PROTOTYPES, replace=False)]
    for _ in range(ROUNDS):
        labels = np.unique(_nearest(points, centres), return_inverse=True)[1]
        centres = _centres(points, labels)
    return centres


def _by_size(labels: Labels) -> Labels:
    """The same groups, numbered from the largest to the smallest; equal ones in the order of their first member."""
    names, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    number = {int(names[at]): rank for rank, at in enumerate(order)}
    return np.array([number[int(label)] for label in labels], np.int64)
