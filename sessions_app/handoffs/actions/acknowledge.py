"""Acknowledge: a handoff is taken over, or closed, and is offered no more; or it is opened again."""

from datetime import datetime
from enum import StrEnum

from django.db import transaction

from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from sessions_app.actions.session_lookup import find_session
from sessions_app.handoffs.actions.read_handoff import redact_for
from sessions_app.models import AgentSession, Handoff
from sessions_app.rules.vocabulary import Closed


class NothingOffered(Refused):
    code = "nothing_offered"
    status = 409
    detail = "No handoff was offered to this session; name the session whose handoff it has read."


class Action(StrEnum):
    TAKE = "take"
    CLOSE = "close"
    REOPEN = "reopen"


def acknowledge(*, name: str, handoff_of: str = "", action: Action = Action.TAKE, by: Member, now: datetime) -> Handoff:
    """Take a handoff over, or close it: it is offered to nobody from then on; or open it again. Again changes nothing.

    `name` is one's own session, which acknowledges what it was offered, or the handoff of the session that
    `handoff_of` names; or `name` is the session whose handoff it is, as a person says it who has no session. Raises
    NotFound, NotAllowed without the contributor's level, NothingOffered.
    """
    session = find_session(name=name, by=by)
    by.require(session.team_id, Level.CONTRIBUTOR)
    own = session if session.user_id == by.user_id else None
    pk = _handoff_id(session, handoff_of, by)
    with transaction.atomic():
        rows = Handoff.objects.visible_to(by).select_related("session__user", "session__team")
        handoff = rows.select_for_update(no_key=True, of=("self",)).filter(pk=pk).first()
        if handoff is None:
            raise NotFound("Unknown handoff.")
        by.require(handoff.team_id, Level.CONTRIBUTOR)
        taker = own if own and own.pk != handoff.session_id else None
        if action is Action.REOPEN and handoff.acknowledged_at:
            handoff.reopen(by=by, at=now)
        elif action is not Action.REOPEN and handoff.acknowledged_at is None:
            how = Closed.TAKEN_OVER if action is Action.TAKE else Closed.CLOSED
            handoff.close(how, session=taker if action is Action.TAKE else None, by=by, at=now)
    return redact_for(handoff, by)


def _handoff_id(session: AgentSession, handoff_of: str, by: Member) -> int:
    """The handoff that is acknowledged, by its id."""
    if handoff_of:
        try:
            return _of(find_session(name=handoff_of, by=by))
        except NotFound:
            raise NotFound(f"There is no handoff “{handoff_of[:60]}” that you can see.") from None
    if session.user_id != by.user_id:
        return _of(session)
    if session.offered_id:
        return session.offered_id
    raise NothingOffered


def _of(session: AgentSession) -> int:
    handoff: Handoff | None = getattr(session, "handoff", None)
    if handoff is None:
        raise NotFound("This session has no handoff.")
    return handoff.pk
