"""History: the last sessions, with what each left."""

from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from knowledge.models import Insight
from sessions_app.models import AgentSession, SessionEvent
from sessions_app.querysets import AgentSessionQuerySet


def history_rows(*, by: Member, repo: str = "", team: str = "", state: str = "") -> AgentSessionQuerySet:
    """Sessions the member may read, with what each left; in no order yet. Raises NoSuchTeam on `team`."""
    rows = AgentSession.objects.visible_to(by).with_handoffs(SessionEvent.objects.all())
    if team:
        rows = rows.filter(team_id=by.named(team).id)
    if repo:
        rows = rows.filter(repo=repo.strip())
    return rows.filter(state=state) if state else rows


def history(*, by: Member, repo: str = "", team: str = "", state: str = "", limit: int = 20) -> list[AgentSession]:
    """Sessions the member may read, the last begun first. Raises NoSuchTeam on `team`. One statement."""
    rows = history_rows(by=by, repo=repo, team=team, state=state).newest()
    return _veiled(list(rows[:limit]))


def one_session(*, name: str, by: Member) -> AgentSession:
    """One of them, by its id or S-<number>. Raises NotFound."""
    session = AgentSession.objects.visible_to(by).named(name).with_handoffs(SessionEvent.objects.all()).first()
    if session is None:
        raise NotFound("There is no such session.")
    return _veiled([session])[0]


def _veiled(sessions: list[AgentSession]) -> list[AgentSession]:
    """What was forgotten since a handoff was written, or is in quarantine, is not shown in it either."""
    handoffs = [session.handoff for session in sessions if hasattr(session, "handoff")]
    refs = {ref for handoff in handoffs for ref in handoff.refs}
    hidden = set(Insight.objects.hidden().with_ref(sorted(refs)).values_list("ref", flat=True)) if refs else set()
    for handoff in handoffs:
        handoff.without(hidden)
    return sessions
