"""What past ratings say about an insight for the question asked now.

A rating is about a question: advice that misled on one may be right for another. So each keeps its question's vector,
and counts for a later question as far as the two resemble each other. The factor multiplies the rank; it can push an
insight down much further than up, for to be misled costs more than to look further.

Ratings come as columns, all those of a question's candidates (up to some 200) at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from knowledge.lifecycle.rules.lifecycle import DISTINCT_OBJECTORS

Floats = NDArray[np.float64]

# The product design's (3.3), and a careful one for MiniLM: of requests for the same shell command .54 are as near, of
# hard negatives .04. At .70 it is .77, but then half of 500 unrelated questions have another one "alike" among them.
ALIKE = 0.80

# Surchin's window and weights (core concepts, Context-Aware Penalty & Boost). With a shorter window the same bad answer
# is back next month; without one, a rating outlives the code it was about.
WINDOW_DAYS = 90.0
PENALTY = 0.8
BOOST = 0.3


@dataclass(frozen=True)
class Feedback:
    """One value for each candidate: the factor (.2–1.3), and how many ratings on like questions stand behind it."""

    factors: Floats
    helpful: Floats
    unhelpful: Floats

    def why(self, row: int) -> str:
        helpful, unhelpful = int(self.helpful[row]), int(self.unhelpful[row])
        if not helpful + unhelpful:
            return "not rated for a similar question"
        said = [f"{helpful} × helpful"] * bool(helpful) + [f"{unhelpful} × unhelpful"] * bool(unhelpful)
        return f"rated for a similar question: {', '.join(said)}"


# One or two people's objections alone push what the team has confirmed no further down than this: with .2 a single
# account kept a third of the confirmed notes out of the answers they were written for (docs/decisions/0020).
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
    """The factors of `candidates` insights from past ratings, given as columns of one length.

    `row`: which candidate was rated (0 … candidates - 1), `helpful`: the verdict, `cosine`: of the rating's question to
    this one (NaN without a vector: it then counts for nothing), `days`: its age.

    The balance of a candidate is the mean over its ratings that count of ± their cosine: -1 if the very question was
    always answered badly by it, +1 if always well. Its size is s in the factors 1 - .8 s and 1 + .3 s. `who`: whose
    each rating is; `confirmed`: of each candidate, whether the team has confirmed it. Such a one is not pushed below
    LEAST_OF_CONFIRMED by fewer than DISTINCT_OBJECTORS people.
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
