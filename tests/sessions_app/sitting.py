"""A session in a few words, for stories that need one."""

from datetime import datetime, timedelta
from typing import Any

from accounts.rules.rights import Member
from sessions_app.actions.capture import Captured, Report, capture
from sessions_app.actions.end import HandedOver, SessionWords, checkpoint, end
from sessions_app.actions.start import Opening, Started, start
from sessions_app.models import AgentSession

REPO = "acme/web"
MINUTE = timedelta(minutes=1)
# Longer than a session may be silent.
LONG = timedelta(minutes=31)
EDIT = Report("edit", path="src/a.py")
FAILED = Report("test", command="pytest", outcome="failed", error="AssertionError: 3 != 4")
PASSED = Report("test", command="pytest", outcome="passed")


def begin(by: Member, now: datetime, **over: Any) -> Started:
    """Start on the repo, in the platform team unless `over` says otherwise."""
    return start(opening=Opening(**{"repo": REPO, "team": "platform", **over}), by=by, now=now)


def sit(by: Member, now: datetime, *reports: Report, **over: Any) -> AgentSession:
    """Start, and do something."""
    session = begin(by, now, **over).session
    do(session, by, now, *(reports or (EDIT,)))
    return session


def do(session: AgentSession, by: Member, now: datetime, *reports: Report, **over: Any) -> Captured:
    return capture(name=session.key, reports=reports, by=by, now=now, **over)


def pause(session: AgentSession, by: Member, now: datetime, **words: Any) -> HandedOver:
    return checkpoint(name=session.key, words=SessionWords(**words), by=by, now=now)


def stop(session: AgentSession, by: Member, now: datetime, **words: Any) -> HandedOver:
    return end(name=session.key, words=SessionWords(**{"summary": "Done.", **words}), by=by, now=now)


def pointed(started: Started, kind: str) -> list[str]:
    """The references an orientation points to, of one kind."""
    return [pointer.ref for pointer in started.orientation.pointers if pointer.kind == kind]
