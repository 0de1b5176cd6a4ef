"""Let at most so many calls of a team be under way at once in one web process; the next wait for their turn.

A rate limit bounds what a team uses in a minute. It does not keep sixteen calls at once from sharing a process with one
call of another team, which then takes many times as long: all of them share one interpreter. How much a limit helps is
measured (docs/operations/measured.md).
"""

import threading

from django.db import connection

# Seconds that a call waits before it is refused. A question takes 20 to 60 ms; a client gives up after ten seconds.
PATIENCE = 5.0

_turns: dict[tuple[int, int], threading.BoundedSemaphore] = {}
_lock = threading.Lock()


def take_turn(*, team_id: int, most: int) -> threading.BoundedSemaphore | None:
    """Return the turn once there is one, to be released at the end of the call; None where none came in time."""
    with _lock:
        turns = _turns.setdefault((team_id, most), threading.BoundedSemaphore(most))
    if turns.acquire(blocking=False):
        return turns
    if not connection.in_atomic_block:
        connection.close()  # back into the pool: whoever waits holds nothing that others need
    return turns if turns.acquire(timeout=PATIENCE) else None
