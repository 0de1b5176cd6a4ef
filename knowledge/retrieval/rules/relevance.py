"""What a question has to do with an insight: similarity and keywords in one number, and when there is no
answer.

Theory of operation. The candidates C of a question are its nearest by cosine and its best by BM25, each
scored exactly on both. The two are not in the same unit: a cosine means about the same in every search, a
BM25 score grows with the length and the rarity of the question. So BM25 is measured in its own spread over C
and added:

    relevance = cosine + w(C) · BM25 / max(sd(BM25), max(BM25) / 10)

How much a shared word proves depends on the kind of text. In prose the same word is the same thing; in code
`if`, `name` and `list` are everywhere, and a question is asked in words the code does not use. So w rises
with the share of plain words in the texts of C. It is one number for a search: a weight for each document
would order documents by their kind.

Relevance orders; it does not say whether anything was found, since its spread is relative to C. That is
`answers`: cosine plus the share of the question's words, weighted by rarity, that a document has, against a
floor which rises with the size of the collection, for among more texts the nearest unrelated one is nearer.

Where the constants come from, with all the figures: docs/decisions/0003-relevance.md
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Letters only, small after the first, with hyphen, apostrophe and the punctuation of a sentence around it.
_PLAIN = re.compile(r"[(\"'`*]*[^\W\d_](?:[^\W\d_A-Z]|['’-](?=[^\W\d_A-Z]))*[.,;:!?)\"'`*]*")


def prose(text: str) -> float:
    """The share of a text's words that are plain words: dialogue .99, notes with code .8, functions .6,
    commands .3.

    0–1; 1 for a text without words. Kept with each row, for a search needs it of some 200.
    """
    words = text.split()
    return sum(_PLAIN.fullmatch(word) is not None for word in words) / len(words) if words else 1.0


# Chosen on one half of the questions of seven sets and reported on the other: mean nDCG@10 .610 there,
# against .599 for one weight of .05 everywhere. What a shared word is worth, in cosine, per standard
# deviation:
CODE_WEIGHT = 0.030
PROSE_WEIGHT = 0.090
# ... at these mean shares of plain words and beyond; in between it is interpolated.
CODE_SHARE = 0.65
PROSE_SHARE = 0.95

# With few matches among many candidates the spread is tiny, and one common word would outweigh all meaning.
SPREAD_FLOOR = 10.0


@dataclass(frozen=True)
class Relevance:
    """Columns, one value for each candidate: `total = similarity + weight · keywords`."""

    similarity: Floats
    keywords: Floats
    weight: float

    @property
    def total(self) -> Floats:
        return self.similarity + self.weight * self.keywords


def fuse(cosine: Floats, bm25: Floats, prose: Floats) -> Relevance:
    """All candidates of one question together, each with its exact cosine, BM25 (0 or more) and share of
    plain words; three columns of one length. A candidate without a vector has the cosine NaN, and counts
    as 0.
    """
    if not len(cosine):
        return Relevance(np.empty(0), np.empty(0), PROSE_WEIGHT)
    spread = max(float(bm25.std()), float(bm25.max()) / SPREAD_FLOOR)
    keywords = bm25 / spread if spread > 0 else np.zeros(len(bm25))
    return Relevance(np.nan_to_num(cosine), keywords, keyword_weight(float(prose.mean())))


def keyword_weight(share: float) -> float:
    """w(C), from the mean share of plain words in the candidates' texts."""
    return float(np.interp(share, (CODE_SHARE, PROSE_SHARE), (CODE_WEIGHT, PROSE_WEIGHT)))


# All of the question's words, weighted by rarity, are worth as much as .3 of cosine; .2 to .4 does about as well.
# With 0, and as many unrelated questions turned away, questions in other words than the insight's are answered in
# .88 of cases instead of .96, and known notes found in .92 instead of .99.
COVERAGE_WEIGHT = 0.3

# The same error, or the reference itself, is an answer however it is worded: more than the highest floor.
EXACT_WEIGHT = 0.6


# An error that says the same, raised elsewhere: half a match. It orders by that half, and it is an answer by itself (as
# much evidence as EXACT_WEIGHT, above the highest floor), but what else speaks for it is not added: with .3 added, the
# question's own answers were trimmed away (docs/decisions/0015-errors-by-their-words.md).
SAME_MESSAGE = 0.5

# Where there is no vector (the embedder is down, or the sweep has not come by yet) the words must do alone. Among 1,871
# notes .96 are then still found by their titles, and .90 of 52 unrelated questions answered with nothing; with 1.0 it
# is .97 and .77. With COVERAGE_WEIGHT no share of words would ever be enough.
WORDS_ALONE = 0.85


def evidence(cosine: Floats, bm25: Floats, exact: Floats, total_idf: float) -> Floats:
    """The evidence for each candidate, on a scale that is the same in every search: 0 to about 1.3, or 1.9 with `exact`
    (1 if the candidate has the very error or reference that was asked for, SAME_MESSAGE for an error with the same
    message, less if it is quoted in part, else 0). The cosine is NaN if there is none.

    `total_idf`: bm25.total_idf of the question. A document of average length that has every word once has exactly that
    BM25 score, so the quotient is the share of the words it has, weighted by rarity.
    """
    covered = np.minimum(bm25 / total_idf, 1.0) if total_idf > 0 else np.zeros(len(bm25))
    both = np.maximum(np.nan_to_num(cosine), 0.0) + COVERAGE_WEIGHT * covered
    said = np.where(np.isnan(cosine), WORDS_ALONE * covered, both) + EXACT_WEIGHT * (exact >= 1)
    return np.maximum(said, np.minimum(WORDS_ALONE * exact / SAME_MESSAGE, EXACT_WEIGHT))


# The floor of a collection of 100, and by how much it rises each time the collection grows e-fold. Unrelated
# questions to 30 … 1,871 notes: their median evidence rises by .041 with each e-fold, what nine in ten stay under
# by .033. Lower, and questions about anything are answered with something; higher, and those that share no word
# with the insight they mean are not answered. Held to the sizes it was measured on.
FLOOR = 0.385
FLOOR_RISE = 0.04
FLOOR_SIZES = (30, 10_000)


def floor(n: int) -> float:
    """The evidence from which on one of `n` searched insights is an answer."""
    return FLOOR + FLOOR_RISE * log(min(max(n, FLOOR_SIZES[0]), FLOOR_SIZES[1]) / 100)


def answers(evidence: Floats, n: int) -> bool:
    """Whether a question to `n` insights has an answer at all."""
    return bool(len(evidence)) and float(evidence.max()) >= floor(n)


# From this far above the floor on, a result is likely to be an answer; nearer to the floor only titles are given
# (docs/decisions/0028-long-questions.md). Of short questions with an answer .99 are above it, of those without one .10
# (.24 are above the floor); of long ones .72 and .08.
SURE_ABOVE = 0.11


def likely(evidence: Floats, n: int) -> bool:
    """Whether the best candidate is likely to be an answer."""
    return bool(len(evidence)) and float(evidence.max()) >= floor(n) + SURE_ABOVE


# SAME's gap cap, their largest gain of precision. Taken of the evidence: of the fused relevance, whose scale
# hangs on C, the same share cut .04 of the recall on bug reports, this .01, at the same precision.
TRIM = 0.65


def trimmed(evidence: Sequence[float]) -> list[int]:
    """The indices of the ranked results to keep, in order: those within TRIM of the strongest."""
    least = TRIM * max(evidence, default=0.0)
    return [at for at, value in enumerate(evidence) if value >= least]


# The two strongest within 2 % of each other, and no further above the floor than this: the search does not
# know which one it is, and the last place of the list is the likeliest to be noise (SAME: three results, then
# two).
TIE = 0.98
WEAK = 0.10


def room(limit: int, evidence: Sequence[float], n: int) -> int:
    """How many results to serve: `limit`, or one fewer when the best match is ambiguous, but never none."""
    if limit < 2 or len(evidence) < 2:
        return limit
    second, best = sorted(evidence)[-2:]
    return limit - 1 if second >= TIE * best and best < floor(n) + WEAK else limit


# From this cosine on two texts say the same thing to a reader. It is above the bound for merging on purpose: two rows
# that near were judged to differ, and a cosine barely sees a number or a `not`.
NEAR_DUPLICATE = 0.95


def distinct(
    vectors: Floats,
    ranked: Iterable[int],
    learned_at: Sequence[float] = (),
    apart: Callable[[int, int], bool] = lambda row, other: False,
) -> list[int]:
    """The ranked rows without those that repeat another. Of two, the one learned later stays, in the place of the
    better one.

    `vectors`: (rows, dimensions), of length 1; a row of zeros (no vector yet) repeats nothing. `apart`: whether two are
    known to differ, however near they are.
    """
    kept: list[int] = []
    for row in ranked:
        twin = next((at for at, one in enumerate(kept) if _near(vectors, row, one) and not apart(row, one)), None)
        if twin is None:
            kept.append(row)
        elif len(learned_at) and learned_at[row] > learned_at[kept[twin]]:
            kept[twin] = row
    return kept


def _near(vectors: Floats, row: int, other: int) -> bool:
    return float(vectors[other] @ vectors[row]) >= NEAR_DUPLICATE
