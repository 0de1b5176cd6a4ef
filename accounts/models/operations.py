"""Records of running Loam: job runs, call counts, and leases of tasks that one process does."""

from datetime import datetime
from typing import Any

from django.db import models

from accounts.querysets import JobRunQuerySet, LeaseQuerySet, TallyQuerySet


class JobRun(models.Model):
    """One run of a job of beat's: when, how it ended, what it changed."""

    class Outcome(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        STOPPED = "stopped"
        FAILED = "failed"

    name = models.CharField(max_length=80, db_index=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome, default=Outcome.RUNNING)
    counts = models.JSONField(default=dict)
    detail = models.TextField(blank=True)

    objects = JobRunQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} {self.outcome}"

    def finish(self, outcome: str, *, at: datetime, counts: dict[str, Any], detail: str) -> None:
        self.outcome, self.finished_at, self.counts, self.detail = outcome, at, counts, detail
        self.save(update_fields=["outcome", "finished_at", "counts", "detail"])


class Tally(models.Model):
    """Calls of one key in its current minute, of all processes (rules/throttle.py). The table is unlogged: what a crash
    of the server loses is a minute's count.
    """

    key = models.CharField(max_length=60, primary_key=True)
    window = models.BigIntegerField()
    count = models.BigIntegerField()

    objects = TallyQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "tallies"

    def __str__(self) -> str:
        return f"{self.key}: {self.count}"


class Lease(models.Model):
    """Which process has a part that only one of all machines may have (beat), and until when, by the database's clock.

    A row with an end and no lock of a session: behind PgBouncer a session is another's a moment later, and a machine
    that is cut off would keep its lock for as long as TCP takes to notice.
    """

    name = models.CharField(max_length=60, primary_key=True)
    holder = models.CharField(max_length=200)
    until = models.DateTimeField()

    objects = LeaseQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name}: {self.holder}"
