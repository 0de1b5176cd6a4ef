"""Share: what was learned from files becomes an insight of the team, by the same deposit as any other. It is stale when
the files it was learned from have changed.
"""

import time
from collections import Counter
from datetime import datetime
from hashlib import sha256

from django.db import transaction

from accounts.actions.jobs import Items, Work
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from knowledge.evidence.actions.read import source_root
from knowledge.evidence.adapters.files import VANISHED, SourceGone, UnreadableFile, folder_of, read
from knowledge.evidence.models import KnowledgeCluster
from knowledge.evidence.models import Source as EvidenceSource
from knowledge.evidence.rules.lifecycle import Lifecycle
from knowledge.judging.actions.deposit import Deposited
from knowledge.judging.actions.deposit import deposit as deposit_insight
from knowledge.lifecycle.actions.validate import compare_insight
from knowledge.rules.draft import LONGEST_QUESTION, MOST_QUESTIONS, TITLE_LENGTH, Draft, shortened
from knowledge.rules.vocabulary import Kind, Source

LONGEST_BODY = 20_000
# Seconds that writing the files of a repository's newest commit may take.
PATIENCE = 60.0


class NotSound(Refused):
    code = "wrong_status"
    status = 409
    detail = "This answer is contested or deprecated; search again first."


def deposit(
    *, ref: str, kind: Kind, by: Member, now: datetime, title: str = "", tags: tuple[str, ...] = ()
) -> Deposited:
    """Deposit a cluster as an insight of its team, with its files as provenance.

    Raises NotFound, NotAllowed, NotSound, and what a deposit raises.
    """
    cluster = KnowledgeCluster.objects.visible_to(by).whole().filter(ref=ref).first()
    if cluster is None:
        raise NotFound
    by.require(cluster.team_id, Level.CONTRIBUTOR)
    if Lifecycle(cluster.lifecycle) in (Lifecycle.CONTESTED, Lifecycle.DEPRECATED):
        raise NotSound
    evidences = sorted(cluster.evidences.all(), key=lambda one: one.rank)
    files = list(dict.fromkeys(one.path for one in evidences if len(one.path) <= 400))
    hashes = {one.path: one.sha256 for one in evidences}
    draft = Draft(
        kind=kind,
        title=shortened(title or cluster.name, TITLE_LENGTH),
        body=_body(cluster),
        reasoning=f"Found in {', '.join(files)[:500]} by searching for: {cluster.name}",
        tags=list(tags),
        questions=_questions(cluster),
        files=files,
        team=cluster.team.slug if by.personal is None or cluster.team_id != by.personal.id else "personal",
        source_type=Source.EVIDENCE,
        source_date=cluster.updated_at,
        provenance=[{"path": path, "sha256": hashes[path]} for path in files],
        idempotency_key=f"evidence:{cluster.ref}:{cluster.version}",
    )
    done = deposit_insight(draft=draft, by=by, now=now)
    with transaction.atomic():
        KnowledgeCluster.objects.filter(pk=cluster.pk).update(insight=done.insight)
        if not done.replayed:
            line = f"{cluster.ref} deposited as {done.insight.ref}"
            cluster.note("deposited", line, by=by, at=now, after={"insight": done.insight.ref})
    return done


def _questions(cluster: KnowledgeCluster) -> list[str]:
    """Those it was found by, the latest first."""
    asked = sorted(cluster.questions.all(), key=lambda one: one.at, reverse=True)
    return [one.text for one in asked if len(one.text) <= LONGEST_QUESTION][:MOST_QUESTIONS]


def _body(cluster: KnowledgeCluster) -> str:
    patterns = "\n".join(f"- {pattern}" for pattern in cluster.patterns)
    return f"{cluster.content}\n\nPatterns:\n{patterns}"[:LONGEST_BODY] if patterns else cluster.content[:LONGEST_BODY]


def compare_deposits(*, now: datetime) -> Work:
    """Compare every insight that came from a cluster with its files, and count what is stale or valid again."""
    items, counts = Items("compare_deposits"), Counter(checked=0, stale=0, validated=0)
    rows = KnowledgeCluster.objects.filter(insight__isnull=False).whole().with_coverage()
    for cluster in items.each(rows.iterator(chunk_size=200)):
        with items.guard(cluster.ref):
            counts.update(compare_deposit(cluster=cluster, now=now))
    return items.work(dict(counts))


def compare_deposit(*, cluster: KnowledgeCluster, now: datetime) -> dict[str, int]:
    """Compare the insight of one cluster with its files; {"checked", "stale", "validated"}."""
    if cluster.insight is None:
        return {}
    sources = {one.source.pk: one.source for one in cluster.evidences.all()}
    files: dict[str, str] = {}
    for item in cluster.insight.provenance:
        digest = _digest(list(sources.values()), str(item.get("path", "")))
        if digest is not None:
            files[str(item["path"])] = digest
    done = compare_insight(pk=cluster.insight.pk, files=files, now=now)
    return {"checked": done.checked, "stale": len(done.stale), "validated": len(done.validated)}


def _digest(sources: list[EvidenceSource], path: str) -> str | None:
    """The hash a file has now; "" when it is gone; None when nothing can be said, as of a disk that is away."""
    found: str | None = "" if sources else None
    for source in sources:
        try:
            at = source_root(source, ends=time.monotonic() + PATIENCE).at
            folder_of(*at)
            return sha256(read(*at, path, source.largest_file)).hexdigest()
        except SourceGone:
            found = None
        except UnreadableFile as fault:
            if str(fault) != VANISHED:
                found = None
    return found
