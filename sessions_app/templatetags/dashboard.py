"""The charts of the dashboard as they stand on the page without a script: a picture, and a table of links."""

from collections.abc import Sequence

from django import template
from django.utils.html import escape, format_html
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
    """Of numbers and a word of ours: what `format_html` would escape is not in it, and a page has hundreds of them."""
    step = WIDTH / steps
    scale = (HEIGHT - MARGIN) / (top or 1.0)
    x, y = (place + (1 - FILLED) / 2) * step, HEIGHT - high * scale
    size = f'width="{step * FILLED:.2f}" height="{(high - low) * scale:.2f}"'
    return SafeString(f'<rect class="chart-{tone}" x="{x:.2f}" y="{y:.2f}" {size}/>')


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
        SafeString("".join(drawn)),
    )


@register.simple_tag
def chart_table_rows(rows: Sequence[ChartRow]) -> SafeString:
    """A row for each step, each number a link to its rows."""
    return SafeString("".join(_row(row) for row in rows))


def _row(row: ChartRow) -> str:
    marks = "".join(f' <span class="chart-mark">{escape(words)}</span>' for words in row.marks)
    cells = "".join(f"<td>{_cell(words, address)}</td>" for words, address in row.cells)
    return f'<tr><th scope="row">{escape(row.label)}{marks}</th>{cells}</tr>'


def _cell(words: str, address: str) -> str:
    return f'<a href="{escape(address)}">{escape(words)}</a>' if address else escape(words)
