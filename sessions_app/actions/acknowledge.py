"""Acknowledge: a handoff has been taken over, and need not be offered any more."""

from datetime import datetime

from django.db import transaction

from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from knowledge.models import Insight
from sessions_app.actions.own import find_session
from sessions_app.models import AgentSession, Handoff


class NothingOffered(Refused):
    code = "nothing_offered"
    status = 409
    detail = "This session was offered no handoff; name the session whose handoff it has read."


def acknowledge(*, name: str, handoff_of: str = "", by: Member, now: datetime) -> Handoff:
    """Say that a handoff has been taken over; it is offered to nobody from then on. Again changes nothing.

    `name` is one's own session, which acknowledges what it was offered, or the handoff of the session that
    `handoff_of` names; or `name` is the session whose handoff it is, as a person says it who has no session. Raises
    NotFound, NotAllowed without the contributor's level, NothingOffered.
    """
    session = find_session(name=name, by=by)
    by.require(session.team_id, Level.CONTRIBUTOR)
    own = session if session.user_id == by.user_id else None
    pk = _meant(session, handoff_of, by)
    with transaction.atomic():
        rows = Handoff.objects.visible_to(by).select_related("session__user", "session__team")
        handoff = rows.select_for_update(no_key=True, of=("self",)).filter(pk=pk).first()
        if handoff is None:
            raise NotFound("There is no such handoff.")
        by.require(handoff.team_id, Level.CONTRIBUTOR)
        if handoff.acknowledged_at is None:
            taker = own if own and own.pk != handoff.session_id else None
            handoff.acknowledge(session=taker, by=by, at=now)
    hidden = Insight.objects.hidden().with_ref(sorted(handoff.refs)).values_list("ref", flat=True)
    return handoff.without(set(hidden))


def _meant(session: AgentSession, handoff_of: str, by: Member) -> int:
    """The handoff that is acknowledged, by its id."""
    if handoff_of:
        found = find_session(name=handoff_of, by=by)
        return _of(found)
    if session.user_id != by.user_id:
        return _of(session)
    if session.offered_id:
        return session.offered_id
    raise NothingOffered


def _of(session: AgentSession) -> int:
    handoff: Handoff | None = getattr(session, "handoff", None)
    if handoff is None:
        raise NotFound("This session has left no handoff.")
    return handoff.pk
