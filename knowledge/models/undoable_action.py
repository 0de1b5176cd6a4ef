"""What a user did on the pages, with the steps to undo it."""

from django.db import models

from accounts.models import User
from knowledge.querysets.undoable_actions import UndoableActionQuerySet


class UndoableAction(models.Model):
    """One action of one user. `line` names references only, never a text. `steps` are those of `bulk.undo`; empty if it
    cannot be undone.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()
    line = models.CharField(max_length=300)
    steps = models.JSONField(default=list)
    undone_at = models.DateTimeField(null=True)

    objects = UndoableActionQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["user", "-id"], name="undoable_action_of_user")]

    def __str__(self) -> str:
        return self.line
