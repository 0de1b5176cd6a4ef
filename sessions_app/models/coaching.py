"""What a member was taught."""

from datetime import datetime

from django.db import models

from accounts.models import Team, User
from sessions_app.answers.rules.coaching import Concept
from sessions_app.querysets.sessions import CoachedQuerySet


class Coached(models.Model):
    """How often a member was told of a concept, and since when they are known to know it. Of their personal team."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    concept = models.CharField(max_length=20, choices=[(concept.value, concept.value) for concept in Concept])
    told = models.PositiveIntegerField(default=0)
    told_at = models.DateTimeField(null=True)
    known_at = models.DateTimeField(null=True)

    # Annotated by `of`: whether some row shows that they do it.
    done: bool

    objects = CoachedQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "coached"
        constraints = [models.UniqueConstraint(fields=["user", "concept"], name="coached_once")]

    def __str__(self) -> str:
        return f"{self.concept}, told {self.told} times"

    def tell(self, *, at: datetime) -> bool:
        """Count that it is told once more; whether nobody else did since this row was read."""
        return bool(Coached.objects.filter(pk=self.pk, told=self.told).update(told=self.told + 1, told_at=at))
