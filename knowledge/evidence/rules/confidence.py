"""How likely it is that the cited lines answer the question: 0–1, calibrated.

A logistic function of the signs of the best passage. What no file mentions counts against it; how far a file stands
before the next counts nothing, for a lone file stands before nobody. Below FLOOR the answer is that nothing was found,
and what is nearest is shown as such, at AT_MOST_UNFOUND.
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


# Where there is no vector: what the best passage of an answer has in the median.
USUAL_COSINE = 0.5
# A passage nearer than any that the weights were made on says the same of something, which need not be what was asked.
NEAREST_COSINE = 0.7
# The fitted half of `answers` (manage.py evaluate evidence --sets answers) in FAST: logistic regression, C 8, on 152
# questions, 26 November 2026, when questions near to what the files are about came to it: before, "which port does the
# printer in hall 5 use" was answered from the line about hall 3 with .999.
# Exact terms are part of the coverage and of the names: fitted apart, they told nothing more.
INTERCEPT = -3.85
WEIGHTS = (2.32, 1.99, -1.52, -2.14, 5.47)
# With .5 the fitted half loses no answer and abstains once more in each mode than with .45 (28 November 2026).
FLOOR = 0.5
# Names that are missing count twice, so that the fit's penalty holds their weight back less: of 86 questions with an
# answer it had none whose passage lacks a name of the question, and a high cosine must not outweigh one.
NAMES = 2.0
# What is said at most of an answer that is none.
AT_MOST_UNFOUND = 0.3
# The most confidence where a later file of the same series (minutes) speaks of the same: less than a sure answer has.
AT_MOST_OUTDATED = 0.74
# What is said at least of the place of a token that stands in few: it is what was looked for, but whether it says why,
# or where from, nobody has read. "why did E-41823 fail" has no word in common with the line of a log that has the code:
# of fifty planted tokens asked for like this, 14 were "not found" by the regression alone.
LOCATED = 0.6
# The share of the question that such tokens are at least, and how often one may stand in the files.
MOSTLY_TOKENS = 1 / 3
MOST_PLACES = 50


# What is asked for by an exact term that the passage has not, and of which no file has so much, is not answered by it,
# however much else is alike: "shipment WB00412207", of a line about shipment WB004122071. Of 18 questions of
# `answers` whose exact terms the surest passage lacks, 14 have so much absent; 13 have no answer, and one is unsure.
MUCH_ABSENT = 0.25


# A text of more terms than a question has (an issue, a line of a change log) names things in passing.
FEW_TERMS = 10


def unnamed_share(missing: int, names: int, terms: int) -> float:
    """What `unnamed` is where so many of a question's names are missing; less in a long text. `terms`: of the text."""
    return missing / names * min(1.0, FEW_TERMS / terms) if names and terms else 0.0


def features(signs: Signs) -> tuple[float, ...]:
    """Coverage, tight, absent, unnamed, cosine: what the regression is made on, in the order of WEIGHTS."""
    cosine = USUAL_COSINE if signs.cosine is None else min(max(signs.cosine, 0.0), NEAREST_COSINE)
    return signs.coverage, signs.tight, signs.absent, NAMES * signs.unnamed, cosine


def confidence(signs: Signs) -> float:
    """The probability that this passage answers, 0 to 1."""
    if signs.exact == 0.0 and signs.absent >= MUCH_ABSENT:
        return 0.0
    line = INTERCEPT + sum(weight * value for weight, value in zip(WEIGHTS, features(signs), strict=True))
    return max(round(1 / (1 + exp(-line)), 3), LOCATED if signs.located else 0.0)


def is_located(share: float, held: float | None, places: Sequence[int]) -> bool:
    """Whether a passage is the place of what was copied into the question. `share`: of the question that its tokens are
    (those that name one thing); `held`: how many of all its exact terms the passage has; `places`: of each token, how
    often it stands in all files.
    """
    return held == 1.0 and share >= MOSTLY_TOKENS and bool(places) and all(0 < one <= MOST_PLACES for one in places)


def surest(signs: Iterable[Signs | None]) -> float:
    """The confidence of the best of several passages, 0 of none."""
    return max((confidence(one) for one in signs if one is not None), default=0.0)


# What a model that has read the passages must be, together with the evidence, to be believed. The FLOOR was raised for
# answers without one; no model was measured, and one that is .9 sure of other words than the question's is right there.
FLOOR_BY_MODEL = 0.45


def by_model(told: float, sure: float) -> float:
    """How sure an answer is that a model wrote: its own confidence counts no more than the evidence's."""
    mean = (told + sure) / 2
    return max(mean, FLOOR) if mean >= FLOOR_BY_MODEL else mean


def is_found(sure: float) -> bool:
    """Whether an answer this sure is one."""
    return sure >= FLOOR


def reported(sure: float) -> float:
    """What is said of an answer this sure."""
    return sure if is_found(sure) else min(sure, AT_MOST_UNFOUND)
