"""Read: the text of one file of a source, with its hash; PDF and DOCX from what was taken out of them before."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from knowledge.evidence.adapters import documents
from knowledge.evidence.adapters.documents import NoText
from knowledge.evidence.adapters.files import FoundFiles, UnreadableFile, read
from knowledge.evidence.models import Document, Source


@dataclass(frozen=True)
class FileText:
    text: str
    sha256: str


def read_text(*, base: Path, source: Source, path: str, now: datetime) -> FileText:
    """Raises Unreadable with the reason in words, whatever the file is."""
    data = read(base, source.path, path, source.largest_file)
    digest = sha256(data).hexdigest()
    try:
        if documents.is_rich(path):
            return FileText(_rich(data, digest, path, now), digest)
        return FileText(documents.plain_text(data, path), digest)
    except NoText as fault:
        raise UnreadableFile(str(fault)) from fault


# Hashes of documents by what the scan says of them: a PDF is not read through at each search only to be known again.
_known: dict[tuple[int, str, int, int], str] = {}
MOST_KNOWN = 50_000


def digests(*, base: Path, source: Source, found: Iterable[FoundFiles]) -> dict[str, str]:
    """path → hash of rich files, those that can be read. One that was touched is hashed anew."""
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


def _rich(data: bytes, digest: str, path: str, now: datetime) -> str:
    """From the cache, or read now and kept, the fault too: a broken file is not tried at every search."""
    kept = Document.objects.filter(sha256=digest, recipe=documents.RECIPE).first()
    if kept is None:
        try:
            kept = Document(sha256=digest, recipe=documents.RECIPE, text=documents.rich_text(data, path), used_at=now)
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
