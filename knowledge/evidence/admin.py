"""Sources and clusters in the Django admin. A form calls what a command would call."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.admin import TabularInline

from accounts.admin import ReadOnly, SharedOnly
from accounts.authentication import PageRequest
from accounts.models import Team
from accounts.rules.refused import Refused
from accounts.rules.rights import TeamKind
from knowledge.evidence.actions import sources
from knowledge.evidence.models import Document, Evidence, KnowledgeCluster, ModelCall, Search, Source
from knowledge.evidence.rules.scope import BadPath, BadRevision, clean_path, clean_revision


class SourceForm(forms.ModelForm):
    class Meta:
        model = Source
        fields = ("slug", "team", *sources.EDITABLE)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "team" in self.fields:
            self.fields["team"].queryset = Team.objects.exclude(kind=TeamKind.PERSONAL)  # type: ignore[attr-defined]

    def clean_path(self) -> str:
        try:
            return clean_path(self.cleaned_data["path"])
        except BadPath as bad:
            raise forms.ValidationError(str(bad)) from bad

    def clean_revision(self) -> str:
        given: str = self.cleaned_data["revision"]
        try:
            return clean_revision(given) if given else ""
        except BadRevision as bad:
            raise forms.ValidationError(str(bad)) from bad

    def clean_largest_file(self) -> int:
        size: int = self.cleaned_data["largest_file"]
        if not 1 <= size <= sources.LARGEST:
            raise forms.ValidationError(f"From 1 to {sources.LARGEST:,} bytes.")
        return size


@admin.register(Source)
class SourceAdmin(SharedOnly):
    form = SourceForm
    list_display = ("slug", "team", "path", "revision", "active", "state", "files", "checked_at")
    list_filter = ("team", "active")
    search_fields = ("slug", "name", "path")
    list_select_related = ("team",)
    readonly_fields = ("health", "checked_at")
    actions = ("check_now",)

    def get_readonly_fields(self, request: HttpRequest, obj: Source | None = None) -> tuple[str, ...]:
        return (*self.readonly_fields, "slug") if obj else self.readonly_fields

    @admin.display(description="state")
    def state(self, source: Source) -> str:
        return str(source.health.get("state", "never checked"))

    @admin.display(description="files")
    def files(self, source: Source) -> int:
        return int(source.health.get("files", 0))

    @admin.action(description="Check folder now")
    def check_now(self, request: HttpRequest, queryset: QuerySet[Source]) -> None:
        for slug in queryset.values_list("slug", flat=True):
            health = sources.check(slug=slug, now=timezone.now()).health
            told = f"{slug}: {health['state']}, {health['files']:,} files. {health['why']}"
            self.message_user(request, told, messages.SUCCESS if health["state"] == "ok" else messages.WARNING)

    def save_model(self, request: PageRequest, obj: Source, form: SourceForm, change: bool) -> None:
        by, now = request.member, timezone.now()
        data = form.cleaned_data
        try:
            if change:
                changes = {name: data[name] for name in sources.EDITABLE if name in form.changed_data}
                if "team" in form.changed_data:
                    changes["team_id"] = data["team"].pk
                sources.change(slug=obj.slug, changes=changes, by=by, now=now)
                return
            more = {name: data[name] for name in sources.EDITABLE if name != "path"}
            made = sources.register(
                slug=data["slug"], team_slug=data["team"].slug, path=data["path"], by=by, now=now, **more
            )
            obj.pk = made.pk
        except Refused as refused:
            self.message_user(request, refused.message, messages.ERROR)

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> list[str]:
        """Our own log has the change, with before and after."""
        return []


class EvidenceInline(TabularInline):
    model = Evidence
    extra = 0
    can_delete = False
    fields = ("path", "start_line", "end_line", "summary", "score")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(KnowledgeCluster)
class ClusterAdmin(ReadOnly, SharedOnly):
    list_display = ("ref", "name", "team", "mode", "lifecycle", "confidence", "reuses", "version", "updated_at")
    list_filter = ("team", "lifecycle", "mode")
    search_fields = ("ref", "name", "content")
    list_select_related = ("team",)
    exclude = ("embedding",)
    inlines = (EvidenceInline,)


@admin.register(Search)
class SearchAdmin(ReadOnly):
    """Questions are their asker's own: an administrator sees that they were asked, not what."""

    list_display = ("id", "user", "at", "reused", "confidence", "files", "took_ms")
    fields = list_display
    list_filter = ("reused", "at")
    list_select_related = ("user",)


@admin.register(ModelCall)
class ModelCallAdmin(ReadOnly):
    list_display = ("pk", "purpose", "model", "prompt_tokens", "completion_tokens", "tries", "took_ms", "outcome")
    list_filter = ("purpose", "model")
    fields = list_display


@admin.register(Document)
class DocumentAdmin(ReadOnly):
    """Texts taken out of PDF and DOCX: which, not what; they belong to anyone who has the file."""

    list_display = ("sha256", "recipe", "fault", "used_at")
    fields = list_display
