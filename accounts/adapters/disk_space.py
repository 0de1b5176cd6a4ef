"""Room on the disk: whether there is enough of it to write, asked before each write.

PostgreSQL stops when it cannot write its log, and what is half written then is recovered only once there is room. So
below LOAM_LEAST_FREE nothing new is written. It is looked at each time (2 µs), so that writing comes back by itself.
"""

import os
from pathlib import Path

from django.conf import settings


def free_bytes() -> int:
    """Return the bytes that are free where there are fewest: in var/, and where the embedded database lies."""
    # var/postgres may be a link to another disk (config/database/embedded.py), and is not there with a database of
    # one's own.
    folders = [Path(settings.VAR), Path(settings.VAR, "postgres")]
    return min(_free(folder) for folder in folders if folder.exists())


def lacking_room() -> str:
    """Return why nothing should be written now, in words; empty when there is room."""
    free, least = free_bytes(), settings.LOAM_LEAST_FREE
    if free >= least:
        return ""
    return (
        f"The server's disk is nearly full: {free / 1e6:,.0f} MB are free, and writing needs at least "
        f"{least / 1e6:,.0f} MB."
    )


def lacking_component() -> tuple[dict[str, str], ...]:
    """Return the same as an answer's `degraded` has it: nothing, or one."""
    lack = lacking_room()
    return ({"component": "disk", "reason": lack},) if lack else ()


def _free(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize
