"""Run background jobs and record the results, so that a dead beat or a sweep that stopped is visible."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from django.db import DatabaseError, InterfaceError, OperationalError, connection

from accounts.adapters.disk_space import lacking_room
from accounts.models import JobRun
from accounts.rules.time_limit import TimeUp

logger = logging.getLogger("loam.jobs")

# The number of runs kept for each job; for one that runs every minute these are three hours.
KEEP = 200
KILLED = "The process ended without a result: it or its machine was killed."


@dataclass(frozen=True)
class Work:
    """The result of a job: counts by name, and why it stopped early, if it did. `down`: a part that did not answer;
    `found`: what somebody should look at; `unfinished`: more could be done at once.
    """

    counts: dict[str, int] = field(default_factory=dict)
    stopped: str = ""
    down: str = ""
    found: str = ""
    unfinished: bool = False


# Seconds that one run may spend on its items, well within the task's limit (config/processes/time_limits.py), because
# the same worker does what waits behind it. The next run continues.
WITHIN = 300.0
# The same for a job of the first queue (config/processes/queues.py), where webhooks and deposits wait for each other.
PROMPT_WITHIN = 15.0
# The number of failed items that a record names.
NAMED = 10


class TookTooLong(Exception):
    """A run that was interrupted."""


Item = TypeVar("Item")


class Items:
    """The items of one run, each guarded separately: one that fails is logged and skipped, and the others are done."""

    def __init__(self, job: str, *, within: float = WITHIN) -> None:
        self.left_out: list[str] = []
        self.is_late = False
        self._job, self._ends = job, time.monotonic() + within

    def each(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items until the time is up."""
        for item in items:
            if self.is_over():
                return
            yield item

    def is_over(self) -> bool:
        """Return whether the time is up; the record then says so."""
        self.is_late = self.is_late or time.monotonic() > self._ends
        return self.is_late

    @contextmanager
    def guard(self, name: object) -> Iterator[None]:
        """Skip what fails inside, under this name. Raises errors that mean that the database is down."""
        try:
            yield
        except Exception as error:
            if is_database_away(error):
                raise
            logger.exception("%s leaves %s out", self._job, name)
            self.left_out.append(str(name))

    def work(self, counts: dict[str, int], *, down: str = "") -> "Work":
        """Return the result of the run, with the items it skipped and why it ended early."""
        found = []
        if self.left_out:
            more = len(self.left_out) - NAMED
            names = ", ".join(self.left_out[:NAMED]) + (f" and {more} more" if more > 0 else "")
            found.append(f"Skipped (see the log): {names}.")
        if self.is_late:
            found.append("The time limit was reached; the next run continues.")
        return Work(counts, down=down, found=" ".join(found), unfinished=self.is_late)


def is_database_away(error: Exception) -> bool:
    """Return whether an error means that the database is down, and not that the item is faulty."""
    if not isinstance(error, OperationalError):
        return isinstance(error, InterfaceError)
    try:
        return not connection.is_usable()
    except DatabaseError:
        return True


def run_job(
    *, name: str, work: Callable[[], Work], clock: Callable[[], datetime], again: Callable[[], None] | None = None
) -> JobRun:
    """Run `work` and record it; on a nearly full disk, record that it waits. An exception is recorded and raised again.
    `again` is called if the time ran out, to have the rest done after what waits now.

    A killed run cannot record its end: the next run of the same job closes it. If it is alive after all, in another
    worker, its own end overwrites that.
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
    except TimeUp as error:
        run.finish(JobRun.Outcome.FAILED, at=clock(), counts={}, detail=str(error))
        raise TookTooLong(f"{name}: {error}") from error
    except Exception as error:
        run.finish(JobRun.Outcome.FAILED, at=clock(), counts={}, detail=f"{type(error).__name__}: {error}")
        raise
    outcome = JobRun.Outcome.STOPPED if done.stopped else JobRun.Outcome.DONE
    run.finish(outcome, at=clock(), counts=done.counts, detail=done.stopped or done.down or done.found)
    kept = JobRun.objects.filter(name=name).order_by("-pk").values_list("pk", flat=True)[:KEEP]
    JobRun.objects.filter(name=name).exclude(pk__in=list(kept)).delete()
    if again and done.unfinished:
        again()
    return run
