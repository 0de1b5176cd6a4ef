"""Combine similarity and keywords into one relevance, and decide whether a question has an answer.

Theory of operation. The candidates C of a question are the nearest rows by cosine and the best rows by BM25, and each
candidate has both exact scores. The two scores have different scales: a cosine means about the same in every search,
while BM25 grows with the length of the question and the rarity of its words. So BM25 is divided by its spread over C
and then added:

    relevance = cosine + w(C) · BM25 / max(sd(BM25), max(BM25) / 10)

The weight of a shared word depends on the kind of text. In prose the same word usually means the same thing. In code,
words such as `if`, `name` and `list` are everywhere, and questions use words that the code does not have. So w rises
with the share of plain words in the texts of C. It is one number per search, because a weight per document would order
documents by their kind.

Relevance orders the candidates. It cannot tell whether anything was found, because its scale depends on C. `answers`
decides that from the evidence: the cosine, plus the share of the question's words that the document has, weighted by
rarity. The evidence must reach a floor that rises with the size of the collection, since the nearest unrelated text is
nearer among more texts.

The source of each constant, with all figures: docs/decisions/0003-relevance.md
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# A plain word: letters, lower case after the first, with hyphens, apostrophes and the punctuation of a sentence.
_PLAIN = re.compile(r"[(\"'`*]*[^\W\d_](?:[^\W\d_A-Z]|['’-](?=[^\W\d_A-Z]))*[.,;:!?)\"'`*]*")


def prose(text: str) -> float:
    """Return the share of plain words in a text, 0–1; 1 for a text without words.

    Typical values: dialogue 0.99, notes with code 0.8, functions 0.6, commands 0.3. It is stored with each row, because
    a search needs it for some 200 rows.
    """
    words = text.split()
    return sum(_PLAIN.fullmatch(word) is not None for word in words) / len(words) if words else 1.0


# What one standard deviation of BM25 is worth, in units of cosine: CODE_WEIGHT at a mean share of plain words of
# CODE_SHARE or less, PROSE_WEIGHT at PROSE_SHARE or more, interpolated between. Chosen on one half of the questions of
# seven data sets and measured on the other half: mean nDCG@10 0.610, against 0.599 with one weight of 0.05 for all.
CODE_WEIGHT = 0.030
PROSE_WEIGHT = 0.090
# The mean shares of plain words, over the candidates, that belong to the two weights.
CODE_SHARE = 0.65
PROSE_SHARE = 0.95

# The spread of BM25 is at least its maximum divided by this. With few matches among many candidates the standard
# deviation is tiny, and one common word would outweigh the meaning.
SPREAD_FLOOR = 10.0


@dataclass(frozen=True)
class Relevance:
    """The relevance of all candidates, as columns: `total = similarity + weight · keywords`."""

    similarity: Floats
    keywords: Floats
    weight: float

    @property
    def total(self) -> Floats:
        return self.similarity + self.weight * self.keywords


def fuse(cosine: Floats, bm25: Floats, prose: Floats) -> Relevance:
    """Return the relevance of all candidates of a question.

    `cosine`, `bm25` (0 or more) and `prose` (the share of plain words) are columns of one length. A candidate without a
    vector has the cosine NaN, which counts as 0.
    """
    if not len(cosine):
        return Relevance(np.empty(0), np.empty(0), PROSE_WEIGHT)
    spread = max(float(bm25.std()), float(bm25.max()) / SPREAD_FLOOR)
    keywords = bm25 / spread if spread > 0 else np.zeros(len(bm25))
    return Relevance(np.nan_to_num(cosine), keywords, keyword_weight(float(prose.mean())))


def keyword_weight(share: float) -> float:
    """Return w(C), the weight of keywords, for the mean share of plain words in the candidates' texts."""
    return float(np.interp(share, (CODE_SHARE, PROSE_SHARE), (CODE_WEIGHT, PROSE_WEIGHT)))


# Worth of all words of the question, weighted by rarity, in units of cosine. 0.2 to 0.4 do about as well. With 0, at
# the same rate of rejected unrelated questions, 88 % of the questions in other words than the insight's are answered
# instead of 96 %, and 92 % of known notes are found instead of 99 %.
COVERAGE_WEIGHT = 0.3

# Evidence added for an exact error or reference. It is above the highest floor, so that such a match is an answer
# whatever the wording.
EXACT_WEIGHT = 0.6


# The value of `exact` for an error with the same message that was raised elsewhere. The score counts half of an exact
# match. As evidence it is worth EXACT_WEIGHT, above the highest floor, but the cosine and the keywords are not added:
# with 0.3 added, the question's own answers were trimmed (docs/decisions/0015-errors-by-their-words.md).
SAME_MESSAGE = 0.5

# Weight of the share of matched words for a row without a vector (the embedder is down, or the row has not been
# embedded yet). COVERAGE_WEIGHT alone would never reach the floor. Among 1,871 notes, 96 % are still found by their
# titles, and 90 % of 52 unrelated questions get no answer; with 1.0 it is 97 % and 77 %.
WORDS_ALONE = 0.85


def evidence(cosine: Floats, bm25: Floats, exact: Floats, total_idf: float) -> Floats:
    """Return the evidence for each candidate, on one scale for all searches: 0 to about 1.3, or to 1.9 with `exact`.

    `cosine` is NaN without a vector. `exact`: 1 if the candidate has the very error or reference asked for,
    SAME_MESSAGE for an error with the same message, less for a message quoted in part, else 0. `total_idf`:
    `bm25.total_idf` of the question. A document of average length with each word once has exactly that BM25, so the
    quotient is the share of the question's words it has, weighted by rarity.
    """
    covered = np.minimum(bm25 / total_idf, 1.0) if total_idf > 0 else np.zeros(len(bm25))
    both = np.maximum(np.nan_to_num(cosine), 0.0) + COVERAGE_WEIGHT * covered
    said = np.where(np.isnan(cosine), WORDS_ALONE * covered, both) + EXACT_WEIGHT * (exact >= 1)
    return np.maximum(said, np.minimum(WORDS_ALONE * exact / SAME_MESSAGE, EXACT_WEIGHT))


# FLOOR is the least evidence of an answer among 100 insights; it rises by FLOOR_RISE each time the number grows e-fold,
# within FLOOR_SIZES, the sizes it was measured on. For unrelated questions to 30 to 1,871 notes, the median of the best
# evidence rises by 0.041 per e-fold, the 90th percentile by 0.033. With a lower floor, unrelated questions are
# answered; with a higher one, questions that share no word with their insight are not.
FLOOR = 0.385
FLOOR_RISE = 0.04
FLOOR_SIZES = (30, 10_000)


def floor(n: int) -> float:
    """Return the least evidence that makes one of `n` searched insights an answer."""
    return FLOOR + FLOOR_RISE * log(min(max(n, FLOOR_SIZES[0]), FLOOR_SIZES[1]) / 100)


def answers(evidence: Floats, n: int) -> bool:
    """Return whether any candidate is an answer, among `n` searched insights."""
    return bool(len(evidence)) and float(evidence.max()) >= floor(n)


# At this evidence above the floor or more, a result is likely to be an answer; below it, only titles are given
# (docs/decisions/0028-long-questions.md). Of short questions with an answer 99 % are above it, and of those without one
# 10 % (24 % are above the floor); of long questions 72 % and 8 %.
SURE_ABOVE = 0.11


def likely(evidence: Floats, n: int) -> bool:
    """Return whether the best candidate is likely to be an answer, among `n` searched insights."""
    return bool(len(evidence)) and float(evidence.max()) >= floor(n) + SURE_ABOVE


# Keep results with at least this share of the best result's evidence. It is the gap cap of SAME, their largest gain in
# precision. It applies to the evidence, because the scale of the fused relevance depends on the candidates: applied to
# that, the same share cut recall on bug reports by 0.04 instead of 0.01, at the same precision.
TRIM = 0.65


def trimmed(evidence: Sequence[float]) -> list[int]:
    """Return the indices of the results to keep, in order: those with at least TRIM of the strongest evidence."""
    least = TRIM * max(evidence, default=0.0)
    return [at for at, value in enumerate(evidence) if value >= least]


# The best match is ambiguous if the second has at least TIE of its evidence and the best is less than WEAK above the
# floor. Then serve one result fewer, because the last place is the likeliest to be noise (as in SAME: two results
# instead of three).
TIE = 0.98
WEAK = 0.10


def room(limit: int, evidence: Sequence[float], n: int) -> int:
    """Return the number of results to serve: `limit`, or one fewer if the best match is ambiguous; at least 1."""
    if limit < 2 or len(evidence) < 2:
        return limit
    second, best = sorted(evidence)[-2:]
    return limit - 1 if second >= TIE * best and best < floor(n) + WEAK else limit


# At this cosine or more, two texts say the same thing to a reader. It is above the bound for merging on purpose: rows
# that are so near and still separate were judged to differ, and a cosine hardly changes with a number or a `not`.
NEAR_DUPLICATE = 0.95


def distinct(
    vectors: Floats,
    ranked: Iterable[int],
    learned_at: Sequence[float] = (),
    apart: Callable[[int, int], bool] = lambda row, other: False,
) -> list[int]:
    """Return the ranked rows without those that repeat another one. Of two, the one learned later stays, at the place
    of the better one.

    `vectors`: (rows, dimensions), of length 1; a row of zeros (no vector yet) repeats nothing. `apart(row, other)`:
    whether both rows are kept however near they are.
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
