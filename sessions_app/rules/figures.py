"""What a row of counts looks like to a person: one step a day, or a week where days would be too fine to see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import median

# More columns than this are hairs; then a column is a week.
MOST_STEPS = 31
WEEK = 7
# Ten points of strength each.
BANDS = 10


@dataclass(frozen=True)
class ChartStep:
    """One column: its first day, the days it covers, and how many fell on them."""

    start: date
    days: int
    count: int


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


def steps(found: Mapping[date, int], first: date, last: date) -> tuple[ChartStep, ...]:
    """Counts from `first` to `last`, both included; weeks end on the last day, and only whole ones are shown."""
    span = (last - first).days + 1
    days = 1 if span <= MOST_STEPS else WEEK
    columns = span // days
    starts = [last - timedelta(days=days * (columns - place) - 1) for place in range(columns)]
    return tuple(ChartStep(start, days, sum(_of(found, start, days))) for start in starts)


def _of(found: Mapping[date, int], start: date, days: int) -> list[int]:
    return [found.get(start + timedelta(days=day), 0) for day in range(days)]


def strengths(left: Sequence[float], *, whole: bool) -> Strength:
    """The bands of what is left, each 0–100."""
    bands = [0] * BANDS
    for value in left:
        bands[min(int(value // (100 / BANDS)), BANDS - 1)] += 1
    return Strength(tuple(bands), whole)
