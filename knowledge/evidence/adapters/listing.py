"""The list of all files below a source with size and times, and its digest: what a kept answer is checked against.

Every regular file is on it, whatever a question asks for; only folders that a source never enters are left out. A list
is rebuilt unless the kernel vouches that nothing has changed since the last one (`changes.py`). Sizes and times are
texts: they are compared, never computed with.
"""

import os
import stat
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

from knowledge.evidence.adapters.changes import NotWatched, Watch
from knowledge.evidence.adapters.files import DEEPEST, SourceGone, opened

# Folders watched for one source, and sources watched by one process.
MOST_FOLDERS = 4_000
MOST_WATCHED = 32
# Files with a second name somewhere, which are looked at one by one.
MOST_LINKED = 50

Enters = Callable[[str], bool]
Facts = tuple[str, str]


@dataclass(frozen=True)
class FileList:
    """`raw`: path, size, times, path, …, with NUL between them."""

    raw: bytes

    @cached_property
    def digest(self) -> str:
        return blake2b(self.raw, digest_size=32).hexdigest()

    @cached_property
    def files(self) -> dict[str, Facts]:
        """path → (size, times)."""
        parts = self.raw.decode("utf-8", "surrogateescape").split("\0") if self.raw else []
        return dict(zip(parts[::3], zip(parts[1::3], parts[2::3], strict=True), strict=True))

    @property
    def packed(self) -> bytes:
        return zlib.compress(self.raw, 1)

    @classmethod
    def unpacked(cls, packed: bytes | memoryview) -> "FileList":
        return cls(zlib.decompress(packed))


@dataclass(frozen=True)
class _Watched:
    listing: FileList
    watch: Watch
    folder: tuple[int, int]
    linked: dict[str, str]


class _ListingWalk:
    """One pass through a folder; `linked` are files with several names: path → times."""

    def __init__(self, enters: Enters, watch: Watch | None, ends: float) -> None:
        self.parts: list[str] = []
        self.linked: dict[str, str] = {}
        self.watch = watch
        self._enters, self._ends, self._folders, self._device = enters, ends, 0, -1

    def folder(self, fd: int, prefix: str, depth: int) -> None:
        self._watch_folder(fd)
        below: list[str] = []
        with os.scandir(fd) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    below.append(entry.name)
                elif not entry.is_symlink():
                    self._file(entry, prefix)
        for name in below:
            if depth < DEEPEST and self._enters(f"{prefix}{name}") and time.monotonic() < self._ends:
                self._descend(fd, name, prefix, depth)

    def _file(self, entry: "os.DirEntry[str]", prefix: str) -> None:
        try:
            facts = entry.stat(follow_symlinks=False)
        except OSError:
            return
        if stat.S_ISREG(facts.st_mode):
            path, times = f"{prefix}{entry.name}", f"{facts.st_mtime_ns}:{facts.st_ctime_ns}"
            self.parts += (path, str(facts.st_size), times)
            if facts.st_nlink > 1:
                self.linked[path] = times

    def _descend(self, fd: int, name: str, prefix: str, depth: int) -> None:
        try:
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
        except OSError:
            return
        try:
            self.folder(inner, f"{prefix}{name}/", depth + 1)
        except OSError:
            return
        finally:
            os.close(inner)

    def _watch_folder(self, fd: int) -> None:
        if self.watch is None:
            return
        device = os.fstat(fd).st_dev
        self._folders += 1
        self._device = device if self._device < 0 else self._device
        try:
            if device != self._device or self._folders > MOST_FOLDERS:
                raise NotWatched
            self.watch.add(fd)
        except NotWatched:
            self.watch.close()
            self.watch = None


_lock = threading.Lock()
_watched: OrderedDict[tuple[int, str, str, str], _Watched] = OrderedDict()


def list_files(base: Path, path: str, *, enters: Enters, name: str, ends: float) -> FileList:
    """All files below a source's folder. `enters` tells which folders are entered, and `name` names that choice.

    Raises SourceGone.
    """
    key = (os.getpid(), str(base), path, name)
    with opened(base, path) as top:
        facts = os.fstat(top)
        known = _unchanged(key, top, (facts.st_dev, facts.st_ino))
        if known is not None:
            return known
        try:
            walk = _ListingWalk(enters, Watch(), ends)
        except NotWatched:
            walk = _ListingWalk(enters, None, ends)
        try:
            walk.folder(top, "", 0)
        except OSError as error:
            raise SourceGone(os.strerror(error.errno or 0).lower()) from error
    listing = FileList("\0".join(walk.parts).encode("utf-8", "surrogateescape"))
    if walk.watch is not None:
        _keep(key, _Watched(listing, walk.watch, (facts.st_dev, facts.st_ino), walk.linked), time.monotonic() < ends)
    return listing


def _unchanged(key: tuple[int, str, str, str], top: int, folder: tuple[int, int]) -> FileList | None:
    """The last list, if nothing has happened since. An event is read once, so looking and forgetting are one step."""
    with _lock:
        known = _watched.get(key)
        if known is None:
            return None
        if known.folder == folder and known.watch.is_quiet() and _are_as_before(known.linked, top):
            _watched.move_to_end(key)
            return known.listing
        del _watched[key]
    known.watch.close()
    return None


def _are_as_before(linked: dict[str, str], top: int) -> bool:
    for path, times in linked.items():
        try:
            facts = os.stat(path, dir_fd=top, follow_symlinks=False)
        except OSError:
            return False
        if f"{facts.st_mtime_ns}:{facts.st_ctime_ns}" != times:
            return False
    return True


def _keep(key: tuple[int, str, str, str], made: _Watched, is_whole: bool) -> None:
    """Remember a list with its watch, unless it was cut short or has too many files that need a look each."""
    if not is_whole or len(made.linked) > MOST_LINKED:
        made.watch.close()
        return
    with _lock:
        gone = [_watched.pop(key)] if key in _watched else []
        _watched[key] = made
        while len(_watched) > MOST_WATCHED:
            gone.append(_watched.popitem(last=False)[1])
    for one in gone:
        one.watch.close()
