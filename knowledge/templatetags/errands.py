"""How far long work is, and what came of it, in words."""

from datetime import timedelta
from typing import Any

from django import template
from django.utils import timezone

register = template.Library()

# Beat rings once a minute; after two it is worth asking whether anybody listens.
LATE = timedelta(minutes=2)
# Whoever works on it shows it every ten seconds (actions/errand_work.py).
QUIET = timedelta(seconds=30)


@register.filter
def errand_percent(errand: Any) -> int:
    """0–100."""
    return min(100, round(100 * errand.done / errand.total)) if errand.total else 0


@register.filter
def errand_said(errand: Any) -> str:
    """One line: how far it is, or what came of it."""
    if errand.state == "failed":
        return errand.detail or "Failed."
    if not errand.over:
        return _far(errand)
    told = _regrouped(errand) if errand.kind == "regroup" else _brought(errand.counts)
    return f"Stopped. {told} Start it again to continue." if errand.state == "stopped" else told


def _far(errand: Any) -> str:
    if errand.stopping:
        return "stopping after the current batch"
    if not errand.total:
        if errand.state == "running":
            return "starting"
        late = timezone.now() - errand.asked_at > LATE
        return "queued for long: check that the worker is running" if late else "queued"
    if errand.state == "running" and errand.seen_at and timezone.now() - errand.seen_at > QUIET:
        return "its worker stopped; another takes over within two minutes"
    if errand.kind == "regroup":
        return f"{errand_percent(errand)} %"
    return f"{errand.done:,} of {errand.total:,} read"


def _brought(counts: dict[str, int]) -> str:
    new, there, skipped, later = (counts.get(what, 0) for what in ("created", "unchanged", "skipped", "waiting"))
    told = f"{new:,} new insight{'s' * (new != 1)}, {there:,} already imported"
    told += f", {skipped:,} skipped" if skipped else ""
    return f"{told}.{f' {later:,} are only found by keyword until the embedder is back.' if later else ''}"


def _regrouped(errand: Any) -> str:
    if errand.detail:
        return str(errand.detail)
    topics, moved = errand.counts.get("topics", 0), errand.counts.get("moved", 0)
    return f"{topics:,} topic{'s' * (topics != 1)}; {moved:,} insight{'s' * (moved != 1)} moved."
