"""Use: who was served passages of a conversation says whether they helped.

Of several people it is enough to ask a lead. That somebody opened the conversation says nothing of one passage of it.
"""

from dataclasses import dataclass
from uuid import UUID

from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.models import Query
from sessions_app.models import AgentSession, Passage, ServedPassage


@dataclass(frozen=True)
class RatedConversation:
    """A conversation after a rating: how many passages the answer had of it; `counted` is false when the same had been
    said of them before.
    """

    ref: str
    passages: int
    counted: bool


def rate_conversation(*, ref: str, helpful: bool, query_id: UUID | None, by: Member) -> RatedConversation:
    """Store whether the passages of a session that answered the member's question helped.

    Without `query_id` the last question that the session answered is meant. Raises NotFound if it is not in the
    member's answers or they may not read it any more, NotAllowed for a reader.
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
