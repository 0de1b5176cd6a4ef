"""All SQL of evidence search."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, Self

import numpy as np
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.db.models.functions import Right
from pgvector.django import CosineDistance

from accounts.querysets import TeamScoped
from accounts.rules.rights import Member
from accounts.statements import MEMBER_PARAM, BindParam, prepared
from knowledge.evidence.rules.lifecycle import ANSWERING, Lifecycle
from knowledge.rules.vectors import half
from knowledge.rules.vocabulary import AnchorKind


class SourceQuerySet(TeamScoped):
    def searchable(self) -> Self:
        return self.filter(active=True).order_by("slug")

    def searched_by(self, member: Member) -> list[Any]:
        """What a member's question is asked of, with the teams."""

        def build() -> QuerySet[Any]:
            return self.visible_to(MEMBER_PARAM).searchable().select_related("team")

        return prepared("sources", build, planned=True).visible_to(member)


# Characters at the end of a document's text that tell what of it was not read.
TAIL = 500


class DocumentQuerySet(QuerySet[Any]):
    def known(self, digests: Iterable[str]) -> set[str]:
        """Those whose text, or fault, is kept."""
        return set(self.filter(sha256__in=list(digests)).values_list("sha256", flat=True))

    def faults(self, digests: Iterable[str]) -> dict[str, str]:
        """hash → why it cannot be read, of those that cannot."""
        rows = self.filter(sha256__in=list(digests)).exclude(fault="")
        return dict(rows.values_list("sha256", "fault"))

    def tails(self, digests: Iterable[str], mark: str) -> dict[str, str]:
        """hash → the end of the text of those that have this mark in it."""
        rows = self.filter(sha256__in=list(digests), fault="", text__contains=mark).annotate(tail=Right("text", TAIL))
        return dict(rows.values_list("sha256", "tail"))

    def matching(self, digests: Iterable[str], beginnings: Iterable[str]) -> dict[str, str]:
        """hash → text of those that hold any of these."""
        any_of = reduce(or_, (Q(text__icontains=one) for one in beginnings), Q())
        return dict(self.filter(any_of, sha256__in=list(digests), fault="").values_list("sha256", "text"))


# What an answer shows of a cluster, and what says which files its search has covered: the rows of it, what comes with
# each, and what does not.
_SHOWN = (("evidences", "source", ""), ("questions", "", ""), ("relations", "target", ""))
_COVERED = ("coverage", "listing", "listing__packed")
_COUNTED = (
    "team_id", "ref", "hotness", "hotness_at", "reuses", "version", "updated_at", "lifecycle", "scope", "embedded_by",
)  # fmt: skip


class ClusterQuerySet(TeamScoped):
    def visible_to(self, member: Member) -> Self:
        """Of one's teams, and leaning on no file of another team's source: a cluster over two teams' files lies in the
        asker's own, and closes when they leave one of them.
        """
        evidence = self.model._meta.get_field("evidences").related_model._default_manager
        foreign = evidence.filter(cluster=OuterRef("pk")).exclude(source__team_id__any=member.team_ids)
        return self.filter(~Exists(foreign), team_id__any=member.team_ids)

    def whole(self) -> Self:
        """With all an answer shows, in four statements however many there are."""
        return self.select_related("team", "insight").prefetch_related(*(self._with(*one) for one in _SHOWN))

    def _with(self, name: str, related: str, without: str) -> Prefetch:
        return Prefetch(name, queryset=self._rows_of(name, related, without))

    def _rows_of(self, name: str, related: str, without: str) -> QuerySet[Any]:
        rows: QuerySet[Any] = self.model._meta.get_field(name).related_model._default_manager.all()
        rows = rows.select_related(related) if related else rows
        return rows.defer(without) if without else rows

    def with_coverage(self) -> Self:
        """With the files their searches covered, by digest alone: the lists themselves are large."""
        return self.prefetch_related(self._with(*_COVERED))

    def to_reuse(self, member: Member, vector: np.ndarray, model: str, *, least: float, most: int) -> list[Any]:
        """The nearest of those that may answer, as `near` finds them, `whole` and `with_coverage`. Compiled once: of
        what an answer of before took, two thirds were the building of its statements.
        """

        def build() -> QuerySet[Any]:
            near = self.visible_to(MEMBER_PARAM).renewable().near(BindParam("vector"), BindParam("model"), least)
            return near.select_related("team", "insight")[:most]

        found = prepared(("clusters to reuse", least, most), build).visible_to(
            member, vector=half(vector).to_text(), model=model
        )
        for name, related, without in (*_SHOWN, _COVERED):
            self._fill(found, name, related, without)
        return found

    def held_to_count(self, pk: int) -> Any:
        """One cluster, held until the transaction ends, with what a reuse counts and a log line tells of it."""

        def build() -> QuerySet[Any]:
            return self.select_for_update(no_key=True).only(*_COUNTED).filter(pk=BindParam("pk"))

        return prepared("cluster to count", build, planned=True).run(pk=pk)[0]

    def _fill(self, clusters: Sequence[Any], name: str, related: str, without: str) -> None:
        """Let these clusters have their rows of one kind at hand, as after `prefetch_related`."""

        def build() -> QuerySet[Any]:
            return self._rows_of(name, related, without).filter(cluster_id__any=BindParam("ids"))

        rows = prepared(("of clusters", name), build, planned=True).run(ids=[one.pk for one in clusters])
        for one in clusters:
            mine = getattr(one, name).all()
            mine._result_cache, mine._prefetch_done = [row for row in rows if row.cluster_id == one.pk], True
            one.__dict__.setdefault("_prefetched_objects_cache", {})[name] = mine

    def renewable(self) -> Self:
        """What answers, and what would after a search: a contested one keeps its reference, questions and history."""
        return self.filter(lifecycle__in=(*ANSWERING, Lifecycle.CONTESTED), merged_into__isnull=True)

    def answering(self) -> Self:
        return self.filter(lifecycle__in=ANSWERING, merged_into__isnull=True)

    def standing(self) -> Self:
        return self.filter(merged_into__isnull=True)

    def near(self, vector: "np.ndarray | BindParam", model: "str | BindParam", least: float) -> Self:
        """Those whose questions lie about there, nearest first. The middle of five questions may lie a little off."""
        there = vector if isinstance(vector, BindParam) else half(vector)
        near = self.filter(embedded_by=model).annotate(distance=CosineDistance("embedding", there))
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
        """One's own questions only: they belong to the asker's personal team. A token that is narrowed to teams has
        those alone that were asked by it: what was asked elsewhere tells of teams that it is not for.
        """
        mine = self.filter(user_id=member.user_id)
        return mine.filter(token_id=member.token_id) if member.narrowed else mine

    def answered(self, least: float) -> Self:
        """Those that found something, and those that ranked names alone."""
        return self.filter(Q(confidence__gte=least) | Q(ask__mode="FILENAME_ONLY"))

    def older_than(self, moment: datetime) -> Self:
        return self.filter(at__lt=moment)
