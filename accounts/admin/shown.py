"""What the admin may show at all, no matter who looks: rows of shared teams; what is only to be looked at; and what
columns are called.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from django.contrib import admin
from django.core.exceptions import FieldDoesNotExist
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from accounts.rules.rights import TeamKind

# Columns whose field has a name that only code knows: what the pages call them.
HEADINGS = {
    "ref": "reference",
    "repo": "repository",
    "kind": "kind",
    "at": "when",
    "actor": "who",
    "verb": "action",
    "line": "event",
    "a": "first insight",
    "b": "second insight",
    "corroboration_count": "corroborations",
    "documents": "texts",
    "is_active": "active",
    "last_seen_at": "last activity",
    "took_ms": "duration in ms",
    "sha256": "SHA-256",
    "live": "published version",
    "ahead": "unpublished version",
    "key": "key",
}


class PlainHeadings(ModelAdmin):
    """Lists whose columns are called as on the pages, a moment by what happened then.

    `headings`: what some columns of one list are called.
    """

    headings: dict[str, str] = {}
    empty_value_display = "–"

    def get_list_display(self, request: HttpRequest) -> Sequence[str | Callable[..., Any]]:
        return [self._named(name) for name in super().get_list_display(request)]

    def get_list_display_links(self, request: HttpRequest, list_display: Sequence[Any]) -> Sequence[Any] | None:
        links = super().get_list_display_links(request, list_display)
        return links and [self._named(name) for name in links]

    def _named(self, name: Any) -> str | Callable[..., Any]:
        if callable(name):
            return name
        words = self.headings.get(name) or HEADINGS.get(name)
        try:
            field = self.model._meta.get_field(name)
        except FieldDoesNotExist:
            # Of the model, not of this page: what it computes from its fields.
            return column(name, words, sortable=False) if words and hasattr(self.model, name) else str(name)
        words = words or name.removesuffix("_at").replace("_", " ")
        as_it_is = field.get_internal_type() == "BooleanField" or words == str(field.verbose_name) != "kind"
        return str(name) if as_it_is else column(name, words)


@cache
def column(name: str, words: str, *, sortable: bool = True) -> Callable[[Any], Any]:
    """Return a column of this field under other words. The same for the same: lists compare columns."""

    def value(row: Any) -> Any:
        named = getattr(row, f"get_{name}_display", None)
        found = named() if named else getattr(row, name)
        return found.capitalize() if name == "kind" and isinstance(found, str) else found

    value.__name__ = name
    return admin.display(value, description=words, ordering=name if sortable else None)


class SharedOnly(PlainHeadings):
    """Rows of shared teams only: nobody's personal ones, no matter who looks."""

    team_path = "team"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.exclude(**{f"{self.team_path}__kind": TeamKind.PERSONAL})


class ReadOnly(PlainHeadings):
    """To look at, not to touch."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
