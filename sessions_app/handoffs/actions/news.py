"""News for a member: what colleagues have done with the member's notes and handoffs in a team since their last session
there.
"""

from datetime import datetime, timedelta

from django.db.models import Subquery, Value
from django.db.models.functions import Coalesce

from accounts.rules.rights import Member
from knowledge.models import Pair
from sessions_app.models import AgentSession, Handoff
from sessions_app.rules.orientation import ClosedHandoff, News, Replaced

# News goes back at most this far for a member who has started no session for longer.
LONGEST_AWAY = timedelta(days=30)
REPLACED, HANDOFF = "replaced", "handoff"


def news_for(*, team_id: int, by: Member, now: datetime, known: AgentSession | None) -> News:
    """Return the news for the member's session in a team. `known`: the session, if it has started already; it gets the
    same news again. One statement.
    """
    since = _last_begun(team_id, by, now, known)
    gone = Pair.objects.visible_to(by).replaced_unread(by, team_id, since).annotate(sort=Value(REPLACED))
    closed = Handoff.objects.visible_to(by).closed_by_others(by.user_id, team_id, since).annotate(sort=Value(HANDOFF))
    rows = sorted(gone.union(closed, all=True), key=lambda row: row[4], reverse=True)
    replaced = [Replaced(ref, title, by, who) for ref, title, by, who, _, sort in rows if sort == REPLACED]
    handoffs = [
        ClosedHandoff(ref, how.replace("_", " "), who, within, at)
        for ref, how, within, who, at, sort in rows
        if sort == HANDOFF
    ]
    return News(replaced, handoffs)


def _last_begun(team_id: int, by: Member, now: datetime, known: AgentSession | None) -> Coalesce:
    """Return when the member's session before this one started."""
    earliest = now - LONGEST_AWAY
    mine = AgentSession.objects.filter(team_id=team_id, user_id=by.user_id, started_at__gt=earliest)
    before = mine.filter(started_at__lt=known.started_at) if known else mine
    return Coalesce(Subquery(before.order_by("-started_at").values("started_at")[:1]), Value(earliest))
