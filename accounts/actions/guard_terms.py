"""The secret allowlist of a team: terms that look like a secret and are none."""

from datetime import datetime

from django.db import transaction

from accounts.models import GuardTerm, Team
from accounts.querysets import GuardTermQuerySet
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotFound, Stale
from accounts.rules.rights import Level, Member


def reviewed_terms(*, by: Member) -> GuardTermQuerySet:
    """Return the terms of the teams the member leads, newest first. Nobody else needs to read what looks like a
    secret.
    """
    led = [team.id for team in by.teams if by.may(team.id, Level.LEAD)]
    return GuardTerm.objects.filter(team_id__in=led).select_related("team", "added_by").order_by("-added_at", "-pk")


def allow_term(
    *,
    team: str,
    term: str,
    reason: str,
    by: Member,
    now: datetime,
    carefully: bool = False,
    read_at: datetime | None = None,
) -> tuple[GuardTerm, bool]:
    """Add a term to the allowlist of one team; return it, and whether it is new. Only for leads. `carefully`: overwrite
    another lead's reason only if it is unchanged since `read_at`.

    Raises NoSuchTeam on `team`, NotAllowed, Stale.
    """
    access = by.named(team)
    by.require(access.id, Level.LEAD)
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=access.id)
        there = GuardTerm.objects.filter(team_id=access.id, term=term.strip()).first()
        theirs = there and there.added_by_id != by.user_id and there.reason != masked(reason)
        if carefully and there and theirs and there.added_at != read_at:
            raise Stale(errors={"reason": [f"Already allowed: {there.reason}"]})
        return GuardTerm.allow(team_id=access.id, term=term.strip(), reason=masked(reason), by=by, at=now)


def withdraw_term(
    *, term_id: int, by: Member, now: datetime, reason: str = "", read_at: datetime | None = None
) -> None:
    """Remove a term from the allowlist. Only for leads. `read_at`: its `added_at` when it was read. Raises NotFound,
    NotAllowed, Stale.
    """
    with transaction.atomic():
        row = GuardTerm.objects.visible_to(by).filter(pk=term_id).select_for_update(no_key=True).first()
        if row is None:
            raise NotFound
        by.require(row.team_id, Level.LEAD)
        if read_at and row.added_at != read_at:
            raise Stale(errors={"reason": [f"Allowed again: {row.reason}"]})
        row.withdraw(by=by, at=now, why=masked(reason))
