"""Own: the session a call is made in, found and held for a write. Its team may read it; its user alone writes."""

from accounts.rules.refused import NotAllowed, NotFound, Refused
from accounts.rules.rights import Level, Member
from sessions_app.models import AgentSession
from sessions_app.rules.vocabulary import SessionState


class SessionEnded(Refused):
    code = "session_ended"
    status = 409
    detail = "This session has ended; start another one."


def find_session(*, name: str, by: Member) -> AgentSession:
    """A session the member may read, by its id or S-<number>. Raises NotFound."""
    session = AgentSession.objects.visible_to(by).named(name).with_people().first()
    if session is None:
        raise NotFound("Unknown session.")
    return session


def reaches_session(*, session: str, by: Member) -> bool:
    """Whether the session of that key is of the member's teams, or of none: nothing is known of it."""
    return not AgentSession.objects.filter(key=session).exclude(team_id__in=by.team_ids).exists()


def own_session(*, name: str, by: Member, lock: bool = False) -> AgentSession:
    """A session of the member's own, to be written to; `lock`: under a row lock, in the caller's transaction.

    Raises NotFound, NotAllowed if it is somebody else's, or the member may not write to its team any more.
    """
    session = find_session(name=name, by=by)
    if session.user_id != by.user_id:
        raise NotAllowed("This session belongs to another user.")
    by.require(session.team_id, Level.CONTRIBUTOR)
    if lock:
        rows = AgentSession.objects.select_for_update(no_key=True, of=("self",)).with_people()
        session = rows.get(pk=session.pk)
    return session


def require_open(session: AgentSession) -> None:
    """Raise SessionEnded if it has ended; one that was given up takes calls, and comes back by them."""
    if session.state == SessionState.ENDED:
        raise SessionEnded
