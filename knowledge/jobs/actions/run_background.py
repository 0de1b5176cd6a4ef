"""Run the background jobs that people started, in the worker, a slice at a time.

A slice ends after some seconds, for a worker does one thing at a time and others wait too; an import goes on where it
was, because what is there already is recognised before anything is computed.
"""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import DatabaseError, InterfaceError, OperationalError, transaction

from accounts.actions.jobs import Work, run_job
from accounts.actions.members import member_of
from accounts.models import JobRun
from accounts.querysets import was_stopped
from accounts.rules.archive import HostileArchive
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotAllowed, Refused
from accounts.rules.rights import SYSTEM, Level, Member, TeamStopped
from knowledge.adapters.embedder import EmbedderDown
from knowledge.imports.actions import transfer
from knowledge.jobs.actions.background import TASK, log_line
from knowledge.jobs.adapters.heartbeat import heartbeat
from knowledge.jobs.adapters.job_queue import enqueue
from knowledge.jobs.adapters.unpacked import unpacked
from knowledge.models import BackgroundJob
from knowledge.review.proposals.actions.replay import replay
from knowledge.rules.vocabulary import Kind
from knowledge.topics.actions.regroup import regroup_team

Clock = Callable[[], datetime]
# As many skipped notes as a page names.
NAMED = 100
SLICE = timedelta(seconds=15)
# Who works shows it this often (seconds), also while a batch waits for a language model; a worker silent for longer is
# gone, and the next ring, a minute later at most, has another take it up.
PULSE = 10.0
SILENT = timedelta(minutes=1)


def run(*, clock: Clock) -> JobRun:
    """`work`, on record as a job."""
    return run_job(name=TASK, work=lambda: work(clock=clock), clock=clock)


def work(*, clock: Clock) -> Work:
    """Do a slice of the job that has waited longest; ring again if anything is left. Counts what was done."""
    job = _claimed(clock())
    if job is None:
        return Work()
    counts: Counter[str] = Counter()
    try:
        counts[job.kind] += 1
        with heartbeat(lambda: job.alive(at=clock()), every=PULSE):
            _DO[job.kind](job, clock)
    except (OperationalError, InterfaceError):
        raise  # The database is away, and what was sent is in it: this is taken up again.
    except (TeamStopped, DatabaseError) as fault:
        if isinstance(fault, DatabaseError) and not was_stopped(fault):
            _failed(job, clock)
            raise
        job.rest(at=clock())  # its team is about to move to another cell: it goes on when writes do
    except (Refused, HostileArchive, OSError) as fault:
        words = fault.in_full if isinstance(fault, Refused) else str(fault)
        job.finish(BackgroundJob.State.FAILED, by=SYSTEM, at=clock(), line=log_line(job, "failed"), detail=words[:1000])
    except Exception:
        _failed(job, clock)
        raise
    if BackgroundJob.objects.open().exists():
        enqueue(TASK)
    return Work(dict(counts))


def _failed(job: BackgroundJob, clock: Clock) -> None:
    words = "The job failed; your administrator can find the reason in the log."
    job.finish(BackgroundJob.State.FAILED, by=SYSTEM, at=clock(), line=log_line(job, "failed"), detail=words)


@transaction.atomic
def _claimed(now: datetime) -> BackgroundJob | None:
    row: BackgroundJob | None = BackgroundJob.objects.claimed(now=now, silent_since=now - SILENT)
    if row:
        row.state, row.seen_at = BackgroundJob.State.RUNNING, now
        row.save(update_fields=["state", "seen_at"])
    return row


def _import(job: BackgroundJob, clock: Clock) -> None:
    by, reached = _by(job), job.done
    ends: datetime | None = None
    stopped = False

    def so_far(done: int, total: int) -> bool:
        nonlocal stopped, ends
        now = clock()
        job.record_progress(done=done, total=total, at=now)
        stopped = BackgroundJob.objects.filter(pk=job.pk, stopping=True).exists()
        if done > reached:  # what was read before is passed over, and counts for nothing
            ends = ends or now + SLICE
        return not stopped and (ends is None or now < ends)

    with unpacked(job.name, bytes(job.file or b"")) as path:
        kind = Kind(job.note_kind or Kind.CONTEXT)
        team = job.team.slug
        found = transfer.import_notes(
            path=path, team=team, by=by, now=clock(), progress=so_far, kind=kind, begun=job.asked_at
        )
    job.counts = {
        "created": found.created,
        "unchanged": found.unchanged,
        "skipped": len(found.skipped),
        "waiting": job.counts.get("waiting", 0) + found.waiting,
    }
    job.skipped = [[masked(name)[:200], why[:300]] for name, why in found.skipped[:NAMED]]
    if found.whole:
        job.finish(BackgroundJob.State.DONE, by=by, at=clock(), line=log_line(job))
    elif stopped:
        job.finish(BackgroundJob.State.STOPPED, by=by, at=clock(), line=log_line(job))
    else:
        job.rest(at=clock())


def _regroup(job: BackgroundJob, clock: Clock) -> None:
    by = _by(job)
    by.require(job.team_id, Level.LEAD)
    topics, moved = regroup_team(
        team_id=job.team_id,
        now=clock(),
        progress=lambda done, total: job.record_progress(done=done, total=total, at=clock()),
    )
    job.counts = {"topics": topics, "moved": moved}
    words = "" if topics else "Not reclustered: a topic was renamed or merged during the run, or there are no insights."
    job.finish(BackgroundJob.State.DONE, by=by, at=clock(), line=log_line(job), detail=words)


def _replay(job: BackgroundJob, clock: Clock) -> None:
    """The whole of it at once: it takes seconds."""
    by = _by(job)
    stopped = False

    def so_far(done: int, total: int) -> bool:
        nonlocal stopped
        job.record_progress(done=done, total=total, at=clock())
        stopped = BackgroundJob.objects.filter(pk=job.pk, stopping=True).exists()
        return not stopped

    try:
        found = replay(proposal_id=job.proposal_id or 0, by=by, now=clock(), progress=so_far)
    except EmbedderDown:
        words = "The embedder is not available; try again later."
        job.finish(BackgroundJob.State.FAILED, by=by, at=clock(), line=log_line(job, "failed"), detail=words)
        return
    job.counts = {name: getattr(found, name) for name in ("recorded", "replayed", "changed", "first", "listed")}
    job.results = [list(one) for one in found.own]
    state = BackgroundJob.State.STOPPED if stopped else BackgroundJob.State.DONE
    job.finish(state, by=by, at=clock(), line=log_line(job))


_DO: dict[str, Callable[[BackgroundJob, Clock], None]] = {
    BackgroundJob.Kind.IMPORT: _import,
    BackgroundJob.Kind.REGROUP: _regroup,
    BackgroundJob.Kind.REPLAY: _replay,
}


def _by(job: BackgroundJob) -> Member:
    """Who asked, with the rights they have by now. Raises NotAllowed."""
    if job.asked_by is None or not job.asked_by.is_active:
        raise NotAllowed
    return member_of(user=job.asked_by)
