"""Numbers as pictures: SVG drawn here, because the content security policy lets no style attribute through.

Every picture has a text twin: a label that says the same, or a table that the bars stand in.
"""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.rules.guard.detection import strip_invisible
from knowledge.lifecycle.rules import decay
from knowledge.rules.vocabulary import Kind, Stability, Status

register = template.Library()

# The curve ends after two half-lives from now (a quarter is left, what follows tells nothing new), and within
# half a year, so that the past of a slow one is not squeezed into a dot.
HALF_LIVES_AHEAD = 2.0
DAYS_AHEAD = 180.0
# What does not fade is drawn as a line of this many days.
DAYS_FLAT = 90.0
POINTS = 48

DAY = 86_400.0


@dataclass(frozen=True)
class Fading:
    """The strength of one insight over time; `half_life` in days, infinite for what does not fade."""

    strength: float
    since: datetime
    status: Status
    stability: Stability
    pinned: bool
    kind: Kind

    @property
    def half_life(self) -> float:
        return decay.half_life(self.status, self.stability, self.pinned, self.kind)

    @property
    def holds(self) -> bool:
        return decay.holds(self.status, self.kind)

    @property
    def fades(self) -> bool:
        return math.isfinite(self.half_life)

    def at(self, days: float) -> float:
        return decay.effective(self.strength, days, self.status, self.stability, self.pinned, self.kind)

    def age(self, now: datetime) -> float:
        return max((now - self.since).total_seconds() / DAY, 0.0)

    def days_shown(self, now: datetime) -> float:
        ahead = min(self.half_life * HALF_LIVES_AHEAD, DAYS_AHEAD) if self.fades else DAYS_FLAT
        return self.age(now) + ahead


def fading(insight: Any) -> Fading:
    return Fading(
        float(insight.strength),
        insight.strength_at,
        Status(insight.status),
        Stability(insight.stability),
        bool(insight.pinned),
        Kind(insight.kind),
    )


def points(curve: Fading, start: float, end: float, span: float, width: float, height: float) -> str:
    """SVG points from day `start` to day `end`, in a picture `span` days wide; strength 100 is the top."""
    steps = [start + (end - start) * i / (POINTS - 1) for i in range(POINTS)]
    return " ".join(f"{day / span * width:.1f},{(1 - curve.at(day) / decay.MAXIMUM) * height:.1f}" for day in steps)


@register.simple_tag
def sparkline(insight: Any) -> SafeString:
    """The curve as a small drawing, for a row that also prints the number."""
    curve, now = fading(insight), timezone.now()
    span = curve.days_shown(now)
    return format_html(
        '<svg class="h-5 w-16 shrink-0" viewBox="0 0 64 20" preserveAspectRatio="none" aria-hidden="true">'
        '<path class="svg-axis" d="M0 19.5H64"/><polyline class="svg-line" points="{}"/></svg>',
        points(curve, curve.age(now), span, span, 64, 19),
    )


@register.simple_tag
def strength_of(insight: Any) -> int:
    """What is left of the strength at this moment, 0–100."""
    curve = fading(insight)
    return round(curve.at(curve.age(timezone.now())))


@register.inclusion_tag("knowledge/_strength_curve.html")
def strength_curve(insight: Any) -> dict[str, Any]:
    """The whole curve: what has faded, what is left, what will be left, with the words that say so."""
    curve, now = fading(insight), timezone.now()
    age, span = curve.age(now), curve.days_shown(now)
    width, height = 320, 96
    left = curve.at(age)
    ahead = points(curve, age, span, span, width, height)
    start = age / span * width
    return {
        "curve": curve,
        "left": round(left),
        "half_at": now + timedelta(days=curve.half_life) if curve.fades else None,
        "half": round(left / 2),
        "half_life": round(curve.half_life) if curve.fades else None,
        "end": now + timedelta(days=span - age),
        "past": points(curve, 0, age, span, width, height) if age else "",
        "ahead": ahead,
        "area": f"{start:.1f},{height} {ahead} {width},{height}",
        "dot_x": f"{start:.1f}",
        "dot_y": f"{(1 - left / decay.MAXIMUM) * height:.1f}",
        "label_early": start < width / 2,
    }


@register.filter
def figure(value: float, places: int) -> str:
    """A number with so many places. `floatformat` goes by decimals and the language: a tenth of a search page."""
    return f"{value:.{places}f}"


@register.inclusion_tag("knowledge/_score.html")
def score_table(score: Any, key: str) -> dict[str, Any]:
    """The parts of a score as a table with a bar in each row; `key` makes ids unique on the page."""
    longest = max((abs(part.worth) for part in score.terms), default=0.0) or 1.0
    return {
        "key": key,
        "total": score.total,
        "terms": [(part, bar(part.worth / longest)) for part in score.terms],
        "factors": list(score.factors),
    }


@register.simple_tag
def meter(value: float, of: float = 100.0) -> SafeString:
    return bar(value / of)


def bar(share: float) -> SafeString:
    """A bar filled to `share` (0–1) of its width."""
    filled = f"{max(0.0, min(1.0, share)) * 100:.1f}"
    return format_html(
        '<svg class="h-2 w-full rounded-full" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="svg-track" width="100" height="8"/>'
        '<rect class="svg-fill" width="{}" height="8"/></svg>',
        filled,
    )


@register.inclusion_tag("knowledge/_topic_map.html")
def topic_map(placed: Sequence[Any]) -> dict[str, Any]:
    """Topics as circles that are links; those too small for words are named by their title, and by the list below."""
    margin = 0.1
    left = min((one.circle.x - one.circle.r for one in placed), default=0.0) - margin
    top = min((one.circle.y - one.circle.r for one in placed), default=0.0) - margin
    right = max((one.circle.x + one.circle.r for one in placed), default=1.0) + margin
    bottom = max((one.circle.y + one.circle.r for one in placed), default=1.0) + margin
    scale = 1000.0 / (right - left)
    drawn = []
    for one in placed:
        radius = one.circle.r * scale
        size = max(min(radius / 3.6, 24.0), 13.0)
        kind = next(iter(one.overview.kinds), "")
        drawn.append(
            {
                "one": one.overview,
                "x": f"{(one.circle.x - left) * scale:.1f}",
                "y": f"{(one.circle.y - top) * scale:.1f}",
                "r": f"{radius:.1f}",
                "kind": kind.lower(),
                "lines": _lines(one.overview.topic.label, radius, size),
                "size": f"{size:.1f}",
            }
        )
    return {"drawn": drawn, "height": f"{(bottom - top) * scale:.0f}"}


def _lines(label: str, radius: float, size: float) -> list[tuple[str, str]]:
    """The label in up to three lines that fit, each with its shift from the middle (in SVG units)."""
    room = int(1.7 * radius / (size * 0.52))
    if room < 6:
        return []
    wrapped = textwrap.wrap(strip_invisible(label).text, room, break_long_words=False, break_on_hyphens=False)
    lines = [line.rstrip(",") if len(line) <= room + 1 else f"{line[: room - 1]}…" for line in wrapped[:3]]
    height = size * 1.15
    return [(line, f"{(place - (len(lines) - 1) / 2) * height + size * 0.35:.1f}") for place, line in enumerate(lines)]


@register.filter
def percent(share: float | None) -> str:
    """A share (0–1) in words for a person; a dash where there was nothing to take a share of."""
    return "–" if share is None else f"{share * 100:.0f} %"
