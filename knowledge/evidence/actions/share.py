"""Share: what was learned from files becomes an insight of the team, by the same deposit as any other."""

from datetime import datetime

from django.db import transaction

from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from knowledge.evidence.models import KnowledgeCluster
from knowledge.evidence.rules.lifecycle import Lifecycle
from knowledge.judging.actions.deposit import Deposited
from knowledge.judging.actions.deposit import deposit as deposit_insight
from knowledge.rules.draft import TITLE_LENGTH, Draft, shortened
from knowledge.rules.vocabulary import Kind, Source

LONGEST_BODY = 20_000


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


def _body(cluster: KnowledgeCluster) -> str:
    patterns = "\n".join(f"- {pattern}" for pattern in cluster.patterns)
    return f"{cluster.content}\n\nPatterns:\n{patterns}"[:LONGEST_BODY] if patterns else cluster.content[:LONGEST_BODY]
