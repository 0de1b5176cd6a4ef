"""Forget a person: erase their own data and their name, in every app."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.actions.anonymise import anonymise, refuse_last_lead, session_keys
from accounts.models import LogEntry, Team, User
from accounts.rules.refused import NotFound
from accounts.rules.rights import SYSTEM, TeamKind
from knowledge.evidence.actions.clear_author import clear_searches
from knowledge.review.actions.clear_author import clear_author, still_named
from sessions_app.conversations.actions.forget import forget_conversations_of
from sessions_app.models import AgentSession, Coached, CodeIndex, Handoff, SessionEvent, SurfaceDecision
from skills.actions.clear_author import clear_skill_author


@dataclass(frozen=True)
class Gone:
    """How many rows changed or went, by what they are; `named`: what still has their name in its words."""

    counts: dict[str, int]
    named: list[str]


def forget_person(*, username: str, now: datetime) -> Gone:
    """Anonymise a person for good: their own team is erased, what they gave to others no longer says from whom.

    All in one transaction. Raises NotFound, StillLeads.
    """
    with transaction.atomic():
        user = User.objects.select_for_update(no_key=True).filter(username=username).first()
        if user is None:
            raise NotFound(f"There is no account '{username}'.")
        refuse_last_lead(user)
        named = list(still_named(user).values_list("ref", flat=True))
        sessions = session_keys(user)
        counts = Counter(clear_skill_author(user=user, sessions=sessions))
        counts.update(clear_author(user=user, sessions=sessions))
        counts.update(clear_searches(user=user))
        counts.update(_erase_sessions(user, now))
        counts.update(anonymise(user=user, now=now))
        everyone = Team.objects.get(kind=TeamKind.EVERYONE)
        line = f"Account {user.pk} forgotten"
        LogEntry.write(team_id=everyone.pk, verb="person forgotten", line=line, by=SYSTEM, at=now, after=dict(counts))
    return Gone(dict(counts), named)


def _erase_sessions(user: User, now: datetime) -> dict[str, int]:
    """What their agents were asked, said and did goes; of handoffs the files stay, for anyone who goes on with the
    work.
    """
    mine = AgentSession.objects.filter(user=user)
    # Their lines name the machine.
    LogEntry.objects.filter(subject__in=[session.ref for session in mine]).update(before={}, after={})
    counts = {"events": SessionEvent.objects.filter(session__in=mine).delete()[0]}
    counts["sessions"] = mine.update(
        prompt="",
        topic="",
        machine="",
        branch="",
        token=None,
        said={},
        digest={},
        checkout="",
        agent_session="",
        uncommitted={},
    )
    counts["passages"] = forget_conversations_of(user.pk, now=now)
    counts["prompts"] = SurfaceDecision.objects.filter(user=user).delete()[0]
    Coached.objects.filter(user=user).delete()
    CodeIndex.objects.filter(uploaded_by=user).update(uploaded_by=None)
    Handoff.objects.filter(acknowledged_by=user).update(acknowledged_by=None)
    AgentSession.objects.filter(team__owner=user).delete()
    return counts
