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
from typing import BinaryIO

from knowledge.evidence.adapters.ignored import NAME as GITIGNORE
from knowledge.evidence.adapters.ignored import IgnoreFile, is_ignored, read_ignore_file
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
    """`largest`: bytes of a file that is read whole, a larger one is searched piece by piece; `most`: files."""

    largest: int
    most: int


@dataclass
class FileScan:
    """What is below a source: the files that may be read, and why the others are not (reason → how many, and the first
    paths of what is missed).
    """

    files: dict[str, FoundFiles] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    # Those in another encoding than UTF-8 (adapters/encodings.py).
    foreign: frozenset[str] = frozenset()
    named: list[tuple[str, str]] = field(default_factory=list)

    def skip(self, reason: str, path: str) -> None:
        """Count what is not read; what may have held an answer is named too."""
        self.skipped[reason] += 1
        if reason in MISSED and self.skipped[reason] <= MOST_NAMED:
            self.named.append((path, reason))

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
IGNORED = "ignored by .gitignore"
# What a person may have looked for and was not searched; links, devices and ignored files are none of it.
MISSED = (DENIED, VANISHED, DEEP, MANY, LATE)
MOST_NAMED = 20


@contextmanager
def opened(base: Path, path: str) -> Iterator[int]:
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
    with opened(base, path):
        return base.joinpath(*_parts(path))


def scan(
    base: Path,
    path: str,
    *,
    scopes: Sequence[SearchScope],
    limits: Limits,
    ends: float,
    gone: Callable[[], bool] = lambda: False,
    is_commit: bool = False,
) -> FileScan:
    """All files below `path` that every scope takes, but for what Git would ignore. Stops early, and says so, when time
    is over or nobody waits. What a scope names in `paths` or `include` is taken though it is ignored, and so is
    everything that `is_commit`: what was committed is not ignored, whatever a `.gitignore` in it says.

    Raises SourceGone.
    """
    walk = _FolderWalk(scopes, limits, lambda: gone() or time.monotonic() > ends, ignores=not is_commit)
    with opened(base, path) as top:
        walk.enter(top, "", 0, ())
    return walk.done


class _FolderWalk:
    """One way through the folders of a source."""

    def __init__(
        self, scopes: Sequence[SearchScope], limits: Limits, over: Callable[[], bool], *, ignores: bool
    ) -> None:
        self.done = FileScan()
        self._scopes, self._limits, self._over, self._ignores = scopes, limits, over, ignores

    def enter(self, fd: int, folder: str, depth: int, ignoring: tuple[IgnoreFile, ...]) -> None:
        """Take the files of an opened folder, and enter those below it."""
        try:
            entries = sorted(os.scandir(fd), key=lambda one: one.name)
        except OSError as error:
            self.done.skip(_why(error), folder)
            return
        if self._ignores and any(entry.name == GITIGNORE for entry in entries):
            found = read_ignore_file(fd, folder)
            ignoring = (*ignoring, found) if found else ignoring
        for entry in entries:
            path = f"{folder}{entry.name}"
            try:
                if entry.is_dir(follow_symlinks=False):
                    self._below(fd, entry.name, path, depth, ignoring)
                elif self._is_ignored(path, ignoring):
                    self.done.skip(IGNORED, path)
                else:
                    self._take(entry, path)
            except OSError as error:
                self.done.skip(_why(error), path)
            if self._over():
                self.done.skip(LATE, path)
                return

    def _below(self, fd: int, name: str, path: str, depth: int, ignoring: tuple[IgnoreFile, ...]) -> None:
        if not all(scope.enters(path) for scope in self._scopes):
            return
        if self._is_ignored(f"{path}/", ignoring):
            self.done.skip(IGNORED, path)
            return
        if depth >= DEEPEST:
            self.done.skip(DEEP, path)
            return
        below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
        try:
            self.enter(below, f"{path}/", depth + 1, ignoring)
        finally:
            os.close(below)

    def _is_ignored(self, path: str, ignoring: tuple[IgnoreFile, ...]) -> bool:
        return bool(ignoring) and is_ignored(path, ignoring) and not any(one.names(path) for one in self._scopes)

    def _take(self, entry: "os.DirEntry[str]", path: str) -> None:
        if not path.isprintable() and not _text(path):
            self.done.skip(NAMELESS, path)
        elif entry.is_symlink():
            self.done.skip(LINK, path)
        elif not entry.is_file(follow_symlinks=False):
            self.done.skip(SPECIAL, path)
        elif all(scope.takes(path) for scope in self._scopes):
            facts = entry.stat(follow_symlinks=False)
            if len(self.done.files) >= self._limits.most:
                self.done.skip(MANY, path)
            else:
                self.done.files[path] = FoundFiles(path, facts.st_size, facts.st_mtime_ns)


def _text(path: str) -> bool:
    """Whether a name can be kept and sent: one that is no UTF-8 comes out of the system with half characters."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def read(base: Path, source: str, path: str, largest: int) -> bytes:
    """The bytes of one file of a source. Raises Unreadable with the reason, and never blocks."""
    with _descriptor(base, source, path) as fd:
        return _whole(fd, largest)


@contextmanager
def opened_file(base: Path, source: str, path: str) -> Iterator[BinaryIO]:
    """One file of a source to be read in pieces, however large. Raises Unreadable, also while it is read."""
    with _descriptor(base, source, path) as fd, os.fdopen(fd, "rb", closefd=False) as file:
        yield file


@contextmanager
def _descriptor(base: Path, source: str, path: str) -> Iterator[int]:
    """A descriptor of a regular file, opened step by step."""
    fd = -1
    try:
        *folders, name = _parts(path) or [""]
        if not name:
            raise UnreadableFile(SPECIAL)
        with opened(base, "/".join([*_parts(source), *folders])) as folder:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, dir_fd=folder)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise UnreadableFile(SPECIAL)
        yield fd
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
