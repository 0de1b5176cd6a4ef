"""Topics in the Django admin: named and merged through the actions."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.admin import ModelAdmin

from accounts.admin.exports import ExportedAdmin
from accounts.admin.shown import SharedOnly
from accounts.authentication import PageRequest
from accounts.rules.refused import Refused
from knowledge.admin.rows import TopicRows
from knowledge.models import Topic
from knowledge.topics.actions import topics


@admin.action(description="Merge selected topics into the largest")
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
class TopicAdmin(ExportedAdmin, SharedOnly):
    """A name typed here is a person's, and stays; the rest is the regrouping's business."""

    resource_classes = (TopicRows,)
    list_display = ("label", "team", "owner", "insights_now", "named", "merged_into", "updated_at")
    list_filter = ("named", "team")
    search_fields = ("label", "terms")
    fields = ("label", "team", "owner", "terms", "named", "merged_into", "created_at", "updated_at")
    readonly_fields = fields[1:]
    list_select_related = ("team", "owner", "merged_into")
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
