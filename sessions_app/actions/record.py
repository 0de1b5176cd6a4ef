"""Record: all that is known of a session, read from where it was written down while the session was alive."""

from datetime import datetime
from typing import Any

from knowledge.models import Insight, Query
from sessions_app.models import AgentSession, SessionEvent
from sessions_app.rules.keeping import keep_line
from sessions_app.rules.recovery import Deposit, Event, Record, Said, Told

# The last so many events tell how it stood; a day of an agent has some hundreds.
MOST_EVENTS = 2_000
MOST_QUESTIONS = 50
MOST_DEPOSITS = 100
LONGEST_QUESTION = 300


def record_of(session: AgentSession) -> Record:
    """The session's record, for its handoff. Three statements.

    A handoff is its team's to read, so only the team's own insights are named in it, and no question that was put to
    other teams alone.
    """
    return Record(
        topic=session.topic,
        events=_events(session),
        questions=_questions(session),
        deposits=_deposits(session),
        said=_said(session.said),
        told=_told(session.digest),
    )


def _events(session: AgentSession) -> tuple[Event, ...]:
    rows = SessionEvent.objects.filter(session=session).order_by("-at", "-pk")
    fields = ("kind", "at", "path", "command", "outcome", "template")
    return tuple(Event(*row) for row in reversed(rows.values_list(*fields)[:MOST_EVENTS]))


def _questions(session: AgentSession) -> tuple[str, ...]:
    asked = Query.objects.all().of_session(session.key).values_list("text", "ask__teams")[:MOST_QUESTIONS]
    slug = session.team.slug
    return tuple(keep_line(text, LONGEST_QUESTION) for text, teams in asked if not teams or slug in teams)


def _deposits(session: AgentSession) -> tuple[Deposit, ...]:
    rows = Insight.objects.all().of_session(session.key, session.team_id).values_list("ref", "kind", "title")
    return tuple(Deposit(*row) for row in rows[:MOST_DEPOSITS])


def _said(kept: dict[str, Any]) -> Said:
    at = kept.get("at")
    return Said(
        summary=kept.get("summary", ""),
        note=kept.get("note", ""),
        pending=tuple(kept.get("pending", ())),
        blockers=tuple(kept.get("blockers", ())),
        at=datetime.fromisoformat(at) if at else None,
    )


def _told(kept: dict[str, Any]) -> Told:
    names = ("topics", "files", "next_steps", "blockers", "decisions", "errors")
    return Told(**{name: tuple(kept.get(name, ())) for name in names}, turns=kept.get("turns", 0))
