"""The doctor's checks of backups, the log archive and replication slots: whether lost data could be restored."""

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection, transaction

from config.database import server_state
from config.database.backup_record import LastBackup, last_backup
from config.database.backup_stores import SCHEME, objection
from config.monitoring.system_part import SystemPart, checked

# In bytes: the log that a server keeps for a reader that does not read it, 64 files.
MOST_HELD = 1_000_000_000
# The role that may read how far each standby is.
MONITOR = "pg_monitor"


def parts(*, now: datetime) -> Iterator[SystemPart]:
    """Yield the checks. The database answers and is migrated."""
    yield checked("backups", lambda: _backups(now))
    yield checked("archive", _archive)
    yield checked("replication slots", _slots)
    if server_state.synchronous_needed() or server_state.standbys():
        yield checked("standbys", _standbys)


def _backups(now: datetime) -> SystemPart:
    place, last = settings.LOAM_BACKUP, last_backup()
    found = _place(place, last) if place else _unnamed(last)
    if not found.ok or last is None:
        return found
    hours = (now - last.at).total_seconds() / 3600
    said = f"the last one is {hours:,.0f} h old, {last.size / 1e6:,.1f} MB, at {last.place}"
    if hours > settings.LOAM_BACKUP_HOURS:
        said = f"The last one is {hours:,.0f} h old, and LOAM_BACKUP_HOURS is {settings.LOAM_BACKUP_HOURS:,.0f}"
        mend = "Run manage.py backup, and see why cron or the timer did not."
        return SystemPart("backups", False, f"{said}: what came since would be lost.", mend=mend)
    return SystemPart(
        "backups", True, f"{said}{'; ' + found.said if found.unsafe else ''}", False, found.mend, found.unsafe
    )


def _unnamed(last: LastBackup | None) -> SystemPart:
    """Return the state of backups if LOAM_BACKUP is unset: only the record of the last one is known."""
    if last is not None:
        return SystemPart("backups", True, "")
    said = "None was made and LOAM_BACKUP is not set: with its disk all is lost."
    mend = "Set LOAM_BACKUP to a folder or s3://BUCKET/FOLDER, and run manage.py backup every night."
    return SystemPart("backups", True, said, mend=mend, unsafe=True)


def _place(place: str, last: LastBackup | None) -> SystemPart:
    """Return whether a backup could be written to that place now, and whether it would be no protection there."""
    if place.startswith(SCHEME):
        wrong = objection(place, last.place if last else "")
        if wrong:
            mend = (
                "Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL_S3 (none for Amazon's)."
            )
            return SystemPart("backups", False, f"{wrong}: {place} takes no backup.", mend=mend)
    else:
        folder = Path(place)
        if not folder.is_dir():
            return SystemPart("backups", False, f"{place} is no folder.", mend="Make it, or mount it.")
        if not os.access(folder, os.W_OK | os.X_OK):
            return SystemPart(
                "backups", False, f"{place} cannot be written to.", mend="Give it to the user Loam runs as."
            )
        if last and last.place.startswith(f"{place}/") and not Path(last.place).is_file():
            return SystemPart("backups", False, f"{last.place} no longer exists.", mend="Run manage.py backup.")
        if _shares_disk(folder):
            said = f"{place} is on the database's disk, and would be lost with it."
            return SystemPart("backups", True, said, mend="Mount another machine's disk there.", unsafe=True)
    if last is None:
        return SystemPart(
            "backups", False, "None was made yet.", mend="Run manage.py backup, and every night from now on."
        )
    return SystemPart("backups", True, "")


def _shares_disk(folder: Path) -> bool:
    """Return whether the database's files are on the same disk as the folder, as far as this machine and account can
    see.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT inet_server_addr() IS NULL OR inet_server_addr() = inet_client_addr()")
            (here,) = cursor.fetchone()
            cursor.execute("SELECT current_setting('data_directory')")
            (data,) = cursor.fetchone()
        return bool(here) and Path(data).stat().st_dev == folder.stat().st_dev
    except (DatabaseError, OSError):
        return False


def _archive() -> SystemPart:
    found = server_state.archive()
    if not found.is_on:
        said = "changes are not archived (archive_mode is off): an accident costs what came since the last backup"
        return SystemPart("archive", True, said)
    if not found.has_command:
        said = "archive_mode is on without an archive_command: PostgreSQL keeps its log until the disk is full."
        return SystemPart(
            "archive", False, said, mend="Set archive_command (docs/operations/archive), or archive_mode=off."
        )
    if found.is_failing:
        said = (
            f"{found.failed_file} cannot be archived since {found.last_failed:%Y-%m-%d %H:%M}: PostgreSQL keeps its log"
        )
        mend = (
            "See the server's log for what archive_command says: the archive may be full, or not PostgreSQL's to write."
        )
        return SystemPart("archive", False, f"{said} until the disk is full.", mend=mend)
    at = f"the last file at {found.last_archived:%Y-%m-%d %H:%M}" if found.last_archived else "nothing yet"
    return SystemPart("archive", True, f"on, {at}")


def _slots() -> SystemPart:
    found = server_state.replication_slots()
    drop = "if nobody reads it any more: SELECT pg_drop_replication_slot('{}')"
    for slot in found:
        if slot.lost:
            said = f"{slot.name} has lost what it needs: its standby does not come back."
            mend = f"Make that standby again (pg_basebackup); {drop.format(slot.name)}"
            return SystemPart("replication slots", False, said, mend=mend)
        if slot.held_bytes > MOST_HELD:
            said = f"{slot.name} holds {slot.held_bytes / 1e9:,.1f} GB of the log, {_idle(slot)}: the disk fills up."
            mend = f"Start its standby, or, {drop.format(slot.name)}. max_slot_wal_keep_size sets a limit."
            return SystemPart("replication slots", False, said, mend=mend)
    idle = [slot.name for slot in found if not slot.active]
    if idle:
        said = f"nobody reads {', '.join(idle)}: the log is kept for it until the disk is full"
        return SystemPart(
            "replication slots", True, said, False, f"Start its standby, or, {drop.format(idle[0])}", True
        )
    return SystemPart("replication slots", True, f"{len(found)}, each is read" if found else "none")


def _idle(slot: server_state.ReplicationSlot) -> str:
    return "which its standby reads too slowly" if slot.active else "and nobody reads it"


def _standbys() -> SystemPart:
    needed, found = server_state.synchronous_needed(), server_state.standbys()
    present = server_state.synchronous_present(found)
    said = f"{len(found)} connected, an answer waits for {needed}"
    if present < needed:
        mend = "Start a standby, or take it out of synchronous_standby_names on the primary."
        return SystemPart("standbys", False, f"{present} of {needed} that an answer waits for: writes wait.", mend=mend)
    if needed and present == needed:
        mend = "Start another standby."
        return SystemPart("standbys", True, f"{said}: with one more gone, writes wait", mend=mend, unsafe=True)
    if any(one.behind_bytes is None for one in found):
        said += f"; how far they are is not visible (GRANT {MONITOR} TO the role of Loam)"
        return SystemPart("standbys", True, said)
    behind = max((one.behind_bytes or 0 for one in found), default=0)
    return SystemPart("standbys", True, f"{said}, {behind / 1e6:,.1f} MB behind at most")
