"""ripgrep, asked for matched words, or for where exact terms stand: fast, bounded in time and output, and gone as soon
as nobody waits.

What is looked for is given in memory, since everybody with an account on the machine reads a program's arguments, and
the folder stands behind `--`, so neither can be taken for an option; no shell, no settings file, no colours, no
following of links. Whatever it prints about files that the scan has not found is thrown away by the caller: what may be
read is decided in one place (`files.py`).
"""

import os
import re
import selectors
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings


class GrepDown(Exception):
    """ripgrep is not there or did not run. The text says which."""


class GrepStopped(Exception):
    """The caller has gone, time is over, or there was too much to print; the text says which."""


# Seconds between two looks at whether the caller is still there.
TICK = 0.05
# Enough for 10,000 files with 300 matches each; more than that is a pattern that finds everything.
MOST_BYTES = 64_000_000
# Places of all terms that are looked at; a term with more than its share of them is common, and left out.
MOST_PLACES = 60_000
COMMON = 3_000
# Places kept of one term in one file.
KEPT = 300
PIECE = 1 << 20

ALWAYS = (
    "--no-config", "--no-messages", "--no-ignore", "--hidden", "--no-follow", "--color=never", "--ignore-case",
    "--only-matching", "--null", "--heading", "--no-column", "--no-mmap",
)  # fmt: skip


@dataclass(frozen=True)
class TermPlace:
    """Where a term stands in a file: its line from 1, and its first byte from 0."""

    term: str
    line: int
    offset: int


@dataclass
class Located:
    """`places`: path → some places of each term, in order; `counts`: path → term → how often; `common`: terms that
    stand in so many places that they were not looked up.
    """

    places: dict[str, list[TermPlace]] = field(default_factory=dict)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    common: set[str] = field(default_factory=set)

    def join(self, other: "Located") -> "Located":
        """Itself, with what was found of other terms."""
        for path, places in other.places.items():
            self.places.setdefault(path, []).extend(places)
        for path, counts in other.counts.items():
            self.counts.setdefault(path, Counter()).update(counts)
        self.common |= other.common
        return self


def matched_words(
    *,
    folder: Path,
    pattern: str,
    largest: int,
    skip: Sequence[str] = (),
    ends: float,
    gone: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[str, Counter[str]]]:
    """(path within `folder`, matched texts with how often) for every file with a match. `largest`: bytes of a file;
    `skip`: names of folders not entered; `ends`: on time.monotonic.

    Raises GrepDown, GrepStopped.
    """
    options = [f"--max-filesize={largest}", "--no-line-number", *_left_out(skip)]
    if pattern.isascii():
        options.append("--no-unicode")
    yield from _counted(_output([*options, "--", "./"], [pattern], folder, ends, gone))


# Stands between the texts of a stream; what a text has of it is taken out before.
MARK = b"\x02"


def words_of_streams(
    pieces: Iterator[bytes], *, pattern: str, ends: float, gone: Callable[[], bool] = lambda: False
) -> dict[int, Counter[str]]:
    """Number of a text → its matched texts with how often, for texts that are no files. `pieces` has a `mark` before
    each text. Raises GrepDown, GrepStopped, and what `pieces` raises.
    """
    options = ["--text", "--with-filename", "--no-line-number", "-"]
    found: dict[int, Counter[str]] = {}
    now = -1
    with closing(_output(options, [f"{pattern}|\\x02[0-9]+"], Path("/"), ends, gone, pieces)) as output:
        for _, lines in _blocks(output):
            first, *others = lines.split(MARK)
            _count(found, now, first)
            for part in others:
                number, _, rest = part.partition(b"\n")
                now = int(number)
                _count(found, now, rest)
    return found


def mark(number: int) -> bytes:
    """What goes before a text in a stream of several."""
    return b"\n%b%d\n" % (MARK, number)


def _count(found: dict[int, Counter[str]], number: int, lines: bytes) -> None:
    words = lines.decode("utf-8", "replace").strip("\n")
    if words:
        found.setdefault(number, Counter()).update(words.split("\n"))


def located(
    *,
    folder: Path,
    terms: Sequence[str],
    paths: Sequence[str] = (),
    whole: bool = True,
    skip: Sequence[str] = (),
    but: Sequence[str] = (),
    ends: float,
    gone: Callable[[], bool] = lambda: False,
) -> Located:
    """Where the terms stand, letter for letter but for their case, in all files below `folder` or in `paths` alone,
    however large and however many lines. `whole`: not within a longer word; `but`: not in these.

    Raises GrepDown, GrepStopped.
    """
    found = Located()
    left = list(dict.fromkeys(terms))
    while left:
        try:
            return _places(folder, left, paths, [*_left_out(skip), *_but(but)], whole, ends, gone, found)
        except _TooMany as many:
            found = Located(common=found.common | many.terms)
            left = [term for term in left if term.lower() not in found.common]
    return found


class _TooMany(Exception):
    def __init__(self, terms: set[str]) -> None:
        self.terms = terms


def _places(
    folder: Path,
    terms: Sequence[str],
    paths: Sequence[str],
    globs: Sequence[str],
    whole: bool,
    ends: float,
    gone: Callable[[], bool],
    found: Located,
) -> Located:
    options = ["--fixed-strings", "--line-number", "--byte-offset", "--with-filename", *globs]
    options += ["--word-regexp"] if whole else []
    where = [f"./{path}" for path in paths] or ["./"]
    seen: Counter[str] = Counter()
    with closing(_output([*options, "--", *where], terms, folder, ends, gone, most=1 << 40)) as output:
        for path, lines in _blocks(output):
            for line in lines.split(b"\n"):
                number, offset, text = line.split(b":", 2)
                _note(found, path, TermPlace(text.decode("utf-8", "replace").lower(), int(number), int(offset)), seen)
            if seen.total() > MOST_PLACES:
                common = {term for term, times in seen.items() if times > COMMON}
                raise _TooMany(common or {seen.most_common(1)[0][0]})
    return found


def _note(found: Located, path: str, place: TermPlace, seen: Counter[str]) -> None:
    seen[place.term] += 1
    counts = found.counts.setdefault(path, Counter())
    counts[place.term] += 1
    if counts[place.term] <= KEPT:
        found.places.setdefault(path, []).append(place)


def _left_out(skip: Sequence[str]) -> list[str]:
    return [f"--glob=!**/{name}/" for name in skip]


def _but(paths: Sequence[str]) -> list[str]:
    """Globs that leave out these files and no others."""
    return ["--glob=!/" + re.sub(r"([\\*?\[\]{}!])", r"\\\1", path) for path in paths]


def _output(
    options: list[str],
    patterns: Sequence[str],
    folder: Path,
    ends: float,
    gone: Callable[[], bool],
    given: Iterator[bytes] | None = None,
    most: int | None = None,
) -> Generator[bytes]:
    """What ripgrep prints, as it prints it. `given` is written to it meanwhile; `most`: bytes printed."""
    process = _started(options, patterns, folder, piped=given is not None)
    feeder = _Feeder(process, given) if given is not None else None
    printed = False
    try:
        for piece in _printed(process, ends, gone, MOST_BYTES if most is None else most):
            printed = True
            yield piece
        code = process.wait(timeout=5)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()
        if feeder:
            feeder.join()
    if feeder and feeder.fault:
        raise feeder.fault
    if code not in (0, 1) and not printed:  # 2 with output: a file vanished or could not be read, the rest stands
        raise GrepDown(f"ripgrep ended with {code}")


def _started(options: list[str], patterns: Sequence[str], folder: Path, *, piped: bool) -> "subprocess.Popen[bytes]":
    with os.fdopen(os.memfd_create("patterns"), "wb") as file:
        file.write("\n".join(patterns).encode())
        file.flush()
        try:
            return subprocess.Popen(
                [str(settings.LOAM_RIPGREP), *ALWAYS, f"--file=/dev/fd/{file.fileno()}", *options],
                cwd=folder,
                stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=(file.fileno(),),
                start_new_session=True,
            )
        except OSError as error:
            raise GrepDown(f"ripgrep did not start: {error.strerror or error}") from error


class _Feeder(threading.Thread):
    """Writes to a program while its output is read; `fault` is what the writing ended with."""

    def __init__(self, process: "subprocess.Popen[bytes]", given: Iterator[bytes]) -> None:
        super().__init__(daemon=True)
        self._process, self._given = process, given
        self.fault: Exception | None = None
        self.start()

    def run(self) -> None:
        assert self._process.stdin is not None
        try:
            with self._process.stdin as target:
                for piece in self._given:
                    target.write(piece)
        except BrokenPipeError:
            pass
        except Exception as fault:  # whatever a damaged file makes its reader raise: for the thread that waits
            self.fault = fault


def _printed(process: "subprocess.Popen[bytes]", ends: float, gone: Callable[[], bool], most: int) -> Generator[bytes]:
    assert process.stdout is not None
    size = 0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if gone():
                raise GrepStopped("the caller has disconnected")
            if time.monotonic() > ends:
                raise GrepStopped("the search timed out")
            if not selector.select(TICK):
                continue
            piece = os.read(process.stdout.fileno(), PIECE)
            if not piece:
                return
            size += len(piece)
            if size > most:
                raise GrepStopped("too many matches to list")
            yield piece


def _counted(output: Generator[bytes]) -> Iterator[tuple[str, Counter[str]]]:
    """The blocks of each file together, its matches counted."""
    with closing(output) as pieces:
        now, counts = None, Counter[str]()
        for path, lines in _blocks(pieces):
            if now is not None and path != now:
                yield now, counts
                counts = Counter()
            now = path
            counts.update(lines.decode("utf-8", "replace").split("\n"))
        if now is not None:
            yield now, counts


def _blocks(output: Iterator[bytes]) -> Iterator[tuple[str, bytes]]:
    """(path, matches by line) from `path NUL match LF match LF LF path NUL …`; a large file's in several blocks. A path
    may hold line feeds, a match neither those nor NUL.
    """
    held, path = bytearray(), None
    for piece in output:
        held += piece
        while True:
            if path is None:
                at = held.find(b"\0")
                if at < 0:
                    break
                path = os.fsdecode(bytes(held[:at]).removeprefix(b"./"))
                del held[: at + 1]
            end = held.find(b"\n\n")
            if end < 0:
                cut = held.rfind(b"\n", 0, -1) if len(held) > PIECE else -1
                if cut > 0:
                    yield path, bytes(held[:cut])
                    del held[: cut + 1]
                break
            if end:
                yield path, bytes(held[:end])
            del held[: end + 2]
            path = None
    rest = bytes(held).rstrip(b"\n")
    if path is not None and rest:
        yield path, rest
