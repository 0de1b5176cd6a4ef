"""Anchors of an insight: files, symbols, tags, and errors by fingerprint or message."""

from typing import TYPE_CHECKING

from django.contrib.postgres.indexes import GinIndex
from django.db import models

from accounts.rules.choices import choices
from knowledge.querysets.anchors import FILE_NAME, MESSAGE_WORDS, AnchorQuerySet
from knowledge.rules.vocabulary import AnchorKind

if TYPE_CHECKING:
    from knowledge.models.insight import Insight


class Anchor(models.Model):
    """An anchor. For an error, `value` is its fingerprint or message, `recipe` the version of the code that made it,
    and `detail` the original text.
    """

    insight = models.ForeignKey("knowledge.Insight", on_delete=models.CASCADE, related_name="anchors")
    kind = models.CharField(max_length=8, choices=choices(AnchorKind))
    value = models.CharField(max_length=400)
    recipe = models.CharField(max_length=40, blank=True)
    detail = models.TextField(blank=True)

    objects = AnchorQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["insight", "kind", "value"], name="anchor_once")]
        indexes = [
            models.Index(fields=["kind", "value"], name="anchor_value"),
            models.Index(FILE_NAME, name="anchor_file_name", condition=models.Q(kind=AnchorKind.FILE)),
            GinIndex(MESSAGE_WORDS, name="anchor_message", condition=models.Q(kind=AnchorKind.MESSAGE)),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}"

    def copy(self) -> "Anchor":
        """Return an unsaved copy for another insight."""
        return Anchor(kind=self.kind, value=self.value, recipe=self.recipe, detail=self.detail)

    def of(self, insight: "Insight") -> "Anchor":
        self.insight = insight
        return self
