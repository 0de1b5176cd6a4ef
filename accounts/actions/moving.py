"""Stop and resume the writes to a team, and mark it as moved to another cell; steps of a move by vault.

Writes are stopped in two places. The permission check of a request refuses them (`Member.require`), and the database
refuses their log line (migration 0019), for requests that passed the check before the stop.
"""

from datetime import datetime
from urllib.parse import urlsplit

from django.db import transaction

from accounts.models import LogEntry, Team
from accounts.rules.refused import Refused
from accounts.rules.rights import Member, TeamKind

LONGEST_ADDRESS = 200


class NoSuchTeamToMove(Refused):
    code = "not_found"
    status = 404


class CannotMove(Refused):
    code = "cannot_move"
    status = 409


def stop_writes(*, slug: str, by: Member, now: datetime) -> Team:
    """Stop the writes to a team, and return it once no write is running any more. Repeating it changes nothing.

    Raises NoSuchTeamToMove, CannotMove.
    """
    with transaction.atomic():
        team = require_movable(slug)
        if team.writes_stopped_at is None:
            team.writes_stopped_at = now
            team.save(update_fields=["writes_stopped_at"])
            _log(team, "writes stopped", f"Writes to {team.name} stopped: it moves to another cell", by, now)
    # A separate transaction, which holds nothing that a write could wait for: writes that passed the check before its
    # end are waited for, and later ones see the stop.
    with transaction.atomic():
        Team.objects.all().wait_for_writes(team.pk)
    return team


def resume_writes(*, slug: str, by: Member, now: datetime) -> Team:
    """Resume reads and writes of a team that was stopped or marked as moved, and return it."""
    with transaction.atomic():
        team = _shared(slug)
        if team.writes_stopped_at is not None:
            was = {"moved_to": team.moved_to} if team.moved_to else {}
            team.writes_stopped_at, team.moved_to = None, ""
            team.save(update_fields=["writes_stopped_at", "moved_to"])
            _log(team, "writes resumed", f"{team.name} is read and written to here again", by, now, before=was)
    return team


def mark_moved(*, slug: str, address: str, by: Member, now: datetime) -> Team:
    """Mark a team as moved: every call about it is answered with `address`. Nothing of it is deleted. Return the team.

    Raises NoSuchTeamToMove, CannotMove while it still accepts writes, or for an invalid address.
    """
    require_address(address)
    with transaction.atomic():
        team = _shared(slug)
        if team.writes_stopped_at is None:
            raise CannotMove(f"The team {slug} still takes writes, which would be lost: stop them first.")
        if team.moved_to != address:
            team.moved_to = address
            team.save(update_fields=["moved_to"])
            _log(team, "team moved", f"{team.name} moved to {address}", by, now, after={"moved_to": address})
    return team


def require_movable(slug: str) -> Team:
    """Return the team, if it is shared and has not moved. Raises NoSuchTeamToMove, CannotMove."""
    with transaction.atomic():
        team = _shared(slug)
    if team.moved_to:
        raise CannotMove(f"The team {team.slug} moved to {team.moved_to} already.")
    return team


def require_address(address: str) -> None:
    """Raise CannotMove if it is not the address of a cell."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or len(address) > LONGEST_ADDRESS:
        raise CannotMove(f"The address of a cell begins with https:// and has at most {LONGEST_ADDRESS} characters.")


def teams_in_motion() -> list[Team]:
    """Return the teams that are stopped or moved, by name."""
    return list(Team.objects.filter(writes_stopped_at__isnull=False).order_by("slug"))


def _shared(slug: str) -> Team:
    """Return the team, locked until the end of the transaction."""
    team = Team.objects.select_for_update(no_key=True).filter(slug=slug).first()
    if team is None:
        raise NoSuchTeamToMove(f"There is no team {slug} in this cell.")
    if team.kind != TeamKind.SHARED:
        raise CannotMove(f"{slug} is not a shared team: personal teams and `everyone` stay in their cell.")
    return team


def _log(team: Team, verb: str, line: str, by: Member, now: datetime, **more: dict[str, str]) -> None:
    LogEntry.write(team_id=team.pk, verb=verb, line=line, by=by, at=now, **more)
