"""Spans: the parts of a file that may answer. Windows of a text; of a large or packed file those that are read without
the rest of it.

What is known of such a file is where terms of the question stand. Places near each other are one part; the parts with
the rarest terms are read with some lines around, and windows are cut in them as in any text.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from knowledge.adapters.embedder import EmbedderDown
from knowledge.evidence.actions.inquiry import FileKey, Inquiry
from knowledge.evidence.actions.locate import beginnings, short_words
from knowledge.evidence.adapters import streams
from knowledge.evidence.adapters.documents import is_rich
from knowledge.evidence.adapters.files import FoundFiles, SourceGone, UnreadableFile, folder_of
from knowledge.evidence.adapters.grep import GrepDown, GrepStopped, TermPlace, located
from knowledge.evidence.adapters.streams import SpotFinder, StreamMatch
from knowledge.evidence.adapters.vectors import vectors_of
from knowledge.evidence.models import Source
from knowledge.evidence.rules import sampling, windows
from knowledge.evidence.rules.generated import is_generated_name
from knowledge.evidence.rules.languages import ENGLISH
from knowledge.evidence.rules.ranking import RankedFile
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.evidence.rules.rows import RowKind, best_rows
from knowledge.evidence.rules.windows import Lines, Window

# Bytes of a file that is read whole for its windows; a longer one by its spans.
WHOLE = 256_000
# Bytes that places may be apart to be one part, and parts of a file that are read.
NEAR = 700
MOST_SPANS = 3
# Seconds one more pass over the long files of a ranking may take.
PATIENCE = 6.0
HEADER = 2_000


@dataclass(frozen=True)
class Span:
    """A part of a file: its text, the line it begins in, and what identifies the file it was read from."""

    text: str
    line: int
    sha256: str


def found_of(inquiry: Inquiry, file: RankedFile) -> FoundFiles | None:
    """What the scan says of a file."""
    scanned = inquiry.scans.get(file.source)
    return scanned.files.get(file.path) if scanned else None


def is_long(inquiry: Inquiry, file: RankedFile) -> bool:
    """Whether a file is looked at by its spans."""
    found = found_of(inquiry, file)
    return found is not None and found.size > WHOLE and not is_rich(file.path)


def find_places(inquiry: Inquiry, files: Sequence[RankedFile]) -> None:
    """Fill in where the question's words stand in long plain files, where nobody has looked yet."""
    looked_for = ((beginnings(inquiry), False), (short_words(inquiry), True))
    for source in inquiry.sources:
        paths = [
            file.path
            for file in files
            if file.source == source.slug
            and is_long(inquiry, file)
            and not streams.is_packed(file.path)
            and (found_of(inquiry, file) or FoundFiles("", 0, 0)).size <= source.largest_file
        ]
        for words, whole in looked_for:
            if paths and words:
                _find_places(inquiry, source, paths, words, whole)


def _find_places(inquiry: Inquiry, source: Source, paths: list[str], words: list[str], whole: bool) -> None:
    with suppress(SourceGone, GrepDown, GrepStopped):
        found = located(
            folder=folder_of(*inquiry.root(source).at),
            terms=words,
            paths=paths,
            whole=whole,
            ends=min(inquiry.ends, time.monotonic() + PATIENCE),
            gone=inquiry.gone,
        )
        for path, places in found.places.items():
            inquiry.places.setdefault((source.slug, path), []).extend(places)


# Long files that are looked into though their length has ranked them low, and up to which place they are then read.
LONG_FILES = 5


def raise_long_files(inquiry: Inquiry, read: int) -> None:
    """Put long files that may have a telling passage among the `read` that are: what counts is their best window."""
    long = [file for file in inquiry.ranked if is_long(inquiry, file) and not is_generated_name(file.path)]
    promise = {file.key: _promise(inquiry, file) for file in long}
    least = max((_promise(inquiry, file) for file in inquiry.ranked[:read]), default=0.0) / 2
    raised = sorted((file for file in long if promise[file.key] >= least), key=lambda one: -promise[one.key])[
        :LONG_FILES
    ]
    find_places(inquiry, [*raised, *inquiry.ranked[:read]])
    new = {file.key for file in raised} - {file.key for file in inquiry.ranked[:read]}
    kept = [file for file in inquiry.ranked if file.key not in new]
    cut = max(0, read - len(new))
    inquiry.ranked = kept[:cut] + [file for file in raised if file.key in new] + kept[cut:]


def _promise(inquiry: Inquiry, file: RankedFile) -> float:
    """The share of the question a file has, wherever in it."""
    counted = inquiry.census.get(file.source)
    return inquiry.weights.share(counted.counts.get(file.path, {})) if counted else 0.0


def spans(inquiry: Inquiry, file: RankedFile) -> list[Span]:
    """The parts of a long file that may answer, the most telling first. Raises Unreadable."""
    key, found = file.key, found_of(inquiry, file)
    if found is None:
        return []
    digest = sha256(f"{found.path}\0{found.size}\0{found.mtime_ns}".encode()).hexdigest()
    if key in inquiry.spots:
        spots = _best_spots(inquiry, inquiry.spots[key])
    else:
        at = inquiry.root(inquiry.source(file.source)).at
        places = best_places(inquiry, inquiry.places.get(key, []))
        if streams.is_utf16(*at, file.path):  # its bytes are not where ripgrep counts them
            finder = SpotFinder(list(dict.fromkeys(one.term for one in places)))
            for piece in streams.pieces(*at, file.path):
                finder.feed(piece)
            finder.end()
            spots = _best_spots(inquiry, finder.spots)
        else:
            spots = [streams.span(*at, file.path, one.offset, one.line) for one in places]
    return [Span(one.text, one.line, digest) for one in spots]


def _worth(inquiry: Inquiry, term: str) -> float:
    """What a place of this term says: rare words most, an exact term twice what a word as rare does."""
    weights = inquiry.weights.weights
    if any(term == one.lower() for one in inquiry.exact):
        return 2 * weights.get(term, max(weights.values(), default=1.0))
    held = inquiry.finder.read(term)
    return max((weight for word, weight in weights.items() if word.startswith(term) or word in held), default=0.1)


def best_places(inquiry: Inquiry, places: Sequence[TermPlace], most: int = MOST_SPANS) -> list[TermPlace]:
    """Of each of the best groups of places the most telling one."""
    ordered = sorted(set(places), key=lambda one: one.offset)
    worth = {term: _worth(inquiry, term) for term in {one.term for one in ordered}}
    groups: list[tuple[float, TermPlace]] = []
    first, held = 0, dict.fromkeys(worth, 0)
    for at, one in enumerate(ordered):
        held[one.term] += 1
        while ordered[first].offset < one.offset - NEAR:
            held[ordered[first].term] -= 1
            first += 1
        inside = ordered[first : at + 1]
        groups.append(
            (sum(worth[term] for term, times in held.items() if times), max(inside, key=lambda p: worth[p.term]))
        )
    chosen: list[TermPlace] = []
    for _, place in sorted(groups, key=lambda one: (-one[0], one[1].offset)):
        if all(abs(place.offset - other.offset) > NEAR for other in chosen):
            chosen.append(place)
            if len(chosen) == most:
                break
    return chosen


def _best_spots(inquiry: Inquiry, spots: Sequence[StreamMatch]) -> list[StreamMatch]:
    by_place = {(one.term.lower(), one.at): one for one in spots}
    places = [TermPlace(term, one.line, at) for (term, at), one in by_place.items()]
    return [by_place[place.term, place.offset] for place in best_places(inquiry, places)]


def header(inquiry: Inquiry, key: FileKey) -> str:
    """The first line of a plain or packed file; "" when it cannot be read."""
    slug, path = key
    with suppress(UnreadableFile):
        for piece in streams.pieces(*inquiry.root(inquiry.source(slug)).at, path):
            return piece[:HEADER].split(b"\n")[0].decode("utf-8", "replace").strip().lstrip("\ufeff")
    return ""


# --- windows of a text -------------------------------------------------------------------------------------------
# Windows of each file that get a vector: some 15 ms a window on one thread.
PASSAGES = {ReuseMode.FAST: 1, ReuseMode.DEEP: 2}


def windows_of(inquiry: Inquiry, text: str, kind: RowKind = RowKind.PROSE, count: int | None = None) -> list[Window]:
    """The best windows of one text: exact, by their words; in DEEP, whose scorer is dear, sampled from WHOLE on."""
    count = PASSAGES[inquiry.ask.mode] if count is None else count
    hits = windows.with_exact(inquiry.finder.hits(text), text, inquiry.exact)
    if kind is not RowKind.PROSE:
        full = windows.full_worth(inquiry.keywords, inquiry.rarity)
        return best_rows(text, hits, inquiry.keywords, inquiry.rarity, full, kind, count) or [_head(text)]
    if len(text) <= sampling.WHOLE or inquiry.ask.mode is not ReuseMode.DEEP:
        best = windows.best(text, hits, inquiry.keywords, inquiry.rarity, count)
        return best or [_head(text)]
    starts = sampling.anchors(text, inquiry.ask.text, hits, inquiry.keywords, inquiry.rarity)
    sampled = sampling.sample(text, starts, scorer(inquiry, text), inquiry.rng)
    lines = Lines(text)
    around = [_weighed(inquiry, hits, lines.window(probe.start, probe.end)) for probe in sampled.found]
    return windows.apart(around, count)


def _weighed(inquiry: Inquiry, hits: Sequence[windows.TermHit], window: Window) -> Window:
    inside = [hit for hit in hits if window.start <= hit.at < window.end]
    total = windows.full_worth(inquiry.keywords, inquiry.rarity)
    worth = windows.worth_of(inside, inquiry.keywords, inquiry.rarity)
    return replace(
        window, coverage=worth / total if total else 0.0, words=frozenset(w for hit in inside for w in hit.words)
    )


def _head(text: str) -> Window:
    return Lines(text).window(0, min(len(text), windows.WINDOW))


def scorer(inquiry: Inquiry, text: str) -> sampling.Scorer:
    """0–10 for windows of one text, from words and meaning: a model judges the best of all files, later."""
    finder = inquiry.finder
    total = windows.full_worth(inquiry.keywords, inquiry.rarity) or 1.0

    def score(spans: Sequence[tuple[int, int]]) -> list[float]:
        inquiry.stop_if_gone()
        found = [finder.hits(text, start, end) for start, end in spans]
        worths = [min(1.0, windows.worth_of(hits, inquiry.keywords, inquiry.rarity) / total) for hits in found]
        cosines = cosines_of(inquiry, [text[start:end] for start, end in spans])
        return [
            10 * (worth if cosines is None else 0.5 * worth + 0.5 * max(0.0, float(cosines[at])))
            for at, worth in enumerate(worths)
        ]

    return score


def cosines_of(inquiry: Inquiry, texts: Sequence[str]) -> np.ndarray | None:
    """None without an embedder."""
    if inquiry.vector is None or not texts:
        return None
    known = inquiry.cosines
    if new := [text for text in dict.fromkeys(texts) if text not in known]:
        try:
            found = vectors_of(new) @ inquiry.vector
        except EmbedderDown as down:
            inquiry.notes.down("embedder", str(down))
            return None
        known |= {text: float(cosine) for text, cosine in zip(new, found, strict=True)}
    return np.asarray([known[text] for text in texts])


# --- heads ------------------------------------------------------------------------------------------------------
# Files whose heads get a vector, some 5 ms each; and what the cosine of one adds, beside that of the best window.
HEADS = {ReuseMode.FAST: 30, ReuseMode.DEEP: 60}
BY_HEAD = 1.0
# What meaning counts where the question is not in English, which is all the embedder was trained on.
ELSEWHERE = 0.5


def order_by_heads(inquiry: Inquiry) -> None:
    """Put the first files in the order of what they say they are about, by its meaning."""
    count = HEADS[inquiry.ask.mode]
    first = inquiry.ranked[:count]
    near = near_heads(inquiry, first)
    inquiry.ranked = [*sorted(first, key=lambda file: -(file.score + near[file.key])), *inquiry.ranked[count:]]


def near_heads(inquiry: Inquiry, files: Sequence[RankedFile]) -> dict[FileKey, float]:
    """What the meaning of its head adds to each file, 0 without an embedder."""
    cosines = cosines_of(inquiry, [f"{file.path}\n{inquiry.heads.get(file.key, '')}" for file in files])
    if cosines is not None:
        inquiry.head_cosines = {file.key: float(near) for file, near in zip(files, cosines, strict=True)}
    return {file.key: meaning_counts(inquiry) * BY_HEAD * inquiry.head_cosines.get(file.key, 0.0) for file in files}


def meaning_counts(inquiry: Inquiry) -> float:
    """What a cosine counts, of 1."""
    return 1.0 if inquiry.keywords.language == ENGLISH else ELSEWHERE
