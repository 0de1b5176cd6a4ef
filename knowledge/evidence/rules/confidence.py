"""How likely it is that the cited lines answer the question: 0–1, calibrated.

A logistic function of the signs of the best passage. What no file mentions counts against it; how far a file stands
before the next counts nothing, for a lone file stands before nobody. Below FLOOR the answer is that nothing was found,
and what is nearest is shown as such, at AT_MOST_UNFOUND.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp


@dataclass(frozen=True)
class Signs:
    """Of one passage. `coverage`: the share of all that was asked (rules/coverage.py) in it; `tight`: in one stretch of
    it; `absent`: the share no file has; `named`: the share in its path and heading; `exact`: the share of the exact
    terms asked for that it has, None when none were asked for; `cosine`: to the question, None without an embedder.
    """

    coverage: float
    tight: float
    absent: float
    named: float
    exact: float | None
    cosine: float | None
    terms: int = 1


# Where there is no vector: what the best passage of an answer has in the median.
USUAL_COSINE = 0.5
# Half of `answers` (manage.py evaluate evidence), 60 questions on Django's documentation of the half to choose on, and
# 80 about other things asked of it: logistic regression, C 6, 23 November 2026. A little under .5 it still pays to
# answer.
# An exact term that is missing weighs through `absent` alone: fitted apart, it told nothing more.
INTERCEPT = -6.09
WEIGHTS = (2.57, 2.51, -0.38, 0.80, 8.66, 1.69)
FLOOR = 0.45
# What is said at most of an answer that is none.
AT_MOST_UNFOUND = 0.3


def features(signs: Signs) -> tuple[float, ...]:
    """Coverage, tight, absent, named, cosine, exact: what the regression is made on, in the order of WEIGHTS."""
    cosine = USUAL_COSINE if signs.cosine is None else max(signs.cosine, 0.0)
    return signs.coverage, signs.tight, signs.absent, signs.named, cosine, signs.exact or 0.0


def confidence(signs: Signs) -> float:
    """The probability that this passage answers, 0 to 1."""
    line = INTERCEPT + sum(weight * value for weight, value in zip(WEIGHTS, features(signs), strict=True))
    return round(1 / (1 + exp(-line)), 3)


def surest(signs: Iterable[Signs | None]) -> float:
    """The confidence of the best of several passages, 0 of none."""
    return max((confidence(one) for one in signs if one is not None), default=0.0)


def is_found(sure: float) -> bool:
    """Whether an answer this sure is one."""
    return sure >= FLOOR


def reported(sure: float) -> float:
    """What is said of an answer this sure."""
    return sure if is_found(sure) else min(sure, AT_MOST_UNFOUND)
