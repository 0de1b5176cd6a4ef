"""Recover: a session that fell silent is given up, and its handoff put together from what it left."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction

from accounts.actions.members import member_of
from accounts.rules.rights import Level, Member
from sessions_app.actions.harvest import harvest_events, harvest_transcript
from sessions_app.actions.record import record_of
from sessions_app.models import AgentSession, Handoff
from sessions_app.rules.recovery import compose
from sessions_app.rules.turn import Turn
from sessions_app.rules.vocabulary import SILENCE, HandoffState, SessionState

WHY_SILENT = "no sign of life for half an hour"
WHY_REPLACED = "its user began another in its place"


@dataclass(frozen=True)
class Recovered:
    """`handoff` is None when the session left nothing to hand over."""

    session: AgentSession
    handoff: Handoff | None


def recover(
    *, session_id: int, by: Member, now: datetime, turns: Sequence[Turn] = (), replaced: bool = False
) -> Recovered | None:
    """Give a session up and write its handoff; None if it is alive after all, or has ended.

    `turns`: its transcript, if somebody has it. `replaced`: its user began another in its place, so that it is over
    however short its silence. Twice, or by two at once, changes nothing more.
    """
    session = AgentSession.objects.select_related("user", "team").get(pk=session_id)
    if not _is_over(session, now, replaced):
        return None
    owner = _owner(session)
    told = session.digest
    if owner and turns:
        told = harvest_transcript(session=session, turns=turns, by=owner, now=now)
    if owner and session.state == SessionState.LIVE:
        harvest_events(session=session, by=owner, now=now)
    with transaction.atomic():
        session = (
            AgentSession.objects.select_for_update(no_key=True, of=("self",))
            .select_related("team", "user")
            .get(pk=session_id)
        )
        if not _is_over(session, now, replaced):
            return None
        if told != session.digest:
            session.digest = told
            session.save(update_fields=["digest"])
        if session.state == SessionState.LIVE:
            why = WHY_REPLACED if replaced else WHY_SILENT
            session.close(SessionState.ABANDONED, by=by, at=now, why=why)
        elif not turns:
            return Recovered(session, getattr(session, "handoff", None))
        return Recovered(session, _hand_over(session, by, now, new=bool(turns)))


def _is_over(session: AgentSession, now: datetime, replaced: bool) -> bool:
    if session.state == SessionState.LIVE:
        return replaced or session.last_seen_at < now - SILENCE
    return session.state == SessionState.ABANDONED


def _owner(session: AgentSession) -> Member | None:
    """Its user, as they may write to its team now; None if they may not, and then nothing is deposited for them."""
    member = member_of(user=session.user, only=frozenset({session.team_id}), token_name="recovered")
    may = session.user.is_active and member.may(session.team_id, Level.CONTRIBUTOR)
    return member if may else None


def _hand_over(session: AgentSession, by: Member, now: datetime, *, new: bool) -> Handoff | None:
    record = record_of(session)
    if record.nothing:
        return None
    contents = {**asdict(compose(record)), "as_of": session.last_seen_at}
    return Handoff.write(session, HandoffState.RECOVERED, contents, by=by, at=now, heard=not new)
