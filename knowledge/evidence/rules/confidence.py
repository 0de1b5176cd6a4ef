"""How likely it is that the evidence answers the question: 0–1, calibrated.

A logistic function of what the best evidence has: the share of the question's words by rarity, its nearness in
meaning, and how far the best file stands before the next. The weights were fitted by logistic regression on half of the
questions of three collections, where the truth is known; `manage.py evaluate evidence` prints how often an answer of
each confidence is right on the other half.
"""

from dataclasses import dataclass
from math import exp


@dataclass(frozen=True)
class Signs:
    """`coverage`: of the best window, 0–1 and a little more; `cosine`: of the best window, None without an embedder;
    `margin`: of the best file over the second, as a share of its score.
    """

    coverage: float
    cosine: float | None
    margin: float


INTERCEPT, COVERAGE, COSINE, MARGIN = -2.9, 1.5, 4.6, 6.0
# Where there is no vector: what the best window has in the median.
USUAL_COSINE = 0.55


def confidence(signs: Signs) -> float:
    cosine = USUAL_COSINE if signs.cosine is None else max(signs.cosine, 0.0)
    line = INTERCEPT + COVERAGE * min(signs.coverage, 1.2) + COSINE * cosine + MARGIN * signs.margin
    return round(1 / (1 + exp(-line)), 3)


# Below this nothing was found: the exploration begins, and the briefing says that it is unsure.
UNSURE = 0.25
