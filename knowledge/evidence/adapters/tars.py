"""Tar archives, packed or not, read from their beginning to their end.

They have no table of contents: what is in one is known when it has gone by, and a packed one cannot be entered in the
middle. So who reads several members reads them in their order, with one `TarReader`. Python's `tarfile` reads the
headers; what a header claims is believed only as far as the file goes, and never read into memory whole.
"""

import gzip
import io
import tarfile
import time
from collections.abc import Iterator
from typing import IO, Any, Self, cast

from backports import zstd

from knowledge.evidence.adapters.files import UnreadableFile

SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.zst")
# Bytes that a header may make the reader ask for at once: names and attributes, some hundred bytes in practice.
MOST_AT_ONCE = 2 << 20
PIECE = 1 << 20

HEADERS = "its headers are damaged or far too large"
SLOW = "it takes too long to list"


def is_tar(path: str) -> bool:
    return path.lower().endswith(SUFFIXES)


class _Forward(io.RawIOBase):
    """A file that is only read onwards: at most `most` bytes, not past the moment `ends`, never much at once."""

    def __init__(self, inner: IO[bytes], *, most: int, bomb: str, ends: float | None) -> None:
        super().__init__()
        self._inner, self._most, self._bomb, self._ends, self._at = inner, most, bomb, ends, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, to: int, whence: int = io.SEEK_SET) -> int:
        # A header that says its member ends before it begins would be read for ever.
        if whence != io.SEEK_SET or to < self._at:
            raise UnreadableFile(HEADERS)
        while self._at < to and self.read(min(PIECE, to - self._at)):
            pass
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= MOST_AT_ONCE:
            raise UnreadableFile(HEADERS)
        if self._ends is not None and time.monotonic() > self._ends:
            raise UnreadableFile(SLOW)
        found = self._inner.read(size)
        self._at += len(found)
        if self._at > self._most:
            raise UnreadableFile(self._bomb)
        return found


class TarReader:
    """The members of one archive in their order, each once. Raises UnreadableFile and TarError."""

    def __init__(self, file: IO[bytes], name: str, *, most: int, bomb: str, ends: float | None = None) -> None:
        self._packing: Any = None
        if name.lower().endswith((".gz", ".tgz")):
            self._packing = gzip.GzipFile(fileobj=file)
        elif name.lower().endswith(".zst"):
            self._packing = zstd.ZstdFile(file)
        onwards = _Forward(cast(IO[bytes], self._packing or file), most=most, bomb=bomb, ends=ends)
        self._tar = tarfile.open(fileobj=cast(IO[bytes], onwards), mode="r:")  # noqa: SIM115 (closed by `close`)

    def __iter__(self) -> Iterator[tarfile.TarInfo]:
        while one := self._tar.next():
            # All that it has seen it keeps, with every header.
            self._tar.members.clear()  # type: ignore[attr-defined]
            yield one

    def open(self, member: str) -> IO[bytes]:
        """The content of the next member of that name. Raises KeyError where none is left."""
        for one in self:
            if one.name == member and one.isreg():
                return cast(IO[bytes], self._tar.extractfile(one))
        raise KeyError(member)

    def close(self) -> None:
        self._tar.close()
        if self._packing is not None:
            self._packing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
