"""The state of PostgreSQL's write-ahead log: the archive, what holds the log back, and who streams it.

Any role may read all of it, except how far a standby is, which needs pg_monitor (docs/operations/scale.md).
"""

import re
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

ARCHIVE = """
SELECT current_setting('archive_mode'), current_setting('archive_command'), current_setting('archive_library'),
    failed_count, last_archived_time, last_failed_time, coalesce(last_failed_wal, '') FROM pg_stat_archiver
"""
# Nothing is kept for a slot that was never used.
SLOTS = """
SELECT slot_name, active, coalesce(wal_status, ''), pg_wal_lsn_diff(
    CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, restart_lsn
)::bigint FROM pg_replication_slots WHERE restart_lsn IS NOT NULL OR wal_status = 'lost' ORDER BY 1
"""
# A base backup streams too while it is made, but is no standby.
STANDBYS = """
SELECT coalesce(application_name, ''), sync_state IN ('sync', 'quorum'), pg_wal_lsn_diff(
    CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_wal_lsn() END, replay_lsn
)::bigint FROM pg_stat_replication
WHERE coalesce(state, 'streaming') <> 'backup' AND coalesce(application_name, '') <> 'pg_basebackup' ORDER BY 1
"""
COUNTED = re.compile(r"(?:(?:ANY|FIRST)\s*)?(\d+)\s*\(", re.IGNORECASE)


@dataclass(frozen=True)
class Archive:
    """The state of the archiving of log files."""

    mode: str
    has_command: bool
    failed: int
    last_archived: datetime | None
    last_failed: datetime | None
    failed_file: str

    @property
    def is_on(self) -> bool:
        return self.mode != "off"

    @property
    def is_failing(self) -> bool:
        """Return whether the last attempt failed. A file is tried again until it is archived."""
        return self.last_failed is not None and (self.last_archived is None or self.last_failed > self.last_archived)


@dataclass(frozen=True)
class ReplicationSlot:
    """The log kept for one reader. `lost`: no longer enough, so the reader has to be made again."""

    name: str
    active: bool
    held_bytes: int
    lost: bool


@dataclass(frozen=True)
class Standby:
    """A standby that streams. `synchronous`, `behind_bytes`: None if the account may not read them."""

    name: str
    synchronous: bool | None
    behind_bytes: int | None


def archive() -> Archive:
    with connection.cursor() as cursor:
        cursor.execute(ARCHIVE)
        mode, command, library, failed, archived, failed_at, file = cursor.fetchone()
    return Archive(mode, bool(command.strip("() ") or library), failed, archived, failed_at, file)


def replication_slots() -> list[ReplicationSlot]:
    with connection.cursor() as cursor:
        cursor.execute(SLOTS)
        return [
            ReplicationSlot(name, active, held or 0, kept == "lost") for name, active, kept, held in cursor.fetchall()
        ]


def standbys() -> list[Standby]:
    with connection.cursor() as cursor:
        cursor.execute(STANDBYS)
        return [Standby(*row) for row in cursor.fetchall()]


def synchronous_needed() -> int:
    """Return for how many standbys a commit waits."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('synchronous_standby_names'), current_setting('synchronous_commit')")
        names, commit = cursor.fetchone()
    return needed_by(names, commit)


def needed_by(names: str, commit: str) -> int:
    """Return the same from the settings synchronous_standby_names and synchronous_commit."""
    if not names.strip() or commit in ("off", "local"):
        return 0
    found = COUNTED.match(names.strip())
    return int(found[1]) if found else 1


def synchronous_present(found: list[Standby]) -> int:
    """Return how many of the streaming standbys a commit can wait for; all if the account may not know which."""
    return sum(one.synchronous is not False for one in found)
