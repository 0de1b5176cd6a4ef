"""ripgrep, asked for matched words only: fast, bounded in time and output, and gone as soon as nobody waits.

The pattern and the folder travel behind `-e` and `--`, so neither can be taken for an option; no shell, no settings
file, no colours, no following of links. Whatever it prints about files that the scan has not found is thrown away by
the caller: what may be read is decided in one place (`files.py`).
"""

import os
import selectors
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
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
# Per file; the many matches of a huge file tell no more than its first ones. Columns guard against minified lines.
MOST_MATCHES = 2_000

ALWAYS = (
    "--no-config", "--no-messages", "--no-ignore", "--hidden", "--no-follow", "--color=never", "--ignore-case",
    "--only-matching", "--null", "--heading", "--no-line-number", "--no-column", "--no-mmap",
)  # fmt: skip


def matched_words(
    *,
    folder: Path,
    pattern: str,
    largest: int,
    skip: Sequence[str] = (),
    ends: float,
    gone: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[str, list[str]]]:
    """(path within `folder`, matched texts) for every file with a match. `largest`: bytes of a file; `skip`: names of
    folders not entered; `ends`: on time.monotonic.

    Raises GrepDown, GrepStopped.
    """
    options = [f"--max-filesize={largest}", f"--max-count={MOST_MATCHES}"]
    options += [f"--glob=!**/{name}/" for name in skip]
    if pattern.isascii():
        options.append("--no-unicode")
    program = [str(settings.LOAM_RIPGREP), *ALWAYS, *options, "-e", pattern, "--", "./"]
    yield from _blocks(_output(program, folder, ends, gone))


def _output(program: list[str], folder: Path, ends: float, gone: Callable[[], bool]) -> bytes:
    try:
        process = subprocess.Popen(
            program,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise GrepDown(f"ripgrep did not start: {error.strerror or error}") from error
    try:
        output = _collected(process, ends, gone)
        code = process.wait(timeout=5)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()
    if code not in (0, 1) and not output:  # 2 with output: a file vanished or could not be read, the rest stands
        raise GrepDown(f"ripgrep ended with {code}")
    return output


def _collected(process: "subprocess.Popen[bytes]", ends: float, gone: Callable[[], bool]) -> bytes:
    assert process.stdout is not None
    parts: list[bytes] = []
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
            piece = os.read(process.stdout.fileno(), 1 << 20)
            if not piece:
                return b"".join(parts)
            size += len(piece)
            if size > MOST_BYTES:
                raise GrepStopped("too many matches to list")
            parts.append(piece)


def _blocks(output: bytes) -> Iterator[tuple[str, list[str]]]:
    """`path NUL match LF match LF LF path NUL …`: a path may hold line feeds, a match neither those nor NUL."""
    path, *rest = output.split(b"\0")
    for chunk in rest:
        matches, _, following = chunk.partition(b"\n\n")
        name = os.fsdecode(path.removeprefix(b"./"))
        yield name, matches.decode("utf-8", "replace").rstrip("\n").split("\n")
        path = following
