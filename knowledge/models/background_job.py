"""Background jobs that people start on a page."""

from datetime import datetime
from typing import Any

from django.db import models

from accounts.models import LogEntry, Team, User
from accounts.rules.rights import Member
from knowledge.models.edit_proposal import EditProposal
from knowledge.querysets.background_jobs import BackgroundJobQuerySet


class BackgroundJob(models.Model):
    """A background job: what to do, its progress and its result. It outlives the page and the worker.

    `file` is kept only until the job is over. `done` and `total` count files or lines of an import, or insights to
    recluster. `counts`: the results, by name. `skipped`: the notes that were skipped and why, as many as a page shows.
    `results`: of a replay, the user's own questions that would now have another first answer, as ids and references.
    """

    class Kind(models.TextChoices):
        IMPORT = "import"
        REGROUP = "regroup"
        REPLAY = "replay"

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        STOPPED = "stopped"
        FAILED = "failed"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    asked_by = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    name = models.CharField(max_length=200, blank=True)
    note_kind = models.CharField(max_length=20, blank=True)
    file = models.BinaryField(null=True, editable=False)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict)
    skipped = models.JSONField(default=list)
    detail = models.TextField(blank=True)
    proposal = models.ForeignKey(EditProposal, null=True, on_delete=models.CASCADE, related_name="replays")
    results = models.JSONField(default=list, db_default=[])
    stopping = models.BooleanField(default=False)
    asked_at = models.DateTimeField()
    seen_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = BackgroundJobQuerySet.as_manager()

    class Meta:
        # The name in the versions that created it (migration 0036).
        db_table = "knowledge_errand"
        indexes = [models.Index(fields=["team", "-asked_at"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()

    @property
    def over(self) -> bool:
        return self.state not in (self.State.WAITING, self.State.RUNNING)

    def record_progress(self, *, done: int, total: int, at: datetime) -> None:
        """Record the progress. It never decreases, although an import that resumes reads from the beginning."""
        self.done, self.total, self.seen_at = max(self.done, done), max(self.total, total), at
        self.save(update_fields=["done", "total", "seen_at"])

    def alive(self, *, at: datetime) -> None:
        """Record that a worker is still on it. Only this column is written, because another thread writes the rest."""
        type(self).objects.filter(pk=self.pk, state=self.State.RUNNING).update(seen_at=at)

    def rest(self, *, at: datetime) -> None:
        """Pause, so that other jobs can run; the job resumes from where it is."""
        self.state, self.seen_at = self.State.WAITING, at
        self.save(update_fields=["state", "seen_at", "counts", "skipped"])

    def finish(self, state: str, *, by: Member, at: datetime, line: str, detail: str = "") -> None:
        """End the job: delete the uploaded file, and write the result to the team's log."""
        self.state, self.finished_at, self.seen_at, self.detail, self.file = state, at, at, detail, None
        self.save(update_fields=["state", "finished_at", "seen_at", "detail", "file", "counts", "skipped", "results"])
        after: dict[str, Any] = dict(self.counts)
        LogEntry.write(team_id=self.team_id, verb=f"{self.kind} {state}", line=line, by=by, at=at, after=after)
