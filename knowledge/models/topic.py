"""Topics: groups of similar insights, with a readable name and a permanent id."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import HalfVectorField

from accounts.models import LogEntry, Team, User
from accounts.rules.rights import Member
from knowledge.models.insight import DIMENSIONS, Insight
from knowledge.querysets.topics import TopicQuerySet
from knowledge.rules.vectors import half, unit
from knowledge.topics.rules import grouping
from knowledge.topics.rules.labels import Titled, labels

LONGEST_LABEL = 120
LONGEST_TERM = 80
# Describe a topic by this many of its newest members until the next nightly clustering: enough for three words and a
# centroid.
DESCRIBED_BY = 200
NOTHING_IN_IT = "empty"


class Topic(models.Model):
    """A topic. `label` is computed from the members' words, unless a person has named it (`named`)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="topics")
    label = models.CharField(max_length=LONGEST_LABEL)
    terms = ArrayField(models.CharField(max_length=LONGEST_TERM), default=list)
    named = models.BooleanField(default=False)
    centroid = HalfVectorField(dimensions=DIMENSIONS, null=True)
    embedded_by = models.CharField(max_length=80, blank=True)
    # The owner, a member of the team.
    owner = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    merged_into = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = TopicQuerySet.as_manager()

    def __str__(self) -> str:
        return self.label

    @property
    def heir_id(self) -> uuid.UUID:
        """The id of the topic that has its insights: itself, or the one it was merged into."""
        return self.merged_into_id or self.pk

    @classmethod
    def place(cls, rows: Sequence[Insight], *, at: datetime) -> None:
        """Set the topic of rows of one team: the nearest one, or a new one if none is near. The rows are not saved;
        rows without a vector get no topic.

        One query, and two more to create topics. The caller holds the team's row. Otherwise two deposits at the same
        moment could create two topics for one subject, which the next night would join.
        """
        vectors = {place: unit(row.embedding) for place, row in enumerate(rows) if row.embedding is not None}
        if not vectors:
            return
        first = rows[next(iter(vectors))]
        found = cls.objects.all().nearest(first.team_id, first.embedded_by, list(vectors.values()))
        opened: dict[uuid.UUID, np.ndarray] = {}
        starts: dict[uuid.UUID, Insight] = {}
        for (place, vector), near in zip(vectors.items(), found, strict=True):
            known = near[0] if near and near[1] >= grouping.JOINS else grouping.nearest(vector, opened)
            if known is None:
                known = uuid.uuid4()
                opened[known], starts[known] = vector, rows[place]
            rows[place].topic_id = known
        cls._open(starts, opened, at)

    @classmethod
    def _open(cls, starts: dict[uuid.UUID, Insight], centres: dict[uuid.UUID, np.ndarray], at: datetime) -> None:
        """Create topics of one insight each, named after it until the next clustering."""
        if not starts:
            return
        team_id = next(iter(starts.values())).team_id
        taken = cls.objects.all().of_team(team_id).current().values_list("label", flat=True)
        said = labels([[Titled(row.title, row.body)] for row in starts.values()], taken)
        topics: list[Any] = []
        for (id, row), label in zip(starts.items(), said, strict=True):
            topic = cls(pk=id, team_id=team_id, created_at=at)
            topic.describe(label, centres[id], row.embedded_by, at=at)
            topics.append(topic)
        cls.objects.bulk_create(topics)

    def describe(self, label: str, centre: np.ndarray, model: str, *, at: datetime) -> None:
        """Set the label, the terms and the centroid, unsaved. A name given by a person stays."""
        if not self.named:
            self.label = label[:LONGEST_LABEL]
        self.terms = [term[:LONGEST_TERM] for term in label.split(", ")]
        self.centroid, self.embedded_by, self.updated_at = half(centre), model, at

    def shed(self, *, at: datetime) -> None:
        """Describe the topic again by its remaining insights, after one was hidden: its words and its vector leave the
        topic at once.

        A topic without insights is deleted, unless a person named it or another topic was merged into it. The caller
        holds the team's row.
        """
        left = Insight.objects.of_topic(self.pk).retrievable()
        rows = list(left.filter(embedded_by=self.embedded_by, embedding__isnull=False).order_by("-pk")[:DESCRIBED_BY])
        if rows:
            others = Topic.objects.all().of_team(self.team_id).current().exclude(pk=self.pk)
            taken = others.values_list("label", flat=True)
            said = labels([[Titled(row.title, row.body, row.tags) for row in rows]], taken)
            centre = np.mean([unit(row.embedding) for row in rows], axis=0)
            self.describe(said[0], centre / np.linalg.norm(centre), self.embedded_by, at=at)
        elif self.named or Topic.objects.filter(merged_into=self).exists():
            self.label = self.label if self.named else NOTHING_IN_IT
            self.terms, self.centroid, self.embedded_by, self.updated_at = [], None, "", at
        else:
            self.delete()
            return
        self.save(update_fields=["label", "terms", "centroid", "embedded_by", "updated_at"])

    def rename(self, label: str, *, by: Member, at: datetime, why: str = "") -> None:
        """Set a name, which clustering does not change."""
        before = {"label": self.label, "named": self.named}
        self.label, self.named, self.updated_at = label, True, at
        self.save(update_fields=["label", "named", "updated_at"])
        line = f"topic “{before['label']}” renamed “{label}”"
        self.note(verb="renamed", line=line, by=by, at=at, why=why, before=before, after={"label": label})

    def set_owner(self, owner: User | None, *, by: Member, at: datetime, why: str = "") -> None:
        """Set or remove the owner."""
        self.owner, self.updated_at = owner, at
        self.save(update_fields=["owner", "updated_at"])
        line = f"topic “{self.label}” " + (f"is owned by {owner.username}" if owner else "has no owner")
        self.note(verb="owner set", line=line, by=by, at=at, why=why)

    def merge_in(self, other: "Topic", *, by: Member, at: datetime, why: str = "") -> None:
        """Merge another topic into this one: its insights move, and its id leads here from now on. The caller holds the
        team's row.
        """
        Insight.objects.filter(topic=other).update(topic=self)
        Topic.objects.filter(merged_into=other).update(merged_into=self)
        other.merged_into, other.updated_at = self, at
        other.save(update_fields=["merged_into", "updated_at"])
        self.centroid = Insight.objects.of_topic(self.pk).centre(self.embedded_by) or self.centroid
        self.updated_at = at
        self.owner = self.owner or other.owner
        self.save(update_fields=["centroid", "owner", "updated_at"])
        line = f"topic “{other.label}” merged into “{self.label}”"
        for side in (self, other):
            side.note(verb="merged", line=line, by=by, at=at, why=why, after={"merged_into": str(self.pk)})

    def note(self, *, verb: str, line: str, by: Member, at: datetime, **more: Any) -> None:
        LogEntry.write(team_id=self.team_id, subject=f"topic {self.pk}", verb=verb, line=line, by=by, at=at, **more)
