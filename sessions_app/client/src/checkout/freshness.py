"""Whether the files that notes were learned from are still as they were.

An anchor is a path and the SHA-256 that the file had. A file is first read and hashed as it lies there; git is asked
only about those that differ or are gone: where they were moved to, and how many commits changed them since.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sessions_app.client.src.checkout.place import git_answer, git_bytes
from sessions_app.client.src.late import hashlib

# Nobody learns from a larger file; reading it would take longer than a person waits.
LARGEST_HASHED = 4_000_000
# So often a file may have been moved since.
MOST_MOVES = 5
# So many commits of a file are looked through for the state that was learned from.
MOST_COMMITS = 40


@dataclass(frozen=True)
class FileState:
    """A file that a note names. `state`: same, changed, gone, or unknown (no hash, or not of this checkout).

    `now`: its path now; `sha256`: its hash now, empty when it is gone; `commits`: how many changed it since, if known.
    """

    state: str
    now: str = ""
    sha256: str = ""
    commits: int | None = None

    def __str__(self) -> str:
        moved = f"moved to {self.now}, " if self.now else ""
        if self.state == "gone":
            return "file is gone"
        since = f", {self.commits} commit{'s' * (self.commits != 1)}" if self.commits else ""
        return f"{moved}changed since{since}" if moved else f"file changed since{since}"


States = dict[tuple[str, str], FileState]


def hash_file(path: str) -> str:
    """Return the SHA-256 of a file as it lies there; empty if it cannot be read or is too large."""
    return next(iter(_hashes(path)), "")


def _hashes(path: str) -> list[str]:
    """The hash as it lies there, and as it would be with the other line end: a checkout may have translated it."""
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_HASHED + 1)
    except OSError:
        return []
    if len(content) > LARGEST_HASHED:
        return []
    plain = hashlib.sha256(content).hexdigest()
    if b"\n" not in content or b"\0" in content[:8_000]:
        return [plain]
    unix = content.replace(b"\r\n", b"\n")
    other = unix if unix != content else content.replace(b"\n", b"\r\n")
    return [plain, hashlib.sha256(other).hexdigest()]


def file_states(top: str, anchors: Iterable[tuple[str, str]], *, until: float) -> States:
    """Return the state of each anchor (path, sha256). After `until` (time.monotonic()) git is asked no more."""
    found: States = {}
    cache: dict[str, list[str]] = {}
    gone: list[tuple[str, str]] = []
    for anchor in dict.fromkeys(anchors):
        path, then = anchor
        if len(then) != 64 or path.startswith(("/", "../")):
            found[anchor] = FileState("unknown")
            continue
        if path not in cache:
            cache[path] = _hashes(os.path.join(top, path))
        if cache[path]:
            found[anchor] = FileState("same" if then in cache[path] else "changed", sha256=cache[path][0])
        elif os.path.exists(os.path.join(top, path)):
            found[anchor] = FileState("unknown")
        else:
            gone.append(anchor)
    if gone:
        moved = _moved(top, {path for path, _ in gone}, until) if time.monotonic() < until else {}
        for anchor in gone:
            found[anchor] = _where_now(top, anchor, moved.get(anchor[0], ""))
    return found


def _where_now(top: str, anchor: tuple[str, str], now: str) -> FileState:
    hashes = _hashes(os.path.join(top, now)) if now else []
    if not hashes:
        return FileState("gone")
    return FileState("same" if anchor[1] in hashes else "changed", now, hashes[0])


def _moved(top: str, paths: set[str], until: float) -> dict[str, str]:
    """Return where paths that are gone lie now, as git followed them; moves that are not committed first."""
    staged = _renames(git_answer(top, "diff", "-M", "--diff-filter=R", "--name-status", "-z", "HEAD") or "")
    found = {path: staged[path] for path in paths & staged.keys()}
    looked = {path: path for path in paths - found.keys()}
    for _ in range(MOST_MOVES):
        if not looked or time.monotonic() >= until:
            break
        renamed = _committed_renames(top, sorted(set(looked.values())))
        following = {path: renamed[at] for path, at in looked.items() if at in renamed}
        looked = {}
        for path, now in following.items():
            now = staged.get(now, now)
            if os.path.exists(os.path.join(top, now)):
                found[path] = now
            else:
                looked[path] = now
    return found


def _committed_renames(top: str, paths: list[str]) -> dict[str, str]:
    """Return old path → new path, for those whose last disappearance was a rename."""
    log = git_answer(
        top, "log", "--no-renames", "--diff-filter=D", "--format=%x01%H", "--name-only", "-z", "-n", "200", "-m",
        "--first-parent", "--", *paths,
    )  # fmt: skip
    commits: dict[str, str] = {}
    for part in (log or "").split("\x01")[1:]:
        commit, _, names = part.partition("\0")
        for name in names.strip("\0\n").replace("\n", "").split("\0"):
            commits.setdefault(name, commit.strip())
    wanted = sorted({commits[path] for path in paths if path in commits})
    if not wanted:
        return {}
    answer = git_answer(
        top, "diff-tree", "-r", "-M", "-m", "--first-parent", "--diff-filter=R", "--name-status", "--no-commit-id",
        "-z", "--stdin", given="\n".join(wanted) + "\n",
    )  # fmt: skip
    renames = _renames(answer or "")
    return {path: renames[path] for path in paths if path in renames}


def _renames(answer: str) -> dict[str, str]:
    parts, found = iter(answer.split("\0")), {}
    for part in parts:
        if part[:1] == "R" and part[1:].isdigit():
            before = next(parts, "")
            found[before] = next(parts, "")
    return found


def with_commits(top: str, states: States, *, until: float) -> States:
    """Return the states, those that changed with the number of commits since, as far as time goes."""
    done = dict(states)
    for anchor, state in states.items():
        if state.state == "changed" and time.monotonic() < until:
            commits = _commits_since(top, state.now or anchor[0], anchor[1])
            done[anchor] = replace(state, commits=commits)
    return done


def _commits_since(top: str, path: str, then: str) -> int | None:
    """Return how many commits changed a file since it had that hash; None when its history does not show it."""
    log = git_answer(
        top, "log", "--follow", "-M", "--format=%x01", "--raw", "--no-abbrev", "-n", str(MOST_COMMITS), "--", path
    )
    blobs = [line.split()[3] for line in (log or "").splitlines() if line.startswith(":")]
    for number, content in enumerate(_contents(top, blobs)):
        if hashlib.sha256(content).hexdigest() == then:
            return number
    return None


def _contents(top: str, blobs: list[str]) -> Iterable[bytes]:
    """The contents of blobs, in order, by one call of git."""
    answer = git_bytes(top, "cat-file", "--batch", given="\n".join(blobs) + "\n") or b"" if blobs else b""
    at = 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        size = int(answer[at:end].split()[-1]) if answer[at:end].split()[-1].isdigit() else 0
        yield answer[end + 1 : end + 1 + size]
        at = end + 2 + size
