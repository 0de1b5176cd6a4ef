"""Probe: the first phases of a search, each doing at once what can be done at once.

Phase 1: names and sizes of all files, the words of the question counted in them, its vector, clusters that are near.
Phase 2: content and structure, and their fusion. What needs rows runs in the caller's thread, the rest beside it.
"""

import re
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import numpy as np

from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.adapters.llm import LlmDown
from knowledge.evidence.actions.inquiry import Inquiry, limits
from knowledge.evidence.actions.read import Shelf, digests
from knowledge.evidence.adapters.documents import is_rich
from knowledge.evidence.adapters.files import FileScan, SourceGone, UnreadableFile, folder_of, scan
from knowledge.evidence.adapters.grep import GrepDown, GrepStopped, matched_words
from knowledge.evidence.models import Document, KnowledgeCluster, Source
from knowledge.evidence.querysets import TagQuerySet
from knowledge.evidence.rules import ranking, reuse
from knowledge.evidence.rules.keywords import Census, Keywords, Reader, census, companions, joined, pattern
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.evidence.rules.scope import NEVER
from knowledge.evidence.rules.windows import compiled
from knowledge.models import Anchor
from knowledge.retrieval.rules import bm25

# Threads beside the caller's: one for names, one for words, one for the vector.
BESIDE = 3
MOST_HINTS = 5
# PDF and DOCX that nobody has read yet, per search: each is a program started. The hourly job reads the rest.
NEW_DOCUMENTS = 20

Blocks = list[tuple[str, list[str]]]


def probe(*, inquiry: Inquiry, shelf: Shelf) -> None:
    """Fill in scans, counts, vector and hints. Raises Cancelled."""
    with inquiry.phase("probe") as told, ThreadPoolExecutor(max_workers=BESIDE) as pool:
        vector = pool.submit(_vector, inquiry)
        scans = {source.slug: pool.submit(_scan, inquiry, source) for source in inquiry.sources}
        inquiry.keywords = widened(inquiry)
        words = {source.slug: pool.submit(_words, inquiry, source) for source in inquiry.sources if _counts(inquiry)}
        inquiry.vector = vector.result()
        inquiry.hints = _hints(inquiry)
        for source in inquiry.sources:
            _join(inquiry, source, scans[source.slug], words.get(source.slug), shelf)
        inquiry.rarity = _rarity(inquiry)
        files = sum(len(one.files) for one in inquiry.scans.values())
        told(
            f"{files:,} files, {len(inquiry.rarity)} of {len(inquiry.keywords.words)} words, {len(inquiry.hints)} hints"
        )


def rank(*, inquiry: Inquiry) -> None:
    """Fill in `ranked`. Raises Cancelled."""
    with inquiry.phase("rank") as told, ThreadPoolExecutor(max_workers=BESIDE) as pool:
        lists = []
        for source in inquiry.sources:
            found = inquiry.scans.get(source.slug)
            if found is None:
                continue
            structure = pool.submit(ranking.structure_scores, list(found.files), inquiry.keywords)
            mentioned = pool.submit(ranking.mentions, inquiry.ask.text, list(found.files))
            counted = inquiry.census.get(source.slug)
            content = ranking.content_scores(counted, inquiry.rarity, found.sizes) if counted else {}
            lists.append(ranking.fused(source.slug, inquiry.ask.text, content, structure.result(), mentioned.result()))
        inquiry.ranked = ranking.merged(lists)
        best = inquiry.ranked[0].path if inquiry.ranked else "nothing"
        told(f"{len(inquiry.ranked):,} files match, first {best}")


# What a team's own tags or a model add to the question counts less than its own words.
TAGGED = 0.3
BY_MODEL = 0.6


def widened(inquiry: Inquiry) -> Keywords:
    """The question's words with those that go with them in the team's tags, and those a model would look for."""
    words = inquiry.keywords
    words = joined(words, {term: TAGGED for tag in _tags(inquiry) for term in bm25.terms(tag)})
    if inquiry.model is None:
        return words
    try:
        told = inquiry.model.keywords(inquiry.ask.text)
    except LlmDown as down:
        inquiry.notes.down("llm", str(down))
        return words
    named = [word for level in told.levels for word in level]
    added = {term: BY_MODEL for word in named for term in bm25.terms(word)}
    added |= {term: TAGGED for word in told.other for term in bm25.terms(word) if term not in added}
    return joined(words, added)


def _tags(inquiry: Inquiry) -> list[str]:
    """What the teams' insights are tagged with beside the question's words."""
    asked = set(re.findall(r"[\w-]{2,}", inquiry.ask.text.lower()))
    tags = TagQuerySet(Anchor)
    having = tags.with_tags(asked, {source.team_id for source in inquiry.sources})
    return companions(having, tags.tags_of({insight for _, insight in having}) if having else [])


def _counts(inquiry: Inquiry) -> bool:
    return inquiry.ask.mode is not ReuseMode.FILENAME_ONLY and bool(pattern(inquiry.keywords))


def _vector(inquiry: Inquiry) -> np.ndarray | None:
    if inquiry.vector is not None or inquiry.ask.mode is ReuseMode.FILENAME_ONLY:
        return inquiry.vector
    try:
        return np.asarray(current().embed([inquiry.ask.text])[0])
    except EmbedderDown as down:
        inquiry.notes.down("embedder", str(down))
        return None


def _scan(inquiry: Inquiry, source: Source) -> FileScan | None:
    try:
        return scan(
            inquiry.base,
            source.path,
            scopes=inquiry.scopes(source),
            limits=limits(source),
            ends=inquiry.ends,
            gone=inquiry.gone,
        )
    except SourceGone as gone:
        inquiry.notes.down(f"source {source.slug}", f"its folder is {gone}")
        return None


def _words(inquiry: Inquiry, source: Source) -> Blocks:
    try:
        folder = folder_of(inquiry.base, source.path)
        found = matched_words(
            folder=folder,
            pattern=pattern(inquiry.keywords),
            largest=source.largest_file,
            skip=NEVER,
            ends=inquiry.ends,
            gone=inquiry.gone,
        )
        return list(found)
    except SourceGone:
        return []
    except GrepDown as down:
        inquiry.notes.down("ripgrep", str(down))
    except GrepStopped as stopped:
        inquiry.stop_if_gone()
        inquiry.notes.down("ripgrep", str(stopped))
    return []


def _hints(inquiry: Inquiry) -> list[KnowledgeCluster]:
    """Clusters about something near: their files are looked at, their answers are not taken."""
    if inquiry.vector is None or not inquiry.sources:
        return []
    seen = KnowledgeCluster.objects.visible_to(inquiry.by).answering()
    near = seen.near(inquiry.vector, current().name, reuse.RELATED)
    return list(near.prefetch_related("evidences__source")[:MOST_HINTS])


def _join(
    inquiry: Inquiry, source: Source, scanned: "Future[FileScan | None]", words: "Future[Blocks] | None", shelf: Shelf
) -> None:
    found = scanned.result()
    if found is None:
        return
    inquiry.scans[source.slug] = found
    for reason, count in found.skipped.items():
        if reason in ("time limit reached", "file limit reached"):
            inquiry.notes.down(f"source {source.slug}", f"{count} not searched: {reason}")
    if words is None:
        return
    blocks = [(path, some) for path, some in words.result() if path in found.files and not is_rich(path)]
    blocks += _documents(inquiry, source, found, shelf)
    inquiry.census[source.slug] = census(blocks, inquiry.keywords, len(found.files))
    inquiry.stop_if_gone()


def _documents(inquiry: Inquiry, source: Source, found: FileScan, shelf: Shelf) -> Blocks:
    """PDF and DOCX, which ripgrep cannot see into: by the text that was taken out of them, of some new ones now."""
    rich = [one for path, one in found.files.items() if is_rich(path)]
    wanted = pattern(inquiry.keywords)
    if not rich or not wanted:
        return []
    hashes = digests(base=inquiry.base, source=source, found=rich)
    known = Document.objects.all().known(hashes.values())
    new = [path for path, digest in hashes.items() if digest not in known]
    for done, path in enumerate(new):
        inquiry.stop_if_gone()
        if done == NEW_DOCUMENTS or inquiry.late:
            reason = f"{len(new) - done} PDF or DOCX files not read yet; the next searches and the hourly job continue"
            inquiry.notes.down("documents", reason)
            break
        with suppress(UnreadableFile):
            shelf.text(source, path)
    texts = Document.objects.all().matching(hashes.values(), inquiry.keywords.beginnings)
    regex = compiled(wanted)
    counted = [(path, regex.findall(texts[digest])) for path, digest in hashes.items() if digest in texts]
    return [(path, some) for path, some in counted if some]


def _rarity(inquiry: Inquiry) -> dict[str, float]:
    """Over all sources together: a word is as rare as it is in all that is asked."""
    together: dict[str, dict[str, int]] = {}
    for slug, counted in inquiry.census.items():
        together |= {f"{slug}\0{path}": dict(counts) for path, counts in counted.counts.items()}
    files = sum(one.files for one in inquiry.census.values())
    return Census(together, files).rarity(inquiry.keywords)


def reader(inquiry: Inquiry) -> tuple["re.Pattern[str]", Reader]:
    return compiled(pattern(inquiry.keywords)), Reader(inquiry.keywords)
