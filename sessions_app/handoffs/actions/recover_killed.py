"""Recover a killed session: a client sends the transcript of a session whose agent is gone and which never reported its
end.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.actions.session_ids import belongs
from accounts.models import User
from accounts.rules.refused import Refused
from accounts.rules.rights import Member, TeamAccess, team_for_write
from sessions_app.actions.begin import LATE, Opening, begin_past, moments, repo_of
from sessions_app.conversations.actions.write import keep_conversation
from sessions_app.handoffs.actions.recover import recover
from sessions_app.models import AgentSession, Handoff
from sessions_app.rules.vocabulary import SessionState
from sessions_app.transcripts.rules.turn import Turn


class NoSuchKilled(Refused):
    code = "invalid"


@dataclass(frozen=True)
class Killed:
    """What a client found. `session`: its id here, if the client knows it; `agent_session`: the agent's own id."""

    opening: Opening
    session: str = ""


@dataclass(frozen=True)
class KilledRecovered:
    """`handoff` is None if the session left nothing to do. `recovered`: it was composed from what was stored."""

    session: AgentSession
    handoff: Handoff | None
    recovered: bool


def recover_killed(*, killed: Killed, by: Member, now: datetime) -> KilledRecovered:
    """Recover one session from its transcript. A repeated call changes nothing.

    A session that ended is not changed; turns more than five minutes after its end become a session of their own.
    Raises NoSuchTeam, TeamUnclear, NotAllowed, NoRepo on `repo`, NoSuchKilled on `session`.
    """
    session, turns = _bound(killed, by, now)
    if session.state == SessionState.ENDED:
        keep_conversation(session=session, turns=turns, now=now)
        return KilledRecovered(session, getattr(session, "handoff", None), False)
    loose = killed.opening.uncommitted
    done = recover(session_id=session.pk, by=by, now=now, turns=turns, uncommitted=loose, replaced=True)
    handoff = done.handoff if done else None
    return KilledRecovered(done.session if done else session, handoff, handoff is not None)


def _bound(killed: Killed, by: Member, now: datetime) -> tuple[AgentSession, Sequence[Turn]]:
    """Return the session that the transcript belongs to, and those of the turns that are part of it. A session that was
    never reported is created.
    """
    opening = killed.opening
    team, repo = team_for_write(by, opening.team or None), repo_of(opening.repo)
    turns, said = opening.transcript, moments(opening.transcript, now)
    with transaction.atomic():
        # Of two clients that start at once with the same transcript, the second has to find the session of the first.
        User.objects.select_for_update(no_key=True).only("pk").get(pk=by.user_id)
        session = _found(killed, team, repo, by)
        if session and session.state == SessionState.ENDED:
            ended = session.ended_at or session.last_seen_at
            if not said or said[-1] <= ended + LATE:
                return session, turns
            turns = _after(turns, ended, now)
            said, session = [moment for moment in said if moment > ended], None
        if session is None:
            session = begin_past(opening, said, team, repo, by, now)
        elif opening.agent_session and not session.agent_session:
            session.set_agent_session(opening.agent_session)
    return session, turns


def _found(killed: Killed, team: TeamAccess, repo: str, by: Member) -> AgentSession | None:
    mine = AgentSession.objects.visible_to(by).filter(user_id=by.user_id).with_people()
    if killed.session:
        found = mine.named(killed.session).first() if belongs(killed.session, user_id=by.user_id) else None
        if found is None:
            raise NoSuchKilled(errors={"session": ["Unknown session."]})
        return found
    return mine.on(team.id, repo).of_agent(by.user_id, killed.opening.agent_session).first()


def _after(turns: Sequence[Turn], ended: datetime, now: datetime) -> list[Turn]:
    """Return the turns from the first one after the end of the session."""
    for at, turn in enumerate(turns):
        if any(moment > ended for moment in moments([turn], now)):
            return list(turns[at:])
    return []
