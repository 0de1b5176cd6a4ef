"""Long work that somebody has asked for, done by the worker, a slice at a time.

A slice ends after some seconds, for a worker does one thing at a time and others wait too; an import goes on where it
was, because what is there already is recognised before anything is computed.
"""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import InterfaceError, OperationalError, transaction

from accounts.actions.jobs import Work, run_job
from accounts.actions.members import member_of
from accounts.models import JobRun
from accounts.rules.archive import HostileArchive
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotAllowed, Refused
from accounts.rules.rights import SYSTEM, Level, Member
from knowledge.imports.actions import transfer
from knowledge.jobs.actions.background import TASK, told
from knowledge.jobs.adapters.heartbeat import heartbeat
from knowledge.jobs.adapters.job_queue import enqueue
from knowledge.jobs.adapters.unpacked import unpacked
from knowledge.models import Errand
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
    """Do a slice of the errand that has waited longest; ring again if anything is left. Counts what was done."""
    errand = _claimed(clock())
    if errand is None:
        return Work()
    counts: Counter[str] = Counter()
    try:
        counts[errand.kind] += 1
        with heartbeat(lambda: errand.alive(at=clock()), every=PULSE):
            _DO[errand.kind](errand, clock)
    except (OperationalError, InterfaceError):
        raise  # The database is away, and what was sent is in it: this is taken up again.
    except (Refused, HostileArchive, OSError) as fault:
        words = fault.in_full if isinstance(fault, Refused) else str(fault)
        errand.finish(Errand.State.FAILED, by=SYSTEM, at=clock(), line=told(errand, "failed"), detail=words[:1000])
    except Exception:
        words = "The job failed; your administrator can find the reason in the log."
        errand.finish(Errand.State.FAILED, by=SYSTEM, at=clock(), line=told(errand, "failed"), detail=words)
        raise
    if Errand.objects.open().exists():
        enqueue(TASK)
    return Work(dict(counts))


@transaction.atomic
def _claimed(now: datetime) -> Errand | None:
    row: Errand | None = Errand.objects.claimed(now=now, silent_since=now - SILENT)
    if row:
        row.state, row.seen_at = Errand.State.RUNNING, now
        row.save(update_fields=["state", "seen_at"])
    return row


def _import(errand: Errand, clock: Clock) -> None:
    by, reached = _by(errand), errand.done
    ends: datetime | None = None
    stopped = False

    def so_far(done: int, total: int) -> bool:
        nonlocal stopped, ends
        now = clock()
        errand.seen(done=done, total=total, at=now)
        stopped = Errand.objects.filter(pk=errand.pk, stopping=True).exists()
        if done > reached:  # what was read before is passed over, and counts for nothing
            ends = ends or now + SLICE
        return not stopped and (ends is None or now < ends)

    with unpacked(errand.name, bytes(errand.file or b"")) as path:
        kind = Kind(errand.note_kind or Kind.CONTEXT)
        team = errand.team.slug
        found = transfer.import_notes(
            path=path, team=team, by=by, now=clock(), progress=so_far, kind=kind, begun=errand.asked_at
        )
    errand.counts = {
        "created": found.created,
        "unchanged": found.unchanged,
        "skipped": len(found.skipped),
        "waiting": errand.counts.get("waiting", 0) + found.waiting,
    }
    errand.skipped = [[masked(name)[:200], why[:300]] for name, why in found.skipped[:NAMED]]
    if found.whole:
        errand.finish(Errand.State.DONE, by=by, at=clock(), line=told(errand))
    elif stopped:
        errand.finish(Errand.State.STOPPED, by=by, at=clock(), line=told(errand))
    else:
        errand.rest(at=clock())


def _regroup(errand: Errand, clock: Clock) -> None:
    by = _by(errand)
    by.require(errand.team_id, Level.LEAD)
    topics, moved = regroup_team(
        team_id=errand.team_id,
        now=clock(),
        progress=lambda done, total: errand.seen(done=done, total=total, at=clock()),
    )
    errand.counts = {"topics": topics, "moved": moved}
    words = "" if topics else "Not reclustered: a topic was renamed or merged during the run, or there are no insights."
    errand.finish(Errand.State.DONE, by=by, at=clock(), line=told(errand), detail=words)


_DO: dict[str, Callable[[Errand, Clock], None]] = {Errand.Kind.IMPORT: _import, Errand.Kind.REGROUP: _regroup}


def _by(errand: Errand) -> Member:
    """Who asked, with the rights they have by now. Raises NotAllowed."""
    if errand.asked_by is None or not errand.asked_by.is_active:
        raise NotAllowed
    return member_of(user=errand.asked_by)
