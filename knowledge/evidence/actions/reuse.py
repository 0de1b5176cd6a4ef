"""Reuse: phase 0. An answer of before is the answer now if it answers this question and its files still say so.

Every file it cites is read and hashed. Unchanged: it is the answer. Changed: only what changed is looked at again;
lines that merely moved are followed, what is gone is dropped, and the cluster is written anew or is contested.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from django.db import transaction

from accounts.rules.rights import Level
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.actions.read import FileText, Shelf
from knowledge.evidence.adapters.files import UnreadableFile
from knowledge.evidence.models import ClusterQuestion, Evidence, KnowledgeCluster
from knowledge.evidence.rules import likeness
from knowledge.evidence.rules import reuse as rule
from knowledge.evidence.rules.lifecycle import Lifecycle, after_check
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.evidence.rules.windows import Lines
from knowledge.rules.vectors import unit

# Looked at from the nearest on; a further one is not likelier to answer.
LOOKED_AT = 5


@dataclass(frozen=True)
class Reused:
    """`cluster` answers; or, with `changed`, it is the one that a new search is to revise."""

    cluster: KnowledgeCluster | None
    similarity: float = 0.0
    changed: tuple[str, ...] = ()


def reuse(*, inquiry: Inquiry, shelf: Shelf) -> Reused:
    """The cluster that answers, counted as used; none if there is none or its files have changed."""
    with inquiry.phase("reuse") as told:
        inquiry.vector = _vector(inquiry)
        found = _near(inquiry)
        for cluster, similarity in found:
            changed = _changed(inquiry, shelf, cluster)
            if not changed:
                told(f"{cluster.ref} at {similarity:.2f}")
                return Reused(_answered(inquiry, cluster), similarity)
            told(f"{cluster.ref} at {similarity:.2f}, but {changed[0]} has changed")
            return Reused(_checked(inquiry, shelf, cluster, changed), similarity, changed)
        told("no similar question")
        return Reused(None)


def _vector(inquiry: Inquiry) -> np.ndarray | None:
    try:
        return np.asarray(current().embed([inquiry.ask.text])[0])
    except EmbedderDown as down:
        inquiry.notes.down("embedder", str(down))
        return None


def _near(inquiry: Inquiry) -> list[tuple[KnowledgeCluster, float]]:
    if inquiry.vector is None:
        return []
    model = current().name
    seen = KnowledgeCluster.objects.visible_to(inquiry.by).answering()
    rows = seen.near(inquiry.vector, model, rule.RELATED).whole()[:LOOKED_AT]
    found = []
    for cluster in rows:
        similarity = max((_alike(inquiry, one, model) for one in cluster.questions.all()), default=0.0)
        if similarity >= rule.SAME_QUESTION and _same(inquiry, cluster):
            found.append((cluster, similarity))
    return sorted(found, key=lambda pair: -pair[1])


def _alike(inquiry: Inquiry, past: ClusterQuestion, model: str) -> float:
    """The cosine to one question of before, 0 where it asks for something else all the same. Each is held against the
    question by itself: their mean would drift into questions nobody asked.
    """
    if inquiry.vector is None or past.embedding is None or past.embedded_by != model:
        return 0.0
    cosine = float(unit(past.embedding) @ inquiry.vector)
    if cosine < rule.SAME_QUESTION or likeness.told_apart(inquiry.ask.text, past.text, _akin):
        return 0.0
    return cosine


def _akin(one: str, other: str) -> float:
    try:
        return float(current().embed([one])[0] @ current().embed([other])[0])
    except EmbedderDown:
        return 0.0


def _same(inquiry: Inquiry, cluster: KnowledgeCluster) -> bool:
    files = {(one.source.slug, one.path) for one in cluster.evidences.all()}
    asked = {source.slug for source in inquiry.sources}
    return (
        bool(files)
        and rule.serves(ReuseMode(cluster.mode), inquiry.ask.mode)
        and rule.in_scope(files, asked, inquiry.ask.scope)
    )


def _changed(inquiry: Inquiry, shelf: Shelf, cluster: KnowledgeCluster) -> tuple[str, ...]:
    """The cited files that do not read as they did."""
    known = {source.slug: source for source in inquiry.sources}
    changed = []
    for path, some in _by_file(cluster).items():
        source = known.get(some[0].source.slug)
        if source is None:
            continue
        read = _read(shelf, some[0])
        if read is None or read.sha256 != some[0].sha256:
            changed.append(path[1])
    return tuple(changed)


def _by_file(cluster: KnowledgeCluster) -> dict[tuple[str, str], list[Evidence]]:
    files: dict[tuple[str, str], list[Evidence]] = {}
    for one in cluster.evidences.all():
        files.setdefault((one.source.slug, one.path), []).append(one)
    return files


def _read(shelf: Shelf, evidence: Evidence) -> FileText | None:
    try:
        return shelf.text(evidence.source, evidence.path)
    except UnreadableFile:
        return None


def _answered(inquiry: Inquiry, cluster: KnowledgeCluster) -> KnowledgeCluster:
    """Count the use, if the asker may write there: a reader is answered and leaves no trace."""
    if not inquiry.by.may(cluster.team_id, Level.CONTRIBUTOR) or inquiry.vector is None:
        return cluster
    with transaction.atomic():
        held = KnowledgeCluster.objects.select_for_update(no_key=True).get(pk=cluster.pk)
        held.answer(inquiry.ask.text, inquiry.vector, current().name, by=inquiry.by, at=inquiry.now)
    return KnowledgeCluster.objects.visible_to(inquiry.by).whole().get(pk=cluster.pk)


def _checked(
    inquiry: Inquiry, shelf: Shelf, cluster: KnowledgeCluster, changed: Sequence[str]
) -> KnowledgeCluster | None:
    """Look again at what changed, and at nothing else. Lines that only moved are followed."""
    if not inquiry.by.may(cluster.team_id, Level.CONTRIBUTOR):
        return None
    with transaction.atomic():
        held = KnowledgeCluster.objects.select_for_update(no_key=True).get(pk=cluster.pk)
        kept, lost = [], 0
        for one in held.evidences.select_related("source").order_by("rank"):
            if one.path not in changed:
                kept.append(one)
                continue
            moved = followed(one, _read(shelf, one))
            lost += moved is None
            kept += [moved] if moved else []
        for one in kept:
            one.save(update_fields=["start_line", "end_line", "sha256"])
        to = after_check(Lifecycle(held.lifecycle), len(kept), lost)
        held.move(to, why=f"{', '.join(changed)[:300]} changed", by=inquiry.by, at=inquiry.now)
    return held


def followed(evidence: Evidence, read: FileText | None) -> Evidence | None:
    """The evidence where its lines stand now, word for word; None if they are nowhere in the file."""
    if read is None:
        return None
    lines = Lines(read.text)
    length = evidence.end_line - evidence.start_line + 1
    raw = read.text.split("\n")
    order = sorted(range(len(raw) - length + 1), key=lambda at: abs(at + 1 - evidence.start_line))
    for at in order:
        start = lines.starts[at]
        end = lines.starts[at + length] if at + length < len(lines.starts) else len(read.text)
        text = read.text[start:end].strip()
        if sha256(text.encode()).hexdigest() == evidence.text_sha256:
            evidence.start_line, evidence.end_line, evidence.sha256 = at + 1, at + length, read.sha256
            return evidence
    return None
