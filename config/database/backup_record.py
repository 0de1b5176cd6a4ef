"""The record of backups, stored with the runs of jobs: when the last one was made, and where it is."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError

from accounts.models import JobRun

BACKUP = "backup"
# The number of records kept.
KEPT = 50


@dataclass(frozen=True)
class LastBackup:
    """The last backup that was restored and audited, and its size in bytes."""

    place: str
    at: datetime
    size: int


def last_backup() -> LastBackup | None:
    run = JobRun.objects.filter(name=BACKUP, outcome=JobRun.Outcome.DONE).order_by("-started_at").first()
    return LastBackup(run.detail, run.started_at, int(run.counts.get("bytes", 0))) if run else None


def record_backup(place: str, *, began: datetime, now: datetime, size: int) -> None:
    """Record that a backup is stored, restored and audited, as of `began`."""
    _record(JobRun.Outcome.DONE, began, now, {"bytes": size}, place)


def record_failure(why: str, *, began: datetime, now: datetime) -> None:
    """Record a failed backup, if the database can be reached; the person who ran it is told in any case."""
    with suppress(DatabaseError):
        _record(JobRun.Outcome.FAILED, began, now, {}, why[:1_000])


def _record(outcome: str, began: datetime, now: datetime, counts: dict[str, int], detail: str) -> None:
    run = {"started_at": began, "finished_at": now, "outcome": outcome, "counts": counts, "detail": detail}
    JobRun.objects.create(name=BACKUP, **run)
    kept = JobRun.objects.filter(name=BACKUP).order_by("-pk").values_list("pk", flat=True)[:KEPT]
    JobRun.objects.filter(name=BACKUP).exclude(pk__in=list(kept)).delete()
