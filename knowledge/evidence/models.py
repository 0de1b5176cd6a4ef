"""Sources, and what was learned from them: clusters of evidence, with their questions and what they lean on."""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import numpy as np
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from pgvector.django import HalfVectorField

from accounts.models import ApiToken, LogEntry, Team, User
from accounts.rules.choices import choices
from accounts.rules.rights import Member
from knowledge.evidence.querysets import ClusterQuerySet, DocumentQuerySet, SearchQuerySet, SourceQuerySet
from knowledge.evidence.rules import lifecycle as life
from knowledge.evidence.rules.lifecycle import Lifecycle
from knowledge.evidence.rules.likeness import Saved
from knowledge.evidence.rules.reuse import ReuseMode, mean_vector
from knowledge.evidence.rules.scope import LONGEST_REVISION, place
from knowledge.models import Insight
from knowledge.models.insight import DIMENSIONS
from knowledge.rules.vectors import half, unit

# The last questions a cluster answered (Sirchmunk's five): an older one goes when a sixth comes.
MOST_QUESTIONS = 5


class Source(models.Model):
    """A folder below the allowed root that one team may search, or a Git repository at a branch, tag or commit.
    Registered by a superuser, never by an agent.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="sources")
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=80)
    path = models.CharField(max_length=400, help_text="Below LOAM_EVIDENCE_ROOT, without a leading slash.")
    revision = models.CharField(
        max_length=LONGEST_REVISION,
        blank=True,
        default="",
        db_default="",
        help_text="Of a Git repository: the branch, tag or commit to search. Empty: the folder as it is.",
    )
    include = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    exclude = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    largest_file = models.PositiveIntegerField(default=5_000_000, help_text="Bytes; larger files are not read.")
    most_files = models.PositiveIntegerField(default=50_000)
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(editable=False)
    checked_at = models.DateTimeField(null=True, editable=False)
    # {"state": "ok"|"partial"|"gone"|"empty", "files", "bytes", "skipped": {reason: count}, "why", "commit" if it is a
    #  repository, "unread": [{"path", "reason"}], "unread_count"}
    health = models.JSONField(default=dict, editable=False)

    objects = SourceQuerySet.as_manager()

    def __str__(self) -> str:
        return self.slug

    def change(self, changes: dict[str, Any], *, verb: str, by: Member, at: datetime) -> None:
        """Set fields and leave the log line, with before and after."""
        before = {name: getattr(self, name) for name in changes}
        for name, value in changes.items():
            setattr(self, name, value)
        self.save()
        line = f"Source {self.slug} {verb}"
        LogEntry.write(
            team_id=self.team_id, verb=verb, subject=f"source:{self.slug}", line=line, by=by, at=at,
            before=before if self.checked_at or verb != "registered" else {}, after=changes,
        )  # fmt: skip

    def note_health(self, health: dict[str, Any], *, at: datetime) -> None:
        self.health, self.checked_at = health, at
        self.save(update_fields=["health", "checked_at"])


class Document(models.Model):
    """The text of a document, or of a file that is not in UTF-8, under the hash of its bytes: taken out once, for all
    who have the same file.
    """

    sha256 = models.CharField(max_length=64, primary_key=True)
    recipe = models.CharField(max_length=20)
    text = models.TextField(blank=True)
    fault = models.CharField(max_length=200, blank=True)
    used_at = models.DateTimeField()

    objects = DocumentQuerySet.as_manager()

    def __str__(self) -> str:
        return self.sha256[:12]


class FileListing(models.Model):
    """All files of a source at some moment, packed (adapters/listing.py). Clusters that covered the same share it."""

    # No constraint: a version before this table deletes sources and clusters without knowing of it.
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="listings", db_constraint=False)
    digest = models.CharField(max_length=64)
    packed = models.BinaryField()
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "digest"], name="file_listing_once")]

    def __str__(self) -> str:
        return f"{self.source_id}:{self.digest[:12]}"


class KnowledgeCluster(models.Model):
    """What one search found out, kept to answer the same question again. `ref` is made from its content."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="clusters")
    ref = models.CharField(max_length=20, unique=True, editable=False)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    content = models.TextField()
    patterns = ArrayField(models.TextField(), default=list)
    confidence = models.FloatField(default=0.5)
    mode = models.CharField(max_length=16, choices=choices(ReuseMode))
    lifecycle = models.CharField(max_length=12, choices=choices(Lifecycle), default=Lifecycle.EMERGING)
    hotness = models.FloatField(default=life.NEW)
    hotness_at = models.DateTimeField()
    reuses = models.PositiveIntegerField(default=0)
    version = models.PositiveIntegerField(default=1)
    merge_count = models.PositiveIntegerField(default=0)
    files_ranked = models.JSONField(default=list)
    # {"include", "exclude", "paths"} of the question; null: kept before scopes were, to be searched again.
    scope = models.JSONField(null=True, editable=False)
    written_by = models.CharField(max_length=120, blank=True, help_text="The model that wrote it; empty: extracted.")
    embedding = HalfVectorField(dimensions=DIMENSIONS, null=True, editable=False)
    embedded_by = models.CharField(max_length=80, blank=True, editable=False)
    merged_into = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="merged")
    insight = models.ForeignKey(Insight, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    checked_at = models.DateTimeField()

    objects = ClusterQuerySet.as_manager()

    class Meta:
        verbose_name = "cluster"
        constraints = [
            models.CheckConstraint(condition=Q(confidence__gte=0, confidence__lte=1), name="cluster_confidence_0_1"),
            models.CheckConstraint(condition=Q(hotness__gte=0, hotness__lte=1), name="cluster_hotness_0_1"),
            models.CheckConstraint(condition=~Q(mode=ReuseMode.FILENAME_ONLY), name="cluster_not_of_names_alone"),
        ]
        indexes = [models.Index(fields=["team", "-updated_at"], name="cluster_newest_of_team")]

    def __str__(self) -> str:
        return f"{self.ref} {self.name}"

    def hotness_now(self, now: datetime) -> float:
        return life.hotness(self.hotness, (now - self.hotness_at).total_seconds() / 86_400)

    def answer(self, text: str, vector: np.ndarray, model: str, *, by: Member, at: datetime) -> None:
        """Count a reuse: the question joins the last ones, the cluster grows warm, and stable if it has proved itself.
        The caller holds the row.
        """
        self.ask(text, vector, model, at=at)
        self.hotness, self.hotness_at = life.warmed(self.hotness_now(at)), at
        self.reuses += 1
        self.version += 1
        self.updated_at = at
        self.save(update_fields=["hotness", "hotness_at", "reuses", "version", "updated_at"])
        self.move(life.after_reuse(Lifecycle(self.lifecycle), self.reuses), why="it keeps answering", by=by, at=at)

    @property
    def saved(self) -> Saved:
        """What it has told, and from which passages."""
        cited = self.evidences.all()
        told = " ".join([self.content, *(one.path for one in cited)])
        return Saved(told, " ".join(f"{one.summary} {one.text}" for one in cited))

    def ask(self, text: str, vector: np.ndarray | None, model: str, *, at: datetime) -> None:
        """Remember a question, forget the oldest beyond MOST_QUESTIONS, and find the middle of those kept. One that is
        remembered stays where it is, and with it the middle.
        """
        if vector is not None and self.questions.filter(text=text, embedded_by=model).update(at=at):
            return
        given = None if vector is None else half(vector)
        self.questions.filter(text=text).delete()
        self.questions.create(text=text, embedding=given, embedded_by=model if given else "", at=at)
        kept = list(self.questions.order_by("-at", "-pk"))
        self.questions.filter(pk__in=[one.pk for one in kept[MOST_QUESTIONS:]]).delete()
        vectors = [unit(one.embedding) for one in kept[:MOST_QUESTIONS] if one.embedding and one.embedded_by == model]
        self.embedding = half(mean_vector(vectors)) if vectors else None
        self.embedded_by = model if vectors else ""
        self.save(update_fields=["embedding", "embedded_by"])

    def move(self, to: Lifecycle, *, why: str, by: Member, at: datetime) -> None:
        if to == self.lifecycle:
            return
        before, self.lifecycle = self.lifecycle, to
        self.save(update_fields=["lifecycle"])
        line = f"{self.ref} is {to}"
        self.note(to, line, by=by, at=at, why=why, before={"lifecycle": before}, after={"lifecycle": to})

    def revise(
        self, changes: dict[str, Any], evidences: "Iterable[Evidence]", *, why: str, by: Member, at: datetime
    ) -> None:
        """Take new content and evidence in the place of the old. The caller holds the row."""
        for name, value in changes.items():
            setattr(self, name, value)
        self.version += 1
        self.updated_at = self.checked_at = at
        self.save(update_fields=[*changes, "version", "updated_at", "checked_at"])
        self.evidences.all().delete()
        Evidence.objects.bulk_create([one.of(self) for one in evidences])
        self.note("revised", f"{self.ref} revised (version {self.version})", by=by, at=at, why=why)

    def confirm(self, *, by: Member, at: datetime) -> None:
        """Answer again: a search over what has changed cites the same lines. The caller holds the row."""
        self.checked_at = at
        self.save(update_fields=["checked_at"])
        to = life.after_reuse(Lifecycle.EMERGING, self.reuses)
        self.move(to, why="a search found the same", by=by, at=at)

    def cover(self, listings: "Iterable[FileListing]", scope: dict[str, Any]) -> None:
        """Say which files a search covered, in the place of what was said before. The caller holds the row."""
        before = set(self.coverage.values_list("listing_id", flat=True))
        after = {one.pk for one in listings}
        self.coverage.exclude(listing_id__in=after).delete()
        ScopeCoverage.objects.bulk_create([ScopeCoverage(cluster=self, listing_id=pk) for pk in after - before])
        self.scope = scope
        self.save(update_fields=["scope"])

    def note(self, verb: str, line: str, *, by: Member, at: datetime, **more: Any) -> None:
        LogEntry.write(team_id=self.team_id, verb=verb, subject=self.ref, line=line, by=by, at=at, **more)


class ScopeCoverage(models.Model):
    """The files of a source, as they were, that a cluster's search covered."""

    cluster = models.ForeignKey(
        KnowledgeCluster, on_delete=models.CASCADE, related_name="coverage", db_constraint=False
    )
    listing = models.ForeignKey(FileListing, on_delete=models.CASCADE, related_name="coverage")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "listing"], name="scope_coverage_once")]

    def __str__(self) -> str:
        return f"{self.cluster_id} over {self.listing_id}"


class Evidence(models.Model):
    """Some lines of a file that a cluster leans on. `sha256` is of the whole file, `text_sha256` of the lines as they
    are in it; `text` has no secrets in it; `commit` is the last one of a repository that was seen to have them.
    """

    cluster = models.ForeignKey(KnowledgeCluster, on_delete=models.CASCADE, related_name="evidences")
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    rank = models.PositiveSmallIntegerField()
    path = models.CharField(max_length=1000)
    start_line = models.PositiveIntegerField()
    end_line = models.PositiveIntegerField()
    summary = models.TextField(blank=True)
    text = models.TextField()
    score = models.FloatField()
    sha256 = models.CharField(max_length=64)
    text_sha256 = models.CharField(max_length=64)
    commit = models.CharField(max_length=64, blank=True, default="", db_default="")
    found_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "evidence"
        constraints = [models.UniqueConstraint(fields=["cluster", "rank"], name="evidence_rank_once")]

    def __str__(self) -> str:
        return f"{self.path}:{self.start_line}-{self.end_line}"

    @property
    def place(self) -> str:
        """As it is cited."""
        return place(self.path, self.start_line, self.end_line, self.commit)

    def of(self, cluster: KnowledgeCluster) -> "Evidence":
        self.cluster = cluster
        return self


class ClusterQuestion(models.Model):
    """A question a cluster answered."""

    cluster = models.ForeignKey(KnowledgeCluster, on_delete=models.CASCADE, related_name="questions")
    text = models.TextField()
    embedding = HalfVectorField(dimensions=DIMENSIONS, null=True)
    embedded_by = models.CharField(max_length=80, blank=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.text[:80]


class Relation(models.Model):
    """Two clusters that belong together, and why: `embed_sim` (near questions), `co_occur` (the same files)."""

    cluster = models.ForeignKey(KnowledgeCluster, on_delete=models.CASCADE, related_name="relations")
    target = models.ForeignKey(KnowledgeCluster, on_delete=models.CASCADE, related_name="+")
    weight = models.FloatField()
    source = models.CharField(max_length=12, choices=[("embed_sim", "embed_sim"), ("co_occur", "co_occur")])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["cluster", "target", "source"], name="relation_once"),
            models.CheckConstraint(condition=~Q(cluster=models.F("target")), name="relation_not_to_itself"),
        ]

    def __str__(self) -> str:
        return f"{self.cluster_id} → {self.target_id} ({self.source})"


class Search(models.Model):
    """What was asked of the files. The row is of the asker's personal team: nobody else's to read."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.SET_NULL, related_name="+")
    session_key = models.CharField(max_length=80, blank=True)
    at = models.DateTimeField(db_index=True)
    text = models.TextField()
    ask = models.JSONField(default=dict)
    cluster = models.ForeignKey(KnowledgeCluster, null=True, on_delete=models.SET_NULL, related_name="+")
    reused = models.BooleanField(default=False)
    confidence = models.FloatField(default=0.0)
    files = models.PositiveIntegerField(default=0)
    took_ms = models.FloatField(default=0.0)
    phases = models.JSONField(default=list)
    degraded = models.JSONField(default=list)

    objects = SearchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "searches"

    def __str__(self) -> str:
        return f"search {self.pk}"  # not what was asked, which is its asker's own


class ModelCall(models.Model):
    """One call of a language model: what for, how long, how many tokens, how it ended. No text is kept."""

    search = models.ForeignKey(Search, on_delete=models.CASCADE, related_name="calls")
    purpose = models.CharField(max_length=20)
    model = models.CharField(max_length=120)
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    tries = models.PositiveSmallIntegerField(default=1)
    took_ms = models.FloatField(default=0.0)
    outcome = models.CharField(max_length=200, blank=True, help_text="Empty: a good answer.")

    def __str__(self) -> str:
        return f"{self.purpose} {self.model}"
