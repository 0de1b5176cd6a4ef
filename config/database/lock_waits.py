"""Short waits for locks, for a transaction that can be made again and must not hold up others.

A lock that is waited for stops everybody who comes behind, and two that wait for each other make PostgreSQL end one of
them: the one whose wait reaches `deadlock_timeout` (1 s) first. Who gives up before that is hardly ever the reason that
another one is ended.
"""

from collections.abc import Callable
from typing import Any

import psycopg
from django.db import OperationalError

# Milliseconds of each try: short ones, and every tenth long enough for autovacuum, which gives way to who has waited
# for `deadlock_timeout`.
SHORT, LONG = 200, 1_500
WAITS = (*([SHORT] * 9), LONG) * 10
# Seconds between the tries: with the waits three minutes in all, longer than a request or a statement of a job lasts.
PAUSES = [min(0.1 * number, 2.0) for number in range(1, len(WAITS))]

Execute = Callable[[Any, Any, bool, dict[str, Any]], Any]


def wait_briefly(longest: Callable[[], int | None]) -> Callable[..., Any]:
    """Return a wrapper for `connection.execute_wrapper`: each statement in a transaction waits at most so many
    milliseconds for a lock, or as long as it must where `longest` gives None. It holds for the transaction alone:
    behind PgBouncer the connection is another's next.
    """

    def with_short_wait(execute: Execute, sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
        connection = context["connection"]
        if connection.in_atomic_block and (wait := longest()) is not None:
            # Not by the cursor at hand: it may be one of the server's, which declares a query.
            connection.connection.execute(f"SET LOCAL lock_timeout = {wait}")
        return execute(sql, params, many, context)

    return with_short_wait


def is_lock_refused(error: OperationalError) -> bool:
    """Whether a lock was not given in time, or was waited for in a circle."""
    return isinstance(error.__cause__, psycopg.errors.LockNotAvailable | psycopg.errors.DeadlockDetected)
