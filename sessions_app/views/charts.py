"""The charts of the dashboard: which figures each shows, and which list has the rows of each mark."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.template.defaultfilters import date as format_date
from django.urls import reverse

from accounts.rules.guard.detection import strip_invisible
from knowledge.lifecycle.rules.decay import STRENGTH_BANDS
from knowledge.models import Insight
from knowledge.templatetags.loam import span_words
from sessions_app.actions.figures import Figures
from sessions_app.models import Annotation
from sessions_app.rules.charts import Chart, ChartRow, ChartSeries, place_of_day
from sessions_app.rules.figures import ChartStep
from sessions_app.rules.measured import EventGroup, Outcome

HOUR, DAY = 3_600.0, 86_400.0


@dataclass(frozen=True)
class ListAddress:
    """A list, and what narrows it besides the days. `since` and `until` are the names of its parameters."""

    path: str
    narrowed: dict[str, str]
    since: str = "since"
    until: str = "until"

    def of(self, first: date, last: date) -> str:
        """Its rows from one day to another, both included."""
        return self.only(**{self.since: first.isoformat(), self.until: last.isoformat()})

    def narrowed_to(self, **more: str) -> "ListAddress":
        return replace(self, narrowed=self.narrowed | more)

    def only(self, **more: str) -> str:
        """Its rows narrowed further; what has no name or no value does not narrow."""
        given = {name: str(value) for name, value in (self.narrowed | more).items() if name and value}
        return f"{self.path}?{urlencode(given)}" if given else self.path


def charts_of(figures: Figures, team: str) -> list[Chart]:
    """In the order of the page."""
    return [
        _deposits(figures, team),
        _questions(figures, team),
        _promotions(figures, team),
        _ratings(figures, team),
        _reviews(figures, team),
        _review_time(figures, team),
        _contradictions(figures, team),
        _contradiction_ages(figures, team),
    ]


def _deposits(found: Figures, team: str) -> Chart:
    rows = ListAddress(reverse("knowledge:insights"), {"team": team}, "created_since", "created_until")
    series = _counts("deposits", "primary", found.deposits, found.axis, rows)
    return Chart("deposits", "Deposits", _of(found.deposited, "deposit"), "bars", (series,))


def _questions(found: Figures, team: str) -> Chart:
    path = reverse("sessions:questions")
    answered = ListAddress(path, {"outcome": Outcome.ANSWERED, "team": team})
    without = ListAddress(path, {"outcome": Outcome.UNANSWERED, "team": team})
    series = (
        _counts("answered", "primary", found.answers, found.axis, answered),
        _counts("without an answer", "accent", found.unanswered, found.axis, without),
    )
    return Chart("questions", "Questions", _of(found.asked, "question"), "bars", series)


def _promotions(found: Figures, team: str) -> Chart:
    path = reverse("sessions:activity")
    series = (
        _counts(
            "promoted",
            "primary",
            found.promotions,
            found.axis,
            ListAddress(path, {"verb": "promoted", "team": team}),
        ),
        _counts(
            "faded", "accent", found.fades, found.axis, ListAddress(path, {"group": EventGroup.FADED, "team": team})
        ),
    )
    total = f"{found.promoted} promoted, {sum(found.fades)} faded"
    return Chart("promotions", "Promotions and fades", total, "bars", series)


def _ratings(found: Figures, team: str) -> Chart:
    path = reverse("sessions:ratings")
    series = tuple(
        _counts(kind, tone, counts, found.axis, ListAddress(path, {"kind": kind, "team": team}))
        for kind, tone, counts in (("helpful", "primary", found.helpfuls), ("unhelpful", "accent", found.unhelpfuls))
    )
    return Chart("ratings", "Ratings", _of(found.helpful + sum(found.unhelpfuls), "rating"), "bars", series)


def _reviews(found: Figures, team: str) -> Chart:
    series = _counts("decisions", "primary", found.reviews, found.axis, _decisions(team))
    return Chart("reviews", "Review decisions", _of(sum(found.reviews), "decision"), "bars", (series,))


def _review_time(found: Figures, team: str) -> Chart:
    words = [span_words(span) for span in found.review_spans]
    rows = _decisions(team)
    addresses = [
        "" if span is None else rows.of(step.first, step.last)
        for step, span in zip(found.axis, found.review_spans, strict=True)
    ]
    series = _spans("median hours", "primary", found.review_spans, HOUR, words, addresses)
    total = f"median {span_words(found.review)}" if found.review else "no decisions"
    return Chart("review-time", "Time to review", total, "line", (series,))


def _contradictions(found: Figures, team: str) -> Chart:
    series = _counts("open", "primary", found.contradictions_open, found.axis, _open_contradictions(team))
    return Chart("contradictions", "Open contradictions", f"{found.contradictions} open", "line", (series,))


def _contradiction_ages(found: Figures, team: str) -> Chart:
    words = [span_words(span) for span in found.contradiction_ages]
    rows = _counts("", "", found.contradictions_open, found.axis, _open_contradictions(team))
    series = _spans("median, in days", "primary", found.contradiction_ages, DAY, words, rows.addresses)
    total = f"median {span_words(found.contradiction_age)}" if found.contradiction_age else "none open"
    return Chart("contradiction-age", "Age of open contradictions", total, "line", (series,))


def _open_contradictions(team: str) -> ListAddress:
    """Those that were open at the end of a step."""
    return ListAddress(reverse("sessions:contradictions"), {"team": team}, "", "open_on")


def _decisions(team: str) -> ListAddress:
    return ListAddress(reverse("sessions:activity"), {"group": EventGroup.REVIEWS, "team": team})


def _counts(name: str, tone: str, counts: Sequence[int], axis: Sequence[ChartStep], rows: ListAddress) -> ChartSeries:
    """A series of counts. What is none has no rows to open."""
    addresses = (rows.of(step.first, step.last) if count else "" for step, count in zip(axis, counts, strict=True))
    return ChartSeries(name, tone, tuple(counts), tuple(str(count) for count in counts), tuple(addresses))


def _spans(
    name: str, tone: str, spans: Sequence[timedelta | None], unit: float, words: Sequence[str], addresses: Sequence[str]
) -> ChartSeries:
    """A series of spans of time, in `unit` seconds; a gap where there is none."""
    values = tuple(None if span is None else round(span.total_seconds() / unit, 2) for span in spans)
    return ChartSeries(name, tone, values, tuple(words), tuple(addresses))


def _of(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"


def marked(figures: Figures) -> list[tuple[int, str]]:
    """The annotations as they stand on the axis: their step, and their words, without invisible characters."""
    placed = ((place_of_day(row.day, figures.axis), row) for row in reversed(figures.annotations))
    return [(place, _words(row)) for place, row in placed if place is not None]


def _words(row: Annotation) -> str:
    return f"{strip_invisible(row.text).text} ({format_date(row.day, 'j M')})"


def labels(axis: Sequence[ChartStep]) -> list[str]:
    return [label(step) for step in axis]


def label(step: ChartStep) -> str:
    """A step in words: "24 Nov", or "18–24 Nov"."""
    last = format_date(step.last, "j M")
    if step.first == step.last:
        return last
    return f"{format_date(step.first, 'j' if step.first.month == step.last.month else 'j M')}–{last}"


def chart_rows(chart: Chart, names: Sequence[str], marks: Sequence[tuple[int, str]]) -> list[ChartRow]:
    """The table of a chart, a row for each step."""
    cells = [list(zip(one.words, one.addresses, strict=True)) for one in chart.series]
    return [
        ChartRow(name, tuple(column[place] for column in cells), tuple(words for at, words in marks if at == place))
        for place, name in enumerate(names)
    ]


def chart_data(charts: Sequence[Chart], names: Sequence[str], marks: Sequence[tuple[int, str]]) -> dict[str, Any]:
    """What the script draws. Where a mark leads stands in the table, and nowhere else."""

    def series(one: ChartSeries) -> dict[str, Any]:
        return {"name": one.name, "tone": one.tone, "values": one.values, "words": one.words}

    drawn = {one.key: {"form": one.form, "series": [series(some) for some in one.series]} for one in charts}
    return {"labels": names, "marks": marks, "charts": drawn}


def strength_rows(figures: Figures, team: str) -> list[tuple[str, int, str]]:
    """The bands of strength: their name, how many insights are in each, and where they are listed."""
    rows = ListAddress(reverse("knowledge:insights"), {"team": team})
    bands = zip(STRENGTH_BANDS, figures.strength.bands, strict=True)
    return [(name.replace("-", "–"), count, rows.only(strength=name) if count else "") for name, count in bands]


def figure_addresses(figures: Figures, team: str) -> dict[str, str]:
    """Where the rows of each number above the charts are listed."""
    first, last = figures.axis[0].first, figures.axis[-1].last
    activity, ratings = reverse("sessions:activity"), reverse("sessions:ratings")
    questions = reverse("sessions:questions")
    lists = {
        "deposits": ListAddress(reverse("knowledge:insights"), {}, "created_since", "created_until"),
        "questions": ListAddress(questions, {}),
        "answered": ListAddress(questions, {"outcome": Outcome.ANSWERED}),
        "abstained": ListAddress(questions, {"outcome": Outcome.ABSTAINED}),
        "helpful": ListAddress(ratings, {"kind": "helpful"}),
        "used": ListAddress(ratings, {"kind": "used"}),
        "promoted": ListAddress(activity, {"verb": "promoted"}),
        "sessions": ListAddress(reverse("sessions:sessions"), {}),
        "review": ListAddress(activity, {"group": EventGroup.REVIEWS}),
        "contradictions": ListAddress(reverse("sessions:contradictions"), {}, "", "open_on"),
    }
    return {name: one.narrowed_to(team=team).of(first, last) for name, one in lists.items()}


def status_rows(figures: Figures, team: str) -> list[tuple[str, int, str]]:
    """Each status, how many insights have it, and where they are listed."""
    rows = ListAddress(reverse("knowledge:insights"), {"team": team})
    return [(status, count, rows.only(status=status)) for status, count in figures.statuses.items()]


def top_rows(figures: Figures, team: str) -> list[tuple[Insight, int, str]]:
    """The most helpful insights, how often each was called so, and where that is listed."""
    first, last = figures.axis[0].first, figures.axis[-1].last
    rows = ListAddress(reverse("sessions:ratings"), {"kind": "helpful", "team": team})
    return [(row, count, rows.narrowed_to(ref=row.ref).of(first, last)) for row, count in figures.top]
