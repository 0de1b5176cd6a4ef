"""What is out of every read in the Django admin, for its team's leads alone. Nothing of it is exported."""

from datetime import datetime
from typing import Any, cast

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin.shown import ReadOnly
from accounts.authentication import PageRequest
from accounts.models import GuardTerm, LogEntry
from accounts.rules.guard.detection import masked
from accounts.rules.rights import Level, Member, TeamKind
from knowledge.admin.shown import moderation
from knowledge.models import Forgotten, Quarantined
from knowledge.review.actions import curate
from knowledge.review.actions.forget import erase, forget
from knowledge.review.actions.quarantine import findings, release


def erase_now(*, ref: str, by: Member, now: datetime, why: str) -> None:
    erase(ref=ref, by=by, now=now)


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
        moderation("restore", curate.restore, "Restore selected insights"),
        moderation("erase", erase_now, "Erase selected insights permanently"),
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
        moderation("release masked", release, "Redact secrets and release", mask=True),
        moderation("release as it is", release, "Add to secret allowlist and release", mask=False),
        moderation("forget", forget),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).quarantined()  # type: ignore[attr-defined]

    @admin.display(description="findings")
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
