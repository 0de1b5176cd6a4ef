"""Capture: what a session does, as its hooks report it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from accounts.rules.rights import Member
from knowledge.errors.rules.fingerprint import fingerprint
from sessions_app.actions.session_lookup import own_session
from sessions_app.handoffs.actions.hand_over import hand_over
from sessions_app.handoffs.rules.last_state import is_lookup
from sessions_app.models import AgentSession, SessionEvent
from sessions_app.rules.stored_text import keep, keep_line
from sessions_app.rules.vocabulary import READ_ONLY, HandoffState, SessionState, outcome

# The beginning of a command says what it is; the ends of an error say what it was (as the fingerprint reads it).
LONGEST_COMMAND = 2_000
LONGEST_ERROR = 4_000


@dataclass(frozen=True)
class Report:
    """One event as it was sent. `id`: the client's own, by which a retry is known."""

    kind: str
    path: str = ""
    command: str = ""
    outcome: str = ""
    error: str = ""
    at: datetime | None = None
    id: str = ""


@dataclass(frozen=True)
class Captured:
    """How many were kept, how many only looked at something, how many had come before."""

    stored: int
    skipped: int
    repeated: int


def capture(*, name: str, reports: Sequence[Report], by: Member, now: datetime, key: str = "") -> Captured:
    """Keep a session's events, redacted. An ended session takes them too: they may have been on their way.

    `key`: the idempotency key of the call; sent again with the same one, its events are known. Raises NotFound,
    NotAllowed.
    """
    if key:
        reports = [one if one.id else replace(one, id=f"{_short(key)}:{at}") for at, one in enumerate(reports)]
    session = own_session(name=name, by=by)
    kept = [report for report in reports if report.kind not in READ_ONLY]
    rows = [_row(session, report, now) for report in kept]
    with transaction.atomic():
        session = own_session(name=name, by=by, lock=True)
        known = SessionEvent.objects.all().known(session.pk, [row.client_id for row in rows if row.client_id])
        new: list[SessionEvent] = []
        for row in rows:
            if not row.client_id or row.client_id not in known:
                known |= {row.client_id} if row.client_id else set()
                new.append(row)
        SessionEvent.objects.bulk_create(new)
        _overcome(session, new)
        if session.state != SessionState.ENDED:
            session.see(by=by, at=_moment(rows, kept, now))
        if session.state == SessionState.ABANDONED and new:
            # Delivered after it was recovered: its handoff was put together without them.
            at = session.last_seen_at
            hand_over(session=session, state=HandoffState.RECOVERED, as_of=at, by=by, now=now, heard=True)
    return Captured(len(new), len(reports) - len(kept), len(rows) - len(new))


def _short(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:32]


def _row(session: AgentSession, report: Report, now: datetime) -> SessionEvent:
    error = keep(report.error, LONGEST_ERROR)
    # `ls` of a folder that is not there is kept as an event, and counts as no recurring error.
    found = fingerprint(error) if error and not is_lookup(report.kind, report.command) else None
    return SessionEvent(
        session=session,
        client_id=report.id,
        kind=report.kind,
        at=min(report.at or now, now),
        received_at=now,
        path=keep_line(report.path, 400),
        command=keep(report.command, LONGEST_COMMAND),
        outcome=outcome(report.outcome, error),
        error=error,
        fingerprint=found.digest if found else "",
        template=found.template if found else "",
        recipe=found.recipe if found else "",
    )


def _overcome(session: AgentSession, rows: Sequence[SessionEvent]) -> None:
    """What failed before and passes now has been overcome."""
    for row in rows:
        if row.outcome == "passed" and row.command:
            SessionEvent.objects.all().failed_before(session.pk, row.kind, row.command, row.at).update(overcome=True)


def _moment(rows: Sequence[SessionEvent], reports: Sequence[Report], now: datetime) -> datetime:
    """Of what moment the call is a sign of life: a spool that is delivered late tells of the life there was."""
    if not rows or any(report.at is None for report in reports):
        return now
    return max(row.at for row in rows)
