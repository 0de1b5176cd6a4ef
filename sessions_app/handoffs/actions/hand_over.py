"""Write a session's handoff, and close the handoffs of the same work item that it continues."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from django.db.models import Q

from accounts.rules.rights import Member
from sessions_app.handoffs.actions.offers import OFFERED_FOR, left_by
from sessions_app.handoffs.actions.record import record_of
from sessions_app.handoffs.rules.last_state import still_failing
from sessions_app.handoffs.rules.recovery import compose
from sessions_app.models import AgentSession, Handoff
from sessions_app.rules.vocabulary import Closed, HandoffState, SessionState


def hand_over(
    *, session: AgentSession, state: HandoffState, as_of: datetime, by: Member, now: datetime, heard: bool = False
) -> Handoff | None:
    """Write or replace the session's handoff, and return it. None if the session left nothing to do, or if its end is
    found so late that nobody will continue from it.

    `as_of`: the time that the handoff describes; `heard`: it was composed from what was known before. The caller holds
    the session's row, in its transaction.
    """
    if state is HandoffState.RECOVERED and as_of < now - OFFERED_FOR:
        return None
    record = record_of(session)
    if record.trivial:
        return None
    before = [one for one in _continued(session) if record.worked or not left_by(one).weight]
    taken = list(Handoff.objects.filter(acknowledged_in=session).select_related("session").order_by("pk"))
    earlier = sorted([*taken, *before], key=lambda one: one.pk)
    steps = [left for one in earlier if (left := one.open_steps)]
    contents = {**asdict(compose(record, complete=state is HandoffState.CLEAN)), "as_of": as_of, "continues": steps}
    failing = [left for one in earlier if (left := still_failing(one.failure, record.events))]
    contents["failure"] = contents["failure"] or (failing[-1] if failing else {})
    handoff = Handoff.write(session, state, contents, by=by, at=now, heard=heard)
    for one in before:
        one.close(Closed.CONTINUED, session=session, by=by, at=now)
    return handoff


def give_back(*, session: AgentSession, by: Member, now: datetime) -> None:
    """Reopen the handoffs that a session took over, if it left none itself: killed, or ended before it did anything.
    The caller holds its row.
    """
    rows = Handoff.objects.filter(acknowledged_in=session, closed_as=Closed.TAKEN_OVER).select_related("session")
    for handoff in rows.select_for_update(of=("self",), no_key=True).order_by("pk"):
        handoff.reopen(by=by, at=now, why=f"{session.ref} took it over and left nothing")


def _continued(session: AgentSession) -> Sequence[Handoff]:
    """Return the open handoffs that a handoff of this session continues: of the same work item, written before it
    started, by sessions that had ended. Sessions that ran at the same time do not continue each other.
    """
    rows = Handoff.objects.filter(team_id=session.team_id, repo=session.repo).open()
    rows = rows.of_item(session.user_id, session.checkout, session.branch).exclude(session=session)
    over = rows.filter(
        Q(session__state__in=(SessionState.ENDED, SessionState.ABANDONED)),
        Q(reopened_at__isnull=True) | Q(reopened_at__lt=session.started_at),
        written_at__lte=session.started_at,
        session__ended_at__lte=session.started_at,
    )
    return list(over.select_related("session__user").select_for_update(of=("self",), no_key=True).order_by("pk"))
