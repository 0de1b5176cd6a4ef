"""Shapes at the door of `skills/`."""

from typing import Any

from rest_framework import serializers

from accounts.serializers import DegradedOut, StrictCharField, StrictSerializer, WordField
from knowledge.serializers.insights import words
from skills.actions.author import Authored
from skills.actions.match import Applicable
from skills.models import Skill
from skills.rules.sheet import (
    LONGEST_COMPATIBILITY,
    LONGEST_DESCRIPTION,
    LONGEST_INSTRUCTIONS,
    LONGEST_NAME,
    Sheet,
    Triggers,
)
from skills.rules.vocabulary import SkillStatus

STATUSES = [(status.value, status.value) for status in SkillStatus]
# What SKILL.md calls otherwise than JSON here does.
SPELLED = {"allowed_tools": "allowed-tools"}
OPTIONAL = ("license", "compatibility", "metadata", "allowed_tools")


class TriggersIn(StrictSerializer):
    tags = words(longest=60)
    files = words(longest=400)
    errors = words(longest=400)  # type: ignore[assignment]


class FrontMatterIn(StrictSerializer):
    """What a SKILL.md may say of itself beside name and description."""

    license = StrictCharField(max_length=500, required=False)
    compatibility = StrictCharField(max_length=LONGEST_COMPATIBILITY, required=False)
    metadata = serializers.DictField(child=StrictCharField(max_length=2_000, allow_blank=True), required=False)
    allowed_tools = StrictCharField(max_length=2_000, required=False)

    def extra(self, data: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
        """The front matter with what was sent in the place of what was there."""
        sent = {SPELLED.get(name, name): data[name] for name in OPTIONAL if name in data}
        return {**old, **sent}


class SkillIn(FrontMatterIn):
    """A skill to be written. `status` published puts it before agents at once."""

    name = StrictCharField(max_length=LONGEST_NAME)
    description = StrictCharField(max_length=LONGEST_DESCRIPTION)
    instructions = StrictCharField(max_length=LONGEST_INSTRUCTIONS, trim_whitespace=False)
    triggers = TriggersIn(required=False)
    team = StrictCharField(max_length=60, required=False, default="", allow_blank=True)
    status = WordField(["draft", "published"], required=False, default="draft")

    def sheet(self) -> Sheet:
        data = self.validated_data
        return Sheet(
            name=data["name"],
            description=data["description"],
            instructions=data["instructions"],
            triggers=Triggers.made(**data.get("triggers", {})),
            extra=self.extra(data, {}),
        )


class TriggersEditIn(StrictSerializer):
    """A kind that is left out stays as it is."""

    tags = serializers.ListField(child=StrictCharField(max_length=60), max_length=50, required=False)
    files = serializers.ListField(child=StrictCharField(max_length=400), max_length=50, required=False)
    errors = serializers.ListField(  # type: ignore[assignment]
        child=StrictCharField(max_length=400), max_length=50, required=False
    )


class SkillEditIn(FrontMatterIn):
    """Changes to a skill; what is left out stays as it is."""

    name = StrictCharField(max_length=LONGEST_NAME, required=False)
    description = StrictCharField(max_length=LONGEST_DESCRIPTION, required=False)
    instructions = StrictCharField(max_length=LONGEST_INSTRUCTIONS, required=False, trim_whitespace=False)
    triggers = TriggersEditIn(required=False)
    reason = StrictCharField(max_length=1000, required=False, default="", allow_blank=True)

    def changes(self, old: Sheet) -> dict[str, Any]:
        data = self.validated_data
        changes = {name: data[name] for name in ("name", "description", "instructions") if name in data}
        if "triggers" in data:
            changes["triggers"] = Triggers.made(**{**old.triggers.as_dict(), **data["triggers"]})
        return {**changes, "extra": self.extra(data, dict(old.extra))}


class DistilIn(StrictSerializer):
    """`name`: of the skill; without one it is made of the topic's label."""

    name = StrictCharField(max_length=LONGEST_NAME, required=False, default="", allow_blank=True)


class TeamIn(StrictSerializer):
    """Which team's skill, where several of one's teams have the name."""

    team = StrictCharField(max_length=60, required=False, default="")


class SkillReadIn(TeamIn):
    published = serializers.BooleanField(
        required=False, default=False, help_text="true: the version agents get, not a draft"
    )


class VersionsIn(TeamIn):
    """`from` and `to` are numbers of versions: then the answer is what changed between them."""

    to = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False)

    def get_fields(self) -> dict[str, Any]:
        since = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False)
        return {**super().get_fields(), "from": since}  # a word Python keeps for itself


class SkillsIn(StrictSerializer):
    """What the list is narrowed to; `cursor` and `limit` leaf through it."""

    q = StrictCharField(max_length=500, required=False, default="")
    status = WordField(STATUSES, required=False, default="")
    team = StrictCharField(max_length=60, required=False, default="")
    cursor = serializers.CharField(max_length=5_000, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=100, required=False)


class TriggersOut(serializers.Serializer[Any]):
    tags = serializers.ListField(child=serializers.CharField())
    files = serializers.ListField(child=serializers.CharField())
    errors = serializers.ListField(child=serializers.CharField())  # type: ignore[assignment]


class FileOut(serializers.Serializer[Any]):
    path = serializers.CharField()
    size = serializers.IntegerField()
    sha256 = serializers.CharField()


class SkillOut(serializers.Serializer[Any]):
    """A skill. `version` is the number agents get, null when none; `unpublished` says that the text shown is ahead
    of it.
    """

    name = serializers.CharField()
    team = serializers.CharField()
    status = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)
    unpublished = serializers.BooleanField()
    description = serializers.CharField()
    instructions = serializers.CharField(required=False)
    triggers = TriggersOut()
    license = serializers.CharField(allow_null=True)
    compatibility = serializers.CharField(allow_null=True)
    metadata = serializers.DictField()
    allowed_tools = serializers.JSONField()  # text or a list, as the sheet has it; null if it has none
    extra = serializers.DictField()
    files = FileOut(many=True)
    sources = serializers.ListField(child=serializers.CharField())
    author = serializers.CharField(allow_null=True)
    owner = serializers.CharField(allow_null=True)
    published_by = serializers.CharField(allow_null=True, help_text="who published the version shown, if anybody")
    proposed_by = serializers.CharField(
        allow_null=True, help_text="author of the draft, who may not publish it; null if it is not a proposal"
    )
    uses = serializers.IntegerField()
    last_used_at = serializers.DateTimeField(allow_null=True)
    revision = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class CreatedOut(SkillOut):
    """`created` is false when the team had a skill of this name: it is answered as it is."""

    created = serializers.BooleanField()
    stripped = serializers.DictField(child=serializers.IntegerField())
    degraded = DegradedOut(many=True)


class SkillPageOut(serializers.Serializer[Any]):
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    results = SkillOut(many=True)


class VersionOut(serializers.Serializer[Any]):
    """`diff` is against the version before it, as a unified diff of their SKILL.md."""

    number = serializers.IntegerField()
    live = serializers.BooleanField()
    published_at = serializers.DateTimeField(allow_null=True)
    published_by = serializers.CharField(allow_null=True)
    why = serializers.CharField()
    written_at = serializers.DateTimeField()
    written_by = serializers.CharField(allow_null=True)
    description = serializers.CharField()
    instructions = serializers.CharField()
    triggers = TriggersOut()
    files = FileOut(many=True)
    diff = serializers.CharField()


class SkillsVersionsOut(serializers.Serializer[Any]):
    results = VersionOut(many=True)


class AppliedOut(serializers.Serializer[Any]):
    """A skill in the answer to a question, its instructions in full."""

    name = serializers.CharField()
    team = serializers.CharField()
    version = serializers.IntegerField()
    description = serializers.CharField()
    instructions = serializers.CharField()
    files = serializers.ListField(child=serializers.CharField())
    score = serializers.FloatField()
    similarity = serializers.FloatField()
    overlap = serializers.FloatField()
    why = serializers.CharField()


def skill_out(skill: Skill, *, published: bool = False, brief: bool = False) -> dict[str, Any]:
    """A row of `whole().counted()`; `brief` leaves the instructions out."""
    shown = skill.live if published and skill.live else skill.latest
    extra = dict(shown.extra)
    spelled = {name: extra.pop(SPELLED.get(name, name), None) for name in OPTIONAL}
    return {
        "name": skill.name,
        "team": skill.team.slug,
        "status": skill.status,
        "version": skill.live.number if skill.live else None,
        "unpublished": shown is skill.ahead,
        "description": shown.description,
        **({} if brief else {"instructions": shown.instructions}),
        "triggers": shown.called_by.as_dict(),
        **spelled,
        "metadata": spelled["metadata"] or {},
        "extra": extra,
        "files": files_out(shown.files),
        "sources": skill.sources,
        "author": skill.author.username if skill.author else None,
        "owner": skill.owner.username if skill.owner else None,
        "published_by": shown.published_by.username if shown.published_by else None,
        "proposed_by": skill.author.username if skill.author and skill.is_proposal else None,
        "uses": skill.use_count,  # type: ignore[attr-defined]
        "last_used_at": skill.last_used_at,  # type: ignore[attr-defined]
        "revision": skill.revision,
        "created_at": skill.created_at,
        "updated_at": skill.updated_at,
    }


def created_out(done: Authored, skill: Skill) -> dict[str, Any]:
    return {
        **skill_out(skill),
        "created": done.created,
        "stripped": dict(done.stripped),
        "degraded": list(done.degraded),
    }


def files_out(files: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"path": path, **file} for path, file in sorted(files.items())]


def applied_out(found: Applicable) -> dict[str, Any]:
    version = found.version
    return {
        "name": version.skill.name,
        "team": version.skill.team.slug,
        "version": version.number,
        "description": version.description,
        "instructions": version.instructions,
        "files": sorted(version.files),
        "score": round(found.match.score, 4),
        "similarity": round(found.match.similarity, 4),
        "overlap": round(found.match.overlap, 4),
        "why": found.match.why,
    }
