"""The references an insight had before it was moved to another team."""

from django.db import models

from accounts.models import Team
from knowledge.models.insight import Insight


class FormerRef(models.Model):
    """A former reference. The insight is still found by it, and its number is not given out again."""

    insight = models.ForeignKey(Insight, on_delete=models.CASCADE, related_name="former")
    ref = models.CharField(max_length=24, unique=True)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        verbose_name = "former reference"

    def __str__(self) -> str:
        return self.ref


class Forgotten(Insight):
    """A forgotten insight, as listed in the admin: its reference, never its text."""

    class Meta:
        proxy = True
        verbose_name = "forgotten insight"

    def __str__(self) -> str:
        return self.ref


class Quarantined(Insight):
    """An insight in which a secret was found, as listed in the admin, with secrets masked."""

    class Meta:
        proxy = True
        verbose_name = "insight in quarantine"
        verbose_name_plural = "insights in quarantine"

    def __str__(self) -> str:
        return self.ref
