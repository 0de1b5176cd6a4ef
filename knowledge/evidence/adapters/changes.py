"""Whether a folder changed since it was last listed, asked of the kernel (inotify) instead of each of its files.

A watch is made before a folder is listed, so nothing is missed in between; one event of any kind, an overflow of the
queue too, and the caller lists the folder again. Where the kernel cannot know (another machine's file system, another
system than Linux, too many folders), there is no watch, and each question lists again.

What inotify does not tell: a change through a second hard link elsewhere, and one by a memory map that is still open.
The caller looks at files with several links by itself; a mapped file is told when it is closed.
"""

import ctypes
import os
from contextlib import suppress
from functools import cache
from typing import Any

# From <sys/inotify.h>: modify, attributes, close after writing, moved from and to, create, delete, and the folder's own
# deletion and move. Reading causes none of them.
_MASK = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
_ONLY_FOLDERS = 0x01000000
_EVENTS = 1 << 16
# File systems whose changes all pass this kernel: ext, XFS, Btrfs, tmpfs, F2FS, ZFS, overlay.
_LOCAL = {0xEF53, 0x58465342, 0x9123683E, 0x01021994, 0xF2F52010, 0x2FC12FC1, 0x794C7630}


class NotWatched(Exception):
    """The kernel cannot tell of changes here."""


@cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def is_local(fd: int) -> bool:
    """Whether the folder of a descriptor lies on a file system that only this kernel writes to."""
    found = ctypes.create_string_buffer(512)
    try:
        failed = _libc().fstatfs(fd, found)
    except AttributeError:
        return False
    return not failed and ctypes.c_long.from_buffer(found).value & 0xFFFFFFFF in _LOCAL


class Watch:
    """A queue of what happens in some folders. Raises NotWatched where there is none."""

    def __init__(self) -> None:
        try:
            self._fd = _libc().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        except AttributeError as error:
            raise NotWatched from error
        if self._fd < 0:
            raise NotWatched

    def add(self, folder: int) -> None:
        """Watch the folder of a descriptor, by the descriptor. Raises NotWatched."""
        path = f"/proc/self/fd/{folder}".encode()
        if not is_local(folder) or _libc().inotify_add_watch(self._fd, path, _MASK | _ONLY_FOLDERS) < 0:
            raise NotWatched

    def is_quiet(self) -> bool:
        """Whether nothing has happened since the watch was made."""
        try:
            return not os.read(self._fd, _EVENTS)
        except BlockingIOError:
            return True
        except OSError:
            return False

    def close(self) -> None:
        with suppress(OSError):
            os.close(self._fd)
