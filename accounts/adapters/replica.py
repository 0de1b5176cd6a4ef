"""Reading from a standby of the database (DATABASE_REPLICA_URL) instead of the primary.

Within `reading` all statements of this thread go to the standby, whichever way they are made; within `primary` inside
it, to the primary again: what is written, and what must be as of now. A standby refuses every write itself.

It may be read by a caller when it has replayed two places of the primary's log:

- where the log was at some moment of the last DATABASE_REPLICA_STALENESS seconds; each process looks often enough.
  Whether a standby is behind as its primary is idle, cut off, or an hour late by intent makes no difference to this;
- where it was after the caller's last write, which is in the cache that all processes share.

Where one of them is not known, the primary is read.
"""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connections

ALIAS = "replica"
# Bytes of the log that a primary has written, and that a standby has replayed; NULL from a server that is no standby.
WRITTEN = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
REPLAYED = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint END"
# Seconds since the last replayed change was made; meaningful only if the standby is behind.
SECONDS_BEHIND = "SELECT extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::bigint"
# Seconds for which a standby that did not answer is not tried again: each attempt may wait for its connection.
REST = 5.0
# Seconds for which a look at the standby is valid, since another server may replace it, and seconds between two looks
# at one that is behind.
HOLDS, LOOK_AGAIN = 1.0, 0.02
# The number of looks at the primary within the staleness: what is known of it is older by the time between two looks.
SAMPLES = 5


def configured() -> bool:
    return ALIAS in connections.settings


@contextmanager
def reading() -> Iterator[None]:
    """Send all statements of this thread to the standby, whatever database alias they use."""
    usual, standby = connections[DEFAULT_DB_ALIAS], connections[ALIAS]
    kept = standby.execute_wrappers
    standby.execute_wrappers = usual.execute_wrappers  # code that counts statements counts these too
    _put(DEFAULT_DB_ALIAS, standby)
    _put(_PRIMARY, usual)
    try:
        yield
    finally:
        _put(DEFAULT_DB_ALIAS, usual)
        _put(_PRIMARY, None)
        standby.execute_wrappers = kept


@contextmanager
def primary() -> Iterator[None]:
    """Within `reading`, send the statements in here to the primary; elsewhere it changes nothing."""
    usual = getattr(connections._connections, _PRIMARY, None)  # type: ignore[attr-defined]
    if usual is None:
        yield
        return
    standby = connections[DEFAULT_DB_ALIAS]
    _put(DEFAULT_DB_ALIAS, usual)
    try:
        yield
    finally:
        _put(DEFAULT_DB_ALIAS, standby)


# A name beside Django's own connections of this thread, which none of them has.
_PRIMARY = "_primary_while_reading"


def _put(name: str, wrapper: Any) -> None:
    setattr(connections._connections, name, wrapper)  # type: ignore[attr-defined]


class Freshness:
    """What one process knows of how far the standby is."""

    def __init__(self) -> None:
        self._lock, self._sampler = Lock(), Lock()
        self._samples: deque[tuple[float, int]] = deque()
        self._replayed = 0
        self._looked = self._failed = float("-inf")

    def is_enough(self, wrote: int | None) -> bool:
        """Return whether the standby may be read now by a caller whose last write ended at `wrote`; None: unknown."""
        now = time.monotonic()
        if wrote is None or now - self._failed < REST:
            return False
        try:
            needed = max(wrote, self._recent(now))
        except (DatabaseError, InterfaceError):  # the primary is down; the following read reports it
            return False
        if self._replayed >= needed and now - self._looked < HOLDS:
            return True
        if now - self._looked < LOOK_AGAIN:
            return False
        self._looked = now
        try:
            found = ask(ALIAS, REPLAYED)
        except (DatabaseError, InterfaceError):
            self.failed()
            return False
        self._replayed = found or 0
        return self._replayed >= needed

    def failed(self) -> None:
        """Record that the standby did not answer: it is not used for a while, and what was known of it is discarded,
        because another server may replace it.
        """
        self._failed, self._replayed = time.monotonic(), 0

    def _recent(self, now: float) -> int:
        """Return the log position at the oldest look within the staleness."""
        oldest = now - settings.DATABASE_REPLICA_STALENESS
        with self._lock:
            while self._samples and self._samples[0][0] < oldest:
                self._samples.popleft()
            known = self._samples[0][1] if self._samples else None
            due = known is None or now - self._samples[-1][0] > settings.DATABASE_REPLICA_STALENESS / SAMPLES
        # One thread looks again; the others use the last result.
        if not due or (known is not None and not self._sampler.acquire(blocking=False)):
            return known or 0
        try:
            written = ask(DEFAULT_DB_ALIAS, WRITTEN) or 0
        finally:
            if known is not None:
                self._sampler.release()
        with self._lock:
            self._samples.append((now, written))
        return written if known is None else known


def ask(alias: str, statement: str) -> int | None:
    with connections[alias].cursor() as cursor:
        cursor.execute(statement)
        (found,) = cursor.fetchone()
    return None if found is None else int(found)


freshness = Freshness()
