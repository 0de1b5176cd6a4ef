"""What became of a prompt that a hook showed."""

from collections.abc import Iterable
from uuid import uuid4

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.models import ApiToken, Team, User
from sessions_app.answers.rules.gates import Gate, Mode
from sessions_app.querysets.sessions import SurfaceDecisionQuerySet

# How the reference of a session begins; a team's slug has at least two letters.
SESSION = "S-"


class SurfaceDecision(models.Model):
    """One prompt, and why notes were put beside it or not. Like a question, it is of the asker's personal team: nobody
    else reads it, no lead and no superuser. Secrets and personal data in the prompt are masked.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.SET_NULL, related_name="+")
    session_key = models.CharField(max_length=80)
    at = models.DateTimeField(db_index=True)
    prompt = models.TextField()
    gate = models.CharField(max_length=20, choices=[(gate.value, gate.value) for gate in Gate])
    reason = models.CharField(max_length=300)
    mode = models.CharField(max_length=12, blank=True, choices=[(mode.value, mode.value) for mode in Mode])
    topic = ArrayField(models.CharField(max_length=64), default=list)
    shown = ArrayField(models.CharField(max_length=24), default=list)
    tokens = models.PositiveIntegerField(default=0)
    query = models.UUIDField(null=True)

    objects = SurfaceDecisionQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["user", "session_key", "-at"], name="surface_of_session")]

    def correct(self, shown: Iterable[str], reason: str, *, topic: Iterable[str], tokens: int) -> None:
        """Let it have put these corrections before the model. It has no question, but an id for a client that tells
        which answers reached the model.
        """
        self.gate, self.reason, self.tokens = Gate.OPEN.value, reason[:300], tokens
        self.shown, self.topic, self.query = list(shown), sorted(topic), uuid4()
        self.save(update_fields=["gate", "reason", "tokens", "shown", "topic", "query"])

    def __str__(self) -> str:
        return f"{self.gate}: {self.prompt[:60]}"

    @property
    def insights(self) -> list[str]:
        """The references of the insights that were shown."""
        return [ref for ref in self.shown if not ref.startswith(SESSION)]

    @property
    def conversations(self) -> list[str]:
        """The references of the sessions of which passages were shown."""
        return [ref for ref in self.shown if ref.startswith(SESSION)]

    @property
    def surfaced(self) -> bool:
        return self.gate == Gate.OPEN
