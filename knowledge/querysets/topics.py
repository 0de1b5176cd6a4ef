"""Queries for topics."""

from collections.abc import Iterable, Sequence
from typing import Any, Self
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import (
    QuerySet,
)
from django.db.models.functions import Coalesce

from accounts.querysets import TeamScoped
from accounts.rules.rights import Member
from accounts.statements import MEMBER_PARAM, BindParam, prepared
from knowledge.rules.vectors import half


class TopicQuerySet(TeamScoped):
    def current(self) -> Self:
        """Return the topics that were not merged into others."""
        return self.filter(merged_into__isnull=True)

    def of_team(self, team_id: int) -> Self:
        return self.filter(team_id=team_id)

    def labels_of(self, ids: Iterable[UUID], by: Member) -> dict[UUID, str]:
        """Return the labels of these topics by id, without those that the member cannot see."""

        def build() -> QuerySet[Any, Any]:
            return self.visible_to(MEMBER_PARAM).filter(pk__any=BindParam("ids")).values_list("pk", "label")

        return dict(prepared("labels", build, planned=True).visible_to(by, ids=list(ids)))

    def with_id(self, id: UUID | str) -> Any:
        """Return the topic with this id, merged or not; None if there is none."""
        return self.filter(pk=id).first()

    def heir_of(self, id: UUID | str | BindParam) -> QuerySet[Any, Any]:
        """Return a subquery: the id of this topic, or of the topic it was merged into."""
        return self.filter(pk=id).values_list(Coalesce("merged_into_id", "pk"), flat=True)

    def nearest(self, team_id: int, model: str, vectors: Sequence[np.ndarray]) -> list[tuple[UUID, float] | None]:
        """Return, for each vector, the team's topic with the nearest centroid and the cosine; None in a team without
        topics.

        One statement for a whole batch, because it runs in the transaction of every deposit.
        """
        if not vectors:
            return []
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT near.id, near.cosine FROM unnest(%s::text[]::halfvec[]) WITH ORDINALITY AS v(vector, place)"
                " LEFT JOIN LATERAL (SELECT id, 1 - (centroid <=> v.vector) AS cosine FROM knowledge_topic"
                " WHERE team_id = %s AND embedded_by = %s AND centroid IS NOT NULL AND merged_into_id IS NULL"
                " ORDER BY centroid <=> v.vector, id LIMIT 1) AS near ON true ORDER BY v.place",
                [[half(vector).to_text() for vector in vectors], team_id, model],
            )
            return [(id, cosine) if id else None for id, cosine in cursor.fetchall()]
