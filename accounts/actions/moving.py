"""Stop and resume the writes to a team, and mark it as moved to another cell: what its move by a vault is made of.

Writes are stopped at two places. The rights of a request refuse them (`Member.require`), and the log refuses their line
in the database (migration 0019), for requests that were let in before the stop.
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
    """The team, which takes no writes from now on; again: as it is. Ends when no write is under way any more.

    Raises NoSuchTeamToMove, CannotMove.
    """
    with transaction.atomic():
        team = require_movable(slug)
        if team.writes_stopped_at is None:
            team.writes_stopped_at = now
            team.save(update_fields=["writes_stopped_at"])
            _log(team, "writes stopped", f"Writes to {team.name} stopped: it moves to another cell", by, now)
    # A transaction of its own, which holds nothing else that a write could wait for: what has looked before that end is
    # waited for, and what looks later sees it.
    with transaction.atomic():
        Team.objects.all().wait_for_writes(team.pk)
    return team


def resume_writes(*, slug: str, by: Member, now: datetime) -> Team:
    """The team, which is read and written to here again, whether it was stopped or marked as moved."""
    with transaction.atomic():
        team = _shared(slug)
        if team.writes_stopped_at is not None:
            was = {"moved_to": team.moved_to} if team.moved_to else {}
            team.writes_stopped_at, team.moved_to = None, ""
            team.save(update_fields=["writes_stopped_at", "moved_to"])
            _log(team, "writes resumed", f"{team.name} is read and written to here again", by, now, before=was)
    return team


def mark_moved(*, slug: str, address: str, by: Member, now: datetime) -> Team:
    """The team, of which every call is told from now on that it is at `address`. Nothing of it is deleted.

    Raises NoSuchTeamToMove, CannotMove while it still takes writes, or for an address that is none.
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
    """The team, if it is shared and has not moved. Raises NoSuchTeamToMove, CannotMove."""
    with transaction.atomic():
        team = _shared(slug)
    if team.moved_to:
        raise CannotMove(f"The team {team.slug} moved to {team.moved_to} already.")
    return team


def require_address(address: str) -> None:
    """Raise CannotMove for what is no address of a cell."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or len(address) > LONGEST_ADDRESS:
        raise CannotMove(f"The address of a cell begins with https:// and has at most {LONGEST_ADDRESS} characters.")


def teams_in_motion() -> list[Team]:
    """Those that are stopped or moved, by name."""
    return list(Team.objects.filter(writes_stopped_at__isnull=False).order_by("slug"))


def _shared(slug: str) -> Team:
    """Held until the end of the transaction."""
    team = Team.objects.select_for_update(no_key=True).filter(slug=slug).first()
    if team is None:
        raise NoSuchTeamToMove(f"There is no team {slug} in this cell.")
    if team.kind != TeamKind.SHARED:
        raise CannotMove(f"{slug} is not a shared team: personal teams and `everyone` stay in their cell.")
    return team


def _log(team: Team, verb: str, line: str, by: Member, now: datetime, **more: dict[str, str]) -> None:
    LogEntry.write(team_id=team.pk, verb=verb, line=line, by=by, at=now, **more)
