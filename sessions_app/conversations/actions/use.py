"""Use: who was served passages of a conversation, and then opens it or says that they helped, found them worth it.

It is weak evidence, as with insights (`knowledge.lifecycle.actions.use`): of several people it is enough to ask a lead.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.models import Query
from sessions_app.models import AgentSession, Passage, ServedPassage

# A token can be one session for months; what it was served is still at work within a day.
SERVED_WITHIN = timedelta(days=1)


@dataclass(frozen=True)
class RatedConversation:
    """A conversation after a rating: how many passages the answer had of it; `counted` is false when the same had been
    said of them before.
    """

    ref: str
    passages: int
    counted: bool


def note_read(*, session: AgentSession, by: Member, now: datetime) -> int:
    """Note that the member reads on what they were served of this session; how many answers that is."""
    return ServedPassage.objects.all().note_read(session.pk, by.user_id, now - SERVED_WITHIN, now)


def rate_conversation(*, ref: str, helpful: bool, query_id: UUID | None, by: Member) -> RatedConversation:
    """Store whether the passages of a session that answered a question of the member's helped.

    Without `query_id` it is the last question that the session answered. Raises NotFound for what is not in their
    answers or not theirs to read any more, NotAllowed for a reader.
    """
    sessions = AgentSession.objects.all().named(ref).values("pk")
    passages = Passage.objects.visible_to(by).filter(session__in=sessions)
    asked = Query.objects.asked_by(by)
    served = ServedPassage.objects.filter(query__in=asked, passage__in=passages.order_by())
    last = query_id or served.order_by("-query__at", "-query_id").values_list("query_id", flat=True).first()
    rows = served.filter(query_id=last) if last else served.none()
    teams = list(rows.values_list("passage__team_id", flat=True))
    if not teams:
        raise NotFound(f"None of your answers contains {ref[:24]}.")
    for team_id in set(teams):
        by.require(team_id, Level.CONTRIBUTOR)
    return RatedConversation(ref, len(teams), counted=rows.rate(helpful) > 0)
