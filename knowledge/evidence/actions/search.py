"""Search: the phases in their order, each parallel inside; strictly one after the other.

0 reuse → 1 probe → 2 rank → 3 sample → 4 brief (or explore, when too little was found) → 5 keep. Without a language
model everything is computed; with one it takes the parts it does better, and whatever it fails at is computed again.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.adapters.llm import Called
from knowledge.evidence.actions.brief import NEAREST, brief
from knowledge.evidence.actions.explore import explore, may_be_elsewhere, rank_by_model
from knowledge.evidence.actions.inquiry import (
    Inquiry,
    Progress,
    begin,
    open_sources,
    phases_as_data,
    quiet,
    waiting,
)
from knowledge.evidence.actions.keep import keep
from knowledge.evidence.actions.probe import probe, rank
from knowledge.evidence.actions.read import Shelf
from knowledge.evidence.actions.reuse import Reused, reuse
from knowledge.evidence.actions.sample import sample
from knowledge.evidence.actions.share import compare_deposit
from knowledge.evidence.actions.successors import cite_newer_first, cite_successors
from knowledge.evidence.adapters.documents import UNREAD_MARK, unread_part
from knowledge.evidence.models import Document, KnowledgeCluster, ModelCall, Search, Source
from knowledge.evidence.rules import ranking
from knowledge.evidence.rules.ask import Brief, Cited, EvidenceQuestion, InquiryStep, Phase, public
from knowledge.evidence.rules.confidence import is_found
from knowledge.evidence.rules.lifecycle import Lifecycle
from knowledge.evidence.rules.ranking import RankedFile
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import ranked
from knowledge.retrieval.rules.ask import Ask as Question


@dataclass(frozen=True)
class EvidenceAnswer:
    """What a search found. `cited` answers; `nearest` is shown in its place when nothing does. `cluster` is what it is
    kept as, if it is; `steps` those of the exploration; `skipped`: paths that were not searched, with the reason;
    `calls` those of the language model; `query` the question as it was searched for.
    """

    search_id: UUID
    cluster: KnowledgeCluster | None
    reused: bool
    content: str
    cited: list[Cited]
    nearest: list[Cited]
    patterns: list[str]
    confidence: float
    ranked: list[RankedFile]
    phases: list[Phase]
    took_ms: float
    steps: list[InquiryStep]
    degraded: list[dict[str, str]]
    skipped: list[dict[str, str]]
    related: list[KnowledgeCluster]
    insights: list[Insight]
    calls: list[Called]
    query: str


def search(
    *, ask: EvidenceQuestion, by: Member, now: datetime, progress: Progress = quiet, gone: Callable[[], bool] = waiting
) -> EvidenceAnswer:
    """Ask the files. `progress` is told of each phase as it ends, in the caller's thread; `gone`: nobody waits.

    Raises NothingAsked, NoSuchSource, NoSuchPath; Cancelled when the caller has gone.
    """
    return run(inquiry=begin(ask=ask, by=by, now=now, progress=progress, gone=gone))


def run(*, inquiry: Inquiry) -> EvidenceAnswer:
    """The phases of an inquiry that `begin` has found nothing wrong with. Raises Cancelled."""
    began = time.perf_counter()
    open_sources(inquiry)
    shelf = Shelf(inquiry.root, inquiry.now)
    before = Reused(None)
    if inquiry.ask.reuse and not inquiry.has_secret and inquiry.ask.mode is not ReuseMode.FILENAME_ONLY:
        before = reuse(inquiry=inquiry, shelf=shelf)
    if before.cluster is not None and before.changed:
        compare_deposit(cluster=before.cluster, now=inquiry.now)
    if before.cluster is not None and not before.changed:
        answer = _again(inquiry, before.cluster)
    else:
        answer = _search_files(inquiry, shelf, before)
    answer["insights"] = _beside(inquiry)
    took = round((time.perf_counter() - began) * 1000, 2)
    return EvidenceAnswer(search_id=_remembered(inquiry, answer, took), took_ms=took, **answer)


def refresh(*, ref: str, by: Member, now: datetime, gone: Callable[[], bool] = waiting) -> EvidenceAnswer:
    """Search again what a cluster answers, and renew it; one whose answer is not found any more is contested.

    Raises NotFound, NotAllowed, NoSuchSource, Cancelled.
    """
    cluster = KnowledgeCluster.objects.visible_to(by).standing().whole().with_coverage().filter(ref=ref).first()
    if cluster is None:
        raise NotFound
    by.require(cluster.team_id, Level.CONTRIBUTOR)
    asked = max(cluster.questions.all(), key=lambda one: (one.at, one.pk), default=None)
    scope: dict[str, Any] = {name: tuple(globs) for name, globs in (cluster.scope or {}).items()}
    seen = set(Source.objects.visible_to(by).searchable().values_list("pk", flat=True))
    covered = Source.objects.filter(pk__in=seen & {one.listing.source_id for one in cluster.coverage.all()})
    ask = EvidenceQuestion(
        asked.text if asked else cluster.name,
        ReuseMode(cluster.mode),
        sources=tuple(covered.values_list("slug", flat=True)),
        recompute=True,
        **scope,
    )
    inquiry = begin(ask=ask, by=by, now=now, gone=gone)
    inquiry.renews = ref
    answer = run(inquiry=inquiry)
    if answer.cluster is None or answer.cluster.ref != ref:
        with transaction.atomic():
            held = KnowledgeCluster.objects.select_for_update(no_key=True).get(pk=cluster.pk)
            held.move(Lifecycle.CONTESTED, why="a refresh did not find its answer", by=by, at=now)
    return answer


def _search_files(inquiry: Inquiry, shelf: Shelf, before: Reused) -> dict[str, Any]:
    probe(inquiry=inquiry, shelf=shelf)
    rank(inquiry=inquiry, shelf=shelf)
    if inquiry.ask.mode is ReuseMode.FILENAME_ONLY:
        return _answer(inquiry, Brief("", (), 0.0), None)
    rank_by_model(inquiry=inquiry)
    sample(inquiry=inquiry, shelf=shelf)
    is_explored = inquiry.ask.mode is ReuseMode.DEEP and may_be_elsewhere(inquiry)
    if is_explored:
        explore(inquiry=inquiry, shelf=shelf)
    cite_successors(inquiry=inquiry, shelf=shelf)
    cite_newer_first(inquiry=inquiry, shelf=shelf)
    told = brief(inquiry=inquiry)
    if inquiry.ask.mode is ReuseMode.DEEP and not is_explored and not is_found(told.confidence):
        inquiry.cited, inquiry.nearest = inquiry.nearest, []
        explore(inquiry=inquiry, shelf=shelf)
        cite_successors(inquiry=inquiry, shelf=shelf)
        cite_newer_first(inquiry=inquiry, shelf=shelf)
        told = brief(inquiry=inquiry)
    _name_unread(inquiry, answered=is_found(told.confidence))
    cluster = keep(inquiry=inquiry, brief=told, instead_of=before.cluster) if inquiry.ask.reuse else None
    return _answer(inquiry, told, cluster)


# Documents named that could not be read and may answer.
MOST_NAMED = 5


def _name_unread(inquiry: Inquiry, *, answered: bool) -> None:
    """Say which documents were not read: those whose names speak of the question; if nothing was found, all of them."""
    paths = [path for _, path in inquiry.unread]
    telling = ranking.structure_scores(paths, inquiry.keywords) if paths else {}
    named = [key for key in inquiry.unread if not answered or key[1] in telling]
    for key in sorted(named, key=lambda key: -telling.get(key[1], 0.0))[:MOST_NAMED]:
        inquiry.notes.skip(key[1], inquiry.unread[key])
    if inquiry.documents and not (answered and inquiry.weights.absent.isdisjoint(map(str.lower, inquiry.exact))):
        tails = Document.objects.all().tails(inquiry.documents.values(), UNREAD_MARK)
        partly = [(path, tails[digest]) for (_, path), digest in inquiry.documents.items() if digest in tails]
        for path, tail in partly[:MOST_NAMED]:
            if left := unread_part(tail):
                inquiry.notes.skip(path, f"not read: {left}")
    if len(named) > MOST_NAMED:
        inquiry.notes.down("documents", f"{len(named) - MOST_NAMED} more could not be read")


def _answer(inquiry: Inquiry, told: Brief, cluster: KnowledgeCluster | None) -> dict[str, Any]:
    return {
        "cluster": cluster,
        "reused": False,
        "content": told.content,
        "cited": inquiry.cited,
        "nearest": inquiry.nearest[:NEAREST],
        "patterns": list(told.patterns),
        "confidence": told.confidence,
        "ranked": inquiry.ranked[: inquiry.ask.listed],
        "phases": inquiry.phases,
        "steps": inquiry.steps,
        "degraded": inquiry.notes.degraded,
        "calls": inquiry.model.calls if inquiry.model else [],
        "query": inquiry.ask.text,
        "skipped": inquiry.notes.skipped,
        "related": [one for one in inquiry.hints if cluster is None or one.pk != cluster.pk],
    }


def _again(inquiry: Inquiry, cluster: KnowledgeCluster) -> dict[str, Any]:
    """The answer of before, every field filled."""
    inquiry.cited = [
        Cited(
            source=one.source.slug,
            path=one.path,
            start_line=one.start_line,
            end_line=one.end_line,
            summary=one.summary,
            text=one.text,
            score=one.score,
            sha256=one.sha256,
            text_sha256=one.text_sha256,
            commit=inquiry.commit(one.source.slug),
        )
        for one in sorted(cluster.evidences.all(), key=lambda one: one.rank)
    ]
    inquiry.ranked = [RankedFile(one["source"], one["path"], one["score"]) for one in cluster.files_ranked]
    told = Brief(cluster.content, tuple(cluster.patterns), cluster.confidence, cluster.written_by)
    related = [one.target for one in cluster.relations.all()]
    return _answer(inquiry, told, cluster) | {"reused": True, "related": related}


# Insights shown beside the evidence: what the team knows of it already.
BESIDE = 3


def _beside(inquiry: Inquiry) -> list[Insight]:
    if inquiry.ask.mode is ReuseMode.FILENAME_ONLY or not inquiry.ask.beside:
        return []
    refs = ranked(ask=Question(inquiry.ask.text, limit=BESIDE), by=inquiry.by, now=inquiry.now).served
    if not refs:
        return []
    rows = {row.ref: row for row in Insight.objects.visible_to(inquiry.by).filter(ref__in=refs)}
    return [rows[ref] for ref in refs if ref in rows]


def _remembered(inquiry: Inquiry, answer: dict[str, Any], took: float) -> UUID:
    row = Search.objects.create(
        team_id=inquiry.by.home_id,
        user_id=inquiry.by.user_id,
        token_id=inquiry.by.token_id,
        session_key=inquiry.by.session_key,
        at=inquiry.now,
        text=inquiry.ask.text,
        ask=public(inquiry.ask),
        cluster=answer["cluster"],
        reused=answer["reused"],
        confidence=answer["confidence"],
        files=sum(len(one.files) for one in inquiry.scans.values()),
        took_ms=took,
        phases=phases_as_data(inquiry.phases),
        degraded=inquiry.notes.degraded,
    )
    if inquiry.model is not None:
        ModelCall.objects.bulk_create([ModelCall(search=row, **asdict(call)) for call in inquiry.model.calls])
    return row.pk
