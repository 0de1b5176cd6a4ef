"""Explore: when the first look found too little. The four tools of the loop, and without a model a fixed way through.

Keyword search → file read → knowledge query → directory scan: words are loosened (a word no file has is looked for by
its beginning), what clusters of near questions leaned on is read, and the neighbours of the most promising names. What
was tried is not tried again, and the number of steps is bounded.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.actions.read import Shelf
from knowledge.evidence.actions.sample import choose, passages_of, rerank, with_vectors
from knowledge.evidence.adapters.files import SourceGone, folder_of
from knowledge.evidence.adapters.grep import GrepDown, GrepStopped, matched_words
from knowledge.evidence.rules import ranking
from knowledge.evidence.rules.ask import Step
from knowledge.evidence.rules.keywords import Keywords, census, pattern
from knowledge.evidence.rules.ranking import RankedFile
from knowledge.evidence.rules.scope import NEVER

# A word's beginning that other forms of it may share; shorter, and it begins half the dictionary.
BEGINNING = 5
LOOSE = 0.4
MOST_READ = 8


@dataclass
class Trail:
    """What was tried and what was read, so that nothing is done twice."""

    tried: set[tuple[str, str]] = field(default_factory=set)
    read: set[tuple[str, str]] = field(default_factory=set)

    def fresh(self, tool: str, asked: str) -> bool:
        key = (tool, asked)
        if key in self.tried:
            return False
        self.tried.add(key)
        return True


def explore(*, inquiry: Inquiry, shelf: Shelf) -> None:
    """Try other ways to evidence; `cited` and `ranked` are the better for it or as they were. Raises Cancelled."""
    with inquiry.phase("explore") as told:
        trail = Trail(read={file.key for file in inquiry.ranked[:24]})
        ways: tuple[Callable[[Inquiry, Trail], list[RankedFile]], ...] = (_loosened, _known, _neighbours)
        found: list[RankedFile] = []
        for way in ways[: inquiry.ask.max_loops]:
            inquiry.stop_if_gone()
            if inquiry.late:
                break
            found += [file for file in way(inquiry, trail) if file.key not in trail.read]
        found = _once(found)[:MOST_READ]
        if found:
            _read(inquiry, shelf, found)
        told(f"{len(inquiry.steps)} steps, {len(found)} more files read")


def _once(files: list[RankedFile]) -> list[RankedFile]:
    kept: dict[tuple[str, str], RankedFile] = {}
    for file in files:
        kept.setdefault(file.key, file)
    return list(kept.values())


def _read(inquiry: Inquiry, shelf: Shelf, found: list[RankedFile]) -> None:
    """Read them as the first look read its files, and let all be ranked and chosen from together."""
    new = {file.key for file in found}
    inquiry.ranked = found + [file for file in inquiry.ranked if file.key not in new]
    passages = with_vectors(inquiry, passages_of(inquiry, shelf, inquiry.ranked[:24]))
    rerank(inquiry, passages)
    inquiry.cited = choose(inquiry, passages)
    names = ", ".join(file.path for file in found[:3])
    inquiry.steps.append(Step("file_read", names, f"{len(inquiry.cited)} passages to cite"))


def _loosened(inquiry: Inquiry, trail: Trail) -> list[RankedFile]:
    """keyword_search: the words no file has, by their beginnings."""
    have = set(inquiry.rarity)
    missing = [word for word in inquiry.keywords.words if word not in have and len(word) > BEGINNING]
    begun = {word[:BEGINNING] for word in missing if trail.fresh("keyword_search", word[:BEGINNING])}
    if not begun:
        return []
    loose = Keywords(tuple(sorted(begun)))
    found = []
    for source in inquiry.sources:
        sizes = (
            {path: one.size for path, one in inquiry.scans[source.slug].files.items()}
            if source.slug in inquiry.scans
            else {}
        )
        for path, score in sorted(_grep(inquiry, source.slug, loose, sizes).items(), key=lambda one: -one[1])[
            :MOST_READ
        ]:
            found.append(RankedFile(source.slug, path, LOOSE * score, content=LOOSE * score))
    asked = ", ".join(f"{word}…" for word in sorted(begun))
    inquiry.steps.append(Step("keyword_search", asked, f"{len(found)} files"))
    return found


def _grep(inquiry: Inquiry, slug: str, loose: Keywords, sizes: dict[str, int]) -> dict[str, float]:
    """path → content score by beginnings of words, best 1."""
    source = inquiry.source(slug)
    try:
        blocks = [
            (path, [begun for one in some for begun in loose.words if begun in one.lower()])
            for path, some in matched_words(
                folder=folder_of(inquiry.base, source.path),
                pattern=pattern(loose),
                largest=source.largest_file,
                skip=NEVER,
                ends=min(inquiry.ends, time.monotonic() + 10),
                gone=inquiry.gone,
            )
            if path in sizes
        ]
    except (SourceGone, GrepDown, GrepStopped) as error:
        inquiry.stop_if_gone()
        inquiry.notes.down("ripgrep", str(error))
        return {}
    counted = census(blocks, loose, len(sizes))
    scores = ranking.content_scores(counted, counted.rarity(loose), sizes)
    best = max(scores.values(), default=0.0) or 1.0
    return {path: score / best for path, score in scores.items()}


def _known(inquiry: Inquiry, trail: Trail) -> list[RankedFile]:
    """knowledge_query: the files that clusters of near questions leaned on."""
    if not inquiry.hints or not trail.fresh("knowledge_query", inquiry.ask.text):
        return []
    asked = {source.slug for source in inquiry.sources}
    found = [
        RankedFile(one.source.slug, one.path, LOOSE)
        for cluster in inquiry.hints
        for one in cluster.evidences.all()
        if one.source.slug in asked and one.path in inquiry.scans[one.source.slug].files
    ]
    inquiry.steps.append(Step("knowledge_query", inquiry.ask.text[:200], f"{len(inquiry.hints)} near clusters"))
    return found


def _neighbours(inquiry: Inquiry, trail: Trail) -> list[RankedFile]:
    """dir_scan: the other files of the folder with the most promising name; its README and index first."""
    named = [file for file in inquiry.ranked if file.structure > 0][:1] or inquiry.ranked[:1]
    if not named:
        return []
    folder = named[0].path.rpartition("/")[0]
    if not trail.fresh("dir_scan", f"{named[0].source}:{folder}"):
        return []
    files = inquiry.scans[named[0].source].files
    near = [path for path in files if path.rpartition("/")[0] == folder and path != named[0].path]
    near.sort(key=lambda path: (not path.rpartition("/")[2].lower().startswith(("readme", "index")), path))
    inquiry.steps.append(Step("dir_scan", folder or ".", f"{len(near)} files"))
    return [RankedFile(named[0].source, path, LOOSE / 2) for path in near[:MOST_READ]]
