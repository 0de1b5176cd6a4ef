"""What the admin may show at all, no matter who looks: rows of shared teams; and what is only to be looked at."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from accounts.rules.rights import TeamKind


class SharedOnly(ModelAdmin):
    """Rows of shared teams only: nobody's personal ones, no matter who looks."""

    team_path = "team"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.exclude(**{f"{self.team_path}__kind": TeamKind.PERSONAL})


class ReadOnly(ModelAdmin):
    """To look at, not to touch."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
