"""The open handoffs of a repository, offered to a session that starts there."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from accounts.rules.rights import Member
from sessions_app.handoffs.rules.work_items import MOST_OFFERED, Left, Offer, Place, gist, offer, unfinished
from sessions_app.models import Handoff
from sessions_app.rules.vocabulary import SessionState

# The number of handoffs that are ranked: the member's own, and colleagues' of the last month. Nobody continues older
# ones.
MOST_OWN, MOST_OF_OTHERS = 30, 60
OFFERED_FOR = timedelta(days=30)


def offers_for(
    *, team_id: int, repo: str, checkout: str, branch: str, by: Member, now: datetime, most: int = MOST_OFFERED
) -> list[Offer]:
    """Return the handoffs offered to the member's session on a repository of that team, the nearest first. Two
    statements.
    """
    since = now - OFFERED_FOR
    rows = Handoff.objects.all().offered_to(by, team_id, repo, since, MOST_OWN, MOST_OF_OTHERS)
    return offer([left_by(row) for row in rows], Place(by.user_id, checkout, branch), most)


def left_by(handoff: Handoff) -> Left:
    """Return a handoff in the form that is ranked and listed."""
    steps: Sequence[str] = [*handoff.pending, *handoff.next_steps]
    session = handoff.session
    words, weight = unfinished(
        handoff.uncommitted, handoff.failure, steps, [*handoff.blockers, *handoff.found_blockers]
    )
    return Left(
        pk=handoff.pk,
        ref=session.ref,
        place=Place(session.user_id, session.checkout, session.branch),
        who=session.user.username,
        state=handoff.state,
        as_of=handoff.as_of,
        gist=gist(handoff.note, steps, handoff.failure, handoff.summary, handoff.last_message, handoff.files),
        unfinished=words,
        weight=weight,
        session_is_live=session.state == SessionState.LIVE,
        agent_session=session.agent_session,
    )
