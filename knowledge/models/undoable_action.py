"""What a person did on the pages, with the steps that take it back."""

from django.db import models

from accounts.models import User
from knowledge.querysets.undoable_actions import UndoableActionQuerySet


class UndoableAction(models.Model):
    """One act of one person. `line` names references only, never a text; `steps` are those of `bulk.undo`;
    none of what cannot be undone.
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
