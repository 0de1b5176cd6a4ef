"""Spans: the parts of a large or packed file that may answer, read without the rest of it.

What is known of such a file is where terms of the question stand. Places near each other are one part; the parts with
the rarest terms are read with some lines around, and windows are cut in them as in any text.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from knowledge.evidence.actions.inquiry import FileKey, Inquiry
from knowledge.evidence.actions.locate import beginnings
from knowledge.evidence.adapters import streams
from knowledge.evidence.adapters.documents import is_rich
from knowledge.evidence.adapters.files import FoundFiles, SourceGone, UnreadableFile, folder_of
from knowledge.evidence.adapters.grep import GrepDown, GrepStopped, TermPlace, located
from knowledge.evidence.adapters.streams import SpotFinder, StreamMatch
from knowledge.evidence.rules.ranking import RankedFile

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
    words = beginnings(inquiry)
    for source in inquiry.sources:
        paths = [
            file.path
            for file in files
            if file.source == source.slug
            and is_long(inquiry, file)
            and not streams.is_packed(file.path)
            and (found_of(inquiry, file) or FoundFiles("", 0, 0)).size <= source.largest_file
        ]
        if not paths or not words:
            continue
        with suppress(SourceGone, GrepDown, GrepStopped):
            found = located(
                folder=folder_of(*inquiry.root(source).at),
                terms=words,
                paths=paths,
                whole=False,
                ends=min(inquiry.ends, time.monotonic() + PATIENCE),
                gone=inquiry.gone,
            )
            for path, places in found.places.items():
                inquiry.places.setdefault((source.slug, path), []).extend(places)


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
    """What a place of this term says: exact terms and rare words most."""
    weights = inquiry.weights.weights
    if any(term == one.lower() for one in inquiry.exact):
        return 2 * max(weights.values(), default=1.0)
    return max((weight for word, weight in weights.items() if word.startswith(term)), default=0.1)


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
