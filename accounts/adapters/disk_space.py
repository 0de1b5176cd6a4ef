"""Check before each write that the disk has enough room.

PostgreSQL stops when it cannot write its log, and recovers what is half written only once there is room again. So below
LOAM_LEAST_FREE nothing new is written. The check is made each time (2 µs), so that writes resume by themselves.
"""

import os
from pathlib import Path

from django.conf import settings


def free_bytes() -> int:
    """Return the smaller number of free bytes: of var/, or of the embedded database's disk."""
    # var/postgres may be a link to another disk (config/database/embedded.py), and does not exist with an external
    # database.
    folders = [Path(settings.VAR), Path(settings.VAR, "postgres")]
    return min(_free(folder) for folder in folders if folder.exists())


def lacking_room() -> str:
    """Return why nothing should be written now, in words; "" if there is room."""
    free, least = free_bytes(), settings.LOAM_LEAST_FREE
    if free >= least:
        return ""
    return (
        f"The server's disk is nearly full: {free / 1e6:,.0f} MB are free, and writing needs at least "
        f"{least / 1e6:,.0f} MB."
    )


def lacking_component() -> tuple[dict[str, str], ...]:
    """Return the same as entries of an answer's `degraded`: none, or one."""
    lack = lacking_room()
    return ({"component": "disk", "reason": lack},) if lack else ()


def _free(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize
