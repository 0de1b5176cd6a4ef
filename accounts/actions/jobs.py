"""Run a job and keep what became of it: a beat that has died, or a sweep that stopped, is to be seen."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from accounts.adapters.room import lacking_room
from accounts.models import JobRun

# Runs are kept this many deep for each job; a minutely one covers three hours.
KEEP = 200
KILLED = "It ended without a word: it was killed, or its machine was."


@dataclass(frozen=True)
class Work:
    """What a job did: counts by name, and why it stopped short, if it did. `down` names a part that did not answer,
    `found` says what somebody should look at.
    """

    counts: dict[str, int] = field(default_factory=dict)
    stopped: str = ""
    down: str = ""
    found: str = ""


def run_job(*, name: str, work: Callable[[], Work], clock: Callable[[], datetime]) -> JobRun:
    """Run `work` and record it; on a nearly full disk, record that it waits. An exception is recorded and raised again.

    A run that was killed could not say so: what is still on record as running is closed by the next of its name.
    Should it be alive after all, in another worker, its own end has the last word.
    """
    for dead in JobRun.objects.filter(name=name, outcome=JobRun.Outcome.RUNNING):
        dead.finish(JobRun.Outcome.FAILED, at=clock(), counts={}, detail=KILLED)
    run = JobRun.objects.create(name=name, started_at=clock())
    lack = lacking_room()
    if lack:
        run.finish(JobRun.Outcome.STOPPED, at=clock(), counts={}, detail=lack)
        return run
    try:
        done = work()
    except Exception as error:
        run.finish(JobRun.Outcome.FAILED, at=clock(), counts={}, detail=f"{type(error).__name__}: {error}")
        raise
    outcome = JobRun.Outcome.STOPPED if done.stopped else JobRun.Outcome.DONE
    run.finish(outcome, at=clock(), counts=done.counts, detail=done.stopped or done.down or done.found)
    kept = JobRun.objects.filter(name=name).order_by("-pk").values_list("pk", flat=True)[:KEEP]
    JobRun.objects.filter(name=name).exclude(pk__in=list(kept)).delete()
    return run
