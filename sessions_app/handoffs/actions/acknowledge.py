"""Acknowledge a handoff: take it over, close it, or open it again.

Any contributor who continues the work takes the handoff over. It is closed, because nobody has to continue, by somebody
who knows: the user who left it, the user who took it over and worked on it, or a lead. Any contributor can reopen a
handoff that was closed or taken over.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.db.models import Count, Q

from accounts.models import LogEntry, User
from accounts.rules.refused import NotAllowed, NotFound, Refused
from accounts.rules.rights import Level, Member
from sessions_app.actions.session_lookup import find_session
from sessions_app.handoffs.actions.read_handoff import redact_for
from sessions_app.models import AgentSession, Handoff, SessionEvent
from sessions_app.models.handoff import REOPENED, TAKEN_OVER
from sessions_app.rules.vocabulary import CHANGES, Closed


class NothingOffered(Refused):
    code = "nothing_offered"
    status = 409
    detail = "No handoff was offered to this session; name the session whose handoff it has read."


# The number of colleagues' handoffs that a contributor can take over in a day. Nobody continues more; a script that
# takes over all of them, so that nobody is offered any, is stopped.
MOST_TAKEN = 5
DAY = timedelta(days=1)


class Action(StrEnum):
    TAKE = "take"
    CLOSE = "close"
    REOPEN = "reopen"


def acknowledge(*, name: str, handoff_of: str = "", action: Action = Action.TAKE, by: Member, now: datetime) -> Handoff:
    """Take a handoff over or close it, so that nobody is offered it any more; or open it again. Repeating a call
    changes nothing.

    `name`: the member's own session, which acknowledges what it was offered or the handoff of the session `handoff_of`;
    or, for a person without a session, the session whose handoff it is. Raises NotFound, NothingOffered, and NotAllowed
    without the contributor's level, for closing a colleague's handoff, or for taking over more than MOST_TAKEN of
    colleagues in a day.
    """
    session = find_session(name=name, by=by)
    by.require(session.team_id, Level.CONTRIBUTOR)
    own = session if session.user_id == by.user_id else None
    pk = _handoff_id(session, handoff_of, by)
    with transaction.atomic():
        if action is Action.TAKE:
            # Two concurrent calls must not both count the same day's handoffs.
            User.objects.select_for_update(no_key=True).only("pk").get(pk=by.user_id)
        rows = Handoff.objects.visible_to(by).select_related("session__user", "session__team")
        handoff = rows.select_for_update(no_key=True, of=("self",)).filter(pk=pk).first()
        if handoff is None:
            raise NotFound("Unknown handoff.")
        by.require(handoff.team_id, Level.CONTRIBUTOR)
        taker = own if own and own.pk != handoff.session_id else None
        if action is Action.REOPEN and handoff.acknowledged_at:
            handoff.reopen(by=by, at=now)
        elif action is Action.TAKE and handoff.acknowledged_at is None:
            _require_room(handoff, by, now)
            handoff.close(Closed.TAKEN_OVER, session=taker, by=by, at=now)
        elif action is Action.CLOSE and (handoff.acknowledged_at is None or handoff.closed_as == Closed.TAKEN_OVER):
            _require_closing(handoff, by)
            handoff.close(Closed.CLOSED, session=None, by=by, at=now)
    return redact_for(handoff, by)


def may_close(handoff: Handoff, by: Member) -> bool:
    """Return whether the member may close the handoff: its user, somebody who took it over and has worked on it since,
    or a lead.
    """
    own = handoff.session.user_id == by.user_id or _has_gone_on(handoff, by)
    return by.may(handoff.team_id, Level.CONTRIBUTOR if own else Level.LEAD)


def _has_gone_on(handoff: Handoff, by: Member) -> bool:
    """Return whether the member took it over in a session that has changed files since. Otherwise anybody could remove
    a colleague's handoff by taking it over and closing it at once.
    """
    if handoff.closed_as != Closed.TAKEN_OVER or handoff.acknowledged_by_id != by.user_id:
        return False
    since = SessionEvent.objects.filter(session_id=handoff.acknowledged_in_id, at__gte=handoff.acknowledged_at)
    return since.filter(kind__in=CHANGES).exists()


def closable(handoffs: Sequence[Handoff], by: Member) -> set[int]:
    """Return the ids of the handoffs that the member may close now."""
    standing = [one for one in handoffs if one.acknowledged_at is None or one.closed_as == Closed.TAKEN_OVER]
    return {one.pk for one in standing if may_close(one, by)}


def _require_closing(handoff: Handoff, by: Member) -> None:
    if not may_close(handoff, by):
        whose = f"The handoff of {handoff.session.ref} was left by {handoff.session.user.username}"
        how = "who may close it; so may a lead. If you continue the work, take it over in your session; once it has"
        raise NotAllowed(f"{whose}, {how} changed files, you can close it.", team_id=handoff.team_id)


def _require_room(handoff: Handoff, by: Member, now: datetime) -> None:
    """Raise NotAllowed if a contributor has taken over MOST_TAKEN handoffs of colleagues today."""
    if not may_close(handoff, by) and _taken_in_a_day(by, now) >= MOST_TAKEN:
        most = f"{handoff.session.ref} was not taken over: at most {MOST_TAKEN} handoffs of colleagues a day"
        also = "including those that you have closed since. Reopen those that you do not continue."
        raise NotAllowed(f"{most}, {also}", team_id=handoff.team_id)


def _taken_in_a_day(by: Member, now: datetime) -> int:
    """Return how often the member has taken over colleagues' handoffs in a day, minus how often they reopened them.
    Counted from the log, because a handoff does not store that it was closed since, or reopened by somebody else.
    """
    acts = LogEntry.objects.filter(user_id=by.user_id, at__gt=now - DAY, verb__in=(TAKEN_OVER, REOPENED))
    taken, reopened = Count("pk", filter=Q(verb=TAKEN_OVER)), Count("pk", filter=Q(verb=REOPENED))
    rows = acts.order_by().values("subject").annotate(taken=taken, reopened=reopened)
    of_each = {row["subject"]: row["taken"] - row["reopened"] for row in rows if row["taken"] > row["reopened"]}
    others = AgentSession.objects.exclude(user_id=by.user_id)
    theirs = others.filter(pk__in=[int(ref.removeprefix("S-")) for ref in of_each])
    return sum(of_each[session.ref] for session in theirs.only("pk"))


def _handoff_id(session: AgentSession, handoff_of: str, by: Member) -> int:
    """Return the id of the handoff that is acknowledged."""
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
