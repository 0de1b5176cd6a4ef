"""Insights in the Django admin: moderation. Forms and bulk actions call what the API calls."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.admin import ModelAdmin, TabularInline
from unfold.widgets import UnfoldAdminTextInputWidget

from accounts.admin import ReadOnly, SharedOnly
from accounts.authentication import PageRequest
from accounts.models import GuardTerm, LogEntry, Team
from accounts.rules.guard import masked
from accounts.rules.refused import Refused
from accounts.rules.rights import Level, Member, TeamKind
from knowledge.actions import curate, topics
from knowledge.actions.deposit import deposit
from knowledge.actions.forget import erase, forget
from knowledge.actions.quarantine import findings, release
from knowledge.actions.validate import validate
from knowledge.models import (
    Anchor,
    Corroboration,
    Forgotten,
    FormerRef,
    Insight,
    Lexicon,
    Pair,
    Quarantined,
    Query,
    Receipt,
    Signal,
    Term,
    Topic,
)
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


class ShownOnly(SharedOnly):
    """Of shared teams only, and nothing that is forgotten or in quarantine. `shown_path`: the way to the insight."""

    shown_paths: tuple[str, ...] = ("",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        for path in self.shown_paths:
            hidden = {f"{path}forgotten_at__isnull": True, f"{path}quarantined_at__isnull": True}
            rows = rows.filter(**hidden)
        return rows


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


def moderation(verb: str, act: Callable[..., Any], words: str = "", **more: Any) -> Callable[..., None]:
    """An admin action that calls `act` for each selected insight, and says what it did and what was refused."""

    @admin.action(description=words or f"{verb.capitalize()} the selected insights")
    def run(page: ModelAdmin, request: PageRequest, queryset: QuerySet[Insight]) -> None:
        done = 0
        for ref in queryset.values_list("ref", flat=True):
            try:
                act(ref=ref, by=request.member, now=timezone.now(), **{"why": "moderated", **more})
                done += 1
            except Refused as refused:
                page.message_user(request, f"{ref}: {refused.message}", messages.WARNING)
        page.message_user(request, f"{verb}: {done}", messages.SUCCESS)

    run.__name__ = verb.replace(" ", "_")
    return run


def erase_now(*, ref: str, by: Member, now: datetime, why: str) -> None:
    erase(ref=ref, by=by, now=now)


@admin.register(Insight)
class InsightAdmin(ShownOnly):
    form = InsightForm
    list_display = (
        "ref", "kind", "title", "team", "status", "strength_now", "pinned", "trust", "corroboration_count",
        "author", "created_at",
    )  # fmt: skip
    list_display_links = ("ref", "title")
    list_filter = ("status", "kind", "team", "trust", "pinned", "stability", "source_type", "created_at")
    search_fields = ("ref", "title", "body", "anchors__value")
    search_help_text = "Reference, words of title or body, a tag, file or symbol"
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
            "Life",
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

    @admin.display(description="strength now")
    def strength_now(self, insight: Insight) -> str:
        return f"{insight.effective_strength(timezone.now()):.0f}" if insight.strength_at else "–"

    def save_model(self, request: PageRequest, obj: Insight, form: InsightForm, change: bool) -> None:
        by, now = request.member, timezone.now()
        data = form.cleaned_data
        if change:
            changes = {name: data[name] for name in form.changed_data if name in curate.EDITABLE}
            if "tags" in form.changed_data:
                changes["tags"] = form.tag_list
            curate.edit(ref=obj.ref, changes=changes, revision=data["as_read"], by=by, now=now, why="moderated")
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


class OfLeads(ReadOnly):
    """What is out of every read is here for its team's leads alone."""

    list_select_related: tuple[str, ...] = ("team",)
    list_filter = ("team",)
    search_fields = ("ref",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        member = cast(PageRequest, request).member
        led = [team.id for team in member.teams if member.may(team.id, Level.LEAD)]
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.filter(team_id__in=led).exclude(team__kind=TeamKind.PERSONAL)


@admin.register(Forgotten)
class ForgottenAdmin(OfLeads):
    """That it was forgotten, and no word of what it said."""

    list_display = ("ref", "team", "forgotten_at", "who", "why", "erased_at")
    fields = list_display
    ordering = ("-forgotten_at",)
    actions = (
        moderation("restore", curate.restore, "Restore the selected insights, as they were"),
        moderation("erase", erase_now, "Erase the selected insights for good"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(forgotten_at__isnull=False)

    @admin.display(description="by")
    def who(self, row: Forgotten) -> str:
        line = self._line(row)
        return line.actor if line else "–"

    @admin.display(description="reason")
    def why(self, row: Forgotten) -> str:
        line = self._line(row)
        return line.why if line else "–"

    def _line(self, row: Forgotten) -> LogEntry | None:
        return LogEntry.objects.about(row.ref).filter(verb="forgotten").first()


@admin.register(Quarantined)
class QuarantinedAdmin(OfLeads):
    """What the guard found, where, and the text around it."""

    list_display = ("ref", "team", "quarantined_at", "found", "author")
    list_select_related = ("team", "author")
    fields = ("ref", "team", "quarantined_at", "found", "masked_title", "masked_body", "masked_reasoning", "author")
    ordering = ("-quarantined_at",)
    actions = (
        moderation("release masked", release, "Release with the secrets masked", mask=True),
        moderation("release as it is", release, "Release as it is: these are no secrets, of this team", mask=False),
        moderation("forget", forget),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).quarantined()  # type: ignore[attr-defined]

    @admin.display(description="what was found")
    def found(self, row: Quarantined) -> str:
        return "; ".join(str(item) for item in findings(row, GuardTerm.objects.all().allowed(row.team_id))) or "–"

    @admin.display(description="title")
    def masked_title(self, row: Quarantined) -> str:
        return masked(row.title)

    @admin.display(description="body")
    def masked_body(self, row: Quarantined) -> str:
        return masked(row.body)

    @admin.display(description="reasoning")
    def masked_reasoning(self, row: Quarantined) -> str:
        return masked(row.reasoning)


@admin.register(FormerRef)
class FormerRefAdmin(ReadOnly, ShownOnly):
    shown_paths = ("insight__",)
    list_display = ("ref", "team", "insight", "at")
    search_fields = ("ref", "insight__ref")
    list_select_related = ("team", "insight")


@admin.register(Lexicon)
class LexiconAdmin(ReadOnly, SharedOnly):
    list_display = ("team", "documents", "length", "pivot")
    list_select_related = ("team",)


@admin.register(Term)
class TermAdmin(ReadOnly, SharedOnly):
    list_display = ("term", "team", "documents")
    list_filter = ("team",)
    search_fields = ("term",)
    list_select_related = ("team",)
    show_full_result_count = False


@admin.register(Receipt)
class ReceiptAdmin(ReadOnly, ShownOnly):
    shown_paths = ("insight__",)
    team_path = "insight__team"
    list_display = ("key", "user", "insight", "outcome", "at")
    search_fields = ("key", "insight__ref")
    list_select_related = ("user", "insight")


@admin.register(Query)
class QueryAdmin(ReadOnly):
    """Questions are their asker's own: an administrator sees that they were asked, not what."""

    list_display = ("id", "user", "at", "abstained")
    fields = list_display
    list_filter = ("abstained", "at")
    list_select_related = ("user",)


@admin.register(Signal)
class SignalAdmin(ReadOnly, ShownOnly):
    """A rating's question is the team's to know; its vector nobody can read."""

    shown_paths = ("insight__",)
    team_path = "insight__team"
    list_display = ("at", "insight", "kind", "human", "user", "question", "reason")
    list_filter = ("kind", "human", "insight__team", "at")
    search_fields = ("insight__ref", "question", "reason", "user__username")
    date_hierarchy = "at"
    exclude = ("embedding",)
    list_select_related = ("insight", "user")


@admin.register(Corroboration)
class CorroborationAdmin(ReadOnly, ShownOnly):
    shown_paths = ("insight__", "unmerged_into__")
    team_path = "insight__team"
    list_display = ("at", "insight", "title", "user", "source_type", "similarity", "judged_by", "unmerged_into")
    list_filter = ("source_type", "judged_by", "insight__team", "at")
    search_fields = ("insight__ref", "title", "body", "user__username")
    date_hierarchy = "at"
    list_select_related = ("insight", "user", "unmerged_into")


@admin.register(Pair)
class PairAdmin(ReadOnly, ShownOnly):
    shown_paths = ("a__", "b__")
    team_path = "a__team"
    list_display = ("raised_at", "a", "b", "question", "state", "raised_by", "settled_by", "settled_at")
    list_filter = ("state", "question", "a__team", "raised_at")
    search_fields = ("a__ref", "b__ref", "reason", "resolution", "scope")
    date_hierarchy = "raised_at"
    list_select_related = ("a", "b", "settled_by")


@admin.action(description="Merge the selected topics into the largest")
def merge_topics(page: ModelAdmin, request: PageRequest, queryset: QuerySet[Topic]) -> None:
    """Of each team apart: topics of two teams stay two."""
    chosen = set(queryset.values_list("pk", flat=True))
    ranked = [one.topic for one in topics.overviews(by=request.member) if one.topic.pk in chosen]
    largest = {topic.team_id: topic for topic in reversed(ranked)}
    done = 0
    for topic in ranked:
        into = largest[topic.team_id]
        if topic.pk == into.pk:
            continue
        try:
            topics.merge(topic_id=topic.pk, into=into.pk, by=request.member, now=timezone.now(), why="moderated")
            done += 1
        except Refused as refused:
            page.message_user(request, f"{topic.label}: {refused.message}", messages.WARNING)
    page.message_user(request, f"merged: {done}", messages.SUCCESS)


@admin.register(Topic)
class TopicAdmin(SharedOnly):
    """A name typed here is a person's, and stays; the rest is the regrouping's business."""

    list_display = ("label", "team", "insights_now", "named", "merged_into", "updated_at")
    list_filter = ("named", "team")
    search_fields = ("label", "terms")
    fields = ("label", "team", "terms", "named", "merged_into", "created_at", "updated_at")
    readonly_fields = fields[1:]
    list_select_related = ("team", "merged_into")
    actions = (merge_topics,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Topic]:
        return super().get_queryset(request).annotate(size=Count("insights", filter=Q(insights__retrievable=True)))

    @admin.display(description="insights", ordering="size")
    def insights_now(self, topic: Any) -> int:
        return int(topic.size)

    def save_model(self, request: PageRequest, obj: Topic, form: Any, change: bool) -> None:
        if "label" in form.changed_data:
            topics.rename(topic_id=obj.pk, label=obj.label, by=request.member, now=timezone.now(), why="moderated")

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> list[str]:
        """Our own log has the change, with before and after."""
        return []

    def has_add_permission(self, request: HttpRequest, obj: Topic | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Topic | None = None) -> bool:
        return False
