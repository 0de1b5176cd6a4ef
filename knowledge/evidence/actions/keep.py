"""Keep: phase 5. What a search found becomes a cluster of its source's team, or renews the one it replaces."""

from hashlib import sha256

from django.db import transaction

from accounts.rules.guard.detection import masked, redact_personal
from accounts.rules.rights import Level, TeamKind
from knowledge.adapters.embedder import current
from knowledge.evidence.actions import coverage
from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.models import Evidence, KnowledgeCluster
from knowledge.evidence.rules.ask import Brief, Cited
from knowledge.evidence.rules.confidence import is_found
from knowledge.evidence.rules.lifecycle import ANSWERING, Lifecycle
from knowledge.evidence.rules.reuse import ReuseMode

LONGEST_NAME = 200


def keep(*, inquiry: Inquiry, brief: Brief, instead_of: KnowledgeCluster | None = None) -> KnowledgeCluster | None:
    """The cluster this search is kept as; None when it found too little, or the asker may keep nothing there."""
    with inquiry.phase("keep") as told:
        if not inquiry.cited or not is_found(brief.confidence):
            told("no answer to save")
            return None
        team_id = _team(inquiry)
        if team_id is None or inquiry.has_secret:
            told("not saved: the question may hold a secret" if inquiry.has_secret else "not saved: read-only")
            return None
        with transaction.atomic():
            cluster = _renewed(inquiry, brief, instead_of, team_id)
            cluster = cluster or _reworded(inquiry, brief, team_id) or _new(inquiry, brief, team_id)
            cluster.ask(inquiry.ask.text, inquiry.vector, current().name, at=inquiry.now)
            coverage.record(inquiry, cluster)
        told(f"{cluster.ref} version {cluster.version}")
    return KnowledgeCluster.objects.visible_to(inquiry.by).whole().filter(pk=cluster.pk).first()


def _team(inquiry: Inquiry) -> int | None:
    """The team of the cited files; the asker's own when they are of several. None where the asker may not write."""
    teams = {inquiry.source(one.source).team_id for one in inquiry.cited}
    if len(teams) > 1:
        own = next((team for team in inquiry.by.teams if team.kind is TeamKind.PERSONAL), None)
        teams = {own.id} if own else set()
    team_id = next(iter(teams), None)
    return team_id if team_id is not None and inquiry.by.may(team_id, Level.CONTRIBUTOR) else None


def _fields(inquiry: Inquiry, brief: Brief) -> dict[str, object]:
    files = [{"source": one.source, "path": one.path, "score": round(one.score, 4)} for one in inquiry.ranked]
    return {
        "name": inquiry.ask.text.split("\n")[0][:LONGEST_NAME],
        "description": inquiry.cited[0].summary[:1000],
        "content": redact_personal(masked(brief.content))[0],
        "patterns": list(brief.patterns),
        "confidence": brief.confidence,
        "mode": inquiry.ask.mode,
        "written_by": brief.written_by,
        "files_ranked": files[: max(inquiry.ask.listed, 10)],
    }


def _renewed(
    inquiry: Inquiry, brief: Brief, instead_of: KnowledgeCluster | None, team_id: int
) -> KnowledgeCluster | None:
    if instead_of is None or instead_of.team_id != team_id:
        return None
    held = KnowledgeCluster.objects.select_for_update(no_key=True).filter(pk=instead_of.pk).first()
    if held is None:
        return None
    if _is_confirmed(inquiry, held):
        held.confirm(by=inquiry.by, at=inquiry.now)
        return held
    fields = _fields(inquiry, brief)
    fields.pop("name")
    held.revise(fields, _evidences(inquiry), why="its files have changed", by=inquiry.by, at=inquiry.now)
    held.move(Lifecycle.EMERGING, why="its evidence was updated", by=inquiry.by, at=inquiry.now)
    return held


def _reworded(inquiry: Inquiry, brief: Brief, team_id: int) -> KnowledgeCluster | None:
    """The cluster that tells the very same of the same lines, whose question is near this one: it knows both from now
    on. A search has shown that they ask for the same; their words alone do not.
    """
    content = _fields(inquiry, brief)["content"]
    for one in inquiry.reworded:
        if one.team_id == team_id and one.content == content:
            held = KnowledgeCluster.objects.select_for_update(no_key=True).get(pk=one.pk)
            if held.lifecycle in ANSWERING and held.content == content and _is_confirmed(inquiry, held):
                return held
    return None


def _is_confirmed(inquiry: Inquiry, held: KnowledgeCluster) -> bool:
    """Whether the search cites what the cluster does, line by line: what was new answers no better."""
    if ReuseMode(held.mode) is not inquiry.ask.mode or inquiry.ask.recompute:
        return False
    before = {(one.source_id, one.path, one.start_line, one.text_sha256) for one in held.evidences.all()}
    return before == {
        (inquiry.source(one.source).pk, one.path, one.start_line, one.text_sha256) for one in inquiry.cited
    }


def _new(inquiry: Inquiry, brief: Brief, team_id: int) -> KnowledgeCluster:
    fields = _fields(inquiry, brief)
    made_of = f"{team_id}\0{fields['name']}\0{fields['description']}\0{fields['content']}"
    ref = f"C{sha256(made_of.encode()).hexdigest()[:12]}"
    known = KnowledgeCluster.objects.select_for_update(no_key=True).filter(ref=ref).first()
    if known is not None:  # the same question of the same files, asked twice at once or with reuse switched off
        known.revise(fields, _evidences(inquiry), why="found again", by=inquiry.by, at=inquiry.now)
        if known.lifecycle not in ANSWERING:
            known.move(Lifecycle.EMERGING, why="found again", by=inquiry.by, at=inquiry.now)
        return known
    at = inquiry.now
    cluster = KnowledgeCluster.objects.create(
        team_id=team_id, ref=ref, hotness_at=at, created_at=at, updated_at=at, checked_at=at, **fields
    )
    Evidence.objects.bulk_create([one.of(cluster) for one in _evidences(inquiry)])
    cluster.note("kept", f"{ref} saved: {cluster.name}", by=inquiry.by, at=at)
    return cluster


def _evidences(inquiry: Inquiry) -> list[Evidence]:
    return [_evidence(rank, one, inquiry) for rank, one in enumerate(inquiry.cited)]


def _evidence(rank: int, one: Cited, inquiry: Inquiry) -> Evidence:
    return Evidence(
        source_id=inquiry.source(one.source).pk,
        rank=rank,
        path=one.path,
        start_line=one.start_line,
        end_line=one.end_line,
        summary=one.summary,
        text=one.text,
        score=one.score,
        sha256=one.sha256,
        text_sha256=one.text_sha256,
        commit=one.commit,
        found_at=inquiry.now,
    )
