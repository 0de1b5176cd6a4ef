"""Text of files as a stream: large ones, packed ones (.gz, .zst, members of .zip and .tar), and those in UTF-16.

Nothing is unpacked to the disk, and nothing whole into memory: a piece is read, handed on, and forgotten. A packed file
may unfold into more than anyone has, so what comes out is bounded, and an archive in an archive is not opened. A member
is named by its archive, `!/` and its name there, which is a label and never a path.
"""

import codecs
import gzip
import tarfile
import time
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Self, cast

from backports import zstd

from knowledge.evidence.adapters.files import FoundFiles, UnreadableFile, opened_file
from knowledge.evidence.adapters.tars import SUFFIXES, TarReader, is_tar
from knowledge.evidence.rules.scope import ending

MEMBER = "!/"
PACKED = (".gz", ".zst")
ARCHIVES = (".zip", *SUFFIXES)
NESTED = (".zip", ".gz", ".zst", ".tar", ".tgz", ".7z", ".rar", ".jar", ".whl", ".xz", ".bz2")

PIECE = 1 << 20
# What may come out of one packed file, or out of all members of one archive; and how many times what went in, past a
# size at which it matters. Logs shrink to a tenth, the most repetitive of them to a hundredth.
MOST_UNPACKED = 2_000_000_000
MOST_RATIO = 300
HARMLESS = 64_000_000
MOST_MEMBERS = 5_000
# Seconds to find out what a packed archive has, for which all of it is unpacked; so many listings are kept.
LISTED_WITHIN = 5.0
LISTINGS = 64

BOMB = "it unpacks to far more than a file of its size holds"
ENCRYPTED = "it is encrypted"
NESTED_ARCHIVE = "an archive inside an archive"
MANY_MEMBERS = f"only the first {MOST_MEMBERS:,} members were read"
LARGE_TABLE = "it has too many members"
DAMAGED = "it is damaged"
NO_FILE = "a link, a device or a sparse file"


def is_packed(path: str) -> bool:
    return MEMBER in path or (ending(path) in PACKED and not is_archive(path))


# What the names of archives end with: each path of a source is asked, and hardly one has such an ending.
_ENDINGS = frozenset(ending(f"x{one}") for one in ARCHIVES)


def is_archive(path: str) -> bool:
    return ending(path) in _ENDINGS and MEMBER not in path and path.lower().endswith(ARCHIVES)


@dataclass(frozen=True)
class Members:
    """What an archive has that can be read, and why the rest is not: (name, reason)."""

    files: tuple[FoundFiles, ...]
    skipped: tuple[tuple[str, str], ...]


def members(base: Path, source: str, archive: FoundFiles) -> Members:
    """The files of an archive, by its table of contents. Raises Unreadable."""
    if is_tar(archive.path):
        return _tar_members(base, source, archive)
    files, skipped, left = [], [], MOST_UNPACKED
    with _archive(base, source, archive.path) as held:
        for number, one in enumerate(held.infolist()):
            path = f"{archive.path}{MEMBER}{one.filename}"
            if number >= MOST_MEMBERS:
                skipped.append((archive.path, MANY_MEMBERS))
                break
            if one.is_dir():
                continue
            why = _refused(one, left)
            if why:
                skipped.append((path, why))
            else:
                left -= one.file_size
                files.append(FoundFiles(path, one.file_size, archive.mtime_ns))
    return Members(tuple(files), tuple(skipped))


@lru_cache(LISTINGS)
def _tar_members(base: Path, source: str, archive: FoundFiles) -> Members:
    """As of a .zip. Of one that cannot be read to its end: what came before, and why; it is not tried again while it
    stays as it is.
    """
    files: list[FoundFiles] = []
    skipped: list[tuple[str, str]] = []
    left, ends = MOST_UNPACKED, time.monotonic() + LISTED_WITHIN
    try:
        with _tar(base, source, archive.path, ends=ends) as held:
            for number, one in enumerate(held):
                path = f"{archive.path}{MEMBER}{one.name}"
                if number >= MOST_MEMBERS:
                    skipped.append((archive.path, MANY_MEMBERS))
                    break
                if one.isdir():
                    continue
                why = NO_FILE if not one.isreg() or one.issparse() else ""
                why = why or (NESTED_ARCHIVE if one.name.lower().endswith(NESTED) else "")
                why = why or (BOMB if one.size > left else "")
                if why:
                    skipped.append((path, why))
                else:
                    left -= one.size
                    files.append(FoundFiles(path, one.size, archive.mtime_ns))
    except UnreadableFile as fault:
        skipped.append((archive.path, str(fault)))
    return Members(tuple(files), tuple(skipped))


@contextmanager
def _tar(base: Path, source: str, path: str, *, ends: float | None = None) -> Iterator[TarReader]:
    with opened_file(base, source, path) as file, _faults():
        packed = file.seek(0, 2)
        file.seek(0)
        plain = path.lower().endswith(".tar")
        most = packed if plain else min(MOST_UNPACKED, max(HARMLESS, MOST_RATIO * packed))
        with TarReader(file, path, most=most, bomb=BOMB, ends=ends) as held:
            yield held


def _refused(one: zipfile.ZipInfo, left: int) -> str:
    if one.flag_bits & 1:
        return ENCRYPTED
    if one.filename.lower().endswith(NESTED):
        return NESTED_ARCHIVE
    too_dense = one.file_size > HARMLESS and one.file_size > MOST_RATIO * max(1, one.compress_size)
    return BOMB if too_dense or one.file_size > left else ""


@contextmanager
def _archive(base: Path, source: str, path: str) -> Iterator[zipfile.ZipFile]:
    with (
        opened_file(base, source, path) as file,
        _faults(),
        zipfile.ZipFile(cast(IO[bytes], _TableBounded(file))) as held,
    ):
        yield held


# Bytes of the table of contents of a .zip: each member has 46 and its name, and takes ten times that in memory.
MOST_TABLE = 8_000_000


class _TableBounded:
    """A .zip file whose table of contents, which is read at once, may not be larger than that."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.seekable, self.close = file.seek, file.tell, file.seekable, file.close

    def read(self, size: int = -1) -> bytes:
        if size > MOST_TABLE:
            raise UnreadableFile(LARGE_TABLE)
        return self._file.read(size)


FAULTS = (
    zipfile.BadZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    zstd.ZstdError,
    zlib.error,
    EOFError,
    KeyError,
    ValueError,
    OverflowError,
)


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except FAULTS as fault:
        raise UnreadableFile(DAMAGED) from fault
    except RuntimeError as fault:  # encrypted, or NotImplementedError for a method of compression
        raise UnreadableFile(ENCRYPTED if "encrypt" in str(fault) else "packed in a way that is not known") from fault


def pieces(base: Path, source: str, path: str) -> Iterator[bytes]:
    """The text of a file in UTF-8, piece by piece. Raises Unreadable, also after some pieces were given."""
    archive, _, member = path.partition(MEMBER)
    if member and is_tar(archive):
        with _tar(base, source, archive) as tar:
            yield from _of_tar(tar, member)
        return
    if member:
        with _archive(base, source, archive) as held:
            yield from _of_zip(held, member)
        return
    with opened_file(base, source, archive) as file, _faults():
        packed = file.seek(0, 2)
        file.seek(0)
        if path.lower().endswith(".gz"):
            with gzip.GzipFile(fileobj=file) as inner:
                yield from _utf8(_bounded(cast(IO[bytes], inner), packed))
        elif path.lower().endswith(".zst"):
            with zstd.ZstdFile(file) as inner:
                yield from _utf8(_bounded(cast(IO[bytes], inner), packed))
        else:
            yield from _utf8(_bounded(file, packed))


def _of_zip(held: zipfile.ZipFile, member: str) -> Iterator[bytes]:
    with held.open(member) as inner:
        yield from _utf8(_bounded(inner, held.getinfo(member).compress_size))


def _of_tar(held: TarReader, member: str) -> Iterator[bytes]:
    inner = held.open(member)
    return _utf8(iter(lambda: inner.read(PIECE), b""))


class Unpacker:
    """`pieces` for file after file: of one archive it is opened once, a tar in one pass over it in its own order. (A
    table of contents of 100,000 members takes a second to read.)
    """

    def __init__(self, base: Path, source: str) -> None:
        self._base, self._source = base, source
        self._held, self._archive = ExitStack(), ""
        self._tar: TarReader | None = None
        self._zip: zipfile.ZipFile | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def pieces(self, path: str) -> Iterator[bytes]:
        """The text of a file in UTF-8, piece by piece. Raises Unreadable, also after some pieces were given."""
        archive, _, member = path.partition(MEMBER)
        if not member:
            yield from pieces(self._base, self._source, path)
            return
        with _faults():
            if archive != self._archive:
                self._open(archive)
            yield from self._of_tar(archive, member) if self._zip is None else _of_zip(self._zip, member)

    def _of_tar(self, archive: str, member: str) -> Iterator[bytes]:
        try:
            return _of_tar(cast(TarReader, self._tar), member)
        except KeyError:  # it has gone by
            self._open(archive)
            return _of_tar(cast(TarReader, self._tar), member)

    def _open(self, archive: str) -> None:
        self._held.close()
        self._archive, self._tar, self._zip = "", None, None
        where = self._base, self._source, archive
        if is_tar(archive):
            self._tar = self._held.enter_context(_tar(*where))
        else:
            self._zip = self._held.enter_context(_archive(*where))
        self._archive = archive


def _bounded(file: IO[bytes], packed: int) -> Iterator[bytes]:
    size = 0
    while piece := file.read(PIECE):
        size += len(piece)
        if size > MOST_UNPACKED or size > max(HARMLESS, MOST_RATIO * packed):
            raise UnreadableFile(BOMB)
        yield piece


BOMS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def is_utf16(base: Path, source: str, path: str) -> bool:
    """Whether a file begins as one in UTF-16 does. Raises Unreadable."""
    with opened_file(base, source, path) as file:
        return file.read(2) in BOMS


def _utf8(given: Iterator[bytes]) -> Iterator[bytes]:
    """As it is, but for UTF-16, which is rewritten."""
    first = next(given, b"")
    encoding = BOMS.get(first[:2])
    if encoding is None:
        yield first
        yield from given
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    yield decoder.decode(first[2:]).encode("utf-8", "replace")
    for piece in given:
        yield decoder.decode(piece).encode("utf-8", "replace")


# --- terms in a stream ------------------------------------------------------------------------------------------
# Bytes on both sides of a place that are kept with it, and how many of them for one term.
AROUND = 1_500
KEPT = 12
COMMON = 200


@dataclass(frozen=True)
class StreamMatch:
    """A place of a term in a stream with the text around it. `line` is that of the text's first byte, from 1."""

    term: str
    text: str
    line: int
    at: int


class SpotFinder:
    """Looks for terms in a stream as it goes by, letter for letter but for their case; those of `whole` not within a
    longer word. `spots` are some places of each term, `counts` how often each stands in the whole; both are right for
    what went by when the stream ends in a fault.
    """

    def __init__(self, terms: Sequence[str], whole: Collection[str] = ()) -> None:
        self.spots: list[StreamMatch] = []
        self.counts: dict[str, int] = {}
        self.size = 0
        self._wanted = [(term, term.lower().encode()) for term in terms]
        self._whole = frozenset(whole)
        self._held, self._line, self._start, self._done = b"", 1, 0, 0

    def feed(self, piece: bytes) -> None:
        self.size += len(piece)
        self._held += piece
        upto = len(self._held) - AROUND
        if upto > self._done:
            self._look(upto)
            cut = max(0, upto - AROUND)
            self._line += self._held.count(b"\n", 0, cut)
            self._held, self._start, self._done = self._held[cut:], self._start + cut, upto - cut

    def end(self) -> None:
        self._look(len(self._held))
        self._held = b""

    def _look(self, last: int) -> None:
        """At places that begin before `last` in what is held."""
        lowered = self._held.lower()
        for term, raw in self._wanted:
            at = lowered.find(raw, self._done)
            while 0 <= at < last:
                if term in self._whole and _is_within_word(lowered, at, at + len(raw)):
                    at = lowered.find(raw, at + len(raw))
                    continue
                self.counts[term] = self.counts.get(term, 0) + 1
                if self.counts[term] <= KEPT:
                    self.spots.append(_spot(self._held, term, at, len(raw), self._line, self._start))
                elif self.counts[term] > COMMON:  # the rest of this piece need not be counted
                    break
                at = lowered.find(raw, at + len(raw))


def _is_within_word(text: bytes, start: int, end: int) -> bool:
    return text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum()


def _spot(held: bytes, term: str, at: int, length: int, line: int, start: int) -> StreamMatch:
    """With whole lines around it, as far as they are held."""
    begin, end = max(0, at - AROUND), min(len(held), at + length + AROUND)
    opened = held.find(b"\n", begin, at)
    begin = opened + 1 if begin + start > 0 and opened >= 0 else begin
    closed = held.rfind(b"\n", at, end)
    end = closed if closed >= 0 and end < len(held) else end
    text = held[begin:end].decode("utf-8", "replace").replace("\0", " ").replace("\r", " ")
    return StreamMatch(term, text, line + held.count(b"\n", 0, begin), start + at)


def span(base: Path, source: str, path: str, offset: int, line: int) -> StreamMatch:
    """The lines around a byte of a plain file. Raises Unreadable."""
    start = max(0, offset - AROUND)
    with opened_file(base, source, path) as file:
        file.seek(start)
        held = file.read(2 * AROUND + 1)
    at = offset - start
    before = held.count(b"\n", 0, at)
    return _spot(held, "", at, 0, line - before, start)
