"""Let at most so many calls be under way at once in one web process; where more wait, teams take turns.

A rate limit bounds what a team uses in a minute. It does not keep sixteen calls of one team at once from sharing a
process with one call of another, which then takes many times as long: all of them share one interpreter. So the call
that goes next is the first of the team that has the fewest under way. A team that is alone has all turns.
"""

import threading
from collections import Counter, deque
from typing import NamedTuple

from django.db import connection

# Seconds that a call waits before it is refused. A question takes 20 to 60 ms; a client gives up after ten seconds.
PATIENCE = 8.0


class WaitingCall(NamedTuple):
    """A call that waits: of which team, and what it is woken by."""

    team_id: int
    turn: threading.Event


class Turns:
    """The turns of one web process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: Counter[int] = Counter()
        self._waiting: deque[WaitingCall] = deque()

    def take(self, *, team_id: int, most: int) -> bool:
        """Whether the call may go on, at once or after it has waited. It is to be ended with `give_back`."""
        with self._lock:
            if self._under_way.total() < most and not self._waiting:
                self._under_way[team_id] += 1
                return True
            mine = WaitingCall(team_id, threading.Event())
            self._waiting.append(mine)
        if not connection.in_atomic_block:
            connection.close()  # back into the pool: a call that waits holds nothing that others need
        if mine.turn.wait(PATIENCE):
            return True
        with self._lock:
            if mine.turn.is_set():  # meanwhile
                return True
            self._waiting.remove(mine)
            return False

    def give_back(self, team_id: int) -> None:
        """The call has ended: the next one that waits goes on."""
        with self._lock:
            self._under_way[team_id] -= 1
            if not self._waiting:
                return
            one = min(self._waiting, key=lambda waiting: self._under_way[waiting.team_id])
            self._waiting.remove(one)
            self._under_way[one.team_id] += 1
            one.turn.set()


turns = Turns()
