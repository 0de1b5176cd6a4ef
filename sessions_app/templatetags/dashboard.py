"""The charts of the dashboard as they stand on the page without a script: a picture, and a table of links."""

from collections.abc import Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from sessions_app.rules.charts import Chart, ChartRow

register = template.Library()

# The picture is so wide and high, in units of its own; it is stretched to the room there is.
WIDTH, HEIGHT = 100.0, 40.0
# Above the tallest column.
MARGIN = 2.0
# Of a step, what its column takes.
FILLED = 0.76


def _rect(place: int, steps: int, low: float, high: float, top: float, tone: str) -> SafeString:
    step = WIDTH / steps
    scale = (HEIGHT - MARGIN) / (top or 1.0)
    return format_html(
        '<rect class="chart-{}" x="{}" y="{}" width="{}" height="{}"/>',
        tone,
        f"{(place + (1 - FILLED) / 2) * step:.2f}",
        f"{HEIGHT - high * scale:.2f}",
        f"{step * FILLED:.2f}",
        f"{(high - low) * scale:.2f}",
    )


@register.simple_tag
def chart_picture(chart: Chart) -> SafeString:
    """The series of a chart as columns that stand on each other."""
    steps = len(chart.series[0].values)
    totals = [sum(one.values[place] or 0 for one in chart.series) for place in range(steps)]
    top = max(totals, default=0)
    drawn = []
    for place in range(steps):
        low = 0.0
        for one in chart.series:
            value = one.values[place]
            if value:
                drawn.append(_rect(place, steps, low, low + value, top, one.tone))
                low += value
    return _picture(drawn)


@register.simple_tag
def linked_picture(rows: Sequence[tuple[str, int, str]]) -> SafeString:
    """Columns of (name, count, address of the rows), each a link; for the keyboard there is the table."""
    top = max((count for _, count, _ in rows), default=0)
    return _picture(
        [
            format_html(
                '<a href="{}" tabindex="-1"><title>{}: {}</title>{}</a>',
                address,
                name,
                count,
                _rect(place, len(rows), 0, count, top, "primary"),
            )
            for place, (name, count, address) in enumerate(rows)
            if count
        ]
    )


def _picture(drawn: Sequence[SafeString]) -> SafeString:
    return format_html(
        '<svg class="chart-picture" viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true">'
        '<path class="svg-axis" d="M0 40H100"/>{}</svg>',
        format_html_join("", "{}", ((one,) for one in drawn)),
    )


@register.simple_tag
def chart_table_rows(rows: Sequence[ChartRow]) -> SafeString:
    """A row for each step, each number a link to its rows."""
    return format_html_join(
        "",
        '<tr><th scope="row">{}{}</th>{}</tr>',
        (
            (
                row.label,
                format_html_join("", ' <span class="chart-mark">{}</span>', ((words,) for words in row.marks)),
                format_html_join("", "<td>{}</td>", ((_cell(words, address),) for words, address in row.cells)),
            )
            for row in rows
        ),
    )


def _cell(words: str, address: str) -> SafeString | str:
    return format_html('<a href="{}">{}</a>', address, words) if address else words
