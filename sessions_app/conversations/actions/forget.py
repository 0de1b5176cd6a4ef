"""Forget: a session's conversation is deleted for good, by its user, or of what their team reads by a lead.

Unlike an insight's there is no way back: nobody depends on a passage. A transcript that is sent again is not taken.
"""

from datetime import datetime

from django.db import transaction

from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member, Scope, lacking
from sessions_app.models import AgentSession, Handoff, Passage, SessionSharing

# What a digest has from the transcript and a handoff repeats.
TOLD = {"asked": "", "asked_last": "", "topics": [], "plan": "", "last_message": ""}


def forget_conversation(*, name: str, by: Member, now: datetime, why: str = "") -> int:
    """Delete the passages of a session and what its transcript told; how many passages went.

    Its user deletes all of it; a lead what the teams that they lead can read. Raises NotFound, NotAllowed.
    """
    with transaction.atomic():
        found = AgentSession.objects.all().readable_by(by, Passage.objects.all()).named(name).first()
        if found is None:
            raise NotFound("Unknown session.")
        session = AgentSession.objects.select_for_update(no_key=True).get(pk=found.pk)
        rows = Passage.objects.filter(session=session)
        mine = session.user_id == by.user_id
        if mine and Scope.WRITE not in by.scopes:
            raise NotAllowed(lacking(Scope.WRITE))
        led = [team.id for team in by.teams if by.may(team.id, Level.LEAD)]
        if not mine:
            rows = rows.filter(team_id__in=led)
            if session.team_id not in led and not rows.exists():
                raise NotAllowed("Only the session's user or a lead can forget its conversation.")
        gone = rows.delete()[0]
        if mine or session.team_id in led:
            session.forget_conversation(by=by, at=now, passages=gone, why=masked(why))
            Handoff.objects.filter(session=session).update(**TOLD)
        else:
            session.note_forgotten(by=by, at=now, passages=gone, why=masked(why))
    return gone


def forget_conversations_of(user_id: int) -> int:
    """Delete all passages of a person, and what they share; how many passages went."""
    SessionSharing.objects.filter(user_id=user_id).delete()
    return Passage.objects.filter(user_id=user_id).delete()[0]
