"""Read: the text of one file of a source, with its hash; documents, and text in another encoding than UTF-8, from what
was taken out of them before.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from django.conf import settings

from accounts.rules.guard.detection import masked, redact_personal
from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from knowledge.evidence.adapters import documents
from knowledge.evidence.adapters.documents import NoText
from knowledge.evidence.adapters.files import (
    HUGE,
    FileScan,
    FoundFiles,
    Limits,
    SourceGone,
    UnreadableFile,
    opened_file,
    read,
    scan,
)
from knowledge.evidence.adapters.git import NoTree
from knowledge.evidence.adapters.streams import MEMBER, is_packed, pieces
from knowledge.evidence.adapters.trees import Tree, file_at, tree_key, tree_of
from knowledge.evidence.models import Document, Source
from knowledge.evidence.rules import heads
from knowledge.evidence.rules.generated import is_generated_text
from knowledge.evidence.rules.rows import RowKind, row_kind
from knowledge.evidence.rules.scope import BadPath, SearchScope, clean_path, is_commit


class SourceRoot(NamedTuple):
    """Where the files of a source lie: the folder `path` below `base`. `tree`: of a repository, the commit they are."""

    base: Path
    path: str
    tree: Tree | None = None

    @property
    def at(self) -> tuple[Path, str]:
        return self.base, self.path

    @property
    def commit(self) -> str:
        return self.tree.commit if self.tree else ""


def source_root(source: Source, *, ends: float) -> SourceRoot:
    """Where the files of a source lie now; those of a new commit are written there first. `ends`: on time.monotonic.

    Raises NoTree for a repository that cannot be read.
    """
    base = Path(settings.LOAM_EVIDENCE_ROOT)
    if not source.revision:
        return SourceRoot(base, source.path)
    key = tree_key(source.pk, source.path)
    try:
        tree = tree_of(base, source.path, source.revision, key=key, ends=ends)
    except NoTree:
        raise
    except SourceGone as gone:
        raise NoTree(f"Its folder is {gone}.") from gone
    return SourceRoot(tree.base, tree.path, tree)


def scan_source(
    source: Source,
    root: SourceRoot,
    *,
    scopes: Sequence[SearchScope],
    ends: float,
    gone: Callable[[], bool] = lambda: False,
) -> FileScan:
    """All files of a source that every scope takes, with what was left out when its commit was written.

    Raises SourceGone.
    """
    limits = Limits(source.largest_file, source.most_files)
    found = scan(*root.at, scopes=scopes, limits=limits, ends=ends, gone=gone, is_commit=root.tree is not None)
    if root.tree is not None:
        found.skipped.update(root.tree.skipped)
        found.named += [one for one in root.tree.named if all(scope.takes(one[0]) for scope in scopes)]
    return found


@dataclass(frozen=True)
class FileText:
    text: str
    sha256: str


def read_text(*, root: SourceRoot, source: Source, path: str, now: datetime) -> FileText:
    """Raises Unreadable with the reason in words, whatever the file is."""
    data = _unpacked(root, source, path) if is_packed(path) else read(*root.at, path, source.largest_file)
    digest = sha256(data).hexdigest()
    try:
        if documents.is_rich(path):
            return FileText(_kept(data, digest, path, now, documents.rich_text), digest)
        if documents.is_unread(path):
            raise NoText(documents.UNREAD_FORMAT)
        if documents.is_foreign(data):
            return FileText(_kept(data, digest, path, now, documents.plain_text), digest)
        return FileText(documents.plain_text(data, path), digest)
    except NoText as fault:
        raise UnreadableFile(str(fault)) from fault


def _unpacked(root: SourceRoot, source: Source, path: str) -> bytes:
    """The bytes in a packed file. Raises Unreadable."""
    parts, size = [], 0
    for piece in pieces(*root.at, path):
        size += len(piece)
        if size > source.largest_file:
            raise UnreadableFile(HUGE)
        parts.append(piece)
    return b"".join(parts)


# Hashes of documents by what the scan says of them: a PDF is not read through at each search only to be known again.
_known: dict[tuple[int, str, int, int], str] = {}
MOST_KNOWN = 50_000


def digests(*, root: SourceRoot, source: Source, found: Iterable[FoundFiles]) -> dict[str, str]:
    """path → hash of rich files, those that can be read. One that was touched is hashed again."""
    hashes = {}
    for one in found:
        key = (source.pk, one.path, one.size, one.mtime_ns)
        if key not in _known:
            if len(_known) >= MOST_KNOWN:
                _known.clear()
            try:
                _known[key] = sha256(read(*root.at, one.path, source.largest_file)).hexdigest()
            except UnreadableFile:
                continue
        hashes[one.path] = _known[key]
    return hashes


def _kept(data: bytes, digest: str, path: str, now: datetime, text: Callable[[bytes, str], str]) -> str:
    """From the cache, or read now and kept, the fault too: a broken file is not tried again. Raises NoText."""
    kept = Document.objects.filter(sha256=digest, recipe=documents.RECIPE).first()
    if kept is None:
        try:
            kept = Document(sha256=digest, recipe=documents.RECIPE, text=text(data, path), used_at=now)
        except documents.TooBusy:
            raise
        except NoText as fault:
            kept = Document(sha256=digest, recipe=documents.RECIPE, fault=str(fault)[:200], used_at=now)
        Document.objects.bulk_create(
            [kept],
            update_conflicts=True,
            unique_fields=["sha256"],
            update_fields=["recipe", "text", "fault", "used_at"],
        )
    if kept.fault:
        raise NoText(kept.fault)
    return str(kept.text)


# Lines shown of a file at once, around those that were asked for.
SHOWN = 400
LONGEST_LINE = 2_000
# Seconds that reading one file may wait for a repository.
PATIENCE = 20.0


@dataclass(frozen=True)
class FileExcerpt:
    """Some lines of a file, (number, text), with no secret and nobody's address in them; `total` is of the file, and
    `commit` of a repository.
    """

    source: Source
    path: str
    lines: list[tuple[int, str]]
    total: int
    commit: str


def read_excerpt(
    *, slug: str, path: str, start: int, end: int, by: Member, now: datetime, commit: str = "", near: str = ""
) -> FileExcerpt:
    """The lines of a file around `start` to `end`, if the member may search it; of a repository as it was at `commit`,
    or is now. Of a line that is too long to be shown, the part around the text `near`. Raises NotFound, UnreadableFile.
    """
    source = Source.objects.visible_to(by).searchable().select_related("team").filter(slug=slug).first()
    if source is None or not _is_searched(source, path):
        raise NotFound
    with _root_at(source, commit, path) as root:
        try:
            lines = read_text(root=root, source=source, path=path, now=now).text.split("\n")
        except UnreadableFile as fault:
            if str(fault) != HUGE or documents.is_rich(path):
                raise
            first, last = _around(start, end)
            some, total = _streamed_lines(pieces(*root.at, path), first + 1, last, near)
        else:
            first, last = _around(start, end, len(lines))
            some, total = [_cut(line, line.find(near) if near else 0) for line in lines[first:last]], len(lines)
    shown = redact_personal(masked("\n".join(some)))[0]
    numbered = list(enumerate(shown.split("\n"), start=first + 1))
    return FileExcerpt(source, path, numbered, total, root.commit)


def _around(start: int, end: int, total: int | None = None) -> tuple[int, int]:
    """(lines before the first one that is shown, number of the last one)."""
    first = max(0, start - 1 - SHOWN // 4 if total is None else min(start - 1 - SHOWN // 4, total - SHOWN))
    last = max(first + SHOWN, min(end, first + 2 * SHOWN))
    return first, last if total is None else min(total, last)


def _cut(line: str, at: int) -> str:
    """A line, of a long one the part around a character."""
    start = max(0, at - LONGEST_LINE // 2) if at > LONGEST_LINE // 2 else 0
    return ("…" if start else "") + line[start : start + LONGEST_LINE]


def _streamed_lines(given: Iterator[bytes], first: int, last: int, near: str) -> tuple[list[str], int]:
    """The lines with these numbers, and how many there are, of a file of any size: nothing else of it is held. Of a
    line of many megabytes the part around `near` is kept, if that stands in it.
    """
    held: dict[int, bytearray] = {}
    found: set[int] = set()
    wanted, number = near.encode(), 1
    ends = time.monotonic() + PATIENCE
    for piece in given:
        count = piece.count(b"\n")
        if number <= last and number + count >= first:
            for line, part in enumerate(piece.split(b"\n"), start=number):
                if first <= line <= last:
                    _hold(held.setdefault(line, bytearray()), part, wanted, line, found)
        number += count
        if time.monotonic() > ends:
            break
    texts = [held.get(line, bytearray()).decode("utf-8", "replace") for line in range(first, min(last, number) + 1)]
    return [_cut(text, max(0, text.find(near)) if near else 0) for text in texts], number


# Bytes of a line that are held, before and behind what is looked for in it.
HELD = 4 * LONGEST_LINE


def _hold(line: bytearray, part: bytes, wanted: bytes, number: int, found: set[int]) -> None:
    """Add a part of a line to what is held of it, while that may be shown."""
    if not wanted:
        line += part[: max(0, HELD - len(line))]
        return
    if number in found:
        line += part[: max(0, 2 * HELD - len(line))]
        return
    line += part
    at = line.find(wanted)
    if at >= 0:
        found.add(number)
        del line[at + HELD :]
    if len(line) > HELD:  # what is looked for may begin at its end
        del line[: max(0, (at if at >= 0 else len(line)) - HELD)]


@contextmanager
def _root_at(source: Source, commit: str, path: str) -> Iterator[SourceRoot]:
    """Where a file of a source lies, at a commit of its branch if one is given. Raises NotFound, UnreadableFile."""
    if commit and not (source.revision and is_commit(commit)):
        raise NotFound
    ends = time.monotonic() + PATIENCE
    try:
        root = source_root(source, ends=ends)
        if commit in ("", root.commit):
            yield root
            return
        file = path.partition(MEMBER)[0]
        with file_at(
            Path(settings.LOAM_EVIDENCE_ROOT), source.path, commit, of=root.commit, file=file, ends=ends
        ) as tree:
            yield SourceRoot(tree.base, tree.path, tree)
    except NoTree as fault:
        raise UnreadableFile(str(fault).rstrip(".")) from fault


def _is_searched(source: Source, path: str) -> bool:
    """Whether a path is one that a scan of the source would find by its name."""
    scope = SearchScope(tuple(source.include), tuple(source.exclude))
    try:
        clean = clean_path(path)
    except BadPath:
        return False
    parts = clean.split("/")
    folders = ["/".join(parts[:count]) for count in range(1, len(parts))]
    return bool(clean) and clean == path and scope.takes(clean) and all(scope.enters(folder) for folder in folders)


# Heads of files by where they lie and what the scan says of them, as each question looks at some. About 5 MB.
# Threads share them.
_heads: dict[tuple[Path, str, str, int, int], str] = {}
_heads_lock = Lock()
MOST_HEADS = 10_000


class Shelf:
    """The texts one search has read: each once, the latest hundred kept at hand."""

    MOST = 100

    def __init__(self, root: Callable[[Source], SourceRoot], now: datetime) -> None:
        self._root, self._now = root, now
        self._texts: OrderedDict[tuple[str, str], FileText | UnreadableFile] = OrderedDict()

    def head(self, source: Source, found: FoundFiles) -> str:
        """What a file says it is about; "" where it says nothing, or cannot be read."""
        key = (*self._root(source).at, found.path, found.size, found.mtime_ns)
        if (known := _heads.get(key)) is not None:
            return known
        head = self._head(source, found.path)
        if head is None:
            return ""
        with _heads_lock:
            _heads[key] = head
            while len(_heads) > MOST_HEADS:
                del _heads[next(iter(_heads))]
        return head

    def _head(self, source: Source, path: str) -> str | None:
        """None where it cannot be read now."""
        try:
            text = self.text(source, path).text if documents.is_rich(path) else self._beginning(source, path)
        except (UnreadableFile, NoText, NoTree):
            return None
        tells = row_kind(path, text) is RowKind.PROSE and not is_generated_text(text)
        return heads.head(text) if tells else ""

    def _beginning(self, source: Source, path: str) -> str:
        """Raises UnreadableFile, NoText, NoTree."""
        if is_packed(path):
            return ""
        with opened_file(*self._root(source).at, path) as file:
            return documents.plain_text(file.read(heads.LOOKED_AT), path)

    def text(self, source: Source, path: str) -> FileText:
        """Raises Unreadable."""
        key = (source.slug, path)
        if key not in self._texts:
            try:
                self._texts[key] = read_text(root=self._root(source), source=source, path=path, now=self._now)
            except UnreadableFile as fault:
                self._texts[key] = fault
            except NoTree as fault:
                self._texts[key] = UnreadableFile(str(fault).rstrip("."))
            while len(self._texts) > self.MOST:
                self._texts.popitem(last=False)
        found = self._texts[key]
        if isinstance(found, UnreadableFile):
            raise found
        return found
