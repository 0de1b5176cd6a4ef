"""Which files of a source are text in another encoding than UTF-8: ripgrep finds no word in them that is not ASCII.

The first time in a process one pass of ripgrep over all bytes tells them apart, later only what is new or has changed
is looked at. What was told once of a file holds while its size and time do.
"""

import os
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings

from knowledge.evidence.adapters import documents
from knowledge.evidence.adapters.files import FoundFiles, SourceGone, UnreadableFile, folder_of, read
from knowledge.evidence.rules.scope import NEVER

# So many new files are read one by one; more of them, and ripgrep is quicker.
ONE_BY_ONE = 50
# Seconds that the pass may take. Without an answer the files are taken for UTF-8 until the next search asks again.
PATIENCE = 10.0
LARGEST = 50_000_000
# Bytes that cannot stand so in UTF-8: a beginning that nothing follows, or a mark of UTF-16.
_NOT_UTF8 = r"(?-u:[\xC2-\xDF](?:[^\x80-\xBF]|$)|[\xE0-\xEF](?:[^\x80-\xBF]|.[^\x80-\xBF]|$)|[\xC0\xC1\xF5-\xFF])"

_lock = threading.Lock()
# Of each source: path → (size, time, whether it is foreign).
_known: dict[int, dict[str, tuple[int, int, bool]]] = {}


def foreign_files(base: Path, source: str, key: int, files: Mapping[str, FoundFiles]) -> frozenset[str]:
    """The paths of those among the files of a source (`key`: its number) that are not in UTF-8."""
    with _lock:
        known = dict(_known.get(key, {}))
    new = [one for path, one in files.items() if known.get(path, ())[:2] != (one.size, one.mtime_ns)]
    new = [one for one in new if not documents.is_rich(one.path) and not documents.is_unread(one.path)]
    told = _one_by_one(base, source, new) if len(new) <= ONE_BY_ONE else _all_at_once(base, source, new)
    if told is not None:
        known |= {one.path: (one.size, one.mtime_ns, one.path in told) for one in new}
        with _lock:
            _known[key] = {path: facts for path, facts in known.items() if path in files}
    return frozenset(path for path, (_, _, foreign) in known.items() if foreign and path in files)


def _one_by_one(base: Path, source: str, files: list[FoundFiles]) -> set[str]:
    found = set()
    for one in files:
        try:
            data = read(base, source, one.path, LARGEST)
        except UnreadableFile:
            continue
        if documents.is_foreign(data):
            found.add(one.path)
    return found


def _all_at_once(base: Path, source: str, files: list[FoundFiles]) -> set[str] | None:
    """None when ripgrep could not tell."""
    program = [
        str(settings.LOAM_RIPGREP), "--no-config", "--no-messages", "--no-ignore", "--hidden", "--no-follow",
        "--no-mmap", "--color=never", "--encoding=none", "--files-with-matches", "--null", f"--max-filesize={LARGEST}",
        *(f"--glob=!**/{name}/" for name in NEVER), "-e", _NOT_UTF8, "--", "./",
    ]  # fmt: skip
    try:
        done = subprocess.run(
            program, cwd=folder_of(base, source), stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE
        )
    except (OSError, SourceGone, subprocess.TimeoutExpired):
        return None
    named = {os.fsdecode(path).removeprefix("./") for path in done.stdout.split(b"\0")}
    # A binary file has such bytes too; those that are text are told one by one, and they are few.
    return _one_by_one(base, source, [one for one in files if one.path in named])
