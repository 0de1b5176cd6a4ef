"""Git, asked what a repository holds at a commit. The repository is somebody's who may wish us ill.

Only commands that read objects are run: no checkout and no archive, which run filters and attributes of the repository.
What a command could still be led to by the repository's settings is switched off: hooks, the file system monitor, the
fetching of missing objects, replacements, and settings of the machine and its users. A repository that takes objects
from elsewhere (alternates, links, a `.git` file) is refused, because elsewhere is not below the allowed root. A command
has a time, and memory on Linux; nothing that it says on its error output is shown.
"""

import os
import re
import resource
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.conf import settings

from knowledge.evidence.adapters.files import SourceGone, folder_of, opened


class NoTree(SourceGone):
    """The files of a commit cannot be had. The text says why, as a sentence."""


class GitMissing(NoTree):
    """The program is not installed, or does not run."""


# Seconds for a command that reads a few objects.
PATIENCE = 5.0
# Bytes of memory of one command, and what it may map of packs at once, which is part of it.
MOST_MEMORY = 3 << 30
_SAFE = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.alternateRefsCommand=",
    "core.packedGitLimit=256m",
    "core.packedGitWindowSize=32m",
    "core.deltaBaseCacheLimit=64m",
    "core.bigFileThreshold=32m",
    "protocol.allow=never",
)
_ENVIRONMENT = {
    "LC_ALL": "C",
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    # Before Git 2.44 the line above is not known: a missing object is fetched, unless no transport may be used.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}

NOT_INSTALLED = "Git is not installed on this machine, or LOAM_GIT names no program."
NO_REPOSITORY = "Its folder is not a Git repository."
ELSEWHERE = "Its repository keeps objects elsewhere (a linked worktree, a submodule, alternates or links)."
DAMAGED = "Its repository is damaged, or Git refuses to read it."
SLOW = "Git took too long to read its repository."


@dataclass(frozen=True)
class TreeEntry:
    """A file of a commit; `path` as bytes of a file name, `kind` and `mode` as Git has them, `size` of a blob."""

    path: bytes
    mode: str
    kind: str
    object: str
    size: int


def git_version() -> str:
    """The version of Git. Raises GitMissing."""
    try:
        done = subprocess.run(
            [str(settings.LOAM_GIT), "--version"], capture_output=True, timeout=PATIENCE, env=_environment()
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitMissing(NOT_INSTALLED) from error
    return done.stdout.decode("utf-8", "replace").removeprefix("git version ").strip()


def repository(base: Path, path: str) -> Path:
    """The folder that holds the objects of a bare or normal repository. Raises SourceGone."""
    with opened(base, path) as top:
        has_objects = _is_folder(top, "objects") and _is_folder(top, "refs")
        if not has_objects and not _is_folder(top, ".git"):
            with suppress(OSError):
                os.stat(".git", dir_fd=top, follow_symlinks=False)
                raise NoTree(ELSEWHERE)
            raise NoTree(NO_REPOSITORY)
    inside = path if has_objects else f"{path}/.git"
    _refuse_borrowed_objects(base, inside)
    return folder_of(base, inside)


def _is_folder(folder: int, name: str) -> bool:
    try:
        os.close(os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder))
    except OSError:
        return False
    return True


# Names in a repository that lead to objects in another one.
_LEADS_AWAY = ("commondir", "objects/info/alternates", "objects/info/http-alternates")


def _refuse_borrowed_objects(base: Path, inside: str) -> None:
    """Raise NoTree where a repository names others whose objects it uses."""
    with opened(base, inside) as top:
        for name in _LEADS_AWAY:
            with suppress(FileNotFoundError, NotADirectoryError):
                os.stat(name, dir_fd=top, follow_symlinks=False)
                raise NoTree(ELSEWHERE)


def refuse_linked_objects(folder: Path) -> None:
    """Raise NoTree where objects of a repository are links."""
    objects = folder / "objects"
    if objects.is_symlink():
        raise NoTree(ELSEWHERE)
    for one in (objects, *(Path(entry) for entry in os.scandir(objects) if not _is_link(entry))):
        with suppress(OSError), os.scandir(one) as entries:
            for entry in entries:
                _is_link(entry)


def _is_link(entry: "os.DirEntry[str]") -> bool:
    if entry.is_symlink():
        raise NoTree(ELSEWHERE)
    return False


def resolve(folder: Path, revision: str) -> str:
    """The hash of the commit that a branch, tag or commit names now. Raises NoTree."""
    program = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    told = _answer(folder, program)
    if told is None:
        raise NoTree(f"Its repository has no branch, tag or commit '{revision}'.")
    return told.strip()


# Of a commit, the part that has its dates; its message may be of any length.
HEADER = 20_000
_COMMITTER = re.compile(rb"^committer [^\n]*> (\d{1,12}) [+-]\d{4}$", re.MULTILINE)


def committed_at(folder: Path, commit: str) -> int:
    """When a commit was made, in seconds since 1970; 0 when it does not say. Raises NoTree."""
    # Not `git log`, which may be set to run a program that checks signatures.
    with _started(folder, ["cat-file", "commit", commit], subprocess.DEVNULL, time.monotonic() + PATIENCE) as process:
        assert process.stdout is not None
        found = _COMMITTER.search(process.stdout.read(HEADER).partition(b"\n\n")[0])
    return min(int(found[1]), 1 << 33) if found else 0


def is_ancestor(folder: Path, commit: str, of: str) -> bool:
    """Whether a commit is the other, or comes before it. Raises NoTree."""
    return commit == of or _answer(folder, ["merge-base", "--is-ancestor", commit, of]) is not None


def _answer(folder: Path, arguments: Sequence[str]) -> str | None:
    """What a short command prints; None when it ends with a fault."""
    ends = time.monotonic() + PATIENCE
    with _started(folder, arguments, subprocess.DEVNULL, ends) as process:
        assert process.stdout is not None
        told = process.stdout.read(10_000)
        return told.decode("utf-8", "replace") if _ended(process, ends) else None


def tree_entries(folder: Path, commit: str, *, paths: Sequence[str] = (), ends: float) -> Iterator[TreeEntry]:
    """Every entry of a commit's tree, or those at `paths`, in Git's order. `ends`: on time.monotonic. Raises NoTree."""
    program = ["--literal-pathspecs", "ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", *paths]
    with _started(folder, program, subprocess.DEVNULL, ends) as process:
        assert process.stdout is not None
        held = b""
        while piece := process.stdout.read1(1 << 20):  # type: ignore[attr-defined]
            *whole, held = (held + piece).split(b"\0")
            for line in whole:
                facts, _, path = line.partition(b"\t")
                mode, kind, name, size = facts.decode("ascii").split()
                yield TreeEntry(path, mode, kind, name, int(size) if size.isdecimal() else 0)
        if not _ended(process, ends):
            raise NoTree(DAMAGED)


def contents(folder: Path, objects: IO[bytes], *, ends: float) -> Iterator[tuple[str, int, IO[bytes]]]:
    """(hash, size, stream of the content) of each object named in the file `objects`, one a line. Each content is read
    whole before the next is asked for. One that is not there, or no content of a file, has size -1. Raises NoTree.
    """
    with _started(folder, ["cat-file", "--batch", "--buffer"], objects, ends) as process:
        assert process.stdout is not None
        while line := process.stdout.readline(1_000):
            name, *facts = line.decode("ascii", "replace").split()
            if len(facts) != 2:
                yield name, -1, process.stdout
                continue
            yield name, int(facts[1]), process.stdout
            if process.stdout.read(1) != b"\n":
                break
        if not _ended(process, ends):
            raise NoTree(DAMAGED)


@contextmanager
def _started(
    folder: Path, arguments: Sequence[str], given: int | IO[bytes], ends: float
) -> Iterator["subprocess.Popen[bytes]"]:
    """A command of Git in a repository, killed when its time is over or nobody reads on. Raises NoTree."""
    if time.monotonic() >= ends:
        raise NoTree(SLOW)
    options = [part for setting in _SAFE for part in ("-c", setting)]
    try:
        process = subprocess.Popen(
            [str(settings.LOAM_GIT), "--no-pager", "--no-replace-objects", *options, "--git-dir=.", *arguments],
            cwd=folder,
            env=_environment(),
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise GitMissing(NOT_INSTALLED) from error
    if hasattr(resource, "prlimit"):
        with suppress(OSError):
            resource.prlimit(process.pid, resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    timer = threading.Timer(max(0.0, ends - time.monotonic()), process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        if process.poll() is None:
            process.kill()
        assert process.stdout is not None
        process.stdout.close()
        process.wait()


def _ended(process: "subprocess.Popen[bytes]", ends: float) -> bool:
    """Whether a command that has printed all ended well. Raises NoTree when it was stopped by its time."""
    code = process.wait()
    if code and time.monotonic() >= ends:
        raise NoTree(SLOW)
    return code == 0


def _environment() -> dict[str, str]:
    """What a command knows of this machine: where programs are, and nothing of our settings or of Git's variables."""
    return {**_ENVIRONMENT, "PATH": os.environ.get("PATH", os.defpath)}
