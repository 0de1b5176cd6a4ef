"""The files of a commit, written once into a folder of their own: what is searched there is what any folder is.

The folders lie below `LOAM_EVIDENCE_TREES`, one for each source and commit, and all together take no more than its
limit; those used longest ago are removed. They hold plain files alone: links, submodules and pointers of Git LFS are
named, and what a path may be is decided here, as Git decides it only when it checks out. A file that the commit before
had as well is linked to, not written again.
"""

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile, mkdtemp
from typing import IO

from django.conf import settings

from accounts.adapters.disk_space import free_bytes
from accounts.adapters.file_lock import file_lock
from knowledge.evidence.adapters import git
from knowledge.evidence.adapters.files import DEEP, DEEPEST, LINK, MANY, MOST_NAMED, NAMELESS
from knowledge.evidence.adapters.git import NoTree, TreeEntry
from knowledge.evidence.adapters.listing import FileList
from knowledge.evidence.rules.scope import LARGEST_POINTER, SearchScope, is_lfs_pointer, is_safe_path

# Files of a commit, and bytes of one: larger ones would be held in memory by Git.
MOST_FILES = 200_000
LARGEST = 200_000_000
# Seconds between two marks that a commit is in use; one that is, is not removed.
USED = 600.0
# Commits of one source that are kept: the one before the last move of its branch is what running searches read.
KEPT = 2
PIECE = 1 << 20
# What the folder of a single file begins with, which lasts as long as it is read.
READ = ".file-"

SUBMODULE = "a submodule: its files are in another repository"
POINTER = "a Git LFS pointer: its content is not in the repository"
HUGE = f"larger than {LARGEST // 1_000_000} MB"
LOST = "missing from the repository"
NO_ROOM = "There is not enough free disk space for the files of the commit."


@dataclass(frozen=True)
class Tree:
    """The files of a commit at `base`/`path`; `listing` has each with its size and the hash of its content."""

    base: Path
    path: str
    commit: str
    listing: FileList = field(hash=False)
    skipped: dict[str, int] = field(hash=False)
    named: tuple[tuple[str, str], ...] = field(hash=False)

    @property
    def folder(self) -> Path:
        return self.base / self.path


@dataclass
class _Written:
    """What was written of a commit, and what was not: reason → how many, and the first paths of each."""

    parts: list[str] = field(default_factory=list)
    bytes: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    named: list[tuple[str, str]] = field(default_factory=list)

    def skip(self, path: str, reason: str) -> None:
        self.skipped[reason] += 1
        if self.skipped[reason] <= MOST_NAMED:
            self.named.append((path.encode("utf-8", "replace").decode(), reason))


def tree_of(base: Path, path: str, revision: str, *, key: str, ends: float) -> Tree:
    """The files of the commit that `revision` names now in the repository at `base`/`path`. `key` names the source.

    Raises SourceGone, NoTree.
    """
    folder = git.repository(base, path)
    commit = git.resolve(folder, revision)
    home = Path(settings.LOAM_EVIDENCE_TREES, key)
    if (known := _known(home, commit)) is not None:
        return known
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with file_lock(home / ".lock"):
        if (known := _known(home, commit)) is not None:
            return known
        git.refuse_linked_objects(folder)
        _write(folder, commit, home, ends)
    known = _known(home, commit)
    if known is None:
        raise NoTree(git.DAMAGED)
    return known


@contextmanager
def file_at(base: Path, path: str, commit: str, *, of: str, file: str, ends: float) -> Iterator[Tree]:
    """One file of a commit that the commit `of` is, or comes after, for as long as it is read.

    Raises SourceGone, NoTree.
    """
    folder = git.repository(base, path)
    if not git.is_ancestor(folder, commit, of):
        raise NoTree(f"Commit {commit[:12]} is not part of the branch any more.")
    git.refuse_linked_objects(folder)
    home = Path(settings.LOAM_EVIDENCE_TREES)
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with TemporaryDirectory(prefix=READ, dir=home) as made:
        written = _CommitWriter(folder, commit, Path(made, "tree"), ends).write(only=file)
        yield _tree(Path(made), "tree", commit, written)


def remove_others(keys: Iterable[str]) -> None:
    """Remove the files of sources that are not among these."""
    home, kept = Path(settings.LOAM_EVIDENCE_TREES), set(keys)
    if home.is_dir():
        for one in home.iterdir():
            is_read = one.name.startswith(READ) and time.time() - one.stat().st_mtime < USED
            if one.name not in kept and not is_read:
                shutil.rmtree(one, ignore_errors=True)


def tree_key(source: int, path: str) -> str:
    """What the folder of a source's commits is called: its number, and which repository it was."""
    return f"{source}-{blake2b(path.encode(), digest_size=6).hexdigest()}"


@lru_cache(32)
def listed(tree: Tree, scope: SearchScope) -> FileList:
    """The files of a commit, without those in folders that a source never enters."""
    known: dict[str, bool] = {"": True}

    def entered(folder: str) -> bool:
        if folder not in known:
            known[folder] = entered(folder.rpartition("/")[0]) and scope.enters(folder)
        return known[folder]

    files = tree.listing.files.items()
    some = [part for path, facts in files if entered(path.rpartition("/")[0]) for part in (path, *facts)]
    return FileList("\0".join(some).encode("utf-8", "surrogateescape"))


# --- what is there ----------------------------------------------------------------------------------------------
def _known(home: Path, commit: str) -> Tree | None:
    """A commit that was written before, marked as used now."""
    folder = home / commit
    try:
        age = time.time() - (folder / "facts.json").stat().st_mtime
        if age > USED:
            os.utime(folder / "facts.json")
        return _read(folder, commit)
    except (OSError, ValueError, KeyError):
        return None


@lru_cache(16)
def _read(folder: Path, commit: str) -> Tree:
    facts = json.loads((folder / "facts.json").read_text())
    listing = FileList((folder / "listing").read_bytes())
    home = folder.parent.parent
    named = tuple((path, reason) for path, reason in facts["named"])
    return Tree(home, str((folder / "tree").relative_to(home)), commit, listing, facts["skipped"], named)


def _tree(home: Path, path: str, commit: str, written: _Written) -> Tree:
    listing = FileList("\0".join(written.parts).encode("utf-8", "surrogateescape"))
    return Tree(home, path, commit, listing, dict(written.skipped), tuple(written.named))


# --- writing ----------------------------------------------------------------------------------------------------
def _write(repository: Path, commit: str, home: Path, ends: float) -> None:
    """Write the files of a commit below `home`, whole or not at all. Raises NoTree."""
    for left in home.glob(".new-*"):  # by a process that was killed: this one has the lock
        shutil.rmtree(left, ignore_errors=True)
    made = Path(mkdtemp(prefix=".new-", dir=home))
    try:
        written = _CommitWriter(repository, commit, made / "tree", ends).write(_newest(home))
        tree = _tree(home, "", commit, written)
        (made / "listing").write_bytes(tree.listing.raw)
        facts = {"bytes": written.bytes, "skipped": tree.skipped, "named": tree.named}
        (made / "facts.json").write_text(json.dumps(facts))
        made.rename(home / commit)
    except OSError as error:
        raise NoTree(f"The files of its commit cannot be written: {os.strerror(error.errno or 0).lower()}.") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


class _CommitWriter:
    """Writes what a commit has below `target`, which nobody else writes to."""

    def __init__(self, repository: Path, commit: str, target: Path, ends: float) -> None:
        self._repository, self._commit, self._target, self._ends = repository, commit, target, ends
        self._done = _Written()
        self._time = git.committed_at(repository, commit) * 1_000_000_000
        self._folders = {""}
        target.mkdir()

    def write(self, before: Tree | None = None, only: str = "") -> _Written:
        """Write all files, those that `before` has by links to them; or one file only. Raises NoTree, OSError."""
        entries = [one for one in self._entries(only) if self._takes(one)]
        known = {name: path for path, (_, name) in before.listing.files.items()} if before else {}
        left = [one for one in entries if not (before and self._link(one, before, known))]
        self._done.bytes = sum(one.size for one in entries)
        if not only:
            _make_room(self._target.parents[1], self._done.bytes)
        lost = self._read(left) if left else set()
        for one in entries:
            if one.path not in lost:
                self._done.parts += (os.fsdecode(one.path), str(one.size), one.object)
        return self._done

    def _entries(self, only: str) -> Iterator[TreeEntry]:
        paths = [only] if only else ()
        for number, one in enumerate(git.tree_entries(self._repository, self._commit, paths=paths, ends=self._ends)):
            if number >= MOST_FILES:
                self._done.skip(os.fsdecode(one.path), MANY)
                return
            if not only or one.path == os.fsencode(only):
                yield one

    def _takes(self, one: TreeEntry) -> bool:
        """Whether an entry is written, by what it is and how it is called; if not, it is named."""
        path = os.fsdecode(one.path)
        why = LINK if one.mode == "120000" else SUBMODULE if one.kind == "commit" else ""
        why = why or ("" if one.kind == "blob" and is_safe_path(path) else NAMELESS)
        why = why or (DEEP if path.count("/") > DEEPEST else HUGE if one.size > LARGEST else "")
        why = why or ("" if self._makes_folder(path.rpartition("/")[0]) else NAMELESS)
        if why:
            self._done.skip(path, why)
        return not why

    def _makes_folder(self, folder: str) -> bool:
        """Make the folder of a file; False where a file of the commit has its name."""
        if folder not in self._folders:
            try:
                (self._target / folder).mkdir(parents=True, exist_ok=True)
            except FileExistsError:
                return False
            except NotADirectoryError:
                return False
            self._folders.add(folder)
        return True

    def _link(self, one: TreeEntry, before: Tree, known: dict[str, str]) -> bool:
        """Take a file of the commit before, if it is there still."""
        path = known.get(one.object)
        if path is None:
            return False
        with suppress(OSError):
            os.link(before.folder / path, self._target / os.fsdecode(one.path), follow_symlinks=False)
            return True
        return False

    def _read(self, entries: list[TreeEntry]) -> set[bytes]:
        """Write these files; returns the paths of those that were not."""
        lost = set()
        with TemporaryFile() as wanted:
            wanted.writelines(b"%b\n" % one.object.encode() for one in entries)
            wanted.seek(0)
            given = iter(entries)
            for (_, size, stream), one in zip(
                git.contents(self._repository, wanted, ends=self._ends), given, strict=False
            ):
                if why := self._copy(one, size, stream):
                    self._done.skip(os.fsdecode(one.path), why)
                    lost.add(one.path)
            if next(given, None) is not None:
                raise NoTree(git.DAMAGED)
        return lost

    def _copy(self, one: TreeEntry, size: int, stream: IO[bytes]) -> str:
        """Write one file from the stream of its content; returns why it is not written."""
        if size < 0:
            return LOST
        first = stream.read(min(size, max(LARGEST_POINTER, PIECE)))
        if is_lfs_pointer(first) and len(first) == size:
            return POINTER
        path, left = self._target / os.fsdecode(one.path), size - len(first)
        try:
            file = path.open("xb")
        except (FileExistsError, IsADirectoryError):
            _pass_over(stream, left)
            return NAMELESS
        with file:
            file.write(first)
            while left > 0 and (piece := stream.read(min(left, PIECE))):
                file.write(piece)
                left -= len(piece)
        # As old as the commit, and of another time than any other content.
        moment = self._time + int(one.object[:7], 16)
        os.utime(path, ns=(moment, moment))
        return LOST if left else ""


def _pass_over(stream: IO[bytes], left: int) -> None:
    while left > 0 and (piece := stream.read(min(left, PIECE))):
        left -= len(piece)


# --- room -------------------------------------------------------------------------------------------------------
def _commits(home: Path) -> list[tuple[float, int, Path]]:
    """(last use, bytes, folder) of the commits of one source, the newest use first."""
    found = []
    for folder in home.iterdir() if home.is_dir() else ():
        with suppress(OSError, ValueError, KeyError):
            facts = folder / "facts.json"
            found.append((facts.stat().st_mtime, int(json.loads(facts.read_text())["bytes"]), folder))
    return sorted(found, reverse=True)


def _newest(home: Path) -> Tree | None:
    known = _commits(home)
    return _known(home, known[0][2].name) if known else None


def _make_room(home: Path, needed: int) -> None:
    """Remove commits that nobody uses until `needed` more bytes may be written below `home`. Raises NoTree."""
    now = time.time()
    for _, _, folder in _commits(home)[KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)
    every = [one for key in home.parent.iterdir() for one in _commits(key)]
    left = settings.LOAM_EVIDENCE_TREES_MB * 1_000_000 - needed - sum(size for _, size, _ in every)
    for used, size, folder in sorted(every):
        if left < 0 and now - used > 2 * USED:
            shutil.rmtree(folder, ignore_errors=True)
            left += size
    if left < 0:
        raise NoTree(f"The files of its commit ({needed / 1e6:,.0f} MB) are more than LOAM_EVIDENCE_TREES_MB allows.")
    if free_bytes() - needed < settings.LOAM_LEAST_FREE:
        raise NoTree(NO_ROOM)
