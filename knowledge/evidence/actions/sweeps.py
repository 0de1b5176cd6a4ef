"""The sweeps of evidence search by name: beat runs them on schedule, an operator by hand; each run is recorded."""

from collections.abc import Callable
from datetime import datetime

from accounts.actions.jobs import Work, run_job
from accounts.models import JobRun
from knowledge.evidence.actions import share, sources, upkeep

SWEEPS: dict[str, Callable[[datetime], Work]] = {
    "cool": lambda now: upkeep.cool(now=now),
    "connect": lambda now: upkeep.connect(now=now),
    "read_documents": lambda now: upkeep.read_documents(now=now),
    "compare_deposits": lambda now: share.compare_deposits(now=now),
    "check_sources": lambda now: sources.check_all(now=now),
}


def sweep(name: str, *, clock: Callable[[], datetime]) -> JobRun:
    return run_job(name=f"evidence.{name}", work=lambda: SWEEPS[name](clock()), clock=clock)
