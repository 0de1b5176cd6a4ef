"""How likely it is that the cited lines answer the question: 0–1, calibrated.

A logistic function of the signs of the best passage. Terms that no file mentions count against it. The lead of a file
over the next does not count, because a lone file has none. Below FLOOR the answer is that nothing was found, and the
nearest passages are shown as such, at AT_MOST_UNFOUND.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp


@dataclass(frozen=True)
class Signs:
    """Of one passage. `coverage`: the share of all that was asked (rules/coverage.py) in it, its path, its heading and
    the head of its file; `tight`: in one stretch of it; `absent`: the share no file has; `unnamed`: of the names in the
    question, the share none of these have; `cosine`: to the question, None without an embedder; `exact`: the share of
    the exact terms asked for that the passage has, None when none were asked for; `located`: whether it is the place of
    what was copied into the question (see `is_located`).
    """

    coverage: float
    tight: float
    absent: float
    unnamed: float
    cosine: float | None
    exact: float | None
    located: bool = False


# The cosine used without vectors: the median of the best passage of an answer.
USUAL_COSINE = 0.5
# The cap of the cosine. A passage nearer than any that the weights were fitted on says the same of something, which
# need not be what was asked.
NEAREST_COSINE = 0.7
# Fitted on one half of `answers` (manage.py evaluate evidence --sets answers) in FAST: logistic regression, C 8, on 152
# questions, 26 November 2026. Questions near to the files' subjects were added then: before, "which port does the
# printer in hall 5 use" was answered from the line about hall 3 with .999. Exact terms are part of the coverage and of
# the names: fitted apart, they added nothing.
INTERCEPT = -3.85
WEIGHTS = (2.32, 1.99, -1.52, -2.14, 5.47)
# With .5 the fitted half loses no answer and abstains once more in each mode than with .45 (28 November 2026).
FLOOR = 0.5
# Missing names count twice, so that the fit's penalty reduces their weight less: of 86 questions with an answer none
# has a passage that lacks a name of the question, and a high cosine must not outweigh a missing one.
NAMES = 2.0
# The highest confidence of an answer that is none.
AT_MOST_UNFOUND = 0.3
# The highest confidence if a later file of the same series (minutes) speaks of the same: less than a sure answer has.
AT_MOST_OUTDATED = 0.74
# The least confidence of the place of a rare token: it is what was looked for, but whether it says why, or where from,
# nobody has read. "why did E-41823 fail" has no word in common with the line of a log that has the code: of fifty
# planted tokens asked for like this, 14 were "not found" by the regression alone.
LOCATED = 0.6
# The least share of the question that such tokens have, and how often one may stand in the files.
MOSTLY_TOKENS = 1 / 3
MOST_PLACES = 50


# If a passage lacks the exact terms that were asked for, and this share of the question is in no file, the passage is
# no answer, however similar the rest is: "shipment WB00412207", and a line about shipment WB004122071. Of 18 questions
# of `answers` whose exact terms the surest passage lacks, 14 have this share absent; 13 have no answer, and one is
# unsure.
MUCH_ABSENT = 0.25


# A text of more terms than a question has (an issue, a line of a change log) names things in passing.
FEW_TERMS = 10


def unnamed_share(missing: int, names: int, terms: int) -> float:
    """Return `unnamed` for this number of missing names; less in a long text. `terms`: the number of terms of
    the text.
    """
    return missing / names * min(1.0, FEW_TERMS / terms) if names and terms else 0.0


def features(signs: Signs) -> tuple[float, ...]:
    """Return coverage, tight, absent, unnamed and cosine: the inputs of the regression, in the order of WEIGHTS."""
    cosine = USUAL_COSINE if signs.cosine is None else min(max(signs.cosine, 0.0), NEAREST_COSINE)
    return signs.coverage, signs.tight, signs.absent, NAMES * signs.unnamed, cosine


def confidence(signs: Signs) -> float:
    """Return the probability that this passage answers, 0 to 1."""
    if signs.exact == 0.0 and signs.absent >= MUCH_ABSENT:
        return 0.0
    line = INTERCEPT + sum(weight * value for weight, value in zip(WEIGHTS, features(signs), strict=True))
    return max(round(1 / (1 + exp(-line)), 3), LOCATED if signs.located else 0.0)


def is_located(share: float, held: float | None, places: Sequence[int]) -> bool:
    """Return whether a passage is the place of what was copied into the question. `share`: the share of the question
    that its tokens (those that name one thing) have; `held`: the share of all its exact terms that the passage has;
    `places`: for each token, how often it stands in all files.
    """
    return held == 1.0 and share >= MOSTLY_TOKENS and bool(places) and all(0 < one <= MOST_PLACES for one in places)


def surest(signs: Iterable[Signs | None]) -> float:
    """Return the confidence of the best of several passages; 0 for none."""
    return max((confidence(one) for one in signs if one is not None), default=0.0)


# The least confidence of an answer that a model wrote, together with the evidence. FLOOR was raised for answers without
# a model; no model was measured. A model that is .9 sure of words other than the question's is right at this floor.
FLOOR_BY_MODEL = 0.45


def by_model(told: float, sure: float) -> float:
    """Return how sure an answer is that a model wrote: its own confidence counts no more than the evidence's."""
    mean = (told + sure) / 2
    return max(mean, FLOOR) if mean >= FLOOR_BY_MODEL else mean


def is_found(sure: float) -> bool:
    """Return whether an answer this sure is one."""
    return sure >= FLOOR


def reported(sure: float) -> float:
    """Return the confidence to report for an answer this sure."""
    return sure if is_found(sure) else min(sure, AT_MOST_UNFOUND)
