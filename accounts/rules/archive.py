"""Zip archives of skills and of notes, which come from strangers.

`unpack` reads into memory and writes nothing; names are checked all the same, for they become files when somebody
exports. Nothing of an archive is taken if anything in it is hostile: an absolute or climbing name, a link, a device,
a name twice, an encrypted entry, or more than the bounds below. What an entry says of its own size is not believed:
it is read up to the bound and not a byte further.
"""

import io
import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import PurePosixPath


class HostileArchive(ValueError):
    """An archive that would write outside its folder, or grow past all bounds; nothing of it is read."""


# The 173 skills of two public collections together have 2 MB.
LARGEST_ARCHIVE = 10_000_000
LARGEST_UNPACKED = 40_000_000
MOST_ENTRIES = 2_000
# The largest file of a skill, and what it may hold together: scripts and references, not data sets.
LARGEST_FILE = 1_000_000
LARGEST_SKILL = 5_000_000
MOST_FILES = 100
LONGEST_PATH = 200
DEEPEST_PATH = 10
# What archivers and editors leave behind.
LITTER = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", ".git", ".hg", ".svn", "__pycache__", "node_modules"})
_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1
_PACKING = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# The earliest that zip can say: two exports of the same skill are the same bytes.
_NO_TIME = (1980, 1, 1, 0, 0, 0)


def unpack(data: bytes, *, entries: int = MOST_ENTRIES) -> dict[str, bytes]:
    """Every file by its path, without litter; of at most so many `entries`. Raises HostileArchive."""
    if len(data) > LARGEST_ARCHIVE:
        raise HostileArchive(f"the archive has {len(data):,} bytes; the limit is {LARGEST_ARCHIVE:,}")
    if data.count(_ENTRY) > entries:  # before the directory is read: each entry costs half a kilobyte of memory
        raise HostileArchive(f"the archive has more than {entries:,} entries")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _files(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, HostileArchive):
            raise
        raise HostileArchive(f"not a readable zip archive: {str(error)[:100]}") from None


def pack(files: Mapping[str, bytes]) -> bytes:
    """An archive of these files; the same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, _NO_TIME)
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[path])
    return out.getvalue()


def path_fault(path: str) -> str:
    """Why a path inside a skill or an archive is not taken; empty when it is good."""
    parts = path.split("/")
    if not path or path.startswith("/") or path[1:2] == ":":
        return "an absolute name"
    if "\\" in path or any(ord(c) < 32 or ord(c) == 127 for c in path):
        return "a name with a backslash or a control character"
    if ".." in parts:
        return "a name that points outside its folder"
    if "" in parts or "." in parts:
        return "a name with an empty part"
    if len(path) > LONGEST_PATH or len(parts) > DEEPEST_PATH:
        return f"a name longer than {LONGEST_PATH} characters, or deeper than {DEEPEST_PATH} folders"
    return ""


def is_litter(path: str) -> bool:
    """Whether a file lies there without anybody's wish: hidden files are litter too."""
    return any(part in LITTER or part.startswith(".") for part in PurePosixPath(path).parts)


def _files(archive: zipfile.ZipFile) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    seen: set[str] = set()
    left = LARGEST_UNPACKED
    for entry in archive.infolist():
        _check(entry, seen)
        if entry.is_dir() or is_litter(entry.filename):
            continue
        with archive.open(entry) as file:
            content = file.read(LARGEST_FILE + 1)
        left -= len(content)
        if len(content) > LARGEST_FILE:
            raise HostileArchive(f"{_quote_path(entry.filename)} unpacks to more than {LARGEST_FILE:,} bytes")
        if left < 0:
            raise HostileArchive(f"the archive unpacks to more than {LARGEST_UNPACKED:,} bytes")
        found[entry.filename] = content
    return found


def _check(entry: zipfile.ZipInfo, seen: set[str]) -> None:
    # zipfile cuts a name at NUL and, on Windows, turns backslashes: what was sent is in orig_filename.
    path = entry.orig_filename.removesuffix("/")
    fault = path_fault(path)
    if fault:
        raise HostileArchive(f"{_quote_path(path)}: {fault}")
    # Two names that some file system takes for one: the second would overwrite the first.
    if path.casefold() in seen:
        raise HostileArchive(f"{_quote_path(path)}: listed twice")
    seen.add(path.casefold())
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind and kind not in (stat.S_IFREG, stat.S_IFDIR):
        raise HostileArchive(f"{_quote_path(path)}: a link or a device")
    if entry.flag_bits & _ENCRYPTED:
        raise HostileArchive(f"{_quote_path(path)}: encrypted")
    if entry.compress_type not in _PACKING:
        raise HostileArchive(f"{_quote_path(path)}: unsupported compression")


def _quote_path(path: str) -> str:
    return ascii(path[:80])
