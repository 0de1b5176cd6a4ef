"""Read: a session's conversation, as far as the member may read it."""

from dataclasses import dataclass

from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from knowledge.retrieval.rules import bm25
from sessions_app.models import AgentSession, Passage


@dataclass(frozen=True)
class Conversation:
    """Passages in order. `total`: the number that match. `left`: the number that follow the last of these passages."""

    session: AgentSession
    passages: tuple[Passage, ...]
    total: int
    left: int


def conversation(*, name: str, by: Member, q: str = "", after: int = -1, limit: int = 100) -> Conversation:
    """Return the passages of a session that the member may read and that follow position `after`, in order; with `q`,
    those that have all its words. The session itself may belong to another team. Raises NotFound.
    """
    session = AgentSession.objects.all().readable_by(by, Passage.objects.all()).named(name).with_people().first()
    if session is None:
        raise NotFound("Unknown session.")
    rows = Passage.objects.visible_to(by).of_session(session.pk).with_all(bm25.terms(q)).select_related("user", "team")
    rest = rows.filter(position__gt=after)
    found = list(rest.defer("embedding", "lexemes")[: limit + 1])
    if after < 0 and len(found) <= limit:
        return Conversation(session, tuple(found), len(found), 0)
    left = rest.count() - min(len(found), limit)
    return Conversation(session, tuple(found[:limit]), rows.count(), left)
