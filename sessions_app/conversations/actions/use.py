"""Use: people who received passages of a conversation rate whether they helped.

If several people rate a passage helpful, a lead is asked to decide on it. Opening a conversation rates none of its
passages.
"""

from dataclasses import dataclass
from uuid import UUID

from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.models import Query
from sessions_app.models import AgentSession, Passage, ServedPassage


@dataclass(frozen=True)
class RatedConversation:
    """A conversation after a rating: the number of its passages in the answer. `counted` is false if they had the same
    rating before.
    """

    ref: str
    passages: int
    counted: bool


def rate_conversation(*, ref: str, helpful: bool, query_id: UUID | None, by: Member) -> RatedConversation:
    """Store whether the passages of a session that answered the member's question helped.

    Without `query_id` the rating is for the last question that the session answered. Raises NotFound if the session is
    not in the member's answers or they may no longer read it, NotAllowed for a reader.
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
