"""Import a past session: a client sends the transcript of a session from before Loam, so that its conversation can be
searched.

It is stored as a session that ended long ago. Its handoff is offered to nobody, since what was open then is not today's
work.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.models import User
from accounts.rules.refused import Refused
from accounts.rules.rights import Member, team_for_write
from sessions_app.actions.begin import Opening, begin_past, moments, repo_of
from sessions_app.conversations.actions import write as conversation
from sessions_app.conversations.actions.cite import cite_decisions
from sessions_app.models import AgentSession
from sessions_app.rules.vocabulary import SessionState
from sessions_app.transcripts.actions.harvest import harvest_transcript
from sessions_app.transcripts.rules.speakers import Speaker


class NoTimes(Refused):
    code = "invalid"


@dataclass(frozen=True)
class ImportedSession:
    """`passages`: how many of its passages changed; 0 if all were known. `decisions`: all its known decisions."""

    session: AgentSession
    passages: int
    decisions: int


def import_past(*, opening: Opening, by: Member, now: datetime) -> ImportedSession:
    """Store a past session's conversation, or the next slice of it; a repeated call changes nothing.

    A session is identified by `agent_session`, whatever its team and repository. A session that was reported while it
    ran stays as it is, and gets its conversation. Decisions are proposed to the team that the agent's turns belong to.
    Raises NoSuchTeam, TeamUnclear, NotAllowed, NoRepo on `repo`, NoTimes on `transcript`.
    """
    team, repo = team_for_write(by, opening.team or None), repo_of(opening.repo)
    said = moments(opening.transcript, now)
    if not said:
        raise NoTimes(errors={"transcript": ["No turn has a time."]})
    with transaction.atomic():
        # Of two concurrent imports of the same session the second has to find the session of the first.
        User.objects.select_for_update(no_key=True).only("pk").get(pk=by.user_id)
        mine = AgentSession.objects.visible_to(by).with_people().of_agent(by.user_id, opening.agent_session)
        session = mine.first()
        if session is None:
            session = begin_past(opening, said, team, repo, by, now)
            session.close(SessionState.ENDED, by=by, at=said[-1], why="imported from before Loam")
            session.mark_imported()
    told = session.digest
    if session.is_imported:
        with transaction.atomic():
            whose = conversation.belonging_of(by.user_id, session.repo, of_team=session.team_id)
        proposed_to = next((one.slug for one in by.teams if one.id == whose.team_of(Speaker.AGENT)), "personal")
        told = harvest_transcript(session=session, turns=opening.transcript, by=by, now=now, team=proposed_to)
    passages = conversation.prepare(session=session, turns=opening.transcript)
    with transaction.atomic():
        held = AgentSession.objects.select_for_update(no_key=True).get(pk=session.pk)
        if held.is_imported:
            held.prolong(at=said[-1], digest=told)
        changed = conversation.write(session=held, prepared=passages, now=now)
        cite_decisions(session=held, decisions=told.get("decisions", ()), now=now)
    return ImportedSession(session, changed, len(told.get("decisions", ())))
