"""Harvest: deposit what a session's transcript and events hold for the team as drafts."""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import Deposited, deposit_many
from knowledge.rules.draft import Draft, derive_title
from knowledge.rules.quality import GATE, quality
from knowledge.rules.vocabulary import Kind, Source
from sessions_app.handoffs.rules.last_state import RecordedEvent
from sessions_app.models import AgentSession, SessionEvent
from sessions_app.rules.stored_text import keep, keep_each
from sessions_app.transcripts.rules.decisions import Decision
from sessions_app.transcripts.rules.promotion import Lesson, lessons
from sessions_app.transcripts.rules.transcript import digest
from sessions_app.transcripts.rules.turn import LONGEST_TURN, Turn

logger = logging.getLogger("loam.sessions")

# A session with more decisions than this is thinking aloud, and does not decide them.
MOST_DECISIONS = 20
MOST_KEPT = 30
LONGEST_LINE = 400
LONGEST_SAID = 1_500


def harvest_transcript(
    *, session: AgentSession, turns: Sequence[Turn], by: Member, now: datetime, team: str = ""
) -> dict[str, Any]:
    """Return the digest of a transcript, redacted and merged with an earlier one of the session.

    Decisions with a reason are deposited as draft DECISIONs of the session's team, or of `team`; `ref` names each. A
    repeated call deposits nothing twice. A session whose conversation is forgotten accepts no transcript.
    """
    if session.conversation_forgotten_at:
        return session.digest
    told = digest([replace(turn, text=keep(turn.text, LONGEST_TURN)) for turn in turns], session.repo)
    before = session.digest
    return {
        "topics": _joined(before, "topics", told.topics),
        "files": _joined(before, "files", told.files),
        "next_steps": keep_each(told.next_steps, LONGEST_LINE)[:MOST_KEPT],
        "blockers": keep_each(told.blockers, LONGEST_LINE)[:MOST_KEPT],
        "errors": keep_each(told.errors, LONGEST_LINE)[:MOST_KEPT],
        "decisions": _decided(session, told.decisions[:MOST_DECISIONS], team or session.team.slug, by, now),
        "asked": before.get("asked") or keep(told.asked, LONGEST_SAID),
        "asked_last": keep(told.asked_last, LONGEST_SAID) or before.get("asked_last", ""),
        "plan": before.get("plan") or keep(told.plan, LONGEST_SAID),
        "last_message": keep(told.last_message, LONGEST_SAID),
        "failure": {name: keep(text, LONGEST_LINE) for name, text in told.failure.items()},
        "uncommitted": keep_each(told.uncommitted, LONGEST_LINE),
        "turns": max(before.get("turns", 0), told.turns),
        "left_out": told.left_out,
    }


def harvest_events(*, session: AgentSession, by: Member, now: datetime) -> list[str]:
    """Deposit what the session's events teach (an error that was overcome, one that kept coming back) as drafts, and
    return their references.

    A repeated call changes nothing more.
    """
    fields = ("kind", "at", "path", "command", "outcome", "template", "error")
    rows = SessionEvent.objects.filter(session=session).in_order()
    learned = lessons([RecordedEvent(*row) for row in rows.values_list(*fields)])
    if not learned:
        return []
    drafts = [_draft_of(session, lesson) for lesson in learned]
    done = deposit_many(drafts=drafts, by=replace(by, session=session.key), now=now)
    return [one.insight.ref for one in done if isinstance(one, Deposited)]


def _joined(before: dict[str, Any], name: str, found: Sequence[str]) -> list[str]:
    return keep_each([*before.get(name, ()), *found], LONGEST_LINE)[:MOST_KEPT]


def _decided(
    session: AgentSession, found: Sequence[Decision], team: str, by: Member, now: datetime
) -> list[dict[str, Any]]:
    """Return all decisions of the session, each once, with the reference of the insight it became."""
    decided = {one["statement"]: one for one in session.digest.get("decisions", ())}
    new = [one for one in found if one.statement not in decided]
    for one in new:
        decided[one.statement] = {
            "statement": one.statement,
            "reasoning": one.reasoning,
            "sureness": one.sureness.value,
            "quote": keep(one.quote, LONGEST_SAID),
            "ref": None,
        }
    # A decision without a reason, or with next to no content, is shown to the next session and not deposited.
    reasoned = [one for one in new if one.reasoning and _tells(one)]
    drafts = [_decision(session, one, team) for one in reasoned]
    done = deposit_many(drafts=drafts, by=replace(by, session=session.key), now=now) if drafts else []
    for one, result in zip(reasoned, done, strict=True):
        if isinstance(result, Refused):
            logger.warning("A decision of %s was not deposited: %s", session.ref, result.message)
        else:
            decided[one.statement]["ref"] = result.insight.ref
    return list(decided.values())


def _tells(found: Decision) -> bool:
    return quality(derive_title(found.statement), found.statement, found.reasoning).total >= GATE


def _decision(session: AgentSession, found: Decision, team: str) -> Draft:
    said = parse_datetime(found.where.at) if found.where.at else None
    return Draft(
        kind=Kind.DECISION,
        body=found.statement,
        reasoning=found.reasoning,
        repo=session.repo,
        team=team,
        source_type=Source.TRANSCRIPT,
        source_date=said if said and said.tzinfo else None,
        idempotency_key=_once(session, "decision", found.statement),
    )


def _draft_of(session: AgentSession, lesson: Lesson) -> Draft:
    return Draft(
        kind=Kind(lesson.kind),
        title=lesson.title,
        body=lesson.body,
        files=lesson.files,
        error=lesson.printed,
        repo=session.repo,
        team=session.team.slug,
        source_type=Source.AGENT,
        idempotency_key=_once(session, "event", lesson.error),
    )


def _once(session: AgentSession, what: str, text: str) -> str:
    """Return the idempotency key of something learned in a session, so that a retry or a later recovery finds it
    stored.
    """
    return f"{what}:{session.pk}:{hashlib.sha256(text.encode()).hexdigest()[:32]}"
