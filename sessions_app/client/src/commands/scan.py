"""`loam guard scan`: secrets in files or in what a commit adds."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from accounts.rules.guard.detection import find_secrets
from sessions_app.client.src.checkout.place import git
from sessions_app.client.src.local import Stop

LARGEST_SCANNED = 2_000_000


def scan(paths: Iterable[str], *, staged: bool) -> tuple[list[str], int]:
    """Lines that name each secret's kind and place (never the secret), and how many files were looked at."""
    found: list[str] = []
    looked = 0
    top = git(os.getcwd(), "rev-parse", "--show-toplevel") or os.getcwd()
    spared = _spared(top)
    for name, text, lines in _staged(top) if staged else _files(paths):
        if any(Path(name).match(glob) for glob in spared):
            continue
        looked += 1
        for finding in find_secrets(text):
            if lines is None or finding.line in lines:
                found.append(f"{name}:{finding.line}:{finding.column}: {finding.pattern}")
    return found, looked


def _spared(top: str) -> list[str]:
    """Globs of files that are not looked at: the lines of `.loam-guard-skip` in the checkout's top folder."""
    with contextlib.suppress(OSError):
        lines = (Path(top) / ".loam-guard-skip").read_text(encoding="utf-8").splitlines()
        return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return []


def _staged(top: str) -> Iterator[tuple[str, str, Collection[int]]]:
    """Each staged file as it would be committed, with the numbers of the lines that the commit adds."""
    names = git(top, "diff", "--cached", "--name-only", "-z", "--diff-filter=ACMRT", "--no-renames").split("\0")
    for name in filter(None, names):
        text = git(top, "show", f":{name}")
        if not text or "\0" in text[:8_000] or len(text) > LARGEST_SCANNED:
            continue
        added: set[int] = set()
        changed = git(top, "diff", "--cached", "-U0", "--no-ext-diff", "--no-color", "--no-renames", "--", name)
        for start, count in re.findall(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", changed, re.MULTILINE):
            added.update(range(int(start), int(start) + int(count or 1)))
        yield name, text, added


def _files(paths: Iterable[str]) -> Iterator[tuple[str, str, None]]:
    for path in paths:
        inner = sorted(source_files(Path(path))) if Path(path).is_dir() else [Path(path)]
        for file in inner:
            try:
                if file.stat().st_size <= LARGEST_SCANNED:
                    raw = file.read_bytes()
                    if b"\0" not in raw[:8_000]:
                        yield str(file), raw.decode("utf-8", "replace"), None
            except OSError as error:
                raise Stop(f"{file} cannot be read: {error}") from error


_NOT_SOURCE = {
    ".git",
    ".hg",
    ".svn",
    ".venv",
    "venv",
    "node_modules",
    "__pycache__",
    ".tox",
    ".mypy_cache",
    "dist",
    "build",
    "target",
}


def source_files(top: Path) -> Iterator[Path]:
    """The files that git knows or would add; without git, all but what tools put there."""
    listed = git(str(top), "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed:
        yield from (place for place in (top / name for name in listed.split("\0") if name) if place.is_file())
        return
    for folder, inner, names in os.walk(top):
        inner[:] = [name for name in inner if name not in _NOT_SOURCE]
        yield from (Path(folder) / name for name in names)
