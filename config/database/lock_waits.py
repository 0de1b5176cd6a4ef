"""Short lock waits, for a transaction that can be retried and must not block others.

Waiting for a lock blocks everybody who asks for it later. If two transactions wait for each other, PostgreSQL ends the
one that first waits for `deadlock_timeout` (1 s). A transaction that gives up earlier hardly ever causes another one to
be ended.
"""

from collections.abc import Callable
from typing import Any

import psycopg
from django.db import OperationalError

# Milliseconds per attempt. Most are short; every tenth is long enough for autovacuum, which yields to one that has
# waited for `deadlock_timeout`.
SHORT, LONG = 200, 1_500
WAITS = (*([SHORT] * 9), LONG) * 10
# Seconds between attempts. With the waits it is three minutes in all, longer than any request or statement of a job.
PAUSES = [min(0.1 * number, 2.0) for number in range(1, len(WAITS))]

Execute = Callable[[Any, Any, bool, dict[str, Any]], Any]


def wait_briefly(longest: Callable[[], int | None]) -> Callable[..., Any]:
    """Return a wrapper for `connection.execute_wrapper`. Each statement in a transaction waits for a lock at most
    `longest()` milliseconds, or without a limit if that is None. The limit holds for the transaction only, because
    behind PgBouncer the connection is reused by others.
    """

    def with_short_wait(execute: Execute, sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
        connection = context["connection"]
        if connection.in_atomic_block and (wait := longest()) is not None:
            # Not with the given cursor, which may be a server-side one that declares a query.
            connection.connection.execute(f"SET LOCAL lock_timeout = {wait}")
        return execute(sql, params, many, context)

    return with_short_wait


def is_lock_refused(error: OperationalError) -> bool:
    """Return whether a lock was not granted in time, or the transaction was part of a deadlock."""
    return isinstance(error.__cause__, psycopg.errors.LockNotAvailable | psycopg.errors.DeadlockDetected)
