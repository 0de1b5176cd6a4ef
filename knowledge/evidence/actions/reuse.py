"""Reuse: phase 0. An answer of before is the answer now if it answers this question and its files still say so.

Every file it cites is read and hashed, and the list of all files is held against the one its search covered. Nothing
new: it is the answer. A cited file changed: lines that merely moved are followed, what is gone is dropped. Another file
is new or changed and may answer: the cluster is contested. Either way the files are searched, and the cluster is
rewritten by what is found.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

import numpy as np
from django.db import transaction

from accounts.rules.rights import Level
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.evidence.actions import coverage
from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.actions.read import FileText, Shelf
from knowledge.evidence.adapters.files import UnreadableFile
from knowledge.evidence.models import ClusterQuestion, Evidence, KnowledgeCluster
from knowledge.evidence.rules import reuse as rule
from knowledge.evidence.rules.lifecycle import Lifecycle, after_check
from knowledge.evidence.rules.likeness import asks_the_same
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
    """The cluster that answers, counted as used; with `changed` one that a new search is to renew; none if there is
    none. Lists the files of the sources beside the look at the rows.
    """
    with inquiry.phase("reuse") as told, ThreadPoolExecutor(max_workers=1) as pool:
        listed = pool.submit(coverage.list_sources, inquiry)
        inquiry.vector = _vector(inquiry)
        found = _to_renew(inquiry) if inquiry.renews else _near(inquiry)
        listed.result()
        for cluster, similarity in found:
            at = f"{cluster.ref} at {similarity:.2f}"
            why = _why_not(inquiry, cluster)
            if why:
                told(f"{at}, but {why}")
                return Reused(_may_renew(inquiry, cluster), similarity, (why,))
            changed = _changed(inquiry, shelf, cluster)
            if changed:
                told(f"{at}, but {changed[0]} has changed")
                return Reused(_checked(inquiry, shelf, cluster, changed), similarity, changed)
            uncovered = coverage.uncovered(inquiry, cluster)
            why = coverage.better(inquiry, shelf, cluster, uncovered) if uncovered else ""
            if why:
                told(f"{at}, but {why}")
                inquiry.uncovered = uncovered[: coverage.MOST_LOOKED_AT]
                return Reused(_contested(inquiry, cluster, why), similarity, (why,))
            told(at)
            return Reused(_answered(inquiry, cluster, len(uncovered)), similarity)
        told("no similar question")
        return Reused(None)


def _to_renew(inquiry: Inquiry) -> list[tuple[KnowledgeCluster, float]]:
    rows = KnowledgeCluster.objects.visible_to(inquiry.by).standing().whole().with_coverage()
    return [(row, 1.0) for row in rows.filter(ref=inquiry.renews)]


def _why_not(inquiry: Inquiry, cluster: KnowledgeCluster) -> str:
    """Why a cluster cannot answer, whatever its files say; "" when it can."""
    if inquiry.ask.recompute:
        return "a new search was asked for"
    return "it is contested" if cluster.lifecycle == Lifecycle.CONTESTED else ""


def _may_renew(inquiry: Inquiry, cluster: KnowledgeCluster) -> KnowledgeCluster | None:
    return cluster if inquiry.by.may(cluster.team_id, Level.CONTRIBUTOR) else None


def _contested(inquiry: Inquiry, cluster: KnowledgeCluster, why: str) -> KnowledgeCluster | None:
    """The cluster, which answers nobody until the search that follows has confirmed or renewed it."""
    if _may_renew(inquiry, cluster) is None:
        return None
    with transaction.atomic():
        held = KnowledgeCluster.objects.select_for_update(no_key=True).get(pk=cluster.pk)
        held.move(Lifecycle.CONTESTED, why=why, by=inquiry.by, at=inquiry.now)
    return held


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
    rows = KnowledgeCluster.objects.all().to_reuse(
        inquiry.by, inquiry.vector, model, least=rule.RELATED, most=LOOKED_AT
    )
    found = []
    for cluster in rows:
        if not _same(inquiry, cluster):
            continue
        cosines = [(_cosine(inquiry, one, model), one.text) for one in cluster.questions.all()]
        near = [(cosine, text) for cosine, text in cosines if cosine >= rule.SAME_QUESTION]
        # Each is held against the question by itself: their mean would drift into questions nobody asked.
        same = [cosine for cosine, text in near if asks_the_same(inquiry.ask.text, text, cluster.saved, cosine)]
        if same:
            found.append((cluster, max(same)))
        elif near:
            inquiry.reworded.append(cluster)
    return sorted(found, key=lambda pair: (pair[0].lifecycle == Lifecycle.CONTESTED, -pair[1]))


def _cosine(inquiry: Inquiry, past: ClusterQuestion, model: str) -> float:
    if inquiry.vector is None or past.embedding is None or past.embedded_by != model:
        return 0.0
    return float(unit(past.embedding) @ inquiry.vector)


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


# A list of files that holds nothing for the question is written down when looking at what is new in it would take time
# again, and once an hour: a folder with a log in it changes with every line.
MANY = 5
HOUR = timedelta(hours=1)


# What an answer changes of a cluster that knew the question.
COUNTED = ("hotness", "hotness_at", "reuses", "version", "updated_at", "lifecycle", "scope")


def _answered(inquiry: Inquiry, cluster: KnowledgeCluster, looked_at: int) -> KnowledgeCluster:
    """Count the use, if the asker may write there: a reader is answered and leaves no trace. `looked_at`: files that
    its search had not covered, and that do not answer.
    """
    if not inquiry.by.may(cluster.team_id, Level.CONTRIBUTOR) or inquiry.vector is None:
        return cluster
    with transaction.atomic():
        held = KnowledgeCluster.objects.all().held_to_count(cluster.pk)
        held.answer(inquiry.ask.text, inquiry.vector, current().name, by=inquiry.by, at=inquiry.now)
        _seen_at_commits(inquiry, held)
        listed_at = max((one.listing.at for one in cluster.coverage.all()), default=inquiry.now - HOUR)
        stale = looked_at > MANY or listed_at <= inquiry.now - HOUR
        if stale and cluster.scope == inquiry.ask.scope_data and not coverage.is_covered(inquiry, cluster):
            coverage.record(inquiry, held)
    if any(one.text == inquiry.ask.text for one in cluster.questions.all()):
        for name in COUNTED:  # all else of it is at hand already
            setattr(cluster, name, getattr(held, name))
        return cluster
    return KnowledgeCluster.objects.visible_to(inquiry.by).whole().get(pk=cluster.pk)


def _seen_at_commits(inquiry: Inquiry, held: KnowledgeCluster) -> None:
    """Cite files of repositories at the commit that has them unchanged: an older one may be gone some day."""
    for source in inquiry.sources:
        if commit := inquiry.commit(source.slug):
            held.evidences.filter(source=source).exclude(commit=commit).update(commit=commit)


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
            if moved:
                moved.commit = inquiry.commit(one.source.slug)
            lost += moved is None
            kept += [moved] if moved else []
        for one in kept:
            one.save(update_fields=["start_line", "end_line", "sha256", "commit"])
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
