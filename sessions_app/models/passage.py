"""A passage of a conversation, and with whom a member shares theirs."""

from datetime import datetime

import numpy as np
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Q
from pgvector.django import HalfVectorField, HnswIndex, SparseVectorField

from accounts.models import Team, User
from accounts.rules.choices import choices
from knowledge.models.insight import DIMENSIONS
from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.bm25 import POSITIONS
from knowledge.rules.vectors import half, lexemes, sparse
from sessions_app.models.session import AgentSession
from sessions_app.querysets.passages import TEXT_HASH, PassageQuerySet, SessionSharingQuerySet
from sessions_app.transcripts.rules.speakers import SharedTurns, Speaker

# Passages are cut to a size, so their length need not be averaged by team as that of insights is: those of 157 recorded
# conversations have 44 terms on the mean.
PIVOT = 44.0


class Passage(models.Model):
    """One to a few consecutive turns of one speaker of a session.

    It belongs to one team, and anyone who reads that team may read it: the personal team of `user`, or the one that
    they share the repo's sessions with. Its session may be of another team.
    """

    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="passages")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="passages")
    # Who spoke, or whose agent spoke.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="passages")
    repo = models.CharField(max_length=200)
    branch = models.CharField(max_length=200, blank=True)
    speaker = models.CharField(max_length=5, choices=choices(Speaker))
    position = models.PositiveIntegerField()
    # The turns it is of, counted from 0 in the transcript.
    first_turn = models.PositiveIntegerField()
    last_turn = models.PositiveIntegerField()
    text = models.TextField()
    files = ArrayField(models.CharField(max_length=400), default=list, blank=True)
    said_at = models.DateTimeField()

    embedding = HalfVectorField(dimensions=DIMENSIONS, null=True, editable=False)
    embedded_by = models.CharField(max_length=80, blank=True, editable=False)
    lexemes = SearchVectorField(editable=False, null=True)
    # The document half of its BM25 score, against passages of PIVOT terms.
    bm25 = SparseVectorField(dimensions=POSITIONS, editable=False, null=True)
    # In terms, as `bm25.terms` counts them.
    length = models.PositiveIntegerField(default=0, editable=False)

    objects = PassageQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "position"], name="passage_position_once"),
            models.CheckConstraint(condition=Q(last_turn__gte=models.F("first_turn")), name="passage_turns_in_order"),
        ]
        indexes = [
            models.Index(fields=["team", "repo", "-said_at"], name="passage_of_repo"),
            # Every vector of a repository's conversations beside each other: what a search measures is read from it.
            models.Index(
                fields=["team", "repo"],
                include=["id", "session", "embedding"],
                name="passage_measured",
                condition=Q(embedding__isnull=False),
            ),
            models.Index(fields=["user", "repo"], name="passage_of_user"),
            models.Index(fields=["said_at"], name="passage_said_at"),
            models.Index(fields=["embedded_by"], name="passage_embedded_by"),
            # By a hash: a text is longer than what an index holds.
            models.Index(F("user"), TEXT_HASH, name="passage_of_text"),
            GinIndex(fields=["lexemes"], name="passage_lexemes", fastupdate=False),
            HnswIndex(
                name="passage_nearest",
                fields=["embedding"],
                m=16,
                ef_construction=200,
                opclasses=["halfvec_cosine_ops"],
            ),
        ]

    def __str__(self) -> str:
        return f"S-{self.session_id} {self.position}"

    @property
    def session_ref(self) -> str:
        return f"S-{self.session_id}"

    def index_words(self) -> None:
        """Set what keyword search needs. It is found by its files as well, which count for nothing in its score."""
        words = bm25.terms(self.text)
        files = [term for path in self.files for term in bm25.terms(path)]
        self.lexemes, self.length = lexemes([*words, *files]), len(words)
        self.bm25 = sparse(bm25.document_weights(words, PIVOT))

    def set_vector(self, vector: np.ndarray | None, model: str) -> None:
        """Set the meaning vector, or none: the sweep makes what is missing."""
        self.embedding = None if vector is None else half(vector)
        self.embedded_by = "" if vector is None else model

    def renew_search(self) -> list[str]:
        """Index a text that was changed in its place; the names of the fields that this sets."""
        self.index_words()
        self.set_vector(None, "")
        return ["lexemes", "length", "embedding", "embedded_by"]


class SessionSharing(models.Model):
    """A member shares the passages of one repo's sessions with a team; `repo` is empty for all repos.

    Without a row they are in the member's personal team.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="session_sharing")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="session_sharing")
    repo = models.CharField(max_length=200, blank=True)
    turns = models.CharField(max_length=5, choices=choices(SharedTurns), default=SharedTurns.AGENT)
    changed_at = models.DateTimeField()
    # Passages that are the team's by this row are still to be moved there, by the worker.
    waiting = models.BooleanField(default=False, db_default=False, editable=False)

    objects = SessionSharingQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "session sharing"
        constraints = [models.UniqueConstraint(fields=["user", "repo"], name="session_sharing_once_a_repo")]

    def __str__(self) -> str:
        return f"{self.repo or 'all repositories'} with {self.team}"

    def set(self, *, team_id: int, turns: SharedTurns, at: datetime) -> None:
        """Change with whom, or which turns; a new row is stored."""
        self.team_id, self.turns, self.changed_at = team_id, turns, at
        self.save()

    def set_waiting(self, waiting: bool) -> None:
        """Leave its passages to the worker, or take note that all are where they belong."""
        self.waiting = waiting
        self.save(update_fields=["waiting"])
