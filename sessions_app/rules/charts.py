"""The charts of the dashboard as data: their series, and the words and address of each mark."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sessions_app.rules.figures import ChartStep


@dataclass(frozen=True)
class ChartSeries:
    """One series: a number for each step, or None where there is none. `words`: how each number is read; `addresses`:
    where its rows are listed, empty where there are none; `tone`: the colour of the theme it is drawn in.
    """

    name: str
    tone: str
    values: tuple[float | None, ...]
    words: tuple[str, ...]
    addresses: tuple[str, ...]


@dataclass(frozen=True)
class Chart:
    """`form`: `bars`, which stand on each other, or `line`. `total` is what stands beside the title."""

    key: str
    title: str
    total: str
    form: str
    series: tuple[ChartSeries, ...]


@dataclass(frozen=True)
class ChartRow:
    """A step in the table of a chart: its name, of each series the number and its address, and what was marked."""

    label: str
    cells: tuple[tuple[str, str], ...]
    marks: tuple[str, ...]


def place_of_day(day: date, axis: Sequence[ChartStep]) -> int | None:
    """The step that a day is in; None outside the axis."""
    return next((place for place, step in enumerate(axis) if step.first <= day <= step.last), None)
