"""Coverage: which files a cluster's search has covered, and which of those there are now it has not.

The list of all files of each source is made before anything is read, so that a file that changes during a search is
found changed by the next one.
"""

import time
from collections.abc import Collection
from contextlib import suppress

import numpy as np

from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.actions.read import Shelf
from knowledge.evidence.adapters.files import HUGE, SourceGone, UnreadableFile
from knowledge.evidence.adapters.listing import FileList, list_files
from knowledge.evidence.adapters.trees import listed
from knowledge.evidence.models import FileListing, KnowledgeCluster, Source
from knowledge.evidence.rules import freshness
from knowledge.evidence.rules.scope import SearchScope

# Uncovered files that are looked at one by one, and their bytes; more of them, and the question is searched again.
MOST_LOOKED_AT = 60
MOST_BYTES = 20_000_000
# Of those, how many get a vector (15 ms each), and the least cosine at which one may answer in other words.
MOST_EMBEDDED = 6
NEAR = 0.35
EMBEDDED = 700
# Seconds that listing the files of one source may take.
PATIENCE = 10.0


def list_sources(inquiry: Inquiry) -> None:
    """Fill in the lists of the files there are. Runs beside the caller's thread: no rows."""
    for source in inquiry.sources:
        with suppress(SourceGone):
            inquiry.listings[source.slug] = _list(inquiry, source)


def _list(inquiry: Inquiry, source: Source) -> FileList:
    """The files there are; those of a commit without looking at any of them."""
    scope, root = SearchScope(tuple(source.include), tuple(source.exclude)), inquiry.root(source)
    if root.tree is not None:
        return listed(root.tree, scope)
    return list_files(
        *root.at,
        enters=scope.enters,
        name=repr((source.include, source.exclude)),
        ends=time.monotonic() + PATIENCE,
    )


def uncovered(inquiry: Inquiry, cluster: KnowledgeCluster) -> list[tuple[str, str]]:
    """(source, path) of the files that are asked for and that the cluster's search has not seen as they are now."""
    then = {one.listing.source_id: one.listing for one in cluster.coverage.all()}
    scope = None
    if cluster.scope is not None and cluster.scope != inquiry.ask.scope_data and any(cluster.scope.values()):
        scope = SearchScope(**{name: tuple(globs) for name, globs in cluster.scope.items()})
    found: list[tuple[str, str]] = []
    for source in inquiry.sources:
        now = inquiry.listings.get(source.slug)
        before = then.get(source.pk)
        if now is None or (before is not None and before.digest == now.digest and scope is None):
            continue
        files = FileList.unpacked(before.packed).files if before else {}
        asked = inquiry.scopes(source)
        found += [(source.slug, path) for path in freshness.uncovered(now.files, files, asked=asked, covered=scope)]
    return found


def is_covered(inquiry: Inquiry, cluster: KnowledgeCluster) -> bool:
    """Whether the lists of files are those the cluster has, of what is asked: there is nothing new to record."""
    then = {one.listing.source_id: one.listing.digest for one in cluster.coverage.all()}
    now = {
        source.pk: inquiry.listings[source.slug].digest for source in inquiry.sources if source.slug in inquiry.listings
    }
    return all(then.get(pk) == digest for pk, digest in now.items())


def better(inquiry: Inquiry, shelf: Shelf, cluster: KnowledgeCluster, files: Collection[tuple[str, str]]) -> str:
    """Why a search is needed for these uncovered files: one of them may answer; "" when none may."""
    if len(files) > MOST_LOOKED_AT:
        return f"{len(files):,} files are new or have changed"
    cited = {one.path for one in cluster.evidences.all()}
    passages: list[tuple[str, str]] = []
    total = 0
    for slug, path in files:
        try:
            text = shelf.text(inquiry.source(slug), path).text
        except UnreadableFile as fault:
            if str(fault) == HUGE:
                return f"{path} is new or has changed"
            continue
        total += len(text)
        if path in cited or total > MOST_BYTES or freshness.may_answer(path, text, inquiry.keywords, cited):
            return f"{path} is new or has changed"
        passages.append((path, f"{path}\n{text}"[:EMBEDDED]))
    return _near_in_meaning(inquiry, passages[:MOST_EMBEDDED])


def _near_in_meaning(inquiry: Inquiry, passages: list[tuple[str, str]]) -> str:
    if inquiry.vector is None or not passages:
        return ""
    try:
        cosines = np.asarray(current().embed([text for _, text in passages]) @ inquiry.vector)
    except EmbedderDown:
        return ""
    nearest = int(cosines.argmax())
    return f"{passages[nearest][0]} is new or has changed" if cosines[nearest] >= NEAR else ""


def record(inquiry: Inquiry, cluster: KnowledgeCluster) -> None:
    """Write down that the cluster covers the files there are. The caller holds the row, in a transaction."""
    rows = [
        _stored(source, inquiry.listings[source.slug], inquiry)
        for source in inquiry.sources
        if source.slug in inquiry.listings
    ]
    cluster.cover(rows, inquiry.ask.scope_data)


def _stored(source: Source, listing: FileList, inquiry: Inquiry) -> FileListing:
    row = FileListing.objects.filter(source=source, digest=listing.digest).defer("packed").first()
    if row is not None:
        return row
    made, _ = FileListing.objects.get_or_create(
        source=source, digest=listing.digest, defaults={"packed": listing.packed, "at": inquiry.now}
    )
    return made
