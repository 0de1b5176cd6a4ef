"""Compute how close an insight's anchors are to where the agent is working: same file > folder > module, tag or symbol
> repository. A file that imports one of the agent's files, or is imported by it, is as close as one of the same module.

Only the best match counts: ten weak matches are not a strong one, and an insight must not gain by naming many files.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from knowledge.rules.vocabulary import AnchorKind

# 0–1. The order is Surchin's. The steps keep the tiers apart, and the total within the weight of locality in the score.
SAME_FILE = 1.0
SAME_FOLDER = 0.7
SAME_PLACE = 0.5
SAME_REPO = 0.25
# The first two folders name a module in the usual layouts (src/auth, services/billing, packages/ui).
MODULE_DEPTH = 2

Anchor = tuple[str, str]


@dataclass(frozen=True)
class Context:
    """Where the question comes from. Paths are relative with forward slashes, tags in lower case.

    `files`: the files being worked on. `loose`: those given by their last part only, or by the absolute path of some
    machine (with its leading slash) that is not known to be in `repo`. `related`: files that import `files` or are
    imported by them, according to a code index. `named`: files that the question itself names, by a path or its end.
    """

    files: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()
    symbols: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    repo: str = ""
    related: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()

    @property
    def file_names(self) -> list[str]:
        """The last parts of all paths that were given or named, to look up their anchors by."""
        return sorted({PurePosixPath(path).name for path in (*self.files, *self.loose, *self.named)})

    def names(self, path: str, repo: str = "") -> bool:
        """Return whether the question itself names this file of `repo`. The last part of a path alone does not name a
        file of another repository.
        """
        return self._meant(self.named, path, repo)

    def works_on(self, path: str, repo: str = "") -> bool:
        """Return whether this file of `repo` is among the given ones."""
        return path in self.files or self._meant(self.loose, path, repo)

    def _meant(self, names: frozenset[str], path: str, repo: str) -> bool:
        elsewhere = bool(repo and self.repo and repo != self.repo)
        return any(is_end_of(name, path) for name in names if not elsewhere or "/" in name)

    @property
    def folders(self) -> frozenset[str]:
        return frozenset(filter(None, map(folder, self.files)))

    @property
    def modules(self) -> frozenset[str]:
        return frozenset(filter(None, map(module, self.files)))


def is_end_of(name: str, path: str) -> bool:
    """Return whether `name` is the path or its last parts, or an absolute path that ends with it."""
    if name.startswith("/") and "/" in path and name.endswith(f"/{path}"):
        return True
    return f"/{path}".endswith(f"/{name.lstrip('/')}")


def clean_path(path: str) -> str:
    """Return the path in one spelling: `./src\\auth//a.py` → `src/auth/a.py`."""
    parts = [part for part in path.strip().replace("\\", "/").split("/") if part not in ("", ".")]
    return "/".join(parts)


# An absolute path on some machine, and the part of it that belongs to one person's machine.
_WHOLE = re.compile(r"(?:[A-Za-z]:)?[/\\]|~[/\\]")
_HOME = re.compile(r"\A(?:(?:[A-Za-z]:)?/(?:home|Users)/[^/]+/|[A-Za-z]:/|~/)")


def repo_path(path: str, repo: str) -> str:
    """Return a path relative to its repository: `/home/me/shop/src/a.py` in `acme/shop` → `src/a.py`.

    A path that is in no folder named like the repository is kept, without the home folder.
    """
    path = path.strip()
    if not _WHOLE.match(path):
        return clean_path(path)
    return _below_repo(path, repo) or clean_path(_HOME.sub("", path.replace("\\", "/"), count=1))


def repo_paths(paths: Iterable[str], repo: str) -> list[str]:
    """Return each path relative to its repository, once."""
    return list(dict.fromkeys(kept for path in paths if (kept := repo_path(path, repo))))


def _below_repo(path: str, repo: str) -> str:
    """Return the path below the folder named like the repository; "" if there is none."""
    parts, name = clean_path(path).split("/"), repo.strip().rpartition("/")[2]
    return "/".join(parts[parts.index(name) + 1 :]) if name and name in parts[:-1] else ""


def loose_files(paths: Iterable[str], repo: str) -> list[str]:
    """Return the paths that do not say where in the repository the file is: names without a folder, and absolute paths
    outside a folder named like the repository (with their leading slash).
    """
    whole = [
        f"/{clean_path(path)}" for path in map(str.strip, paths) if _WHOLE.match(path) and not _below_repo(path, repo)
    ]
    return whole + [kept for path in paths if not _WHOLE.match(path) and "/" not in (kept := clean_path(path)) and kept]


_WORD = re.compile(r"[\w./\\@+-]+")
_ENDING = re.compile(r"\w\.[A-Za-z]\w{0,7}$")
MOST_NAMED = 10


def named_files(text: str) -> list[str]:
    """Return the file paths that a text names, whole or by their ends, each once, at most MOST_NAMED.

    A path is a word with a slash or an extension, without the sign of a mention (`@a.py`); absolute paths keep their
    leading slash. Words that only look like paths ("and/or", "example.com") do no harm: no anchored path ends with
    them.
    """
    words = (word.lstrip("@-").rstrip(".-") for word in _WORD.findall(text))
    named = filter(_names_file, words)
    paths = (("/" if word[0] in "/\\" else "") + clean for word in named if (clean := clean_path(word).rstrip(".")))
    return list(dict.fromkeys(paths))[:MOST_NAMED]


def without_files(text: str) -> str:
    """Return the text without the words that name files."""
    return _WORD.sub(lambda word: "" if _names_file(word.group().lstrip("@-").rstrip(".-")) else word.group(), text)


def _names_file(word: str) -> bool:
    return "/" in word or "\\" in word or ("." in word and bool(_ENDING.search(word)))


def folder(path: str) -> str:
    parent = str(PurePosixPath(path).parent)
    return "" if parent == "." else parent


def module(path: str) -> str:
    parts = folder(path).split("/")
    return "/".join(parts[:MODULE_DEPTH]) if len(parts) >= MODULE_DEPTH else ""


class Locality:
    """The places of one context, prepared once for all candidates."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.folders = context.folders
        self.modules = context.modules
        # Most questions name no place, and then no anchor needs to be compared.
        self.narrow = bool(context.files or context.loose or context.named or context.symbols or context.tags)

    def of(self, anchors: Iterable[Anchor], repo: str) -> tuple[float, str]:
        """Return the locality (0–1) and what matched, in words; (0, "") if nothing did."""
        best, why = (SAME_REPO, f"same repo {repo}") if repo and repo == self.context.repo else (0.0, "")
        for kind, value in anchors if self.narrow else ():
            found, reason = self._match(kind, value, repo)
            if found > best:
                best, why = found, reason
        return best, why

    def _match(self, kind: str, value: str, repo: str) -> tuple[float, str]:
        if kind == AnchorKind.FILE:
            return self._file(value, repo)
        if kind == AnchorKind.SYMBOL and value in self.context.symbols:
            return SAME_PLACE, f"same symbol {value}"
        if kind == AnchorKind.TAG and value in self.context.tags:
            return SAME_PLACE, f"same tag {value}"
        return 0.0, ""

    def _file(self, path: str, repo: str) -> tuple[float, str]:
        if self.context.works_on(path, repo) or self.context.names(path, repo):
            return SAME_FILE, f"same file {path}"
        if folder(path) in self.folders:
            return SAME_FOLDER, f"same folder {folder(path)}"
        if module(path) in self.modules:
            return SAME_PLACE, f"same module {module(path)}"
        if path in self.context.related:
            return SAME_PLACE, f"imports or imported by: {path}"
        return 0.0, ""
