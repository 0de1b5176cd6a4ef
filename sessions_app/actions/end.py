"""Checkpoint and end: what a session says of itself, and the handoff that is made of it.

Both are best effort. Whatever they would have said and did not is recovered from the record by the next start.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.rules.rights import PERSONAL, Member
from sessions_app.actions.session_lookup import own_session, require_open
from sessions_app.conversations.actions import write as conversation
from sessions_app.conversations.actions.cite import cite_decisions
from sessions_app.handoffs.actions.hand_over import give_back, hand_over
from sessions_app.models import AgentSession, Handoff
from sessions_app.models.session import SAID_THERE
from sessions_app.rules.stored_text import keep, keep_each, keep_line
from sessions_app.rules.vocabulary import HandoffState, SessionState
from sessions_app.transcripts.actions.harvest import harvest_events, harvest_transcript
from sessions_app.transcripts.rules.said import split_summary
from sessions_app.transcripts.rules.turn import Turn

# A handoff is read at the beginning of a session: a page at most.
LONGEST_SUMMARY = 4_000
LONGEST_ITEM = 1_000
LONGEST_ASKED, LONGEST_MESSAGE, LONGEST_PATH = 1_500, 1_500, 400


@dataclass(frozen=True)
class SessionWords:
    """What the agent says, as it came; `at` the moment it said so, if it is sent later.

    `asked` is its user's first prompt; `uncommitted` the paths that are in no commit, None if the client did not look;
    `branch` the one it is on by now, if that is told.
    """

    summary: str = ""
    handoff_note: str = ""
    pending: Sequence[str] = ()
    blockers: Sequence[str] = ()
    transcript: Sequence[Turn] = ()
    asked: str = ""
    last_message: str = ""
    uncommitted: Sequence[str] | None = None
    branch: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class HandedOver:
    """`handoff` is None if there was nothing at all to hand over; `promoted` are the drafts made of events."""

    session: AgentSession
    handoff: Handoff | None
    decisions: list[dict[str, Any]]
    promoted: tuple[str, ...] = ()


def checkpoint(*, name: str, words: SessionWords, by: Member, now: datetime) -> HandedOver:
    """Write a provisional handoff, before a compaction or whenever much was done. It may be sent again at any time.

    Raises NotFound, NotAllowed, SessionEnded.
    """
    session = own_session(name=name, by=by)
    require_open(session)
    told = _read_transcript(session, words, by, now)
    passages = conversation.prepare(session=session, turns=words.transcript)
    with transaction.atomic():
        session = own_session(name=name, by=by, lock=True)
        require_open(session)
        at = _moment(session, words, now)
        session.see(by=by, at=at)
        said_at = _say(session, words, told, at)
        conversation.write(session=session, prepared=passages, now=now)
        cite_decisions(session=session, decisions=told.get("decisions", ()), now=now)
        late = session.state == SessionState.ABANDONED
        state = HandoffState.RECOVERED if late else HandoffState.PROVISIONAL
        handoff = hand_over(session=session, state=state, as_of=said_at, by=by, now=now, heard=late)
    return HandedOver(session, handoff, told.get("decisions", []))


def end(*, name: str, words: SessionWords, by: Member, now: datetime) -> HandedOver:
    """End a session, with its handoff. Ended again it takes what is new; a retry changes nothing.

    What its events taught is deposited as drafts. Raises NotFound, NotAllowed.
    """
    session = own_session(name=name, by=by)
    told = _read_transcript(session, words, by, now)
    promoted = harvest_events(session=session, by=by, now=now)
    passages = conversation.prepare(session=session, turns=words.transcript)
    with transaction.atomic():
        session = own_session(name=name, by=by, lock=True)
        at = session.ended_at if session.state == SessionState.ENDED else _moment(session, words, now)
        assert at is not None
        _say(session, words, told, at)
        conversation.write(session=session, prepared=passages, now=now)
        cite_decisions(session=session, decisions=told.get("decisions", ()), now=now)
        late = session.was_given_up_after(at)
        if session.state != SessionState.ENDED:
            session.see(by=by, at=at)
            session.close(SessionState.ENDED, by=by, at=at)
        handoff = hand_over(session=session, state=HandoffState.CLEAN, as_of=at, by=by, now=now, heard=late)
        if handoff is None:
            give_back(session=session, by=by, now=now)
    return HandedOver(session, handoff, told.get("decisions", []), tuple(promoted))


def _read_transcript(session: AgentSession, words: SessionWords, by: Member, now: datetime) -> dict[str, Any]:
    if not words.transcript:
        return session.digest
    team = PERSONAL if conversation.is_kept_to_oneself(session) else ""
    return harvest_transcript(session=session, turns=words.transcript, by=by, now=now, team=team)


def _moment(session: AgentSession, words: SessionWords, now: datetime) -> datetime:
    """When it was said: not after now, and not before the session began."""
    return max(min(words.at or now, now), session.started_at)


def _say(session: AgentSession, words: SessionWords, told: dict[str, Any], at: datetime) -> datetime:
    """Keep what was said; what was left unsaid this time stands as it was said before. The moment of the last word.

    A retry may arrive behind what was said after it: then it tells only what that left unsaid.
    """
    if session.conversation_forgotten_at:
        told = session.digest  # it may have been forgotten while the transcript was read
    parted = split_summary(words.summary)
    new = {
        "summary": keep(parted.summary, LONGEST_SUMMARY),
        "note": keep(words.handoff_note, LONGEST_SUMMARY),
        "pending": keep_each(words.pending, LONGEST_ITEM),
        "blockers": keep_each(words.blockers, LONGEST_ITEM),
        "asked": keep(words.asked or parted.asked, LONGEST_ASKED),
        "last_message": keep(words.last_message or parted.last_message, LONGEST_MESSAGE),
    }
    left_out = SAID_THERE if session.conversation_forgotten_at else ()
    new = {name: value for name, value in new.items() if value and name not in left_out}
    last = datetime.fromisoformat(session.said["at"]) if session.said.get("at") else at
    if at < last:
        session.said = {**new, **session.said}
        session.digest = session.digest or told
    else:
        session.said = {**session.said, **new, "at": at.isoformat()} if new else session.said
        session.digest = told
        if words.uncommitted is not None:
            session.uncommitted = {"paths": keep_each(words.uncommitted, LONGEST_PATH), "at": at.isoformat()}
        session.branch = keep_line(words.branch, 200) or session.branch
    session.save(update_fields=["said", "digest", "uncommitted", "branch"])
    return max(at, last)
