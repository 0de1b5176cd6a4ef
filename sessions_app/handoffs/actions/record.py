"""Collect all that is known of a session from what was stored while it ran."""

from datetime import datetime
from typing import Any

from knowledge.models import Insight, Query
from sessions_app.answers.rules.gates import Gate
from sessions_app.handoffs.rules.last_state import RecordedEvent
from sessions_app.handoffs.rules.recovery import AgentWords, Deposit, SessionRecord, TranscriptFacts, Uncommitted
from sessions_app.models import AgentSession, SessionEvent, SurfaceDecision
from sessions_app.rules.stored_text import keep_line
from sessions_app.transcripts.rules.transcript import last_asked

# The number of latest events that are read. A day of an agent has some hundreds.
MOST_EVENTS = 2_000
MOST_QUESTIONS = 50
MOST_DEPOSITS = 100
MOST_PROMPTS = 20
LONGEST_QUESTION = 300


def record_of(session: AgentSession) -> SessionRecord:
    """Return the session's record, for its handoff. Four statements.

    The whole team can read a handoff, so only the team's own insights are named in it, and no questions that were asked
    of other teams only.
    """
    words = _read_agent_words(session.said)
    return SessionRecord(
        topic=session.topic,
        asked=session.prompt,
        asked_last=_asked_last(session, words.at),
        events=_events(session),
        questions=_questions(session),
        deposits=_deposits(session),
        agent_words=words,
        transcript=_read_transcript_facts(session.digest),
        uncommitted=_uncommitted(session.uncommitted),
    )


def _events(session: AgentSession) -> tuple[RecordedEvent, ...]:
    rows = SessionEvent.objects.filter(session=session).order_by("-at", "-pk")
    fields = ("kind", "at", "path", "command", "outcome", "template", "error")
    return tuple(RecordedEvent(*row) for row in reversed(rows.values_list(*fields)[:MOST_EVENTS]))


def _questions(session: AgentSession) -> tuple[str, ...]:
    """Return what its agent asked the memory. A hook asks the user's own prompts, which stay private."""
    surfaced = SurfaceDecision.objects.filter(session_key=session.key, query__isnull=False).values("query")
    questions = Query.objects.all().of_session(session.key).exclude(pk__in=surfaced)
    asked = questions.values_list("text", "ask__teams")[:MOST_QUESTIONS]
    slug = session.team.slug
    return tuple(keep_line(text, LONGEST_QUESTION) for text, teams in asked if not teams or slug in teams)


def _asked_last(session: AgentSession, since: datetime | None) -> str:
    """Return the last prompt after `since` that asks for something; earlier ones are in the transcript. "" if the
    session's conversation is forgotten.
    """
    if session.conversation_forgotten_at:
        return ""
    rows = SurfaceDecision.objects.filter(user_id=session.user_id, session_key=session.key)
    rows = rows.exclude(gate=Gate.SLASH_COMMAND).newest()
    prompts = (rows.filter(at__gt=since) if since else rows).values_list("prompt", flat=True)[:MOST_PROMPTS]
    return last_asked(list(prompts)[::-1])


def _deposits(session: AgentSession) -> tuple[Deposit, ...]:
    rows = Insight.objects.all().of_session(session.key, session.team_id).values_list("ref", "kind", "title")
    return tuple(Deposit(*row) for row in rows[:MOST_DEPOSITS])


def _read_agent_words(kept: dict[str, Any]) -> AgentWords:
    at = kept.get("at")
    return AgentWords(
        summary=kept.get("summary", ""),
        note=kept.get("note", ""),
        pending=tuple(kept.get("pending", ())),
        blockers=tuple(kept.get("blockers", ())),
        asked=kept.get("asked", ""),
        last_message=kept.get("last_message", ""),
        at=datetime.fromisoformat(at) if at else None,
    )


def _read_transcript_facts(kept: dict[str, Any]) -> TranscriptFacts:
    lists = ("topics", "files", "next_steps", "blockers", "decisions", "errors", "uncommitted")
    return TranscriptFacts(
        **{name: tuple(kept.get(name, ())) for name in lists},
        asked=kept.get("asked", ""),
        asked_last=kept.get("asked_last", ""),
        plan=kept.get("plan", ""),
        last_message=kept.get("last_message", ""),
        failure=kept.get("failure", {}),
        turns=kept.get("turns", 0),
    )


def _uncommitted(kept: dict[str, Any]) -> Uncommitted | None:
    return Uncommitted(tuple(kept["paths"]), datetime.fromisoformat(kept["at"])) if kept else None
