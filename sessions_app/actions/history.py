"""History: the last sessions, with what each left."""

from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from sessions_app.models import AgentSession, SessionEvent


def history(*, by: Member, repo: str = "", team: str = "", state: str = "", limit: int = 20) -> list[AgentSession]:
    """Sessions the member may read, the last begun first. Raises NoSuchTeam on `team`. One statement."""
    rows = AgentSession.objects.visible_to(by).with_handoffs(SessionEvent.objects.all()).newest()
    if team:
        rows = rows.filter(team_id=by.named(team).id)
    if repo:
        rows = rows.filter(repo=repo.strip())
    if state:
        rows = rows.filter(state=state)
    return list(rows[:limit])


def one_session(*, name: str, by: Member) -> AgentSession:
    """One of them, by its id or S-<number>. Raises NotFound."""
    session = AgentSession.objects.visible_to(by).named(name).with_handoffs(SessionEvent.objects.all()).first()
    if session is None:
        raise NotFound("There is no such session.")
    return session
