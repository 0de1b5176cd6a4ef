"""The one way to files: inside one allowed root, regular files only, and no link is ever followed.

Each step of a path is opened by itself, relative to the folder opened before it, with O_NOFOLLOW; what was opened is
looked at through its descriptor, not through its name again. So nothing that happens on the disk between looking and
reading leads outside, and a FIFO or a device, opened without blocking, is recognised and closed. What is not read is
named with the reason: a person must see why a file gives no evidence.
"""

import os
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from knowledge.evidence.rules.scope import SearchScope

# Folders in folders: deeper than this is a loop of mounts or an attack on the scanner.
DEEPEST = 40


class SourceGone(Exception):
    """The folder of a source cannot be entered. The text says why, without the path above the root."""


class UnreadableFile(Exception):
    """One file cannot be read. The text says why."""


@dataclass(frozen=True)
class FoundFiles:
    """A regular file below a source."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True)
class Limits:
    """`largest`: bytes of a file; `most`: files of a source."""

    largest: int
    most: int


@dataclass
class FileScan:
    """What is below a source: the files that may be read, and why the others are not (reason → how many)."""

    files: dict[str, FoundFiles] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def sizes(self) -> dict[str, int]:
        return {path: found.size for path, found in self.files.items()}

    @property
    def bytes(self) -> int:
        return sum(self.sizes.values())


LINK, SPECIAL, HUGE, NAMELESS = "a link", "not a regular file", "too large", "invalid file name"
DENIED, VANISHED, DEEP, MANY, OUTSIDE = (
    "not readable",
    "vanished",
    "nested too deep",
    "file limit reached",
    "outside the folder",
)
LATE = "time limit reached"


@contextmanager
def _opened(base: Path, path: str) -> Iterator[int]:
    """A descriptor of the folder `path` below `base`. Raises SourceGone."""
    fd = -1
    try:
        fd = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for part in _parts(path):
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
            os.close(fd)
            fd = below
    except (OSError, ValueError) as error:
        if fd >= 0:
            os.close(fd)
        raise SourceGone(_why(error, folder=True)) from error
    try:
        yield fd
    finally:
        os.close(fd)


def _parts(path: str) -> list[str]:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts or path.startswith("/"):
        raise ValueError(OUTSIDE)
    return parts


def _why(error: Exception, folder: bool = False) -> str:
    if isinstance(error, PermissionError):
        return DENIED
    if isinstance(error, FileNotFoundError):
        return "missing" if folder else VANISHED
    if isinstance(error, NotADirectoryError):
        return "not a folder, or a link" if folder else VANISHED
    if isinstance(error, OSError):
        return LINK if error.errno == 40 else os.strerror(error.errno or 0).lower()
    return str(error)


def folder_of(base: Path, path: str) -> Path:
    """The folder of a source as a path, for ripgrep to begin in: entered step by step once, to be sure it is inside."""
    with _opened(base, path):
        return base.joinpath(*_parts(path))


def scan(
    base: Path,
    path: str,
    *,
    scopes: Sequence[SearchScope],
    limits: Limits,
    ends: float,
    gone: Callable[[], bool] = lambda: False,
) -> FileScan:
    """All files below `path` that every scope takes. Stops early, and says so, when time is over or nobody waits.

    Raises SourceGone.
    """
    done = FileScan()
    with _opened(base, path) as top:
        _walk(top, "", done, scopes, limits, lambda: gone() or time.monotonic() > ends, 0)
    return done


def _walk(
    fd: int,
    folder: str,
    done: FileScan,
    scopes: Sequence[SearchScope],
    limits: Limits,
    over: Callable[[], bool],
    depth: int,
) -> None:
    try:
        entries = list(os.scandir(fd))
    except OSError as error:
        done.skipped[_why(error)] += 1
        return
    for entry in sorted(entries, key=lambda one: one.name):
        path = f"{folder}{entry.name}"
        try:
            if entry.is_dir(follow_symlinks=False):
                if all(scope.enters(path) for scope in scopes):
                    _descend(fd, entry.name, path, done, scopes, limits, over, depth)
                continue
            _take(entry, path, done, scopes, limits)
        except OSError as error:
            done.skipped[_why(error)] += 1
        if over():
            done.skipped[LATE] += 1
            return


def _descend(
    fd: int,
    name: str,
    path: str,
    done: FileScan,
    scopes: Sequence[SearchScope],
    limits: Limits,
    over: Callable[[], bool],
    depth: int,
) -> None:
    if depth >= DEEPEST:
        done.skipped[DEEP] += 1
        return
    below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
    try:
        _walk(below, f"{path}/", done, scopes, limits, over, depth + 1)
    finally:
        os.close(below)


def _take(entry: "os.DirEntry[str]", path: str, done: FileScan, scopes: Sequence[SearchScope], limits: Limits) -> None:
    if not path.isprintable() and not _text(path):
        done.skipped[NAMELESS] += 1
    elif entry.is_symlink():
        done.skipped[LINK] += 1
    elif not entry.is_file(follow_symlinks=False):
        done.skipped[SPECIAL] += 1
    elif all(scope.takes(path) for scope in scopes):
        facts = entry.stat(follow_symlinks=False)
        if facts.st_size > limits.largest:
            done.skipped[HUGE] += 1
        elif len(done.files) >= limits.most:
            done.skipped[MANY] += 1
        else:
            done.files[path] = FoundFiles(path, facts.st_size, facts.st_mtime_ns)


def _text(path: str) -> bool:
    """Whether a name can be kept and sent: one that is no UTF-8 comes out of the system with half characters."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def read(base: Path, source: str, path: str, largest: int) -> bytes:
    """The bytes of one file of a source. Raises Unreadable with the reason, and never blocks."""
    fd = -1
    try:
        *folders, name = _parts(path) or [""]
        if not name:
            raise UnreadableFile(SPECIAL)
        with _opened(base, "/".join([*_parts(source), *folders])) as folder:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, dir_fd=folder)
        return _whole(fd, largest)
    except SourceGone as gone:
        raise UnreadableFile(VANISHED if str(gone) == "missing" else str(gone)) from gone
    except (OSError, ValueError) as error:
        raise UnreadableFile(_why(error)) from error
    finally:
        if fd >= 0:
            with suppress(OSError):
                os.close(fd)


def _whole(fd: int, largest: int) -> bytes:
    facts = os.fstat(fd)
    if not stat.S_ISREG(facts.st_mode):
        raise UnreadableFile(SPECIAL)
    if facts.st_size > largest:
        raise UnreadableFile(HUGE)
    parts: list[bytes] = []
    left = largest + 1
    while left > 0:  # it may grow while it is read
        piece = os.read(fd, min(left, 1 << 20))
        if not piece:
            break
        parts.append(piece)
        left -= len(piece)
    if left <= 0:
        raise UnreadableFile(HUGE)
    return b"".join(parts)
