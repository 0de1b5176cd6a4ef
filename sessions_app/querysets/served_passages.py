"""The SQL of passages that answered questions: what is kept of them, and which of them people found useful."""

from collections.abc import Collection, Sequence
from typing import Any, Self
from uuid import UUID

from django.db import connection
from django.db.models import Count, F, Max, Q, QuerySet


class ServedPassageQuerySet(QuerySet[Any]):
    def keep(self, query_id: UUID, passage_ids: Sequence[int]) -> None:
        """Store which passages answered a question. Like the question, they are not waited for until on the disk."""
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO sessions_app_servedpassage (query_id, passage_id)"
                " SELECT %s, p.id FROM sessions_app_passage p WHERE p.id = ANY(%s) FOR KEY SHARE"
                " RETURNING set_config('synchronous_commit', 'off', true)",
                [query_id, list(passage_ids)],
            )

    def sessions_of(self, query_ids: Collection[UUID]) -> list[tuple[UUID, int]]:
        """The pairs of one of these questions and a session of which something was quoted."""
        rows = self.filter(query__in=query_ids).order_by().values_list("query_id", "passage__session_id")
        return list(rows.distinct())

    def about(self, passages: QuerySet[Any]) -> Self:
        """Those of these passages."""
        return self.filter(passage__in=passages)

    def by_person(self) -> "QuerySet[Any, dict[str, Any]]":
        """A row for each passage and asker: in answer to how many of their questions it was, when last, and how often
        they said that it helped, and that it did not.
        """
        rows = self.order_by().values("passage_id", "query__user_id", "query__user__username")
        return rows.annotate(
            shares=F("query__user__share_prompts"),
            times=Count("pk"),
            last_at=Max("query__at"),
            helped=Count("pk", filter=Q(helpful=True)),
            did_not=Count("pk", filter=Q(helpful=False)),
        ).order_by("passage_id", "query__user__username")

    def rate(self, helpful: bool) -> int:
        """Store that these helped, or did not; of how many nobody had said so."""
        return self.exclude(helpful=helpful).update(helpful=helpful)

    def often_useful(self, times: int, people: int) -> list[int]:
        """The ids of passages in at least so many answers of which so many people said that they helped; of people who
        may read the passage now.
        """
        rows = (
            self.filter(helpful=True)
            .filter(query__user__memberships__team=F("passage__team"))
            .order_by()
            .values("passage_id")
        )
        rows = rows.annotate(times=Count("pk", distinct=True), people=Count("query__user", distinct=True))
        return list(rows.filter(times__gte=times, people__gte=people).values_list("passage_id", flat=True))
