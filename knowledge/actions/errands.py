"""Errands: long work that somebody asks for on a page, done by the worker, a slice at a time.

An errand is a row, so it outlives the page, the web and the worker. A slice ends after some seconds, for a worker does
one thing at a time and others wait too; an import goes on where it was, because what is there already is recognised
before anything is computed.
"""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from django.db import transaction

from accounts.actions.jobs import Work, run_job
from accounts.actions.members import member_of
from accounts.models import JobRun, Team
from accounts.rules.archive import HostileArchive, unpack
from accounts.rules.guard import masked, strip_invisible
from accounts.rules.refused import NotAllowed, NotFound, Refused
from accounts.rules.rights import SYSTEM, Level, Member, team_for_write
from knowledge.actions import transfer
from knowledge.actions.regroup import regroup_team
from knowledge.adapters.bell import ring
from knowledge.adapters.unpacked import MOST_NOTES, ZIP, unpacked
from knowledge.models import Errand
from knowledge.rules.vocabulary import Kind

Clock = Callable[[], datetime]
TASK = "knowledge.errands"
# Bytes somebody may send: ten thousand notes of a page each, packed.
LARGEST_SENT = 10_000_000
TAKEN = (ZIP, *sorted(transfer.MARKDOWN), *sorted(transfer.LINES), transfer.WHOLE)
# Of one person, waiting or under way.
MOST_OPEN = 3
# A team's errands that are over are kept this many deep; what came of each is in the team's log too.
KEPT = 20
# As many skipped notes as a page names.
NAMED = 100
SLICE = timedelta(seconds=15)
# A batch may wait for a language model, some seconds for each note; a worker silent for longer is gone.
SILENT = timedelta(minutes=5)


class BadFile(Refused):
    detail = "This file cannot be brought in; nothing was stored."


class TooManyErrands(Refused):
    code = "too_many"
    status = 409
    detail = f"You have {MOST_OPEN} of these under way. Wait for one to end, or stop it."


class ErrandOver(Refused):
    code = "wrong_status"
    status = 409
    detail = "It is over already."


def ask_import(*, name: str, data: bytes, team: str, kind: Kind, by: Member, now: datetime) -> Errand:
    """Have the notes of a file brought into a team: a zip of Markdown, one Markdown file, JSON Lines or JSON.

    Raises BadFile on `file`, TooManyErrands on `file`, NoSuchTeam on `team`, NotAllowed.
    """
    access = team_for_write(by, team)
    fault = _fault(name, data)
    if fault:
        raise BadFile(errors={"file": [fault]})
    called = masked(strip_invisible(Path(name).name).text)[:200]
    with transaction.atomic():
        _one_more(access.id, by)
        row = Errand.objects.create(
            team_id=access.id,
            asked_by_id=by.user_id,
            kind=Errand.Kind.IMPORT,
            name=called,
            note_kind=kind.value,
            file=data,
            asked_at=now,
        )
        transaction.on_commit(lambda: ring(TASK))
    return row


def ask_regroup(*, team: str, by: Member, now: datetime) -> Errand:
    """Have a team's insights grouped into topics anew, now and not by night. A lead's act; asked twice is asked once.

    Raises NoSuchTeam on `team`, NotAllowed, TooManyErrands.
    """
    access = by.named(team)
    by.require(access.id, Level.LEAD)
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=access.id)
        there: Errand | None = Errand.objects.open().filter(team_id=access.id, kind=Errand.Kind.REGROUP).first()
        if there:
            return there
        _one_more(access.id, by)
        row = Errand.objects.create(team_id=access.id, asked_by_id=by.user_id, kind=Errand.Kind.REGROUP, asked_at=now)
        transaction.on_commit(lambda: ring(TASK))
    return row


def stop(*, errand_id: int, by: Member, now: datetime) -> Errand:
    """End it: at once if it waits, else after what is being written. What was done stays. One's own, or a lead's act.

    Raises NotFound, NotAllowed, ErrandOver.
    """
    with transaction.atomic():
        row: Errand | None = Errand.objects.visible_to(by).filter(pk=errand_id).select_for_update(no_key=True).first()
        if row is None:
            raise NotFound
        if row.asked_by_id != by.user_id and not by.may(row.team_id, Level.LEAD):
            raise NotAllowed
        if row.over:
            raise ErrandOver
        if row.state == Errand.State.WAITING:
            row.finish(Errand.State.STOPPED, by=by, at=now, line=_line(row))
        else:
            row.stopping = True
            row.save(update_fields=["stopping"])
    return row


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
        _DO[errand.kind](errand, clock)
    except (Refused, HostileArchive, OSError) as fault:
        words = fault.in_full if isinstance(fault, Refused) else str(fault)
        errand.finish(Errand.State.FAILED, by=SYSTEM, at=clock(), line=_line(errand, "failed"), detail=words[:1000])
    except Exception:
        words = "It broke off; whoever runs this Loam finds the reason in the log."
        errand.finish(Errand.State.FAILED, by=SYSTEM, at=clock(), line=_line(errand, "failed"), detail=words)
        raise
    if Errand.objects.open().exists():
        ring(TASK)
    return Work(dict(counts))


@transaction.atomic
def _claimed(now: datetime) -> Errand | None:
    row: Errand | None = Errand.objects.claimed(now=now, silent_since=now - SILENT)
    if row:
        row.state, row.seen_at = Errand.State.RUNNING, now
        row.save(update_fields=["state", "seen_at"])
    return row


def _import(errand: Errand, clock: Clock) -> None:
    by, before, reached = _by(errand), errand.counts.get("created", 0), errand.done
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
        found = transfer.import_notes(path=path, team=team, by=by, now=clock(), progress=so_far, kind=kind)
    errand.counts = {
        "created": before + found.created,
        "unchanged": max(found.unchanged - before, 0),
        "skipped": len(found.skipped),
        "waiting": errand.counts.get("waiting", 0) + found.waiting,
    }
    errand.skipped = [[masked(name)[:200], why[:300]] for name, why in found.skipped[:NAMED]]
    if found.whole:
        errand.finish(Errand.State.DONE, by=by, at=clock(), line=_line(errand))
    elif stopped:
        errand.finish(Errand.State.STOPPED, by=by, at=clock(), line=_line(errand))
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
    words = (
        "" if topics else "Nothing was grouped: a topic was renamed or merged meanwhile, or there is nothing to group."
    )
    errand.finish(Errand.State.DONE, by=by, at=clock(), line=_line(errand), detail=words)


_DO: dict[str, Callable[[Errand, Clock], None]] = {Errand.Kind.IMPORT: _import, Errand.Kind.REGROUP: _regroup}


def _by(errand: Errand) -> Member:
    """Who asked, with the rights they have by now. Raises NotAllowed."""
    if errand.asked_by is None or not errand.asked_by.is_active:
        raise NotAllowed
    return member_of(user=errand.asked_by)


def _one_more(team_id: int, by: Member) -> None:
    """Room for another: of the team's old ones all but the last go. Raises TooManyErrands."""
    if Errand.objects.open().filter(asked_by_id=by.user_id).count() >= MOST_OPEN:
        raise TooManyErrands(errors={"file": [TooManyErrands.detail]})
    Errand.objects.all().old_ones(team_id, KEPT).delete()


def _fault(name: str, data: bytes) -> str:
    """Why a file is not taken, before anybody waits for it; empty if it is."""
    suffix = Path(name).suffix.lower()
    if suffix not in TAKEN:
        return f"Send a zip archive of Markdown, or one of {', '.join(TAKEN[1:])}."
    if len(data) > LARGEST_SENT:
        return f"It has more than {LARGEST_SENT // 1_000_000} MB; send it in parts, or use manage.py import_notes."
    if not data:
        return "It is empty."
    if suffix != ZIP:
        return ""
    try:
        files = unpack(data, entries=MOST_NOTES)
    except HostileArchive as fault:
        return f"{str(fault).capitalize()}."
    notes = any(Path(path).suffix.lower() in transfer.MARKDOWN for path in files)
    return "" if notes else "There is no Markdown in it."


def _line(errand: Errand, ended: str = "") -> str:
    if errand.kind == Errand.Kind.REGROUP:
        return f"Topics grouped anew on request{f', {ended}' if ended else ''}"
    counts = errand.counts
    told = ", ".join(f"{counts.get(what, 0):,} {what}" for what in ("created", "unchanged", "skipped"))
    return f"Notes brought in from {errand.name}: {told}{f'; {ended}' if ended else ''}"
