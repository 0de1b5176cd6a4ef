"""Anonymise a person: delete what accounts keep of them, or remove their name from it."""

import secrets
from collections.abc import Mapping
from datetime import datetime

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.db.models import F, TextField, Value
from django.db.models.functions import Replace

from accounts.models import ApiToken, GuardTerm, Invitation, InvitationUse, LogEntry, Membership, Preference, Team, User
from accounts.rules.refused import Refused
from accounts.rules.rights import Level, TeamKind

# The name in the log in place of theirs.
SOMEBODY = "somebody"
# Log lines that begin with, or quote, the name of the person they are about.
_ABOUT_PEOPLE = (
    "member set",
    "member removed",
    "member joined",
    "token issued",
    "token revoked",
    "handoff acknowledged",
    "handoff closed",
    "sessions shared",
    "sessions unshared",
    "assigned",
    "owner set",
)


class StillLeads(Refused):
    code = "last_lead"
    status = 409


def refuse_last_lead(user: User) -> None:
    """Raise StillLeads if nobody else leads one of their shared teams."""
    alone = [
        team.slug
        for team in Team.objects.filter(kind=TeamKind.SHARED, memberships__user=user, memberships__level=Level.LEAD)
        if Membership.objects.filter(team=team, level=Level.LEAD).count() < 2
    ]
    if alone:
        raise StillLeads(f"First make another member a lead of {', '.join(sorted(alone))}.")


def session_keys(user: User) -> Mapping[str, str]:
    """Return the keys of their sessions without a name, each with a random replacement.

    Distinct keys stay distinct: a team may know how many people corroborated something, but not who.
    """
    tokens = ApiToken.objects.filter(user=user).values_list("pk", flat=True)
    return {key: f"gone:{secrets.token_hex(8)}" for key in [f"user:{user.pk}", *(f"token:{pk}" for pk in tokens)]}


def anonymise(*, user: User, now: datetime) -> dict[str, int]:
    """Remove the person from accounts: name, addresses, password, tokens, memberships, personal team, log lines.

    The personal team must be empty. Returns the number of changed or deleted rows by kind. The row itself is kept
    without a name, so that its id is never given to somebody else.
    """
    name = user.username
    lines = LogEntry.objects.filter(user=user)
    counts = {"log lines": lines.update(user=None, token=None, actor=SOMEBODY)}
    named = LogEntry.objects.filter(verb__in=_ABOUT_PEOPLE, line__contains=name)
    renamed = Replace(F("line"), Value(name), Value(SOMEBODY), output_field=TextField())
    counts["log lines"] += named.update(line=renamed)
    LogEntry.objects.filter(actor__startswith=f"{name} (").update(actor=SOMEBODY)
    GuardTerm.objects.filter(added_by=user).update(added_by=None)
    Preference.objects.filter(changed_by=user).update(changed_by=None)
    Invitation.objects.filter(created_by=user).update(created_by=None)
    InvitationUse.objects.filter(user=user).update(user=None)
    Team.objects.filter(owner=user).delete()
    counts["memberships"] = Membership.objects.filter(user=user).delete()[0]
    counts["tokens"] = ApiToken.objects.filter(user=user).delete()[0]
    EmailAddress.objects.filter(user=user).delete()
    Authenticator.objects.filter(user=user).delete()
    user.username, user.email, user.first_name, user.last_name = f"forgotten-{user.pk}", "", "", ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.date_joined = now
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
    return counts
