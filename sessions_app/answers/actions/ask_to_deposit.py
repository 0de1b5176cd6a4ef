"""Ask to deposit: an agent is asked once, before it stops, to deposit what was decided, while it still knows."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.rules.rights import Member
from knowledge.models import Corroboration, Insight
from knowledge.rules.vocabulary import Source
from sessions_app.actions.session_lookup import own_session
from sessions_app.answers.rules.asking import FINAL, SessionStanding, question, why_not
from sessions_app.answers.rules.calls import Interface
from sessions_app.models import AgentSession, SessionEvent
from sessions_app.rules.vocabulary import CHANGES


@dataclass(frozen=True)
class QuestionBeforeStop:
    """`text` is the line for the agent, empty if it is not asked; `reason` says why not, and `final` for good."""

    text: str
    reason: str
    final: bool


def ask_to_deposit(
    *, name: str, by: Member, now: datetime, changed: bool = False, via: Interface
) -> QuestionBeforeStop:
    """Return the question for a session's agent, at most once. `changed`: its client saw an edit whose event may not
    have arrived yet.

    Raises NotFound, NotAllowed.
    """
    with transaction.atomic():
        session = own_session(name=name, by=by, lock=True)
        asked = session.deposit_asked_at is not None
        changes = changed or _decided(session) or _edited(session)
        why = why_not(SessionStanding(by.asks_to_deposit, asked, _deposited(session), changes))
        if why:
            return QuestionBeforeStop("", why, why in FINAL)
        session.set_deposit_asked(at=now)
    return QuestionBeforeStop(question(session.key, via), "", True)


def _deposited(session: AgentSession) -> bool:
    """Return whether the session's agent has deposited anything; drafts read from its transcript do not count."""
    rows = [model.objects.filter(session_key=session.key) for model in (Insight, Corroboration)]
    return any(found.exclude(source_type__in=(Source.TRANSCRIPT, Source.SAID)).exists() for found in rows)


def _decided(session: AgentSession) -> bool:
    return bool(session.digest.get("decisions"))


def _edited(session: AgentSession) -> bool:
    return SessionEvent.objects.filter(session=session, kind__in=CHANGES).exists()
