"""How close an insight's anchors are to where the agent works now: same file > folder > module, tag or symbol > repo.
A file that imports one of those, or is imported by it, is as near as one of the same module.

The best single match counts: ten weak ones are not a strong one, and an insight must not gain by naming many files.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from knowledge.rules.vocabulary import AnchorKind

# The order is Surchin's; the steps keep each tier clear of the next, and the whole within its weight in the score.
SAME_FILE = 1.0
SAME_FOLDER = 0.7
SAME_PLACE = 0.5
SAME_REPO = 0.25
# Two leading folders name a module in the usual layouts (src/auth, services/billing, packages/ui).
MODULE_DEPTH = 2

Anchor = tuple[str, str]


@dataclass(frozen=True)
class Context:
    """Where the question comes from. Paths are relative with forward slashes, tags lower case. `related`: the files
    that import `files` or are imported by them, as far as a code index knows. `named`: the files that the question
    itself names, by a path or its end. `loose`: those of `files` that were given by their last part only, or by a whole
    path of some machine (with its leading slash) that is not known to lie in `repo`.
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
        """The last parts of all paths that were given or named, by which their anchors are looked up."""
        return sorted({PurePosixPath(path).name for path in (*self.files, *self.loose, *self.named)})

    def names(self, path: str, repo: str = "") -> bool:
        """Whether the question itself names this file of `repo`. By its last part alone it does not name one of
        another repository.
        """
        return self._meant(self.named, path, repo)

    def works_on(self, path: str, repo: str = "") -> bool:
        """Whether this file of `repo` is among the given ones."""
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
    """Whether the name is the path, or its last parts; or a whole path of some machine that ends with this one."""
    if name.startswith("/") and "/" in path and name.endswith(f"/{path}"):
        return True
    return f"/{path}".endswith(f"/{name.lstrip('/')}")


def clean_path(path: str) -> str:
    """`./src\\auth//a.py` → `src/auth/a.py`, so that two machines name one file alike."""
    parts = [part for part in path.strip().replace("\\", "/").split("/") if part not in ("", ".")]
    return "/".join(parts)


# The whole path of a file on some machine, and the folder in it that belongs to a person.
_WHOLE = re.compile(r"(?:[A-Za-z]:)?[/\\]|~[/\\]")
_HOME = re.compile(r"\A(?:(?:[A-Za-z]:)?/(?:home|Users)/[^/]+/|[A-Za-z]:/|~/)")


def repo_path(path: str, repo: str) -> str:
    """A path as the repository has it: `/home/me/shop/src/a.py` of `acme/shop` → `src/a.py`. A path outside a folder of
    the repository's name stays whole, without the home folder.
    """
    path = path.strip()
    if not _WHOLE.match(path):
        return clean_path(path)
    return _below_repo(path, repo) or clean_path(_HOME.sub("", path.replace("\\", "/"), count=1))


def repo_paths(paths: Iterable[str], repo: str) -> list[str]:
    """Each path as the repository has it, once."""
    return list(dict.fromkeys(kept for path in paths if (kept := repo_path(path, repo))))


def _below_repo(path: str, repo: str) -> str:
    """The path below the folder of the repository's name; empty where it does not lie in one."""
    parts, name = clean_path(path).split("/"), repo.strip().rpartition("/")[2]
    return "/".join(parts[parts.index(name) + 1 :]) if name and name in parts[:-1] else ""


def loose_files(paths: Iterable[str], repo: str) -> list[str]:
    """The paths that do not say where in the repository the file lies: names without a folder, and whole paths of some
    machine outside a folder of the repository's name (with their leading slash).
    """
    whole = [
        f"/{clean_path(path)}" for path in map(str.strip, paths) if _WHOLE.match(path) and not _below_repo(path, repo)
    ]
    return whole + [kept for path in paths if not _WHOLE.match(path) and "/" not in (kept := clean_path(path)) and kept]


_WORD = re.compile(r"[\w./\\@+-]+")
_ENDING = re.compile(r"\w\.[A-Za-z]\w{0,7}$")
MOST_NAMED = 10


def named_files(text: str) -> list[str]:
    """The file paths that a text names, whole or by their ends, each once, at most a handful: words with a slash or an
    extension, without the sign of a mention (`@a.py`); paths of a machine keep their leading slash. Words that only
    look like files ("and/or", "example.com") are the end of no anchored path.
    """
    words = (word.lstrip("@-").rstrip(".-") for word in _WORD.findall(text))
    named = filter(_names_file, words)
    paths = (("/" if word[0] in "/\\" else "") + clean for word in named if (clean := clean_path(word).rstrip(".")))
    return list(dict.fromkeys(paths))[:MOST_NAMED]


def without_files(text: str) -> str:
    """The text without the words that name files."""
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
    """The tiers of one context, prepared once for all candidates."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.folders = context.folders
        self.modules = context.modules
        # Most questions name no place at all: then no anchor need be looked at.
        self.narrow = bool(context.files or context.loose or context.named or context.symbols or context.tags)

    def of(self, anchors: Iterable[Anchor], repo: str) -> tuple[float, str]:
        """The value (0–1) and what matched, in words; (0, "") when nothing does."""
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
