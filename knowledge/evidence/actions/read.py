"""Read: the text of one file of a source, with its hash; documents, and text in another encoding than UTF-8, from what
was taken out of them before.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from django.conf import settings

from accounts.rules.guard.detection import masked, redact_personal
from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from knowledge.evidence.adapters import documents
from knowledge.evidence.adapters.documents import NoText
from knowledge.evidence.adapters.files import HUGE, FoundFiles, UnreadableFile, read
from knowledge.evidence.adapters.streams import is_packed, pieces
from knowledge.evidence.models import Document, Source
from knowledge.evidence.rules.scope import BadPath, SearchScope, clean_path


@dataclass(frozen=True)
class FileText:
    text: str
    sha256: str


def read_text(*, base: Path, source: Source, path: str, now: datetime) -> FileText:
    """Raises Unreadable with the reason in words, whatever the file is."""
    data = _unpacked(base, source, path) if is_packed(path) else read(base, source.path, path, source.largest_file)
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


def _unpacked(base: Path, source: Source, path: str) -> bytes:
    """The bytes in a packed file. Raises Unreadable."""
    parts, size = [], 0
    for piece in pieces(base, source.path, path):
        size += len(piece)
        if size > source.largest_file:
            raise UnreadableFile(HUGE)
        parts.append(piece)
    return b"".join(parts)


# Hashes of documents by what the scan says of them: a PDF is not read through at each search only to be known again.
_known: dict[tuple[int, str, int, int], str] = {}
MOST_KNOWN = 50_000


def digests(*, base: Path, source: Source, found: Iterable[FoundFiles]) -> dict[str, str]:
    """path → hash of rich files, those that can be read. One that was touched is hashed again."""
    hashes = {}
    for one in found:
        key = (source.pk, one.path, one.size, one.mtime_ns)
        if key not in _known:
            if len(_known) >= MOST_KNOWN:
                _known.clear()
            try:
                _known[key] = sha256(read(base, source.path, one.path, source.largest_file)).hexdigest()
            except UnreadableFile:
                continue
        hashes[one.path] = _known[key]
    return hashes


def _kept(data: bytes, digest: str, path: str, now: datetime, text: Callable[[bytes, str], str]) -> str:
    """From the cache, or read now and kept, the fault too: a broken file is not tried at every search."""
    kept = Document.objects.filter(sha256=digest, recipe=documents.RECIPE).first()
    if kept is None:
        try:
            kept = Document(sha256=digest, recipe=documents.RECIPE, text=text(data, path), used_at=now)
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


@dataclass(frozen=True)
class FileExcerpt:
    """Some lines of a file, (number, text), with no secret and nobody's address in them; `total` is of the file."""

    source: Source
    path: str
    lines: list[tuple[int, str]]
    total: int


def read_excerpt(*, slug: str, path: str, start: int, end: int, by: Member, now: datetime) -> FileExcerpt:
    """The lines of a file around `start` to `end`, if the member may search it. Raises NotFound, UnreadableFile."""
    source = Source.objects.visible_to(by).searchable().select_related("team").filter(slug=slug).first()
    if source is None or not _is_searched(source, path):
        raise NotFound
    text = read_text(base=Path(settings.LOAM_EVIDENCE_ROOT), source=source, path=path, now=now).text
    lines = text.split("\n")
    first = max(0, min(start - 1 - SHOWN // 4, len(lines) - SHOWN))
    last = min(len(lines), max(first + SHOWN, end))
    some = lines[first : min(last, first + 2 * SHOWN)]
    shown = redact_personal(masked("\n".join(line[:LONGEST_LINE] for line in some)))[0]
    return FileExcerpt(source, path, list(enumerate(shown.split("\n"), start=first + 1)), len(lines))


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


class Shelf:
    """The texts one search has read: each once, the latest hundred kept at hand."""

    MOST = 100

    def __init__(self, base: Path, now: datetime) -> None:
        self._base, self._now = base, now
        self._texts: OrderedDict[tuple[str, str], FileText | UnreadableFile] = OrderedDict()

    def text(self, source: Source, path: str) -> FileText:
        """Raises Unreadable."""
        key = (source.slug, path)
        if key not in self._texts:
            try:
                self._texts[key] = read_text(base=self._base, source=source, path=path, now=self._now)
            except UnreadableFile as fault:
                self._texts[key] = fault
            while len(self._texts) > self.MOST:
                self._texts.popitem(last=False)
        found = self._texts[key]
        if isinstance(found, UnreadableFile):
            raise found
        return found
