"""What was done with an insight, and what was said again: the evidence its strength and confidence stand on."""

import numpy as np
from django.db import models
from pgvector.django import HalfVectorField

from accounts.models import ApiToken, User
from knowledge.lifecycle.rules import lifecycle
from knowledge.lifecycle.rules.lifecycle import Given
from knowledge.models.anchor import Anchor
from knowledge.models.insight import DIMENSIONS, KINDS, Insight
from knowledge.querysets.signals import IN_FAVOUR, CorroborationQuerySet, SignalQuerySet
from knowledge.rules.draft import searchable, searched
from knowledge.rules.vectors import half
from knowledge.rules.vocabulary import Source

# Who judges of itself (`Corroboration.judged_by`); models have a colon in their names.
MACHINES = ("server", "agent")
# Under which name a corroboration's draft keeps that it waits.
WAITS = "waits"
# And by whom it was judged before a lead accepted it.
ACCEPTED = "accepted_from"
SIGNALS = [(signal.value, signal.value) for signal in lifecycle.SignalKind]


class Signal(models.Model):
    """One voice on one insight. A rating keeps its question, in the insight's team: what it was helpful for."""

    insight = models.ForeignKey(Insight, on_delete=models.CASCADE, related_name="signals")
    kind = models.CharField(max_length=12, choices=SIGNALS)
    human = models.BooleanField(default=False)
    at = models.DateTimeField()
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.SET_NULL, related_name="+")
    session_key = models.CharField(max_length=80)
    reason = models.TextField(blank=True)
    query = models.UUIDField(null=True)
    question = models.TextField(blank=True)
    embedding = HalfVectorField(dimensions=DIMENSIONS, null=True)
    embedded_by = models.CharField(max_length=80, blank=True)
    # Whether it moves the strength. What a user says again, of another question, is kept for that question alone.
    counts = models.BooleanField(default=True, db_default=True)

    objects = SignalQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["insight", "-at"], name="signal_of_insight"),
            models.Index(fields=["at"], include=["insight", "kind"], name="signal_at"),
            # What speaks for an insight: the drafts worth a look are found by it, however many there are.
            models.Index(
                fields=["insight", "at"],
                name="signal_in_favour",
                condition=models.Q(kind__in=IN_FAVOUR),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} on {self.insight_id}"

    def set_vector(self, vector: np.ndarray, model: str) -> None:
        """Of its question."""
        self.embedding, self.embedded_by = half(vector), model

    @property
    def in_favour(self) -> bool:
        """Whether it speaks for the insight."""
        return self.kind in IN_FAVOUR

    @property
    def given(self) -> Given:
        return Given(lifecycle.SignalKind(self.kind), self.human, self.user_id)


class Corroboration(models.Model):
    """A deposit that said what an insight says already: who, when, from where, and its words, which are never lost."""

    insight = models.ForeignKey(Insight, on_delete=models.CASCADE, related_name="corroborations")
    at = models.DateTimeField()
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.SET_NULL, related_name="+")
    session_key = models.CharField(max_length=80)
    kind = models.CharField(max_length=12, choices=KINDS)
    title = models.CharField(max_length=200)
    body = models.TextField()
    reasoning = models.TextField(blank=True)
    repo = models.CharField(max_length=200, blank=True)
    # The draft as it came, with tags, files, symbols, error: what `unmerge` makes a row of.
    draft = models.JSONField(default=dict)
    source_type = models.CharField(max_length=12, choices=[(s.value, s.value) for s in Source])
    source_date = models.DateTimeField(null=True)
    similarity = models.FloatField(null=True)
    judged_by = models.CharField(max_length=40, blank=True)
    unmerged_into = models.ForeignKey(Insight, null=True, on_delete=models.SET_NULL, related_name="unmerged_from")

    objects = CorroborationQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["insight", "at"], name="corroboration_of_insight")]

    def __str__(self) -> str:
        return self.title

    @property
    def waits(self) -> bool:
        """Whether it is no agreement before a lead has merged it: an agent said of somebody else's confirmed note that
        this says the same, in words of its own.
        """
        return bool(self.draft.get(WAITS))

    @property
    def accepted(self) -> bool:
        """Whether it waited until a lead accepted it."""
        return ACCEPTED in self.draft

    def hold(self) -> None:
        self.draft[WAITS] = True
        self.judged_by = self.draft.pop(ACCEPTED, self.judged_by)

    def accept(self, by: str) -> None:
        """A lead agrees that it says the same; undone by `hold`."""
        del self.draft[WAITS]
        self.draft[ACCEPTED], self.judged_by = self.judged_by, by

    @property
    def by_person(self) -> bool:
        """Whether a person has found that it says the same. A machine's name is none of an account."""
        return bool(self.judged_by) and self.judged_by not in MACHINES and ":" not in self.judged_by

    @property
    def text(self) -> str:
        return searchable(self.title, self.body, self.reasoning)

    @property
    def searched(self) -> str:
        """Its text, and the questions that it answers."""
        return searched(self.text, self.draft.get("questions", ()))

    @property
    def anchors(self) -> list[Anchor]:
        """Unsaved anchors of what was said, for a row of its own."""
        kept = (
            dict(zip(("kind", "value", "recipe", "detail"), one, strict=False)) for one in self.draft.get("anchors", ())
        )
        return [Anchor(**one) for one in kept]

    def part_as(self, insight: Insight) -> None:
        """It is a row of its own again."""
        self.unmerged_into = insight
        self.save(update_fields=["unmerged_into"])
