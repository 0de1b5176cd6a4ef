"""Propose by model: a configured language model reads finished conversations. What it proposes is deposited as drafts
of the team that the words belong to, each linked to the passage that says it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from accounts.actions.jobs import Items, Work
from accounts.actions.members import member_of
from accounts.rules.refused import Refused
from accounts.rules.rights import Level
from knowledge.judging.actions.deposit import deposit
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Source
from sessions_app.adapters.proposer import LlmDown, Proposer, configured
from sessions_app.conversations.actions.quote import link
from sessions_app.models import AgentSession, Passage
from sessions_app.rules.proposals import Proposal

# The largest number of conversations in a run, with one call for each team that has words of them. The next run
# continues.
MOST = 20
# This many failures in a row mean that the model is down. A single failure between two answers means that it cannot
# read that conversation, which is not tried again.
DOWN_AFTER = 3


def propose_by_model(*, now: datetime) -> Work:
    """Deposit what the configured model proposes from conversations it has not read, the latest first; do nothing
    without a model.
    """
    counts = {"read": 0, "proposed": 0}
    proposer = configured()
    if proposer is None:
        return Work(counts)
    failed: list[tuple[AgentSession, str]] = []
    items = Items("propose_by_model")
    for session in items.each(list(AgentSession.objects.all().unread_by_model(Passage.objects.all())[:MOST])):
        with items.guard(f"session {session}"):
            try:
                counts["proposed"] += _read(session, proposer, now)
            except LlmDown as down:
                failed.append((session, str(down)))
                if len(failed) >= DOWN_AFTER:
                    break
                continue
            for one in (*(unread for unread, _ in failed), session):
                one.set_read_by_model(at=now)
                counts["read"] += 1
            failed.clear()
    return items.work(counts, down=failed[-1][1] if failed else "")


def _read(session: AgentSession, proposer: Proposer, now: datetime) -> int:
    """Deposit what the model proposes from a session, with one call for each team's words; return the number of
    insights.
    """
    rows = Passage.objects.all().of_session(session.pk).select_related("team").defer("embedding", "lexemes", "bm25")
    done = 0
    for _, found in groupby(sorted(rows, key=lambda row: (row.team_id, row.position)), key=lambda row: row.team_id):
        passages = list(found)
        said = "\n\n".join(f"{row.get_speaker_display()}: {row.text}" for row in passages)
        done += sum(_deposit(session, passages, one, now) for one in proposer.propose(said))
    return done


def _deposit(session: AgentSession, passages: Sequence[Passage], proposal: Proposal, now: datetime) -> bool:
    team = passages[0].team
    speaker = member_of(user=session.user, only=frozenset({team.pk}), token_name="proposed")
    if not session.user.is_active or not speaker.may(team.pk, Level.CONTRIBUTOR):
        return False
    quoted = [row for row in passages if proposal.quote.lower() in " ".join(row.text.split()).lower()][:1]
    draft = Draft(
        kind=proposal.kind,
        title=proposal.title,
        body=proposal.body,
        reasoning=proposal.reasoning,
        files=quoted[0].files if quoted else (),
        repo=session.repo,
        team="personal" if team.pk == speaker.home_id else team.slug,
        source_type=Source.TRANSCRIPT,
        source_date=quoted[0].said_at if quoted else session.last_seen_at,
        idempotency_key=f"model:{session.pk}:{hashlib.sha256(proposal.body.encode()).hexdigest()[:32]}",
    )
    try:
        done = deposit(draft=draft, by=replace(speaker, session=session.key), now=now)
    except Refused:
        return False
    link(insight=done.insight, passages=quoted, now=now, by=None)
    return done.outcome != "merged"
