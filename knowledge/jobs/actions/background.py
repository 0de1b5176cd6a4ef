"""Background jobs: long work that a person starts on a page and the worker does (`run_background`).

An job is a row, so it outlives the page, the web and the worker.
"""

from datetime import datetime
from pathlib import Path

from django.db import transaction

from accounts.models import Team, User
from accounts.rules.archive import HostileArchive, unpack
from accounts.rules.guard.detection import masked, strip_invisible
from accounts.rules.refused import NotAllowed, NotFound, Refused
from accounts.rules.rights import Level, Member, team_for_write
from knowledge.imports.actions import transfer
from knowledge.jobs.adapters.job_queue import enqueue
from knowledge.jobs.adapters.unpacked import MOST_NOTES, ZIP
from knowledge.models import BackgroundJob, EditProposal
from knowledge.review.proposals.actions.decide import may_decide, one_proposal
from knowledge.rules.vocabulary import Kind

TASK = "knowledge.background_jobs"
# Bytes somebody may send: ten thousand notes of a page each, packed.
LARGEST_SENT = 10_000_000
TAKEN = (ZIP, *sorted(transfer.MARKDOWN), *sorted(transfer.LINES), transfer.WHOLE)
# Of one person, waiting or under way.
MOST_OPEN = 3
# A team's jobs that are over are kept this many deep; what came of each is in the team's log too.
KEPT = 20


class BadUpload(Refused):
    detail = "The file cannot be imported; nothing was stored."


class TooManyJobs(Refused):
    code = "too_many"
    status = 409
    detail = f"You have {MOST_OPEN} of these jobs running. Wait for one to finish, or stop it."


class OnlyEdits(Refused):
    code = "wrong_status"
    status = 409
    detail = "Only suggested edits are replayed."


class JobOver(Refused):
    code = "wrong_status"
    status = 409
    detail = "This job is already finished."


def ask_import(*, name: str, data: bytes, team: str, kind: Kind, by: Member, now: datetime) -> BackgroundJob:
    """Have the notes of a file brought into a team: a zip of Markdown, one Markdown file, JSON Lines or JSON. The same
    file twice, while the first waits, is asked once.

    Raises BadFile on `file`, TooManyJobs on `file`, NoSuchTeam on `team`, NotAllowed.
    """
    access = team_for_write(by, team)
    fault = _fault(name, data)
    if fault:
        raise BadUpload(errors={"file": [fault]})
    called = masked(strip_invisible(Path(name).name).text)[:200]
    wanted = {
        "team_id": access.id,
        "asked_by_id": by.user_id,
        "kind": BackgroundJob.Kind.IMPORT,
        "note_kind": kind.value,
    }
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=by.user_id)
        there: BackgroundJob | None = BackgroundJob.objects.open().filter(**wanted, file=data).first()
        if there:
            return there
        _one_more(access.id, by)
        row = BackgroundJob.objects.create(**wanted, name=called, file=data, asked_at=now)
        transaction.on_commit(lambda: enqueue(TASK))
    return row


def ask_regroup(*, team: str, by: Member, now: datetime) -> BackgroundJob:
    """Recluster a team's insights now and not by night. A lead's act; asked twice is asked once.

    Raises NoSuchTeam on `team`, NotAllowed, TooManyJobs.
    """
    access = by.named(team)
    by.require(access.id, Level.LEAD)
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=access.id)
        there: BackgroundJob | None = (
            BackgroundJob.objects.open().filter(team_id=access.id, kind=BackgroundJob.Kind.REGROUP).first()
        )
        if there:
            return there
        _one_more(access.id, by)
        row = BackgroundJob.objects.create(
            team_id=access.id, asked_by_id=by.user_id, kind=BackgroundJob.Kind.REGROUP, asked_at=now
        )
        transaction.on_commit(lambda: enqueue(TASK))
    return row


def ask_replay(*, proposal_id: int, by: Member, now: datetime) -> BackgroundJob:
    """Rank the questions of the last month with a suggested edit: for who may decide on it. Asked twice, while the
    first waits, is asked once. Raises NotFound, NotAllowed, TooManyJobs.
    """
    row = one_proposal(proposal_id=proposal_id, by=by)
    if not may_decide(row, by):
        raise NotAllowed("Only a reviewer of the suggestion can do this.", team_id=row.team_id)
    if row.act != EditProposal.Act.EDIT:
        raise OnlyEdits
    wanted = {
        "team_id": row.team_id,
        "asked_by_id": by.user_id,
        "kind": BackgroundJob.Kind.REPLAY,
        "proposal": row,
    }
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=by.user_id)
        there: BackgroundJob | None = BackgroundJob.objects.open().filter(**wanted).first()
        if there:
            return there
        _one_more(row.team_id, by)
        job = BackgroundJob.objects.create(**wanted, name=row.insight.ref, asked_at=now)
        transaction.on_commit(lambda: enqueue(TASK))
    return job


def stop(*, job_id: int, by: Member, now: datetime) -> BackgroundJob:
    """End it: at once if it waits, else after what is being written. What was done stays. One's own, or a lead's act.

    Raises NotFound, JobOver.
    """
    with transaction.atomic():
        mine = BackgroundJob.objects.all().shown_to(by).filter(pk=job_id)
        row: BackgroundJob | None = mine.select_for_update(no_key=True).first()
        if row is None:
            raise NotFound
        if row.over:
            raise JobOver
        if row.state == BackgroundJob.State.WAITING:
            row.finish(BackgroundJob.State.STOPPED, by=by, at=now, line=log_line(row))
        else:
            row.stopping = True
            row.save(update_fields=["stopping"])
    return row


def _one_more(team_id: int, by: Member) -> None:
    """Room for another: of the team's old ones all but the last go. Raises TooManyJobs."""
    if BackgroundJob.objects.open().filter(asked_by_id=by.user_id).count() >= MOST_OPEN:
        raise TooManyJobs(errors={"file": [TooManyJobs.detail]})
    BackgroundJob.objects.all().old_ones(team_id, KEPT).delete()


def _fault(name: str, data: bytes) -> str:
    """Why a file is not taken, before anybody waits for it; empty if it is."""
    suffix = Path(name).suffix.lower()
    if suffix not in TAKEN:
        return f"Upload a zip archive of Markdown, or a file of type {', '.join(TAKEN[1:])}."
    if len(data) > LARGEST_SENT:
        return f"The file is larger than {LARGEST_SENT // 1_000_000} MB. Split it, or use manage.py import_notes."
    if not data:
        return "The file is empty."
    if suffix != ZIP:
        return ""
    try:
        files = unpack(data, entries=MOST_NOTES)
    except HostileArchive as fault:
        return f"{str(fault).capitalize()}."
    notes = any(Path(path).suffix.lower() in transfer.MARKDOWN for path in files)
    return "" if notes else "The archive contains no Markdown."


def log_line(job: BackgroundJob, ended: str = "") -> str:
    """What the team's log says of it."""
    if job.kind == BackgroundJob.Kind.REGROUP:
        return f"Topics reclustered on request{f', {ended}' if ended else ''}"
    counts = job.counts
    if job.kind == BackgroundJob.Kind.REPLAY:
        found = f"{counts.get('changed', 0):,} of {counts.get('replayed', 0):,} questions"
        return f"Suggested edit of {job.name} replayed: {found}{f'; {ended}' if ended else ''}"
    counted = ", ".join(f"{counts.get(what, 0):,} {what}" for what in ("created", "unchanged", "skipped"))
    return f"Notes imported from {job.name}: {counted}{f'; {ended}' if ended else ''}"
