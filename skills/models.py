"""A skill and its versions: what a team teaches its agents, its triggers, and how often it was served.

A skill is a name in a team; its text is in its versions. At most one version is `ahead`: the draft. Publishing makes it
the `live` version, which agents get, and which never changes.
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from pgvector.django import HalfVectorField

from accounts.models import ApiToken, LogEntry, Team, User
from accounts.rules.rights import Member
from knowledge.models.insight import DIMENSIONS
from knowledge.rules.vectors import half
from skills.querysets import SkillQuerySet, SkillUseQuerySet, SkillVersionQuerySet, TriggerQuerySet
from skills.rules.sheet import (
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    LONGEST_TRIGGER,
    Sheet,
    Triggers,
    meaning,
)
from skills.rules.vocabulary import SkillStatus, TriggerKind, Via


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the SHA-256 of each file, by its path."""
    return {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}


class Skill(models.Model):
    """One skill of one team, under a unique name in that team. `sources`: insights it was distilled from; `proposed`:
    its author was not allowed to publish it.
    """

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="skills")
    name = models.CharField(max_length=LONGEST_NAME)
    status = models.CharField(
        max_length=10, choices=[(s.value, s.value) for s in SkillStatus], default=SkillStatus.DRAFT
    )
    live = models.ForeignKey("SkillVersion", null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    ahead = models.ForeignKey("SkillVersion", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    sources = ArrayField(models.CharField(max_length=24), default=list, blank=True)
    proposed = models.BooleanField(default=False, db_default=False, editable=False)
    author = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    # The member of the team who answers for it.
    owner = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    token = models.ForeignKey(ApiToken, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    revision = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    objects = SkillQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team", "name"], name="skill_name_once_a_team"),
            models.CheckConstraint(
                condition=~Q(status=SkillStatus.PUBLISHED) | Q(live__isnull=False), name="skill_published_is_live"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def subject(self) -> str:
        """The name of the skill in its team's log."""
        return f"skill:{self.name}"

    @property
    def is_proposal(self) -> bool:
        """Return whether it waits for a lead to publish or decline it."""
        return self.proposed and self.status == SkillStatus.DRAFT and self.live_id is None

    @property
    def served(self) -> "SkillVersion":
        """The version that agents get; if they get none, the latest."""
        return self.live if self.live and self.status == SkillStatus.PUBLISHED else self.latest

    @property
    def latest(self) -> "SkillVersion":
        """The draft if there is one, otherwise the live version."""
        version = self.ahead or self.live
        assert version is not None, "a skill is created with its first version"
        return version

    def write(self, sheet: Sheet, vector: np.ndarray | None, model: str, *, by: Member, at: datetime) -> "SkillVersion":
        """Set the text of the draft; the first edit after a publication begins one. The caller holds the row."""
        version = self.ahead or SkillVersion(skill=self, number=self._next_number())
        if self.ahead is None and self.live is not None:
            version.files = dict(self.live.files)
        version.description, version.instructions = sheet.description, sheet.instructions
        version.extra = dict(sheet.extra)
        version.written_by_id, version.written_at = by.user_id, at
        version.set_vector(vector, model)
        version.save()
        version.replace_triggers(sheet.triggers)
        self.ahead = version
        return version

    def keep(self, *, at: datetime, changed: tuple[str, ...] = ()) -> None:
        """Save the row with its revision incremented."""
        self.revision += 1
        self.updated_at = at
        self.save(update_fields=["ahead", "live", "status", "revision", "updated_at", *changed])

    def put_live(self, *, by: Member, at: datetime, why: str) -> None:
        """Make the draft the live version; without a draft, publish the last live version again."""
        before = {"status": self.status, "version": self.live.number if self.live else None}
        if self.ahead is not None:
            self.ahead.published_by_id, self.ahead.published_at, self.ahead.why = by.user_id, at, why
            self.ahead.save(update_fields=["published_by", "published_at", "why"])
            self.live, self.ahead = self.ahead, None
        self.status = SkillStatus.PUBLISHED
        self.keep(at=at)
        number = self.live.number if self.live else None
        line = f"Skill {self.name} published as version {number}"
        after = {"status": self.status, "version": number}
        self.note(verb="published", line=line, by=by, at=at, why=why, before=before, after=after)

    def retire(self, *, by: Member, at: datetime, why: str) -> None:
        """Stop serving it to agents; it is kept."""
        before = {"status": self.status}
        self.status = SkillStatus.RETIRED
        self.keep(at=at)
        line = f"Skill {self.name} retired"
        self.note(verb="retired", line=line, by=by, at=at, why=why, before=before, after={"status": self.status})

    def state(self) -> dict[str, Any]:
        """Return its status and its live and draft versions as data, for `put_back`."""
        return {"status": str(self.status), "live": self.live_id, "ahead": self.ahead_id}

    def put_back(self, state: Mapping[str, Any], *, by: Member, at: datetime) -> None:
        """Undo an action: restore the previous status and versions. A version that the action published is a draft
        again; a draft that it began stays among the versions.
        """
        before = {"status": self.status, "version": self.live.number if self.live else None}
        again = self.versions.filter(pk=state["ahead"])
        if state["ahead"] and state["ahead"] == self.live_id:
            again.update(published_by=None, published_at=None, why="")
        self.status, self.ahead = state["status"], again.first() if state["ahead"] else None
        self.live = self.versions.filter(pk=state["live"]).first() if state["live"] else None
        self.keep(at=at)
        line = f"Skill {self.name} put back: {self.status}" + (f", version {self.live.number}" if self.live else "")
        after = {"status": self.status, "version": self.live.number if self.live else None}
        self.note(verb="reverted", line=line, by=by, at=at, why="undone", before=before, after=after)

    def set_owner(self, owner: User | None, *, by: Member, at: datetime, why: str = "") -> None:
        """Set who answers for it, or nobody. Neither its text nor its revision changes."""
        self.owner = owner
        self.save(update_fields=["owner"])
        line = f"Skill {self.name} " + (f"is owned by {owner.username}" if owner else "has no owner")
        self.note(verb="owner set", line=line, by=by, at=at, why=why)

    def put_files(self, files: Mapping[str, bytes]) -> None:
        """Set the files of the draft. Equal bytes are stored once for all versions."""
        assert self.ahead is not None
        kept = digests(files)
        rows = {kept[path]: Resource(skill=self, sha256=kept[path], data=data) for path, data in files.items()}
        Resource.objects.bulk_create(rows.values(), ignore_conflicts=True)
        self.ahead.files = {path: {"sha256": kept[path], "size": len(data)} for path, data in files.items()}
        self.ahead.save(update_fields=["files"])
        used = {file["sha256"] for version in self.versions.all() for file in version.files.values()}
        self.resources.exclude(sha256__in=used).delete()

    def note(self, *, verb: str, line: str, by: Member, at: datetime, **more: Any) -> None:
        LogEntry.write(team_id=self.team_id, subject=self.subject, verb=verb, line=line, by=by, at=at, **more)

    def _next_number(self) -> int:
        return (self.versions.aggregate(last=models.Max("number"))["last"] or 0) + 1


class SkillVersion(models.Model):
    """What a skill says, from one publication to the next. `files`: path → {sha256, size} of the files beside
    SKILL.md.
    """

    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    description = models.CharField(max_length=LONGEST_DESCRIPTION)
    instructions = models.TextField()
    extra = models.JSONField(default=dict, blank=True)
    files = models.JSONField(default=dict, blank=True)
    written_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    written_at = models.DateTimeField()
    published_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    published_at = models.DateTimeField(null=True, blank=True)
    why = models.TextField(blank=True)
    embedding = HalfVectorField(dimensions=DIMENSIONS, null=True, editable=False)
    embedded_by = models.CharField(max_length=80, blank=True, editable=False)

    objects = SkillVersionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["skill", "number"], name="skill_version_once")]
        indexes = [models.Index(fields=["embedded_by"], name="skill_version_embedded_by")]

    def __str__(self) -> str:
        return f"version {self.number}"

    @property
    def sheet(self) -> Sheet:
        """Return the version as a sheet, with its skill's name."""
        return Sheet(
            name=self.skill.name,
            description=self.description,
            instructions=self.instructions,
            triggers=self.called_by,
            extra=self.extra,
            sources=tuple(self.skill.sources),
        )

    @property
    def called_by(self) -> Triggers:
        rows = sorted(self.triggers.all(), key=lambda row: row.pk)
        tags, files, errors = ([row.value for row in rows if row.kind == kind] for kind in TriggerKind)
        return Triggers(tuple(tags), tuple(files), tuple(errors))

    @property
    def meaning(self) -> str:
        """The text that is embedded."""
        return meaning(self.skill.name, self.description)

    def set_vector(self, vector: np.ndarray | None, model: str) -> None:
        """Set the vector; None leaves it to the sweep."""
        self.embedding = None if vector is None else half(vector)
        self.embedded_by = "" if vector is None else model

    def replace_triggers(self, triggers: Triggers) -> None:
        self.triggers.all().delete()
        Trigger.objects.bulk_create(Trigger(version=self, kind=kind, value=value) for kind, value in triggers.pairs())


class Trigger(models.Model):
    """A trigger of a version: a tag, a glob or an error."""

    version = models.ForeignKey(SkillVersion, on_delete=models.CASCADE, related_name="triggers")
    kind = models.CharField(max_length=8, choices=[(k.value, k.value) for k in TriggerKind])
    value = models.CharField(max_length=max(LONGEST_TRIGGER.values()))

    objects = TriggerQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "kind", "value"], name="trigger_once")]

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}"


class Resource(models.Model):
    """The bytes of a file beside a SKILL.md, stored once for all versions that have it."""

    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="resources")
    sha256 = models.CharField(max_length=64)
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["skill", "sha256"], name="resource_once")]

    def __str__(self) -> str:
        return self.sha256[:12]


class SkillUse(models.Model):
    """A version was served to an agent. Uses are counted from these rows; they do not contain the question."""

    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="uses")
    version = models.ForeignKey(SkillVersion, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    session_key = models.CharField(max_length=80, blank=True)
    via = models.CharField(max_length=8, choices=[(v.value, v.value) for v in Via])
    score = models.FloatField(null=True)
    at = models.DateTimeField()

    objects = SkillUseQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["skill", "-at"], name="skill_use_newest")]

    def __str__(self) -> str:
        return f"{self.skill_id} by {self.via}"
