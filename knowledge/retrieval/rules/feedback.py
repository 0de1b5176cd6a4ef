"""Compute what past ratings say about an insight for the current question.

A rating belongs to a question: advice that misled for one question may be right for another. So each rating keeps the
vector of its question and counts for a later question by their cosine. The result is a factor of the score. It can
lower an insight much more than raise it, because being misled costs more than reading on.

Ratings come as columns, for all candidates of a question (up to some 200) at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from knowledge.lifecycle.rules.lifecycle import DISTINCT_OBJECTORS

Floats = NDArray[np.float64]

# Ratings count from this cosine of the two questions on. It is the value of the product design (3.3), and a careful one
# for MiniLM: 54 % of the questions for the same shell command are this near, and 4 % of hard negatives. At 0.70 it
# would be 77 %, but then half of 500 unrelated questions would have another one that counts as similar.
ALIKE = 0.80

# The window and the weights of Surchin (core concepts, Context-Aware Penalty & Boost). With a shorter window the same
# bad answer returns within a month; without one, a rating outlives the code it was about.
WINDOW_DAYS = 90.0
PENALTY = 0.8
BOOST = 0.3


@dataclass(frozen=True)
class Feedback:
    """The factor of each candidate (0.2 to 1.3), and the number of ratings on similar questions behind it."""

    factors: Floats
    helpful: Floats
    unhelpful: Floats

    def why(self, row: int) -> str:
        helpful, unhelpful = int(self.helpful[row]), int(self.unhelpful[row])
        if not helpful + unhelpful:
            return "not rated for a similar question"
        said = [f"{helpful} × helpful"] * bool(helpful) + [f"{unhelpful} × unhelpful"] * bool(unhelpful)
        return f"rated for a similar question: {', '.join(said)}"


# The least factor of a confirmed insight while fewer than DISTINCT_OBJECTORS people object. With 0.2, one account kept
# a third of the confirmed notes out of the answers they were written for (docs/decisions/0020).
LEAST_OF_CONFIRMED = 0.9


def feedback(
    candidates: int,
    row: ArrayLike,
    helpful: ArrayLike,
    cosine: ArrayLike,
    days: ArrayLike,
    *,
    who: Sequence[str] = (),
    confirmed: Sequence[bool] = (),
) -> Feedback:
    """Return the factors of `candidates` insights from past ratings, given as columns of one length.

    `row`: the rated candidate (0 … candidates - 1). `helpful`: the verdict. `cosine`: of the rating's question and this
    one (NaN without a vector; the rating then does not count). `days`: the age of the rating. `who`: the user who gave
    it. `confirmed`: by candidate, whether the team has confirmed it.

    The balance of a candidate is the mean of ± cosine over its ratings that count: -1 if it always answered this very
    question badly, +1 if always well. The factor is 1 - 0.8 s for a negative balance of size s, and 1 + 0.3 s for a
    positive one. Fewer than DISTINCT_OBJECTORS people cannot push a confirmed insight below LEAST_OF_CONFIRMED.
    """
    age, alike = np.asarray(days, float), np.nan_to_num(np.asarray(cosine, float))
    counts = (alike >= ALIKE) & (age <= WINDOW_DAYS)
    rows, weight = np.asarray(row, int)[counts], np.minimum(alike[counts], 1.0)
    good = np.asarray(helpful, bool)[counts]
    ups = np.bincount(rows[good], minlength=candidates).astype(float)
    downs = np.bincount(rows[~good], minlength=candidates).astype(float)
    total = np.bincount(rows, weights=np.where(good, weight, -weight), minlength=candidates)
    balance = total / np.maximum(ups + downs, 1.0)
    factors = 1.0 + np.where(balance < 0, PENALTY, BOOST) * balance
    if any(confirmed):
        raters = zip(rows.tolist(), np.asarray(who, str)[counts].tolist(), good.tolist(), strict=True)
        against = {(one, user) for one, user, well in raters if not well}
        people = np.bincount(np.array([one for one, _ in against], int), minlength=candidates)
        few = np.asarray(confirmed, bool) & (people < DISTINCT_OBJECTORS)
        factors = np.where(few, np.maximum(factors, LEAST_OF_CONFIRMED), factors)
    return Feedback(factors, ups, downs)
