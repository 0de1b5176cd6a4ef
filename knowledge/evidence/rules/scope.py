"""The searched part of a source: paths as a caller writes them, globs, branches and commits, without a file system.

A path is a name within a source. Whether a file of that name may be opened is decided by `adapters/files.py`, which
trusts no result of this module; this module only tells a caller at once that a path cannot be inside the source.
"""

import fnmatch
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

LONGEST_PATH = 400
LONGEST_GLOB = 200

# Folders without answers: what tools wrote. A source may include one by naming it in `include`.
NEVER = (".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache")


class BadPath(ValueError):
    """A path that cannot be used. The text says why, for the field it came in."""


def clean_path(text: str) -> str:
    """Return a path relative to its source, without `.` and doubled slashes; "" is the source itself. Raises
    BadPath.
    """
    if "\0" in text or len(text) > LONGEST_PATH:
        raise BadPath(f"A path has at most {LONGEST_PATH} characters, and none of them NUL.")
    if text.startswith(("/", "\\", "~")) or re.match(r"[A-Za-z]:", text):
        raise BadPath("A path is relative to its source; this one is absolute.")
    parts = [part for part in text.replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts:
        raise BadPath("A path may not go up ('..').")
    return "/".join(parts)


# The number of cached endings: each search needs the ending of each path several times. Some 4 MB.
REMEMBERED = 20_000


@lru_cache(maxsize=REMEMBERED)
def ending(path: str) -> str:
    """Return the ending of a file's name with its dot, in lower case; "" for none. Each search calls this for every
    file, so it avoids the parsing of `PurePosixPath.suffix`.
    """
    name = path.rpartition("/")[2]
    at = name.rfind(".")
    return name[at:].lower() if 0 < at < len(name) - 1 else ""


@dataclass(frozen=True)
class SearchScope:
    """The searched part of a source. `include`, `exclude`: globs on the path within the source (`*` stays within a
    folder, `**` does not; one without a slash is compared with the file's name). `paths`: folders or files; none means
    all.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        if self.paths and not any(not at or path == at or path.startswith(f"{at}/") for at in self.paths):
            return False
        if self.include and not any(matches(glob, path) for glob in self.include):
            return False
        return not any(matches(glob, path) for glob in self.exclude)

    def names(self, path: str) -> bool:
        """Return whether a path that would be left out is asked for by name: itself, a path below it, or by a glob that
        matches it. A folder ends with a slash.
        """
        if path.endswith("/"):
            return any(at == path[:-1] or at.startswith(path) for at in (*self.paths, *self.include))
        return path in self.paths or any(matches(glob, path) for glob in self.include)

    def enters(self, folder: str) -> bool:
        """Return whether anything below the folder can be included."""
        if folder.rpartition("/")[2] in NEVER and not any(folder.rpartition("/")[2] in glob for glob in self.include):
            return False
        if any(matches(glob, f"{folder}/") or matches(glob, folder) for glob in self.exclude):
            return False
        return not self.paths or any(_on_the_way(folder, at) for at in self.paths)


def _on_the_way(folder: str, at: str) -> bool:
    return not at or at == folder or at.startswith(f"{folder}/") or folder.startswith(f"{at}/")


def matches(glob: str, path: str) -> bool:
    """Return whether a glob matches a path. Linear in both: a part is matched by fnmatch, which does not backtrack."""
    parts = [part for part in glob.split("/") if part]
    names = [name for name in path.split("/") if name]
    if "/" not in glob.strip("/"):
        return bool(parts) and any(_part(parts[0])(name) for name in (names if glob.endswith("/") else names[-1:]))
    reached = {0}
    for name in names:
        reached = _step(parts, reached, name)
        if not reached:
            return False
    last = {len(parts), len(parts) - 1} if parts[-1] == "**" else {len(parts)}
    return bool(_closed(parts, reached) & last) or (glob.endswith("/**") and len(parts) in reached)


def _step(parts: Sequence[str], reached: set[int], name: str) -> set[int]:
    following = set()
    for at in _closed(parts, reached):
        if at < len(parts):
            if parts[at] == "**":
                following.add(at)
            elif _part(parts[at])(name):
                following.add(at + 1)
    return following


def _closed(parts: Sequence[str], reached: set[int]) -> set[int]:
    """Return the states reached, including those reached by letting `**` stand for nothing."""
    found = set(reached)
    for at in sorted(reached):
        while at < len(parts) and parts[at] == "**":
            at += 1
            found.add(at)
    return found


@lru_cache(maxsize=1_000)
def _part(glob: str) -> Callable[[str], object]:
    return re.compile(fnmatch.translate(glob)).match


# --- repositories ------------------------------------------------------------------------------------------------
LONGEST_REVISION = 200
# The characters of a commit in a citation; Git itself shows seven, and more if these are ambiguous.
SHORT = 10
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
LARGEST_POINTER = 1_024

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# Narrower than `git check-ref-format`: no sign that selects another commit than the name's own (`~`, `^`, `@{1}`, `:`).
_REVISION = re.compile(r"\w[\w./+#%=,@-]*")
_FORBIDDEN = ("..", "//", "/.", "@{", ".lock/")
# Bytes of a name and characters of a path that file systems and the citations of answers take.
LONGEST_NAME = 255
LONGEST_WRITTEN = 1_000
# Control characters, and bytes that are no UTF-8.
_UNWRITABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class BadRevision(ValueError):
    """A revision that cannot be used. The text says why, for the field it came in."""


def clean_revision(text: str) -> str:
    """Return the name of a branch, a tag or a commit. Raises BadRevision."""
    name = text.strip()
    if len(name) > LONGEST_REVISION:
        raise BadRevision(f"A branch, tag or commit has at most {LONGEST_REVISION} characters.")
    if not _REVISION.fullmatch(name) or name.endswith(("/", ".", ".lock")) or any(one in name for one in _FORBIDDEN):
        raise BadRevision("This is not the name of a branch, a tag or a commit.")
    return name


def is_commit(text: str) -> bool:
    """Return whether a text is a whole commit hash: SHA-1 or SHA-256 in lower-case hexadecimal."""
    return _COMMIT.fullmatch(text) is not None


def is_safe_path(path: str) -> bool:
    """Return whether the path of a tree's entry may be written below a folder: Git checks this only on checkout."""
    if _UNWRITABLE.search(path) or len(path) > LONGEST_WRITTEN:
        return False
    parts = path.split("/")
    return not any(
        part in ("", ".", "..") or part.lower() == ".git" or len(part.encode()) > LONGEST_NAME for part in parts
    )


def is_lfs_pointer(content: bytes) -> bool:
    """Return whether a file is a pointer to one that Git LFS stores elsewhere."""
    return len(content) <= LARGEST_POINTER and content.startswith(LFS_POINTER)


def place(path: str, start: int, end: int, commit: str = "") -> str:
    """Return lines of a file as they are cited: `path:1-3`, or `path@commit:1-3` in a repository."""
    return f"{path}{f'@{commit[:SHORT]}' if commit else ''}:{start}-{end}"
