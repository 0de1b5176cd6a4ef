"""How many calls a key may make in a minute, counted for all processes at little cost.

Time is cut into windows of a minute. Each process counts its own calls, and adds them to a count that all share once
they are a twentieth of the limit. So between two looks a process knows the truth but for what the others have counted
since: with p processes at most (p - 1)/20 of the limit too much is let through, and of twenty calls one costs a
statement. Small limits (below 40) are looked at with each call, and are exact.

A window is forgotten at its end. Anyone who calls at its very end and then at the beginning of the next may call twice
the limit within moments: it bounds load, it is no fence.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from accounts.rules.rights import PERSONAL, Member, TeamAccess, TeamKind

SECONDS = 60
# The part of the limit that a process may count by itself. Larger: less exact with many processes; smaller: more
# statements. At 1/20 and a limit of 6,000 a statement for each 300 calls.
SHARE = 20


@dataclass
class CallCount:
    """What one process knows of one key: `known` calls of all when it last looked, and `own` of its own since."""

    window: int
    known: int = 0
    own: int = 0

    def over(self, limit: int) -> bool:
        """Whether one call more would be too many."""
        return self.known + self.own >= limit

    def due(self, limit: int) -> bool:
        """Whether its own calls are to be added to what all share."""
        return self.own >= max(1, limit // SHARE)


def window_of(now: datetime) -> int:
    return int(now.timestamp()) // SECONDS


def day_of(now: datetime) -> int:
    """The day, of UTC, as a number."""
    return int(now.timestamp()) // 86_400


def seconds_left(now: datetime) -> int:
    """Of the window, rounded up: at least 1."""
    return SECONDS - int(now.timestamp()) % SECONDS


def teams_charged(member: Member, named: Collection[str]) -> list[TeamAccess]:
    """Return the teams that a call counts for, by the slugs it names; else the personal one where there is no other."""
    shared = [team for team in member.teams if team.kind is TeamKind.SHARED]
    personal = [member.personal] if member.personal else []
    if personal and named and set(named) <= {PERSONAL, personal[0].slug}:
        return personal
    return [team for team in shared if team.slug in named] or shared or personal
