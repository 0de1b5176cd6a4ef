"""Insights in the Django admin: moderation. Forms and bulk actions call what the API calls."""

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest
from django.utils import timezone
from unfold.admin import TabularInline
from unfold.widgets import UnfoldAdminTextInputWidget

from accounts.admin.exports import ExportedAdmin
from accounts.authentication import PageRequest
from accounts.models import Team
from accounts.rules.rights import TeamKind
from knowledge.admin.imports import ImportedTable
from knowledge.admin.rows import InsightRows
from knowledge.admin.shown import ShownOnly, moderation
from knowledge.judging.actions.deposit import deposit
from knowledge.lifecycle.actions.validate import validate
from knowledge.models import Anchor, EditProposal, Insight
from knowledge.review.actions import curate
from knowledge.review.actions.forget import forget
from knowledge.review.proposals.actions.suggest import edit_or_suggest
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind, Source, Stability


class InsightForm(forms.ModelForm):
    """What a moderator may write; the rest of the row is the actions' business."""

    tags = forms.CharField(required=False, widget=UnfoldAdminTextInputWidget, help_text="Separated by commas.")
    as_read = forms.IntegerField(required=False, widget=forms.HiddenInput)

    class Meta:
        model = Insight
        fields = ("team", "kind", "title", "body", "reasoning", "repo", "stability")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["title"].required = False
        if self.instance.pk:
            self.initial["tags"] = ", ".join(self.instance.tags)
            self.initial["as_read"] = self.instance.revision
        if "team" in self.fields:
            cast(forms.ModelChoiceField, self.fields["team"]).queryset = Team.objects.exclude(kind=TeamKind.PERSONAL)

    @property
    def tag_list(self) -> list[str]:
        return self.cleaned_data["tags"].split(",")


class AnchorInline(TabularInline):
    model = Anchor
    extra = 0
    can_delete = False
    fields = ("kind", "value", "recipe")
    readonly_fields = fields
    # What was merged into an insight brings its anchors along: there may be thousands.
    per_page = 50
    ordering = ("kind", "value")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Insight)
class InsightAdmin(ImportedTable, ExportedAdmin, ShownOnly):
    resource_classes = (InsightRows,)
    form = InsightForm
    list_display = (
        "ref", "kind", "title", "team", "status", "strength_now", "pinned", "trust", "corroboration_count",
        "author", "created_at",
    )  # fmt: skip
    list_display_links = ("ref", "title")
    list_filter = ("status", "kind", "team", "trust", "pinned", "stability", "source_type", "created_at")
    search_fields = ("ref", "title", "body", "anchors__value")
    search_help_text = "Reference, title, text, tag, file or symbol"
    date_hierarchy = "created_at"
    list_select_related = ("team", "author")
    inlines = (AnchorInline,)
    actions = [
        *(moderation(verb, getattr(curate, verb)) for verb in ("promote", "deprecate", "restore", "pin", "unpin")),
        moderation("validate", validate),
        moderation("forget", forget),
    ]
    fieldsets = (
        (None, {"fields": ("team", "kind", "title", "body", "reasoning", "tags", "repo", "stability", "as_read")}),
        (
            "Lifecycle",
            {
                "fields": (
                    "ref", "status", "strength_now", "strength", "strength_at", "pinned", "trust",
                    "corroboration_count", "superseded_by",
                )
            },
        ),
        (
            "Origin",
            {
                "fields": (
                    "author", "token", "source_type", "source_date", "source_url", "provenance", "created_at",
                    "updated_at", "embedded_by",
                )
            },
        ),
    )  # fmt: skip
    ordering = ("-created_at",)

    def get_readonly_fields(self, request: HttpRequest, obj: Insight | None = None) -> tuple[str, ...]:
        shown = tuple(name for _, options in self.fieldsets[1:] for name in options["fields"])
        return (*shown, "team") if obj else shown

    @admin.display(description="strength")
    def strength_now(self, insight: Insight) -> str:
        return f"{insight.effective_strength(timezone.now()):.0f}" if insight.strength_at else "–"

    def save_model(self, request: PageRequest, obj: Insight, form: InsightForm, change: bool) -> None:
        by, now = request.member, timezone.now()
        data = form.cleaned_data
        if change:
            changes = {name: data[name] for name in form.changed_data if name in curate.EDITABLE}
            if "tags" in form.changed_data:
                changes["tags"] = form.tag_list
            sent = {"ref": obj.ref, "changes": changes, "revision": data["as_read"], "why": "moderated"}
            if isinstance(edit_or_suggest(**sent, by=by, now=now), EditProposal):
                self.message_user(request, f"Edit of {obj.ref} suggested: needs another reviewer.", messages.WARNING)
            return
        draft = Draft(
            kind=Kind(data["kind"]),
            title=data["title"],
            body=data["body"],
            reasoning=data["reasoning"],
            tags=form.tag_list,
            repo=data["repo"],
            stability=Stability(data["stability"]),
            team=data["team"].slug,
            source_type=Source.HUMAN,
        )
        obj.pk = deposit(draft=draft, by=by, now=now).insight.pk

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> list[str]:
        """Our own log has the change, with before and after."""
        return []

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """The actions have written what belongs to the row."""

    def has_delete_permission(self, request: HttpRequest, obj: Insight | None = None) -> bool:
        """Nothing is deleted here: insights are deprecated, or forgotten."""
        return False
