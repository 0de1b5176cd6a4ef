"""The time axis of the dashboard, and what falls on it. A step is a day, or a week where days would be too fine."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median

import numpy as np

# More columns than this are hairs; then a column is a week.
MOST_STEPS = 31
WEEK = 7
# Ten points of strength each.
BANDS = 10


@dataclass(frozen=True)
class ChartStep:
    """One step of the time axis, a day or a week: its first and its last day."""

    first: date
    last: date

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1


@dataclass(frozen=True)
class Strength:
    """How many insights have 0–9, 10–19, … 90–100 points left; `whole`: all were looked at, not a sample."""

    bands: tuple[int, ...]
    whole: bool

    @property
    def looked_at(self) -> int:
        return sum(self.bands)


def median_span(spans: Sequence[timedelta]) -> timedelta | None:
    """The middle one of these spans; None of none."""
    return timedelta(seconds=median(span.total_seconds() for span in spans)) if spans else None


def steps(first: date, last: date) -> tuple[ChartStep, ...]:
    """The steps from `first` to `last`, both included. Weeks end on the last day; the first step has the days that are
    left, so that the steps add up to the period.
    """
    days = 1 if (last - first).days < MOST_STEPS else WEEK
    ends = [last - timedelta(days=behind) for behind in range(0, (last - first).days + 1, days)]
    return tuple(ChartStep(max(end - timedelta(days=days - 1), first), end) for end in reversed(ends))


def summed(found: Mapping[date, int], axis: Sequence[ChartStep]) -> tuple[int, ...]:
    """The counts of days, added up for each step."""
    return tuple(sum(found.get(step.first + timedelta(days=day), 0) for day in range(step.days)) for step in axis)


def medians(found: Iterable[tuple[date, timedelta]], axis: Sequence[ChartStep]) -> tuple[timedelta | None, ...]:
    """The median of the spans that fall on each step; None where none does. `found`: (day, span) each."""
    of_day: dict[date, list[timedelta]] = {}
    for day, span in found:
        of_day.setdefault(day, []).append(span)
    days = ([step.first + timedelta(days=n) for n in range(step.days)] for step in axis)
    return tuple(median_span([span for day in some for span in of_day.get(day, ())]) for some in days)


@dataclass(frozen=True)
class OpenSpans:
    """What was open at a moment: how many, and for how long by then, the median one and the longest."""

    count: int
    median: timedelta | None
    longest: timedelta | None


def open_at(
    found: Sequence[tuple[float, float | None]], ends: Sequence[datetime], now: datetime
) -> tuple[OpenSpans, ...]:
    """What of `found`, (raised, settled) each in epoch seconds, was open at each end; the last one may be ahead."""
    raised = np.array([one for one, _ in found])
    settled = np.array([np.inf if one is None else one for _, one in found])
    spans = []
    for end in ends:
        then = raised[(raised <= end.timestamp()) & (settled > end.timestamp())]
        ages = np.maximum(min(end, now).timestamp() - then, 0.0)
        told = (timedelta(seconds=round(float(one), 3)) for one in (np.median(ages), ages.max())) if len(ages) else ()
        spans.append(OpenSpans(len(ages), *(tuple(told) or (None, None))))
    return tuple(spans)


def strengths(left: Sequence[float], *, whole: bool) -> Strength:
    """The bands of what is left, each 0–100."""
    bands = [0] * BANDS
    for value in left:
        bands[min(int(value // (100 / BANDS)), BANDS - 1)] += 1
    return Strength(tuple(bands), whole)
