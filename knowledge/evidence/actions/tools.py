"""The four tools of the exploration, each at once for a fixed way through and for a model that chooses.

Every tool returns what a model is told of it, and keeps in the trail which files it brought: nothing is tried twice,
and only files the scan has found are ever named or read.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.actions.read import Shelf
from knowledge.evidence.actions.spans import windows_of
from knowledge.evidence.adapters.files import SourceGone, UnreadableFile, folder_of
from knowledge.evidence.adapters.grep import GrepDown, GrepStopped, matched_words
from knowledge.evidence.models import KnowledgeCluster
from knowledge.evidence.rules import ranking
from knowledge.evidence.rules.ask import InquiryStep
from knowledge.evidence.rules.keywords import Census, Keywords, pattern
from knowledge.evidence.rules.ranking import RankedFile
from knowledge.evidence.rules.reuse import RELATED
from knowledge.evidence.rules.scope import NEVER

# What a found file counts for until its windows are looked at.
LOOSE = 0.4
MOST_FOUND = 8
# Characters of one file that a model is shown, and of one observation.
MOST_SHOWN = 4_000
# Seconds of one more pass of ripgrep.
PATIENCE = 10.0


@dataclass
class Trail:
    """What was tried, and the files that were brought, best first for each tool."""

    tried: set[tuple[str, str]] = field(default_factory=set)
    found: dict[tuple[str, str], RankedFile] = field(default_factory=dict)
    # Files that were read, in order.
    read: list[tuple[str, str]] = field(default_factory=list)
    shown: list[dict[str, str]] = field(default_factory=list)

    def fresh(self, tool: str, asked: str) -> bool:
        key = (tool, asked.lower())
        new = key not in self.tried
        self.tried.add(key)
        return new

    def bring(self, files: Sequence[RankedFile]) -> None:
        for file in files:
            self.found.setdefault(file.key, file)

    def tell(self, inquiry: Inquiry, tool: str, asked: str, told: str, brief: str = "") -> None:
        """Keep a step: what was seen for the model, in short for people."""
        self.shown.append({"tool": tool, "asked": asked[:400], "seen": told[:MOST_SHOWN]})
        inquiry.steps.append(InquiryStep(tool, asked[:200], (brief or told)[:200]))


def keyword_search(inquiry: Inquiry, trail: Trail, words: Sequence[str]) -> None:
    """Files that have these words, or words beginning so."""
    asked = ", ".join(words)
    loose = Keywords(tuple(dict.fromkeys(word.lower() for word in words if len(word) > 2)))
    if not loose.words or not trail.fresh("keyword_search", asked):
        trail.tell(inquiry, "keyword_search", asked, "tried before" if loose.words else "too short to look for")
        return
    found: list[RankedFile] = []
    for source in inquiry.sources:
        scores = _grep(inquiry, source.slug, loose)
        best = sorted(scores.items(), key=lambda one: -one[1])[:MOST_FOUND]
        found += [RankedFile(source.slug, path, LOOSE * score, content=LOOSE * score) for path, score in best]
    trail.bring(found)
    trail.tell(
        inquiry, "keyword_search", asked, "\n".join(file.path for file in found) or "none", f"{len(found)} files"
    )


def _grep(inquiry: Inquiry, slug: str, loose: Keywords) -> dict[str, float]:
    """path → content score by beginnings of words, best 1."""
    scanned = inquiry.scans.get(slug)
    if scanned is None:
        return {}
    source, sizes = inquiry.source(slug), scanned.sizes
    try:
        matched = matched_words(
            folder=folder_of(*inquiry.root(source).at),
            pattern=pattern(loose),
            largest=source.largest_file,
            skip=NEVER,
            ends=min(inquiry.ends, time.monotonic() + PATIENCE),
            gone=inquiry.gone,
        )
        begun = {path: _begun(some, loose.words) for path, some in matched if path in sizes}
    except (SourceGone, GrepDown, GrepStopped) as error:
        inquiry.stop_if_gone()
        inquiry.notes.down("ripgrep", str(error))
        return {}
    counted = Census({path: some for path, some in begun.items() if some}, len(sizes))
    scores = ranking.content_scores(counted, counted.rarity(loose), sizes)
    best = max(scores.values(), default=0.0) or 1.0
    return {path: score / best for path, score in scores.items()}


def _begun(compounds: Mapping[str, int], words: Sequence[str]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for one, times in compounds.items():
        found.update({word: times for word in words if word in one.lower()})
    return dict(found)


def file_read(inquiry: Inquiry, shelf: Shelf, trail: Trail, paths: Sequence[str]) -> None:
    """The best windows of files by their paths."""
    for path in paths:
        file = _named(inquiry, path)
        if file is None or not trail.fresh("file_read", path):
            trail.tell(inquiry, "file_read", path, "tried before" if file else "no such file")
            continue
        try:
            read = shelf.text(inquiry.source(file.source), file.path)
        except UnreadableFile as fault:
            trail.tell(inquiry, "file_read", path, str(fault))
            continue
        trail.bring([file])
        trail.read.append(file.key)
        shown = "\n…\n".join(read.text[one.start : one.end] for one in windows_of(inquiry, read.text))
        trail.tell(inquiry, "file_read", path, shown, f"{len(read.text):,} characters")


def _named(inquiry: Inquiry, path: str) -> RankedFile | None:
    for slug, scanned in inquiry.scans.items():
        if path in scanned.files:
            known = next((file for file in inquiry.ranked if file.key == (slug, path)), None)
            return known or RankedFile(slug, path, LOOSE)
    return None


def knowledge_query(inquiry: Inquiry, trail: Trail, question: str) -> None:
    """What clusters of near questions leaned on."""
    if not trail.fresh("knowledge_query", question):
        trail.tell(inquiry, "knowledge_query", question, "tried before")
        return
    near = inquiry.hints
    if question != inquiry.ask.text:
        try:
            vector = current().embed([question])[0]
        except EmbedderDown as down:
            inquiry.notes.down("embedder", str(down))
            return
        seen = KnowledgeCluster.objects.visible_to(inquiry.by).answering().near(vector, current().name, RELATED)
        near = list(seen.prefetch_related("evidences__source")[:3])
    found = [
        RankedFile(one.source.slug, one.path, LOOSE)
        for cluster in near
        for one in cluster.evidences.all()
        if one.source.slug in inquiry.scans and one.path in inquiry.scans[one.source.slug].files
    ]
    trail.bring(found)
    told = "\n".join(f"{cluster.name}: {cluster.description}" for cluster in near) or "none"
    trail.tell(inquiry, "knowledge_query", question, told, f"{len(near)} near clusters")


def dir_scan(inquiry: Inquiry, trail: Trail, folder: str) -> None:
    """The files of a folder; its README and index first."""
    folder = folder.strip("/")
    if not trail.fresh("dir_scan", folder):
        trail.tell(inquiry, "dir_scan", folder or ".", "tried before")
        return
    near = [
        (slug, path)
        for slug, scanned in inquiry.scans.items()
        for path in scanned.files
        if path.rpartition("/")[0] == folder
    ]
    near.sort(key=lambda one: (not one[1].rpartition("/")[2].lower().startswith(("readme", "index")), one[1]))
    trail.bring([RankedFile(slug, path, LOOSE / 2) for slug, path in near[:MOST_FOUND]])
    folders = {
        path[len(folder) :].strip("/").split("/")[0]
        for scanned in inquiry.scans.values()
        for path in scanned.files
        if path.startswith(f"{folder}/" if folder else "") and "/" in path[len(folder) :].strip("/")
    }
    told = "\n".join([*(f"{name}/" for name in sorted(folders)[:50]), *(path for _, path in near[:100])]) or "none"
    trail.tell(inquiry, "dir_scan", folder or ".", told, f"{len(near)} files")
