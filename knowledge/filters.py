"""What `insights/` can be narrowed and ordered by."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType
from typing import Any
from uuid import UUID

import django_filters
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination

from accounts.models import Team, User
from knowledge.lifecycle.rules.decay import STRENGTH_BANDS
from knowledge.models import Anchor, Insight, Topic
from knowledge.querysets.insights import InsightQuerySet
from knowledge.querysets.strength import of_strength
from knowledge.querysets.text_search import containing
from knowledge.retrieval.rules import bm25
from knowledge.rules.vocabulary import STANDINGS, SUPERSEDED, AnchorKind, Kind, Status, Trust


def _refusal(words: Sequence[str]) -> dict[str, str]:
    return {"invalid_choice": f"“%(value)s” is not one of {', '.join(words)}."}


def flag(**more: Any) -> django_filters.TypedChoiceFilter:
    """true or false. A BooleanFilter takes any other word for no filter at all."""
    words = ["true", "false"]
    return django_filters.TypedChoiceFilter(
        choices=[(word, word) for word in words],
        coerce=lambda word: word == "true",
        error_messages=_refusal(words),
        **more,
    )


def one_of(words: Sequence[str], **more: Any) -> django_filters.ChoiceFilter:
    """One of a few words; another one is refused with all of them."""
    return django_filters.ChoiceFilter(choices=[(word, word) for word in words], error_messages=_refusal(words), **more)


class InsightFilter(django_filters.FilterSet):
    """Each parameter narrows; an unknown parameter or value is told, by name."""

    q = django_filters.CharFilter(method="by_words", max_length=500)
    text = django_filters.CharFilter(method="by_text", max_length=2_000)
    kind = one_of([kind.value for kind in Kind])
    status = one_of(STANDINGS, method="by_status")
    tag = django_filters.CharFilter(method="by_tag", max_length=60)
    file = django_filters.CharFilter(method="by_file", max_length=400)
    repo = django_filters.CharFilter(field_name="repo", max_length=200)
    team = django_filters.CharFilter(method="by_team", max_length=60)
    topic = django_filters.UUIDFilter(method="by_topic")
    author = django_filters.CharFilter(method="by_author", max_length=150)
    owner = django_filters.CharFilter(method="by_owner", max_length=150)
    reviewed = one_of(["never", "yes"], method="by_reviewed")
    pinned = flag(field_name="pinned")
    stale = flag(method="by_stale")
    created_since = django_filters.DateFilter(method="by_created_since")
    created_until = django_filters.DateFilter(method="by_created_until")
    strength = one_of(list(STRENGTH_BANDS), method="by_strength")

    class Meta:
        model = Insight
        fields = ()

    def by_status(self, rows: QuerySet[Insight], name: str, value: str) -> QuerySet[Insight]:
        """What gave way to another has the status `superseded`, and no other."""
        gone = value == SUPERSEDED
        found = rows.filter(superseded_by__isnull=not gone)
        return found if gone else found.filter(status=value)

    def by_words(self, rows: InsightQuerySet, name: str, value: str) -> QuerySet[Insight]:
        return rows.with_all(bm25.terms(value))

    def by_text(self, rows: InsightQuerySet, name: str, value: str) -> QuerySet[Insight]:
        """Plain text: every word stands somewhere in it, or is a tag, file or symbol of it."""
        return containing(rows, Anchor.objects.all(), value)

    def by_tag(self, rows: QuerySet[Insight], name: str, value: str) -> QuerySet[Insight]:
        return rows.filter(anchors__kind=AnchorKind.TAG, anchors__value=value.lower())

    def by_file(self, rows: QuerySet[Insight], name: str, value: str) -> QuerySet[Insight]:
        return rows.filter(anchors__kind=AnchorKind.FILE, anchors__value=value)

    def by_topic(self, rows: InsightQuerySet, name: str, value: UUID) -> QuerySet[Insight]:
        """One that was merged into another leads there. The rows are the member's own, whosever the topic is."""
        return rows.of_topic(Topic.objects.all().heir_of(value))

    # Whose they are is looked up first: of a key the planner knows how many rows it has, of a name it does not, and
    # would leaf through all of them for somebody who has written nothing.
    def by_team(self, rows: QuerySet[Insight], name: str, value: str) -> QuerySet[Insight]:
        return rows.filter(team_id__in=list(Team.objects.filter(slug=value).values_list("pk", flat=True)))

    def by_author(self, rows: QuerySet[Insight], name: str, value: str) -> QuerySet[Insight]:
        return rows.filter(author_id__in=list(User.objects.filter(username=value).values_list("pk", flat=True)))

    def by_owner(self, rows: QuerySet[Insight], name: str, value: str) -> QuerySet[Insight]:
        """Who answers for them; those of a topic's owner are not among them."""
        return rows.filter(owner_id__in=list(User.objects.filter(username=value).values_list("pk", flat=True)))

    def by_reviewed(self, rows: QuerySet[Insight], name: str, value: str) -> QuerySet[Insight]:
        """`never`: drafts that no lead has looked at."""
        if value == "never":
            return rows.filter(reviewed_at__isnull=True, status=Status.DRAFT, superseded_by__isnull=True)
        return rows.filter(reviewed_at__isnull=False)

    def by_created_since(self, rows: QuerySet[Insight], name: str, value: date) -> QuerySet[Insight]:
        """Deposited on that day (UTC) or later."""
        return rows.filter(created_at__gte=datetime.combine(value, time(), UTC))

    def by_created_until(self, rows: QuerySet[Insight], name: str, value: date) -> QuerySet[Insight]:
        """Deposited on that day or earlier; after the last day there is, nothing was."""
        if value == date.max:
            return rows
        return rows.filter(created_at__lt=datetime.combine(value + timedelta(days=1), time(), UTC))

    def by_strength(self, rows: QuerySet[Insight], name: str, value: str) -> QuerySet[Insight]:
        """By what is left of it at this moment."""
        return of_strength(rows, *STRENGTH_BANDS[value], timezone.now())

    def by_stale(self, rows: QuerySet[Insight], name: str, value: bool) -> QuerySet[Insight]:
        return rows.filter(trust=Trust.STALE) if value else rows.exclude(trust=Trust.STALE)


NEWEST = ("-created_at", "-id")


# Base64; what is not is passed over by the decoder, and a first page is no answer to nonsense.
_CURSOR = re.compile(r"[A-Za-z0-9+/]*={0,2}")


class InsightPages(CursorPagination):
    """Newest first unless asked otherwise. A cursor needs an order that never changes and never ties."""

    page_size = 20
    page_size_query_param = "limit"
    max_page_size = 100
    ordering = NEWEST
    orderings = MappingProxyType({"-created_at": NEWEST, "created_at": ("created_at", "id")})

    def decode_cursor(self, request: Any) -> Any:
        """A cursor that was made up may name a moment that is none."""
        if not _CURSOR.fullmatch(request.query_params.get(self.cursor_query_param, "")):
            raise NotFound(self.invalid_cursor_message)
        cursor = super().decode_cursor(request)
        if cursor and cursor.position is not None and not _is_moment(str(cursor.position)):
            raise NotFound(self.invalid_cursor_message)
        return cursor

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> tuple[str, ...]:
        return self.orderings.get(request.query_params.get("ordering", "-created_at"), NEWEST)


def _is_moment(text: str) -> bool:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return False
    return moment is not None and moment.utcoffset() is not None
