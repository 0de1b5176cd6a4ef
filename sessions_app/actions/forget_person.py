"""A person can be forgotten, in every app at once."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.actions.anonymise import anonymise, refuse_last_lead, session_keys
from accounts.models import LogEntry, Team, User
from accounts.rules.refused import NotFound
from accounts.rules.rights import SYSTEM, TeamKind
from knowledge.actions.disown import disown, still_named


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
        user = User.objects.select_for_update().filter(username=username).first()
        if user is None:
            raise NotFound(f"There is no account '{username}'.")
        refuse_last_lead(user)
        named = list(still_named(user).values_list("ref", flat=True))
        counts = Counter(disown(user=user, sessions=session_keys(user)))
        counts.update(anonymise(user=user, now=now))
        everyone = Team.objects.get(kind=TeamKind.EVERYONE)
        line = f"Account {user.pk} forgotten"
        LogEntry.write(team_id=everyone.pk, verb="person forgotten", line=line, by=SYSTEM, at=now, after=dict(counts))
    return Gone(dict(counts), named)
