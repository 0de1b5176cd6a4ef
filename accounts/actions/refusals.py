"""Log what a member was not allowed to do, where the team's leads see it."""

from datetime import datetime, timedelta

from accounts.adapters.disk_space import lacking_room
from accounts.models import LogEntry
from accounts.rules.refused import NotAllowed
from accounts.rules.rights import Member

REFUSED = "refused"
# One line for each member and call in this time: an agent in a loop does not bury the rest of the log.
ONCE_IN = timedelta(hours=1)


def log_refusal(*, error: NotAllowed, call: str, by: Member, now: datetime) -> LogEntry | None:
    """Return the line written to the log of the team that the act was refused in; None where the member is not of that
    team, or the same attempt stands there since less than an hour.

    The line is of the team, not of what `call` names: nothing happened to that.
    """
    if by.access(error.team_id) is None or lacking_room():
        return None
    line = f"{call} refused: {error.message}"[:400]
    same = LogEntry.objects.filter(team_id=error.team_id, verb=REFUSED, user_id=by.user_id, line=line)
    if same.filter(at__gt=now - ONCE_IN).exists():
        return None
    return LogEntry.write(team_id=error.team_id, verb=REFUSED, line=line, by=by, at=now)
