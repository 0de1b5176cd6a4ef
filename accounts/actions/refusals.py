"""Log what a member tried and was refused, for the team's leads: Activity, action `refused`."""

import re
from datetime import datetime
from hashlib import sha256

from accounts.adapters.disk_space import lacking_room
from accounts.models import LogEntry, Tally
from accounts.rules.refused import REFUSED, Refused
from accounts.rules.rights import Member
from accounts.rules.throttle import day_of

# The first, tenth, hundredth … attempt of a day is logged, so that an agent in a loop does not fill the log, and no
# line has to be changed for the count.
TOLD_AT = frozenset(10**power for power in range(7))
# The most lines of one member in one team in a day, for a script that tries an action on every insight.
MOST_LINES = 100
_KEY = "refused:"
# A session's id is private to its user, so a URL is logged without it.
_SESSION = re.compile(r"loam-s-[\w-]{1,100}")


def log_refusal(*, error: Refused, call: str, by: Member, now: datetime) -> LogEntry | None:
    """Return the line written for a call that was refused in `error.team_id`; None if `log_attempt` writes none."""
    told = _SESSION.sub("{session}", call)
    return log_attempt(team_id=error.team_id, line=f"{told} refused: {error.message}", by=by, now=now)


def log_attempt(*, team_id: int, line: str, by: Member, now: datetime, act: str = "") -> LogEntry | None:
    """Return the line written to the log of the team that refused an action; None if the member is not in that team,
    the disk is nearly full, or the same line was written today. `act`: what makes two attempts equal, if not the line.

    The line belongs to the team, not to the insight it names, because the insight has not changed.
    """
    if by.access(team_id) is None or lacking_room():
        return None
    times = _count(f"{team_id}:{by.user_id}:{act or line}", now)
    if times not in TOLD_AT:
        return None
    lines = _count(f"{team_id}:{by.user_id}", now)
    if lines == 1:
        Tally.objects.filter(key__startswith=_KEY, window__lt=day_of(now)).delete()
    if lines > MOST_LINES:
        return None
    told = f"{line[:370]} ({times} times today)" if times > 1 else line
    if lines == MOST_LINES:
        told = f"More than {MOST_LINES - 1} refused attempts today; further ones are not listed"
    return LogEntry.write(team_id=team_id, verb=REFUSED, line=told, by=by, at=now)


def _count(what: str, now: datetime) -> int:
    """Return how often it was counted today by all processes, including this time."""
    return Tally.objects.all().add(_KEY + sha256(what.encode()).hexdigest()[:40], day_of(now), 1)
