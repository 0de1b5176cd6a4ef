"""Invite people to a team by a link, and join by one."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from accounts.models import Invitation, InvitationUse, Membership, Team
from accounts.rules.invitations import LEVELS, MOST_OPEN, MOST_USES, InvitationState, digest_of, new_secret
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member, TeamAccess, TeamKind


class BadInvitation(Refused):
    detail = "The invitation was not created."


class NotToInviteTo(Refused):
    detail = "Nobody can be invited to this team: its members are fixed."


class InvitationOver(Refused):
    """Unknown, expired, used up or revoked, or its author no longer leads the team: the error is the same for all."""

    code = "invitation_over"
    status = 410
    detail = "This invitation is no longer valid. Ask the sender for a new one."


@dataclass(frozen=True)
class Invited:
    """The stored invitation, and its secret, which is shown once."""

    invitation: Invitation
    secret: str


@dataclass(frozen=True)
class InvitationOffer:
    """What a link offers to somebody who has it."""

    team_id: int
    team_slug: str
    team_name: str
    level: str
    by: str
    expires_at: datetime


@dataclass(frozen=True)
class JoinedTeam:
    """`new`: False if they were a member already; their level does not change then."""

    team_slug: str
    team_name: str
    level: str
    new: bool


def invite(*, team_slug: str, level: Level, uses: int, days: int, by: Member, now: datetime) -> Invited:
    """Create a link for this number of people and days. Only for leads.

    Raises NotFound, NotAllowed, NotToInviteTo, BadInvitation on `level`, `uses`, `days` or `team`.
    """
    access = _led(team_slug, by)
    faults = _faults(level, uses, days)
    if faults:
        raise BadInvitation(errors=faults)
    secret = new_secret()
    with transaction.atomic():
        # Two concurrent calls could otherwise exceed the limit by one.
        Team.objects.select_for_update(no_key=True).get(pk=access.id)
        if Invitation.objects.filter(team_id=access.id).open(now).count() >= MOST_OPEN:
            raise BadInvitation(errors={"team": [f"There are {MOST_OPEN} open links already. Revoke some first."]})
        row = Invitation(
            team_id=access.id,
            level=level,
            digest=digest_of(secret),
            max_uses=uses,
            expires_at=now + timedelta(days=days),
        )
        row.add(by=by, at=now)
    return Invited(row, secret)


def revoke_invitation(*, team_slug: str, invitation_id: int, by: Member, now: datetime) -> Invitation:
    """Revoke an invitation: nobody can join by it from now on. Repeating it changes nothing. Raises NotFound,
    NotAllowed.
    """
    access = _led(team_slug, by)
    with transaction.atomic():
        rows = Invitation.objects.visible_to(by).filter(team_id=access.id, pk=invitation_id)
        row = rows.select_for_update(no_key=True).first()
        if row is None:
            raise NotFound
        if row.revoked_at is None:
            row.revoke(by=by, at=now)
    return row


def offered(*, digest: str, now: datetime) -> InvitationOffer | None:
    """Return what the link of that digest offers now; None if nobody can join by it."""
    row = Invitation.objects.all().with_digest(digest)
    if row is None or not _lets_in(row, now):
        return None
    team = row.team
    return InvitationOffer(
        team.pk, team.slug, team.name, row.get_level_display(), row.created_by.username, row.expires_at
    )


def join(*, digest: str, by: Member, now: datetime) -> JoinedTeam:
    """Join the team of the link. For a member nothing changes, and no use is counted.

    Raises InvitationOver, also for somebody who joined by this link before and was removed since.
    """
    with transaction.atomic():
        row = Invitation.objects.all().with_digest(digest, lock=True)
        if row is None or not _lets_in(row, now):
            raise InvitationOver
        mine = Membership.objects.filter(team_id=row.team_id, user_id=by.user_id).first()
        if mine is None:
            if InvitationUse.objects.filter(invitation=row, user_id=by.user_id).exists():
                raise InvitationOver
            row.admit(by=by, at=now)
    level = mine.get_level_display() if mine else row.get_level_display()
    return JoinedTeam(row.team.slug, row.team.name, level, new=mine is None)


def _lets_in(row: Invitation, now: datetime) -> bool:
    """Return whether it is open, and its author could still invite people."""
    if row.state(now, row.uses.count()) is not InvitationState.OPEN or row.team.kind != TeamKind.SHARED:
        return False
    return Membership.objects.has_lead(row.team_id, row.created_by)


def _led(team_slug: str, by: Member) -> TeamAccess:
    access = next((team for team in by.teams if team.slug == team_slug), None)
    if access is None:
        raise NotFound
    by.require(access.id, Level.LEAD)
    if access.kind is not TeamKind.SHARED:
        raise NotToInviteTo
    return access


def _faults(level: Level, uses: int, days: int) -> dict[str, list[str]]:
    errors: dict[str, list[str]] = {}
    if level not in LEVELS:
        errors["level"] = ["A link invites readers or contributors. Add a lead by name."]
    if not 1 <= uses <= MOST_USES:
        errors["uses"] = [f"From 1 to {MOST_USES}."]
    if not 1 <= days <= 30:
        errors["days"] = ["From 1 to 30."]
    return errors
