"""Strength fades with time: effective = strength · 2^(−days / half-life), computed when read, never written back.

The stored strength is that after the last signal. Promoted insights fade slowly, deprecated ones fast; an evergreen or
pinned insight does not fade while it is promoted; an evolving one fades twice as fast. A DECISION does not fade as a
draft or promoted. It holds until another insight supersedes it, which takes it out of retrieval and of the sweep at
once, or a lead deprecates it.
"""

import math
from functools import cache

from knowledge.rules.vocabulary import Kind, Stability, Status

# Days until half of the strength is gone (product design, 3.2). With shorter ones a team would return from its holidays
# to an empty memory; with longer ones unconfirmed notes would outrank what was confirmed last week.
HALF_LIFE = {Status.DRAFT: 14.0, Status.PROMOTED: 90.0, Status.DEPRECATED: 7.0, Status.ARCHIVED: 7.0}
EVOLVING_FACTOR = 0.5

# A new insight starts in the middle: a few helpful ratings from promotion, two weeks from half of it.
INITIAL = 50.0
# For notes below the quality gate (product design, 3.5): a helpful rating or two below a normal start.
WEAK = 20.0
# For bulk imports, which have yet to prove themselves.
SEEDED = 35.0
MAXIMUM = 100.0
# The bands in which strengths are shown and filtered: ten points each, the last one includes 100. By name, the lower
# bound and the excluded upper bound.
STRENGTH_BANDS = {f"{low}-{low + 9 + low // 90}": (low, low + 10 + low // 90) for low in range(0, 100, 10)}


def holds(status: str, kind: str) -> bool:
    """Return whether it is a DECISION that neither time nor the sweep may deprecate."""
    return kind == Kind.DECISION and status in (Status.DRAFT, Status.PROMOTED)


@cache
def half_life(status: str, stability: str, pinned: bool, kind: str) -> float:
    """Return the half-life in days; infinite if the insight does not fade. The words are those of Status, Stability and
    Kind, as rows have them.
    """
    if holds(status, kind):
        return math.inf
    if status == Status.PROMOTED and (pinned or stability == Stability.EVERGREEN):
        return math.inf
    return HALF_LIFE[Status(status)] * (EVOLVING_FACTOR if stability == Stability.EVOLVING else 1.0)


def effective(strength: float, days: float, status: str, stability: str, pinned: bool, kind: str) -> float:
    """Return the strength (0–100) that is left after `days` (a negative age counts as none)."""
    return strength * 2.0 ** (-max(days, 0.0) / half_life(status, stability, pinned, kind))


def days_until(strength: float, threshold: float, status: str, stability: str, pinned: bool, kind: str) -> float:
    """Return the days until the strength falls below `threshold` (above 0): 0 if it already is, infinite if it never
    does.
    """
    if strength < threshold:
        return 0.0
    span = half_life(status, stability, pinned, kind)
    return span if math.isinf(span) else span * math.log2(strength / threshold)
