"""The folder a vault lies in: files by their path inside it, none outside it, no link followed.

A file is written whole or not at all, and only where it says something else than it did: what a person's editor or git
looks at changes no more than it must.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

# A page is at most 20 MB (`accounts/rules/page`), a file of a skill less.
LARGEST = 20_000_000


class UnusableFolder(Exception):
    """The folder cannot be used; the text says why."""


class VaultFolder:
    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Make it if it is not there, and keep others from writing to it meanwhile."""
        try:
            (self.root / ".loam").mkdir(parents=True, exist_ok=True)
            lock = self._path(".loam/lock").open("a")
        except OSError as fault:
            raise UnusableFolder(f"{self.root} cannot be created: {fault.strerror}") from None
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UnusableFolder(f"another export or sync is running in {self.root}") from None
            yield

    def names(self, under: str = "") -> Iterator[str]:
        """Paths of the files below a folder of the vault, sorted; what is hidden is no part of a vault.

        Raises Unusable at a link, or anything that is not a file.
        """
        top = self._path(under) if under else self.root
        if not top.is_dir():
            return
        for entry in sorted(os.scandir(top), key=lambda entry: entry.name):
            name = f"{under}/{entry.name}" if under else entry.name
            if entry.name.startswith("."):
                continue
            if entry.is_symlink():
                raise UnusableFolder(f"{name} is a link; links are not allowed in a vault")
            if entry.is_dir(follow_symlinks=False):
                yield from self.names(name)
            elif entry.is_file(follow_symlinks=False):
                yield name
            else:
                raise UnusableFolder(f"{name} is not a file")

    def read(self, name: str) -> bytes:
        path = self._path(name)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
            with os.fdopen(descriptor, "rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as fault:
            raise UnusableFolder(f"{name} cannot be read: {fault.strerror}") from None
        if len(data) > LARGEST:
            raise UnusableFolder(f"{name} is larger than {LARGEST:,} bytes")
        return data

    def text(self, name: str) -> str:
        try:
            return self.read(name).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise UnusableFolder(f"{name} is not UTF-8") from None

    def has(self, name: str) -> bool:
        return self._path(name).is_file()

    def write(self, name: str, data: bytes) -> bool:
        """Whether it says something else now than before."""
        path = self._path(name)
        new = path.with_name(f".{path.name}.new")
        try:
            if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
                return False
            path.parent.mkdir(parents=True, exist_ok=True)
            new.unlink(missing_ok=True)
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
            new.replace(path)
        except OSError as fault:
            with suppress(OSError):  # half of it, where the disk is full
                new.unlink(missing_ok=True)
            raise UnusableFolder(f"{name} cannot be written: {fault.strerror}") from None
        return True

    def lines(self, name: str) -> Iterator[str]:
        """Line by line, of a file of any length."""
        with self._path(name).open(encoding="utf-8", errors="replace") as file:
            yield from file

    def append(self, name: str, line: str) -> None:
        """The line, or nothing of it: half of one would spoil the next."""
        path = self._path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab", buffering=0) as file:
                before, data = file.tell(), line.encode()
                if file.write(data) < len(data):
                    file.truncate(before)
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as fault:
            raise UnusableFolder(f"{name} cannot be written: {fault.strerror}") from None

    def remove(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def place(self, name: str) -> Path:
        """Where a file lies. Raises Unusable."""
        return self._path(name)

    def _path(self, name: str) -> Path:
        """Raises Unusable for a way out of the folder: upwards, absolute, or over a link."""
        parts = PurePosixPath(name).parts
        if (
            not parts
            or name.startswith("/")
            or any(part in {"..", "."} or "\0" in part or "\\" in part for part in parts)
        ):
            raise UnusableFolder(f"{name!r} is not a path in a vault")
        path = self.root
        for part in parts:
            path = path / part
            if path.is_symlink():
                raise UnusableFolder(f"{name} is or is behind a link; links are not allowed in a vault")
        return path


def apart(one: Path, other: Path) -> bool:
    """Whether neither folder lies in the other, links followed, case ignored as some disks do."""
    a, b = (Path(str(path.resolve()).casefold()) for path in (one, other))
    return not (a.is_relative_to(b) or b.is_relative_to(a))
