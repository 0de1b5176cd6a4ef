"""A change to another embedding model: how far it is, and by which model the stored vectors are since."""

from datetime import timedelta

from django.db import models
from django.utils import timezone

from sessions_app.querysets.embedding_changes import EmbeddingChangeQuerySet


class EmbeddingChange(models.Model):
    """One change; open until its switch, of which there is one at most at a time.

    Every process asks this table whether it may use vectors (`config/database/vectors.py`): until `quiet_until` none
    does, and after a switch only those of the last one's `model` do.
    """

    model = models.CharField(max_length=80)
    begun_at = models.DateTimeField()
    # How far it is: a step, and what of it is done, last told at `seen_at`.
    step = models.CharField(max_length=80, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    seen_at = models.DateTimeField()
    quiet_until = models.DateTimeField(null=True)
    switched_at = models.DateTimeField(null=True)

    objects = EmbeddingChangeQuerySet.as_manager()

    def __str__(self) -> str:
        return f"to {self.model}"

    @property
    def progress(self) -> str:
        """In words."""
        share = f" ({self.done / self.total:.0%})" if self.total else ""
        return f"{self.step or 'begun'}{share}"

    def note(self, step: str, done: int, total: int) -> None:
        """Keep how far it is, for who looks."""
        self.step, self.done, self.total, self.seen_at = step[:80], done, total, timezone.now()
        self.save(update_fields=["step", "done", "total", "seen_at"])

    def keep_quiet(self, span: timedelta) -> None:
        """Have no process use vectors for so long from now, by the clock of the database."""
        EmbeddingChange.objects.filter(pk=self.pk).keep_quiet(span)
