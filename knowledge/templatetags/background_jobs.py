"""How far long work is, and what came of it, in words."""

from datetime import timedelta
from typing import Any

from django import template
from django.utils import timezone

register = template.Library()

# Beat rings once a minute; after two it is worth asking whether anybody listens.
LATE = timedelta(minutes=2)
# A running job shows it every ten seconds (jobs/actions/run_background.py).
QUIET = timedelta(seconds=30)


@register.filter
def job_percent(job: Any) -> int:
    """0–100."""
    return min(100, round(100 * job.done / job.total)) if job.total else 0


@register.filter
def job_said(job: Any) -> str:
    """One line: how far it is, or what came of it."""
    if job.state == "failed":
        return job.detail or "Failed."
    if not job.over:
        return _far(job)
    told = _TOLD.get(job.kind, _brought)(job)
    return f"Stopped. {told} Start it again to continue." if job.state == "stopped" else told


def _far(job: Any) -> str:
    if job.stopping:
        return "stopping after the current batch"
    if not job.total:
        if job.state == "running":
            return "starting"
        late = timezone.now() - job.asked_at > LATE
        return "queued for long: check that the worker is running" if late else "queued"
    if job.state == "running" and job.seen_at and timezone.now() - job.seen_at > QUIET:
        return "its worker stopped; another takes over within two minutes"
    if job.kind == "regroup":
        return f"{job_percent(job)} %"
    return f"{job.done:,} of {job.total:,} {'questions ranked' if job.kind == 'replay' else 'read'}"


def _brought(job: Any) -> str:
    counts: dict[str, int] = job.counts
    new, there, skipped, later = (counts.get(what, 0) for what in ("created", "unchanged", "skipped", "waiting"))
    told = f"{new:,} new insight{'s' * (new != 1)}, {there:,} already imported"
    told += f", {skipped:,} skipped" if skipped else ""
    return f"{told}.{f' {later:,} are only found by keyword until the embedder is back.' if later else ''}"


def _regrouped(job: Any) -> str:
    if job.detail:
        return str(job.detail)
    topics, moved = job.counts.get("topics", 0), job.counts.get("moved", 0)
    return f"{topics:,} topic{'s' * (topics != 1)}; {moved:,} insight{'s' * (moved != 1)} moved."


def _replayed(job: Any) -> str:
    changed, replayed, recorded = (job.counts.get(what, 0) for what in ("changed", "replayed", "recorded"))
    if not replayed:
        return "No question of the last 30 days could be replayed."
    told = (
        f"{changed:,} of {replayed:,} question{'s' * (replayed != 1)} get{'s' * (replayed == 1)} another first answer."
    )
    first = job.counts.get("first", 0)
    if first:
        told += f" {job.name} is the first answer to {first:,} question{'s' * (first != 1)} today."
    return f"{told} The newest of {recorded:,} were replayed." if recorded > replayed else told


_TOLD = {"regroup": _regrouped, "replay": _replayed}
