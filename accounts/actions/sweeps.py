"""The sweeps of `accounts` by name. Beat runs them on schedule, an operator by hand; each run is recorded."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime

from accounts.actions.jobs import Work, run_job
from accounts.actions.webhooks import deliver
from accounts.models import JobRun

Clock = Callable[[], datetime]
SWEEPS: dict[str, Callable[[Clock], Work]] = {"deliver_webhooks": lambda clock: Work(asdict(deliver(clock=clock)))}


def sweep(name: str, *, clock: Clock) -> JobRun:
    """Run one of SWEEPS now. Raises what the sweep raises, after recording it."""
    return run_job(name=f"accounts.{name}", work=lambda: SWEEPS[name](clock), clock=clock)
