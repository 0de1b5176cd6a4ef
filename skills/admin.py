"""Skills in the Django admin, for moderation. Changes go through the actions."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.db.models.functions import Length
from django.http import HttpRequest
from django.utils import timezone
from unfold.admin import ModelAdmin, TabularInline

from accounts.admin import ExportedAdmin, ReadOnly, SharedOnly
from accounts.admin.exports import ExportColumn, Rows
from accounts.authentication import PageRequest
from accounts.rules.refused import Refused
from skills.actions import author
from skills.models import Resource, Skill, SkillUse, SkillVersion, Trigger


def moderation(verb: str, act: Callable[..., Skill]) -> Callable[..., None]:
    """Return an admin action that calls `act` for each selected skill, and reports what it did and what was refused."""

    @admin.action(description=f"{verb.capitalize()} selected skills")
    def run(page: ModelAdmin, request: PageRequest, queryset: QuerySet[Skill]) -> None:
        done = 0
        for skill in queryset.select_related("team"):
            try:
                act(name=skill.name, team=skill.team.slug, by=request.member, now=timezone.now(), why="moderated")
                done += 1
            except Refused as refused:
                page.message_user(request, f"{skill.name}: {refused.message}", messages.WARNING)
        page.message_user(request, f"{verb}: {done}", messages.SUCCESS)

    run.__name__ = verb
    return run


class SkillRows(Rows):
    """The live version of each skill; if there is none, the latest."""

    what = "skills"

    team = ExportColumn(lambda row: row.team.slug)
    name = ExportColumn(lambda row: row.name)
    status = ExportColumn(lambda row: row.status)
    version = ExportColumn(lambda row: row.served.number)
    description = ExportColumn(lambda row: row.served.description)
    instructions = ExportColumn(lambda row: row.served.instructions)
    author = ExportColumn(lambda row: row.author and row.author.username)
    created_at = ExportColumn(lambda row: row.created_at)
    updated_at = ExportColumn(lambda row: row.updated_at)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        rows = rows.select_related("team", "live", "ahead", "author")
        return rows.defer("live__embedding", "ahead__embedding")


class VersionInline(TabularInline):
    model = SkillVersion
    fk_name = "skill"
    can_delete = False
    fields = ("number", "description", "written_by", "written_at", "published_by", "published_at", "why")
    readonly_fields = fields
    ordering = ("-number",)
    extra = 0

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Skill)
class SkillAdmin(ExportedAdmin, ReadOnly, SharedOnly):
    """Read-only; skills are published and retired by selection, and written through the API and the pages."""

    resource_classes = (SkillRows,)
    list_display = ("name", "team", "status", "live", "ahead", "author", "owner", "updated_at")
    list_filter = ("status", "team", "created_at")
    search_fields = ("name", "live__description", "ahead__description")
    date_hierarchy = "created_at"
    list_select_related = ("team", "live", "ahead", "author", "owner")
    inlines = (VersionInline,)
    actions = [moderation(verb, getattr(author, verb)) for verb in ("publish", "retire")]


@admin.register(SkillVersion)
class SkillVersionAdmin(ReadOnly, SharedOnly):
    team_path = "skill__team"
    list_display = ("skill", "number", "description", "written_at", "published_at")
    list_filter = ("skill__team", "published_at")
    search_fields = ("skill__name", "description", "instructions")
    exclude = ("embedding",)
    list_select_related = ("skill",)


@admin.register(Trigger)
class TriggerAdmin(ReadOnly, SharedOnly):
    team_path = "version__skill__team"
    list_display = ("kind", "value", "skill")
    list_filter = ("kind", "version__skill__team")
    search_fields = ("value", "version__skill__name")
    list_select_related = ("version__skill",)

    @admin.display(description="skill")
    def skill(self, trigger: Trigger) -> str:
        return f"{trigger.version.skill} {trigger.version}"


@admin.register(Resource)
class ResourceAdmin(ReadOnly, SharedOnly):
    team_path = "skill__team"
    list_display = ("sha256", "skill", "size")
    fields = list_display
    search_fields = ("sha256", "skill__name")
    list_select_related = ("skill",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Resource]:
        return super().get_queryset(request).defer("data").annotate(size=Length("data"))

    @admin.display(description="bytes")
    def size(self, resource: Resource) -> int:
        return int(resource.size)  # type: ignore[attr-defined]


@admin.register(SkillUse)
class SkillUseAdmin(ReadOnly, SharedOnly):
    team_path = "skill__team"
    list_display = ("at", "skill", "version", "via", "score", "user")
    list_filter = ("via", "skill__team", "at")
    search_fields = ("skill__name",)
    date_hierarchy = "at"
    list_select_related = ("skill", "version", "user")
