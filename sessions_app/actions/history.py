"""History: the last sessions, with what each left."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import User
from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.review.actions.export_table import ExportedTable, moment
from sessions_app.handoffs.actions.offers import MOST_OF_OTHERS, MOST_OWN, left_by, offers_for
from sessions_app.handoffs.rules.work_items import Offer
from sessions_app.models import AgentSession, Handoff, Passage, SessionEvent
from sessions_app.querysets.sessions import AgentSessionQuerySet


def session_rows(
    *,
    by: Member,
    repo: str = "",
    team: str = "",
    state: str = "",
    conversation: str = "",
    **narrowed: Any,
) -> AgentSessionQuerySet:
    """Return the sessions the member may read; in no order yet, and with nothing beside them. With `conversation` those
    of which they may read some of what was said; `narrowed`: as `AgentSessionQuerySet.narrowed` takes it. Raises
    NoSuchTeam on `team`.
    """
    rows = AgentSession.objects.visible_to(by)
    if team:
        rows = rows.filter(team_id=by.named(team).id)
    if repo:
        rows = rows.filter(repo=repo.strip())
    if conversation:
        rows = rows.with_any_of(Passage.objects.visible_to(by))
    rows = rows.filter(state=state) if state else rows
    return rows.narrowed(User.objects.all(), **narrowed)


def with_handoffs(rows: AgentSessionQuerySet) -> AgentSessionQuerySet:
    """With what a list shows of each."""
    return rows.with_handoffs(SessionEvent.objects.all())


def history(*, by: Member, repo: str = "", team: str = "", state: str = "", limit: int = 20) -> list[AgentSession]:
    """Sessions the member may read, the last begun first. Raises NoSuchTeam on `team`. One statement."""
    rows = with_handoffs(session_rows(by=by, repo=repo, team=team, state=state)).newest()
    return veiled(list(rows[:limit]), by)


@dataclass(frozen=True)
class OpenItem:
    """A session with its open handoff, and why it is offered."""

    session: AgentSession
    offer: Offer


def open_items(
    *, by: Member, now: datetime, repo: str, team: str = "", branch: str = "", checkout: str = "", limit: int = 20
) -> list[OpenItem]:
    """The open handoffs of a repo as a start there is offered them: the nearest team's first, in each in that order.

    Without `team` those of all the member's teams. Raises NoSuchTeam on `team`.
    """
    teams = [by.named(team)] if team else list(by.teams)
    where = {"repo": repo.strip(), "checkout": checkout.strip(), "branch": branch.strip()}
    most = MOST_OWN + MOST_OF_OTHERS
    found = [one for place in teams for one in offers_for(team_id=place.id, **where, by=by, now=now, most=most)]
    offers = {one.left.ref: one for one in sorted(found, key=lambda one: one.tier)[:limit]}
    rows = AgentSession.objects.visible_to(by).with_handoffs(SessionEvent.objects.all())
    sessions = rows.filter(handoff__pk__in=[one.left.pk for one in offers.values()])
    by_ref = {session.ref: session for session in veiled(list(sessions), by)}
    return [OpenItem(by_ref[ref], one) for ref, one in offers.items() if ref in by_ref]


def one_session(*, name: str, by: Member) -> AgentSession:
    """One of them, by its id or S-<number>. Raises NotFound."""
    session = AgentSession.objects.visible_to(by).named(name).with_handoffs(SessionEvent.objects.all()).first()
    if session is None:
        raise NotFound("Unknown session.")
    return veiled([session], by)[0]


@dataclass(frozen=True)
class WorkItem:
    """A handoff as a page lists it, and what is unfinished in words."""

    handoff: Handoff
    unfinished: tuple[str, ...]
    gist: str


MOST_LISTED, MOST_CLOSED = 200, 20


def work_items(*, by: Member, repo: str = "", team: str = "") -> tuple[list[WorkItem], list[WorkItem]]:
    """The open handoffs of the member's teams by repo, the latest first in each, and the ones closed last. Raises
    NoSuchTeam on `team`. Two statements, and one about what is hidden.
    """
    rows = Handoff.objects.visible_to(by).whole()
    rows = rows.filter(team_id=by.named(team).id) if team else rows
    rows = rows.filter(repo=repo.strip()) if repo else rows
    open_rows = list(rows.open().order_by("repo", "-as_of", "-pk")[:MOST_LISTED])
    closed = list(rows.closed().order_by("-acknowledged_at", "-pk")[:MOST_CLOSED])
    _veil([*open_rows, *closed], by)
    return [_listed(row) for row in open_rows], [_listed(row) for row in closed]


def _listed(handoff: Handoff) -> WorkItem:
    left = left_by(handoff)
    return WorkItem(handoff, left.unfinished, left.gist)


def veiled(sessions: list[AgentSession], by: Member) -> list[AgentSession]:
    """What was forgotten since a handoff was written, or is in quarantine, is not shown in it either; nor are the
    prompts of a user who keeps them to themselves.
    """
    _veil([session.handoff for session in sessions if hasattr(session, "handoff")], by)
    for session in sessions:
        if not session.shows_prompts_to(by):
            session.topic = session.prompt = ""
    return sessions


def exported_sessions(by: Member) -> ExportedTable:
    """The columns of the file for this reader: what a session is about is a prompt, which its user may keep."""

    def cells(row: Any) -> list[str]:
        handoff = getattr(row, "handoff", None)
        return [
            row.ref,
            row.team.slug,
            row.user.username,
            row.agent,
            row.repo,
            row.branch,
            row.state,
            row.topic if row.shows_prompts_to(by) else "",
            handoff.state if handoff else "",
            handoff.closed_how if handoff and handoff.acknowledged_at else "",
            str(row.event_count),
            moment(row.started_at),
            moment(row.last_seen_at),
            moment(row.ended_at),
        ]

    header = (
        *("session", "team", "user", "agent", "repo", "branch", "state", "topic", "handoff", "closed", "events"),
        *("started", "last_activity", "ended"),
    )
    return ExportedTable("session", header, cells)


def _veil(handoffs: list[Handoff], by: Member) -> None:
    refs = {ref for handoff in handoffs for ref in handoff.refs}
    hidden = set(Insight.objects.hidden().with_ref(sorted(refs)).values_list("ref", flat=True)) if refs else set()
    for handoff in handoffs:
        handoff.without(hidden).for_reader(by)
