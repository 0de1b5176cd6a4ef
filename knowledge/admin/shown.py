"""What the admin may show of insights, and the bulk actions that moderate them."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.admin import ModelAdmin

from accounts.admin.shown import SharedOnly
from accounts.authentication import PageRequest
from accounts.rules.refused import Refused
from accounts.rules.rights import TeamKind
from knowledge.models import Insight


class ShownOnly(SharedOnly):
    """Of shared teams only, and nothing that is forgotten or in quarantine. `shown_paths`: the ways to the insights.

    Each of them counts: one side of a pair may have been moved into somebody's personal team.
    """

    shown_paths: tuple[str, ...] = ("",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        for path in self.shown_paths:
            hidden = {f"{path}forgotten_at__isnull": True, f"{path}quarantined_at__isnull": True}
            rows = rows.filter(**hidden).exclude(**{f"{path}team__kind": TeamKind.PERSONAL})
        return rows


def moderation(verb: str, act: Callable[..., Any], words: str = "", **more: Any) -> Callable[..., None]:
    """An admin action that calls `act` for each selected insight, and says what it did and what was refused."""

    @admin.action(description=words or f"{verb.capitalize()} selected insights")
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
