"""Long work that somebody asked for on a page."""

from datetime import datetime
from typing import Any

from django.db import models

from accounts.models import LogEntry, Team, User
from accounts.rules.rights import Member
from knowledge.models.edit_proposal import EditProposal
from knowledge.querysets.background_jobs import BackgroundJobQuerySet


class BackgroundJob(models.Model):
    """What is to be done, how far it is, and what came of it: it outlives the page it was asked on, and the worker.

    `results`: of a replay, the asker's own questions with another first answer, as ids and references.
    `file` is kept only until the work is over. `done` and `total` count files or lines of an import, insights of a
    regrouping; `counts` what came of it, by name; `skipped` names notes and says why, as many as a page shows.
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
        # Called so by the versions that made it (migration 0036).
        db_table = "knowledge_errand"
        indexes = [models.Index(fields=["team", "-asked_at"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()

    @property
    def over(self) -> bool:
        return self.state not in (self.State.WAITING, self.State.RUNNING)

    def record_progress(self, *, done: int, total: int, at: datetime) -> None:
        """How far it is; it never goes back on a page, though an import that goes on reads from the beginning."""
        self.done, self.total, self.seen_at = max(self.done, done), max(self.total, total), at
        self.save(update_fields=["done", "total", "seen_at"])

    def alive(self, *, at: datetime) -> None:
        """Somebody works on it still. Only that is written: another thread writes the rest."""
        type(self).objects.filter(pk=self.pk, state=self.State.RUNNING).update(seen_at=at)

    def rest(self, *, at: datetime) -> None:
        """Let other work come between; it goes on from where it is."""
        self.state, self.seen_at = self.State.WAITING, at
        self.save(update_fields=["state", "seen_at", "counts", "skipped"])

    def finish(self, state: str, *, by: Member, at: datetime, line: str, detail: str = "") -> None:
        """It is over: what was sent is not kept, and the team's log says what came of it."""
        self.state, self.finished_at, self.seen_at, self.detail, self.file = state, at, at, detail, None
        self.save(update_fields=["state", "finished_at", "seen_at", "detail", "file", "counts", "skipped", "results"])
        after: dict[str, Any] = dict(self.counts)
        LogEntry.write(team_id=self.team_id, verb=f"{self.kind} {state}", line=line, by=by, at=at, after=after)
