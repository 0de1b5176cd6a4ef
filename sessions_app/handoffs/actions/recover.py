"""Recover a silent session: mark it as ended, and compose its handoff from what was stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.actions.members import member_of
from accounts.rules.rights import PERSONAL, Level, Member
from sessions_app.conversations.actions import write as conversation
from sessions_app.conversations.actions.cite import cite_decisions
from sessions_app.handoffs.actions.hand_over import give_back, hand_over
from sessions_app.models import AgentSession, Handoff, SessionEvent
from sessions_app.rules.stored_text import keep_each
from sessions_app.rules.vocabulary import CHANGES, SILENCE, HandoffState, SessionState
from sessions_app.transcripts.actions.harvest import harvest_events, harvest_transcript
from sessions_app.transcripts.rules.turn import Turn

LONGEST_PATH = 400
WHY_SILENT = "no activity for half an hour"
WHY_REPLACED = "its user started another session instead"


@dataclass(frozen=True)
class Recovered:
    """`handoff` is None if the session left nothing to hand over."""

    session: AgentSession
    handoff: Handoff | None


def recover(
    *,
    session_id: int,
    by: Member,
    now: datetime,
    turns: Sequence[Turn] = (),
    uncommitted: Sequence[str] | None = None,
    replaced: bool = False,
) -> Recovered | None:
    """Mark a session as ended and write its handoff; return None if it is active after all, or has ended already.

    `turns`: its transcript, if available; `uncommitted`: the uncommitted files of its checkout, of which only those
    that it changed count. `replaced`: its user started another session instead, so it has ended however short its
    silence was. A repeated or concurrent call changes nothing more.
    """
    session = AgentSession.objects.select_related("user", "team").get(pk=session_id)
    if not _is_over(session, now, replaced):
        return None
    owner = _owner(session)
    told = session.digest
    if owner and turns:
        team = PERSONAL if conversation.is_kept_to_oneself(session) else ""
        told = harvest_transcript(session=session, turns=turns, by=owner, now=now, team=team)
    if owner and session.state == SessionState.LIVE:
        harvest_events(session=session, by=owner, now=now)
    passages = conversation.prepare(session=session, turns=turns)
    with transaction.atomic():
        session = (
            AgentSession.objects.select_for_update(no_key=True, of=("self",))
            .select_related("team", "user")
            .get(pk=session_id)
        )
        if not _is_over(session, now, replaced):
            return None
        conversation.write(session=session, prepared=passages, now=now)
        cite_decisions(session=session, decisions=told.get("decisions", ()), now=now)
        if session.conversation_forgotten_at:
            told = session.digest
        seen = session.uncommitted
        if uncommitted is not None:
            seen = {"paths": _its_own(session, told, uncommitted), "at": now.isoformat()}
        changed = told != session.digest or seen.get("paths") != session.uncommitted.get("paths")
        if changed:
            session.digest, session.uncommitted = told, seen
            session.save(update_fields=["digest", "uncommitted"])
        if session.state == SessionState.LIVE:
            why = WHY_REPLACED if replaced else WHY_SILENT
            session.close(SessionState.ABANDONED, by=by, at=now, why=why)
        elif not changed:
            return Recovered(session, getattr(session, "handoff", None))
        handoff = hand_over(
            session=session,
            state=HandoffState.RECOVERED,
            as_of=session.last_seen_at,
            by=by,
            now=now,
            heard=not turns,
        )
        if handoff is None:
            give_back(session=session, by=by, now=now)
        return Recovered(session, handoff)


def _its_own(session: AgentSession, told: dict[str, Any], uncommitted: Sequence[str]) -> list[str]:
    """Return the uncommitted files that this session changed; others may be another session's, or the user's."""
    events = SessionEvent.objects.filter(session=session, kind__in=CHANGES).values_list("path", flat=True)
    changed = {*events, *told.get("files", ())}
    return [path for path in keep_each(uncommitted, LONGEST_PATH) if path in changed]


def _is_over(session: AgentSession, now: datetime, replaced: bool) -> bool:
    if session.state == SessionState.LIVE:
        return replaced or session.last_seen_at < now - SILENCE
    return session.state == SessionState.ABANDONED


def _owner(session: AgentSession) -> Member | None:
    """Return its user as a member who may write to its team now; None if they may not, in which case nothing is
    deposited for them.
    """
    member = member_of(user=session.user, only=frozenset({session.team_id}), token_name="recovered")
    may = session.user.is_active and member.may(session.team_id, Level.CONTRIBUTOR)
    return member if may else None
