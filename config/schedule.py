"""When each scheduled job runs: the defaults. Beat reads the rows in the database, which an operator may change.

To add a job: write a sweep in the app's `actions/sweeps.py`, a task in its `tasks.py`, and a line here. Beat writes the
table to the database when it starts (`sync`). No migration is needed. Times are UTC. Its queue is in
`config/processes/queues.py`.
"""

import logging
from typing import NamedTuple

from celery.schedules import crontab
from django.db import transaction
from django_celery_beat.models import CrontabSchedule, PeriodicTask

logger = logging.getLogger("loam.beat")


class Job(NamedTuple):
    """A Celery task by name, its default time as a cron expression, and what it is for."""

    task: str
    when: str
    purpose: str

    @property
    def description(self) -> str:
        """What the admin shows. It ends with the default time, by which `sync` sees what an operator changed."""
        return f"{self.purpose}{_default(self.when)}"


# The jobs of the night start after the audit, so that it sees what they would repair.
EACH_MINUTE, AUDIT, NIGHT = "* * * * *", "40 2 * * *", "20 3 * * *"
JOBS = (
    Job("accounts.deliver_webhooks", EACH_MINUTE, "Send the webhooks that are due."),
    Job("knowledge.embed_waiting", EACH_MINUTE, "Compute the embeddings that are missing or of another model."),
    Job("knowledge.reconsider", EACH_MINUTE, "Deduplicate deposits that were stored while the embedder was down."),
    Job("knowledge.judge_pairs", EACH_MINUTE, "Ask the configured model about open pairs."),
    Job("knowledge.infer_due", EACH_MINUTE, "Infer the preferences of members who have rated."),
    Job("knowledge.background_jobs", EACH_MINUTE, "Run the background jobs that people started on pages."),
    Job("knowledge.regroup_grown", "*/10 * * * *", "Regroup the topics of teams that have grown."),
    Job("knowledge.reweigh_drifted", "*/15 * * * *", "Refresh the term weights that are out of date."),
    Job("knowledge.audit", AUDIT, "Check the integrity of the stored knowledge."),
    Job("knowledge.recount", NIGHT, "Count terms and documents again."),
    Job("knowledge.forget_old", NIGHT, "Drop queries and statistics that have expired."),
    Job("knowledge.fade", NIGHT, "Deprecate or archive insights whose strength has decayed."),
    Job("knowledge.infer", NIGHT, "Infer the preferences of all members."),
    Job("knowledge.erase_forgotten", "40 3 * * *", "Erase insights that were deleted a month ago."),
    Job("knowledge.regroup", "40 3 * * *", "Regroup the topics of all teams."),
    Job("evidence.compare_deposits", "25 * * * *", "Compare insights deposited from saved answers with their files."),
    Job("evidence.check_sources", "35 * * * *", "Check that evidence sources can be read."),
    Job("evidence.read_documents", "45 * * * *", "Extract the text of documents before a search needs it."),
    Job("evidence.cool", "50 3 * * *", "Lower the hotness of saved answers."),
    Job("evidence.connect", "50 3 * * *", "Link saved answers that are related."),
    Job("skills.embed_skills", EACH_MINUTE, "Compute the embeddings of skills that have none."),
    Job("sessions.recover_silent", EACH_MINUTE, "Write handoffs for sessions that ended without one."),
    Job("sessions.embed_passages", EACH_MINUTE, "Compute the embeddings of stored conversations."),
    Job("sessions.place_passages", EACH_MINUTE, "Assign stored conversations to their teams."),
    Job("sessions.propose_passages", "25 * * * *", "Propose insights from conversations by rules."),
    Job("sessions.propose_by_model", "35 * * * *", "Propose insights from conversations by the configured model."),
    Job("sessions.drop_old", "35 3 * * *", "Delete expired session events and claims."),
    Job("sessions.drop_old_passages", "40 3 * * *", "Delete expired conversations."),
)
# The first part of a task's name, by which a row is known to be one of Loam's.
PREFIXES = tuple(sorted({job.task.split(".")[0] + "." for job in JOBS}))


@transaction.atomic
def sync(jobs: tuple[Job, ...] = JOBS) -> None:
    """Write the table to beat's rows: add jobs, update defaults that nobody changed, delete jobs that no longer exist.

    What an operator changed in the admin stays: whether a job is enabled, and its time where it is not the default.
    Rows of other tasks are left alone.
    """
    rows = {row.name: row for row in PeriodicTask.objects.select_related("crontab")}
    for job in jobs:
        if job.task not in rows:
            _add(job)
        elif rows[job.task].description != job.description:
            _update(rows[job.task], job)
    tasks = {job.task for job in jobs}
    for row in rows.values():
        if row.task.startswith(PREFIXES) and row.task not in tasks:
            logger.warning("the scheduled job %s is deleted: there is no task %s", row.name, row.task)
            row.delete()


def _add(job: Job) -> None:
    defaults = {"task": job.task, "crontab": _crontab(job.when), "description": job.description}
    PeriodicTask.objects.get_or_create(name=job.task, defaults=defaults)


def _update(row: PeriodicTask, job: Job) -> None:
    when = row.crontab
    fields = when and (when.minute, when.hour, when.day_of_month, when.month_of_year, when.day_of_week)
    if fields and row.description.endswith(_default(" ".join(fields))):
        row.crontab = _crontab(job.when)
    row.description = job.description
    row.save()


def _default(when: str) -> str:
    return f" Default: {when}"


def _crontab(when: str) -> CrontabSchedule:
    found = CrontabSchedule.from_schedule(crontab.from_string(when))
    if found.pk is None:
        found.save()
    return found
