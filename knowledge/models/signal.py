"""Signals and corroborations: the evidence for an insight's strength and confidence."""

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

# Values of `Corroboration.judged_by` for machines, beside names of models, which contain a colon.
MACHINES = ("server", "agent")
# Key in a corroboration's draft: it waits for a lead.
WAITS = "waits"
# Key in a corroboration's draft: who had judged it before a lead accepted it.
ACCEPTED = "accepted_from"
SIGNALS = [(signal.value, signal.value) for signal in lifecycle.SignalKind]


class Signal(models.Model):
    """One signal about one insight. A rating stores the question it was given for, in the insight's team."""

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
    # Whether it counts for the strength. A repeated rating for another question is stored for that question only.
    counts = models.BooleanField(default=True, db_default=True)

    objects = SignalQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["insight", "-at"], name="signal_of_insight"),
            models.Index(fields=["at"], include=["insight", "kind"], name="signal_at"),
            # Finds the drafts with positive signals, however many signals there are.
            models.Index(
                fields=["insight", "at"],
                name="signal_in_favour",
                condition=models.Q(kind__in=IN_FAVOUR),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} on {self.insight_id}"

    def set_vector(self, vector: np.ndarray, model: str) -> None:
        """Set the vector of its question."""
        self.embedding, self.embedded_by = half(vector), model

    @property
    def in_favour(self) -> bool:
        """Whether it speaks for the insight."""
        return self.kind in IN_FAVOUR

    @property
    def given(self) -> Given:
        return Given(lifecycle.SignalKind(self.kind), self.human, self.user_id)


class Corroboration(models.Model):
    """A deposit that said the same as an insight: who, when, from where, and its text, which is kept."""

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
    # The draft as deposited, with tags, files, symbols and error; `unmerge` makes a row from it.
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
        """Whether it does not count as agreement until a lead accepts it: an agent said that it agrees with a confirmed
        note of somebody else, in other words.
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
        """Record that a lead agrees that it says the same; `hold` undoes this."""
        del self.draft[WAITS]
        self.draft[ACCEPTED], self.judged_by = self.judged_by, by

    @property
    def by_person(self) -> bool:
        """Whether a person decided that it says the same. No account has a machine's name."""
        return bool(self.judged_by) and self.judged_by not in MACHINES and ":" not in self.judged_by

    @property
    def text(self) -> str:
        return searchable(self.title, self.body, self.reasoning)

    @property
    def searched(self) -> str:
        """Its text and the questions that it answers."""
        return searched(self.text, self.draft.get("questions", ()))

    @property
    def anchors(self) -> list[Anchor]:
        """The unsaved anchors of the deposit, for a row of its own."""
        kept = (
            dict(zip(("kind", "value", "recipe", "detail"), one, strict=False)) for one in self.draft.get("anchors", ())
        )
        return [Anchor(**one) for one in kept]

    def part_as(self, insight: Insight) -> None:
        """Record the insight that it became when it was unmerged."""
        self.unmerged_into = insight
        self.save(update_fields=["unmerged_into"])
