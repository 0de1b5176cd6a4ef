"""All SQL of evidence search."""

from collections.abc import Iterable
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, Self

import numpy as np
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from pgvector.django import CosineDistance

from accounts.querysets import TeamScoped
from accounts.rules.rights import Member
from knowledge.evidence.rules.lifecycle import ANSWERING, Lifecycle
from knowledge.rules.vectors import half
from knowledge.rules.vocabulary import AnchorKind


class SourceQuerySet(TeamScoped):
    def searchable(self) -> Self:
        return self.filter(active=True).order_by("slug")


class DocumentQuerySet(QuerySet[Any]):
    def known(self, digests: Iterable[str]) -> set[str]:
        """Those whose text, or fault, is kept."""
        return set(self.filter(sha256__in=list(digests)).values_list("sha256", flat=True))

    def faults(self, digests: Iterable[str]) -> dict[str, str]:
        """hash → why it cannot be read, of those that cannot."""
        rows = self.filter(sha256__in=list(digests)).exclude(fault="")
        return dict(rows.values_list("sha256", "fault"))

    def matching(self, digests: Iterable[str], beginnings: Iterable[str]) -> dict[str, str]:
        """hash → text of those that hold any of these."""
        any_of = reduce(or_, (Q(text__icontains=one) for one in beginnings), Q())
        return dict(self.filter(any_of, sha256__in=list(digests), fault="").values_list("sha256", "text"))


class ClusterQuerySet(TeamScoped):
    def visible_to(self, member: Member) -> Self:
        """Of one's teams, and leaning on no file of another team's source: a cluster over two teams' files lies in the
        asker's own, and closes when they leave one of them.
        """
        evidence = self.model._meta.get_field("evidences").related_model._default_manager
        foreign = evidence.filter(cluster=OuterRef("pk")).exclude(source__team_id__in=member.team_ids)
        return self.filter(~Exists(foreign), team_id__in=member.team_ids)

    def whole(self) -> Self:
        """With all an answer shows, in four statements however many there are."""
        return self.select_related("team", "insight").prefetch_related(
            self._with("evidences", "source"), "questions", self._with("relations", "target")
        )

    def _with(self, name: str, related: str, without: str = "") -> Prefetch:
        rows = self.model._meta.get_field(name).related_model._default_manager.select_related(related)
        return Prefetch(name, queryset=rows.defer(without) if without else rows)

    def with_coverage(self) -> Self:
        """With the files their searches covered, by digest alone: the lists themselves are large."""
        return self.prefetch_related(self._with("coverage", "listing", without="listing__packed"))

    def renewable(self) -> Self:
        """What answers, and what would after a search: a contested one keeps its reference, questions and history."""
        return self.filter(lifecycle__in=(*ANSWERING, Lifecycle.CONTESTED), merged_into__isnull=True)

    def answering(self) -> Self:
        return self.filter(lifecycle__in=ANSWERING, merged_into__isnull=True)

    def standing(self) -> Self:
        return self.filter(merged_into__isnull=True)

    def near(self, vector: np.ndarray, model: str, least: float) -> Self:
        """Those whose questions lie about there, nearest first. The middle of five questions may lie a little off."""
        near = self.filter(embedded_by=model).annotate(distance=CosineDistance("embedding", half(vector)))
        return near.filter(distance__lte=1 - least).order_by("distance")


# Insights looked at for the company a tag keeps.
MOST_TAGGED = 2_000


class TagQuerySet(QuerySet[Any]):
    """On anchors of insights."""

    def with_tags(self, tags: Iterable[str], team_ids: Iterable[int]) -> list[tuple[str, int]]:
        """(tag, insight) of the teams' insights that have one of these tags."""
        rows = self.filter(kind=AnchorKind.TAG, value__in=list(tags), insight__team_id__in=list(team_ids))
        return list(rows.values_list("value", "insight_id")[:MOST_TAGGED])

    def tags_of(self, insights: Iterable[int]) -> list[tuple[str, int]]:
        rows = self.filter(kind=AnchorKind.TAG, insight_id__in=list(insights))
        return list(rows.values_list("value", "insight_id"))


class SearchQuerySet(QuerySet[Any]):
    def asked_by(self, member: Member) -> Self:
        """One's own questions only: they belong to the asker's personal team. A token that was narrowed to other teams
        has those alone that were asked by it.
        """
        mine = self.filter(user_id=member.user_id)
        return mine if member.personal else mine.filter(token_id=member.token_id)

    def answered(self, least: float) -> Self:
        """Those that found something, and those that ranked names alone."""
        return self.filter(Q(confidence__gte=least) | Q(ask__mode="FILENAME_ONLY"))

    def older_than(self, moment: datetime) -> Self:
        return self.filter(at__lt=moment)
