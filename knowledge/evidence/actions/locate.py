"""Locate: where exact terms stand in all files, and what large and packed files have.

Two ways. ripgrep looks through plain files of any size and prints lines and bytes; only the places that may be cited
are read afterwards. Packed files go by as a stream, in which the same terms are looked for and the words of the
question counted. Without ripgrep all files go the second way. What was not looked through is named.
"""

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.adapters import streams
from knowledge.evidence.adapters.documents import is_rich
from knowledge.evidence.adapters.files import (
    HUGE,
    FileScan,
    FoundFiles,
    SourceGone,
    UnreadableFile,
    folder_of,
    opened_file,
)
from knowledge.evidence.adapters.grep import GrepDown, GrepStopped, Located, located, mark, words_of_streams
from knowledge.evidence.adapters.streams import SpotFinder, StreamMatch
from knowledge.evidence.models import Source
from knowledge.evidence.rules.confidence import MOST_PLACES
from knowledge.evidence.rules.keywords import pattern
from knowledge.evidence.rules.scope import NEVER
from knowledge.evidence.rules.tokens import names_one_thing
from knowledge.evidence.rules.windows import compiled

# Seconds that packed files, or all files without ripgrep, may take of a search.
PATIENCE = 8.0
# Bytes of large files in which the question's words are looked for as well as its exact terms, which are in all of
# them: fewer where one that names one thing has been found, for that is what was looked for. ripgrep takes some .35 s
# of processor time for 1 GB in which the words are rare.
MOST_LARGE = 2_000_000_000
MOST_BESIDE_EXACT = 200_000_000
# Words looked for by their beginnings, and how short these may be.
MOST_WORDS = 12
SHORTEST = 4


@dataclass
class Streamed:
    """What streams gave: the question's words in each file, and places of terms with the text around."""

    words: dict[str, Counter[str]] = field(default_factory=dict)
    spots: dict[str, list[StreamMatch]] = field(default_factory=dict)
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)


def locate_exact(inquiry: Inquiry, source: Source, found: FileScan | None) -> Located | None:
    """The places of the question's exact terms in the plain files of a source; None without ripgrep."""
    if not inquiry.exact or found is None:
        return Located()
    unbroken = _unbroken(inquiry, source, found)
    given = stream(inquiry, source, unbroken, words=False) if unbroken else Streamed()
    places = _located(inquiry, source, inquiry.exact, (), but=[one.path for one in unbroken])
    if places is not None:
        inquiry.spots |= {(source.slug, path): some for path, some in given.spots.items() if some}
        for path, counts in given.counts.items():
            places.counts[path] = Counter({term.lower(): times for term, times in counts.items()})
    return places


# Bytes from which on a file is looked at for line breaks, and in which there must be one: ripgrep holds a line whole.
LINES_FROM = 50_000_000
LINE = 1_000_000


def _unbroken(inquiry: Inquiry, source: Source, found: FileScan) -> list[FoundFiles]:
    """Large files whose lines are too long for ripgrep's memory."""
    large = [one for one in found.files.values() if one.size > LINES_FROM and _is_large(one, source)]
    unbroken = []
    for one in large:
        with suppress(UnreadableFile), opened_file(*inquiry.root(source).at, one.path) as file:
            if b"\n" not in file.read(LINE):
                unbroken.append(one)
    return unbroken


def locate_words(inquiry: Inquiry, source: Source, found: FileScan) -> Located | None:
    """The places of the question's words in files too large to be read whole."""
    exact = {term.lower() for term in inquiry.exact}
    words = [word for word in beginnings(inquiry) if word not in exact]
    short = [word for word in short_words(inquiry) if word not in exact]
    if not words and not short:
        return Located()
    large = sorted((one for one in found.files.values() if _is_large(one, source)), key=lambda one: one.size)
    taken, total = [], 0
    counted = inquiry.census[source.slug].counted
    is_placed = any(names_one_thing(term) and 0 < counted(term.lower()) <= MOST_PLACES for term in inquiry.exact)
    most = MOST_BESIDE_EXACT if is_placed else MOST_LARGE
    for one in large:
        total += one.size
        if (source.slug, one.path) in inquiry.spots:
            continue
        if total > most:
            inquiry.notes.skip(one.path, "only exact terms were looked up in it: too large")
        else:
            taken.append(one.path)
    found_words = _located(inquiry, source, words, taken, whole=False) if taken and words else Located()
    found_short = _located(inquiry, source, short, taken) if taken and short else Located()
    return found_words and found_short and found_words.join(found_short)


def _is_large(one: FoundFiles, source: Source) -> bool:
    return one.size > source.largest_file and not (
        is_rich(one.path) or streams.is_packed(one.path) or streams.is_archive(one.path)
    )


def beginnings(inquiry: Inquiry) -> list[str]:
    """What the question's words begin with in each of their forms, the rarest of them."""
    words = [word for word in inquiry.keywords.words if inquiry.keywords.weight(word) >= 1.0]
    some = {_begin(word): inquiry.weights.weights.get(word, len(word)) for word in words if len(word) >= SHORTEST}
    return sorted(some, key=lambda begin: -some[begin])[:MOST_WORDS]


_PLAIN = re.compile(r"[^\W_]+")


def short_words(inquiry: Inquiry) -> list[str]:
    """Words of the question that are too short to be looked for by their beginnings ("UPS", "DNS"), in lower case: they
    are looked for whole.
    """
    tokens = dict.fromkeys(token.lower() for token in _PLAIN.findall(inquiry.ask.text) if len(token) >= SHORTEST - 1)
    asked = {word for word in inquiry.keywords.words if inquiry.keywords.weight(word) >= 1.0 and len(word) < SHORTEST}
    return [token for token in tokens if not asked.isdisjoint(inquiry.finder.read(token))][:MOST_WORDS]


def _begin(word: str) -> str:
    return word[:-1] if word[-1] in "ie" and len(word) > SHORTEST else word


def _located(
    inquiry: Inquiry,
    source: Source,
    terms: Sequence[str],
    paths: Sequence[str],
    *,
    whole: bool = True,
    but: Sequence[str] = (),
) -> Located | None:
    try:
        return located(
            folder=folder_of(*inquiry.root(source).at),
            terms=terms,
            paths=paths,
            whole=whole,
            skip=NEVER,
            but=but,
            ends=inquiry.ends,
            gone=inquiry.gone,
        )
    except SourceGone:
        return Located()
    except GrepDown as down:
        inquiry.notes.down("ripgrep", str(down))
        return None
    except GrepStopped as stopped:
        inquiry.stop_if_gone()
        inquiry.notes.down("ripgrep", str(stopped))
        return Located()


def unpacked(inquiry: Inquiry, source: Source, found: FileScan) -> list[FoundFiles]:
    """The files that go by as a stream, members of archives in the place of the archives, which join the scan. What
    cannot be read of them is named.
    """
    packed = []
    for one in list(found.files.values()):
        if is_rich(one.path) and one.size > source.largest_file:
            inquiry.notes.skip(one.path, HUGE)
        if streams.is_packed(one.path):
            packed.append(one)
        elif streams.is_archive(one.path):
            packed += _members(inquiry, source, found, one)
    return packed


def _members(inquiry: Inquiry, source: Source, found: FileScan, archive: FoundFiles) -> list[FoundFiles]:
    try:
        held = streams.members(*inquiry.root(source).at, archive)
    except UnreadableFile as fault:
        inquiry.notes.skip(archive.path, str(fault))
        return []
    for path, reason in held.skipped:
        inquiry.notes.skip(path, reason)
    del found.files[archive.path]
    found.files |= {one.path: one for one in held.files}
    return list(held.files)


def stream(inquiry: Inquiry, source: Source, files: Sequence[FoundFiles], *, words: bool = True) -> Streamed:
    """What these files have of the question, each read once. `words`: whether all its words are counted, or exact terms
    alone are looked for.
    """
    given = Streamed()
    ends = min(inquiry.ends, time.monotonic() + PATIENCE)
    wanted = pattern(inquiry.keywords)
    if not words:
        for _ in _pieces(inquiry, source, files, given, ends, inquiry.exact):
            continue
        return given
    terms = tuple(dict.fromkeys((*inquiry.exact, *beginnings(inquiry))))
    whole = frozenset(short_words(inquiry))
    terms = (*terms, *sorted(whole.difference(terms)))
    pieces = _pieces(inquiry, source, files, given, ends, terms, whole)
    if wanted:
        try:
            counted = words_of_streams(pieces, pattern=wanted, ends=inquiry.ends, gone=inquiry.gone)
            given.words = {files[number].path: words for number, words in counted.items() if number >= 0}
            return given
        except GrepDown:
            pieces = _pieces(inquiry, source, files, given, ends, terms, whole)
        except GrepStopped as stopped:
            inquiry.stop_if_gone()
            inquiry.notes.down("ripgrep", str(stopped))
            return given
    _count_slowly(inquiry, files, pieces, given)
    return given


def _count_slowly(inquiry: Inquiry, files: Sequence[FoundFiles], pieces: Iterator[bytes], given: Streamed) -> None:
    """Count words without ripgrep: the same pattern, some 30 MB a second."""
    regex = compiled(pattern(inquiry.keywords))
    at = -1
    for piece in pieces:
        if piece.startswith(mark(at + 1)):
            at += 1
        elif inquiry.keywords.words:
            found = Counter(match.group() for match in regex.finditer(piece.decode("utf-8", "replace")))
            given.words.setdefault(files[at].path, Counter()).update(found)


def _pieces(
    inquiry: Inquiry,
    source: Source,
    files: Sequence[FoundFiles],
    given: Streamed,
    ends: float,
    terms: tuple[str, ...],
    whole: frozenset[str] = frozenset(),
) -> Iterator[bytes]:
    """All files one after the other, a mark before each, looked through for terms on the way."""
    with streams.Unpacker(*inquiry.root(source).at) as unpacker:
        yield from _each(inquiry, unpacker, files, given, ends, terms, whole)


def _each(
    inquiry: Inquiry,
    unpacker: streams.Unpacker,
    files: Sequence[FoundFiles],
    given: Streamed,
    ends: float,
    terms: tuple[str, ...],
    whole: frozenset[str],
) -> Iterator[bytes]:
    for number, one in enumerate(files):
        yield mark(number)
        if time.monotonic() > ends or inquiry.gone():
            left = len(files) - number
            inquiry.notes.skip(one.path, f"{left:,} packed files were not searched: time limit reached")
            return
        finder = SpotFinder(terms, whole)
        try:
            for piece in unpacker.pieces(one.path):
                finder.feed(piece)
                yield piece.replace(b"\x02", b" ")
                if time.monotonic() > ends:
                    raise UnreadableFile(f"searched up to {finder.size:,} bytes: time limit reached")
        except UnreadableFile as fault:
            inquiry.notes.skip(one.path, str(fault))
        finder.end()
        given.spots[one.path], given.counts[one.path] = finder.spots, finder.counts
        given.sizes[one.path] = finder.size
