"""From what a file says it imports to which file of the repo that is.

A client sends what it read: paths, relative paths, or names as the language writes them (`accounts.rules.guard`,
`./button`, `crate::parser`, `com.acme.Billing`). What matches no file of the repo is somebody else's library, and no
edge. A match must be of whole parts, from the end; of several the one that shares most with the importer wins.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from knowledge.retrieval.rules.locality import clean_path

# By what a name may go on to a file: the file itself, with a suffix, or the file that stands for its folder.
SUFFIXES = (".py", ".pyi", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".go", ".rs", ".rb",
            ".java", ".kt", ".scala", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".php",
            ".swift", ".ex", ".exs")  # fmt: skip
STANDING_FOR = ("__init__", "index", "mod", "lib", "main")
_SEPARATORS = re.compile(r"::|\.|\\")


def resolve(named: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """`named`: path → what it imports, as it says; returns path → the files of the repo that those are, each once."""
    known = _Names(named)
    return {
        path: list(dict.fromkeys(found for name in names if (found := known.file(name, path)) and found != path))
        for path, names in named.items()
    }


class _Names:
    """By which names the files of a repo may be imported."""

    def __init__(self, paths: Mapping[str, object]) -> None:
        self.paths = set(paths)
        self.stems: dict[str, list[str]] = defaultdict(list)
        for path in sorted(paths):
            stem = _stem(path)
            self.stems[posixpath.basename(stem)].append(path)
            head, tail = posixpath.split(stem)
            if tail in STANDING_FOR and head:
                self.stems[posixpath.basename(head)].append(path)

    def file(self, name: str, importer: str) -> str | None:
        name = name.strip()
        if clean_path(name) in self.paths:
            return clean_path(name)
        if re.match(r"\.{1,2}/", name):
            return self._at(posixpath.normpath(posixpath.join(posixpath.dirname(importer), name)))
        if name.startswith("."):
            return self._above(name, importer)
        return self._ending(name, importer)

    def _above(self, name: str, importer: str) -> str | None:
        """Python's dots: one is the importer's folder, each further one the folder above."""
        dots = len(name) - len(name.lstrip("."))
        base = posixpath.normpath(posixpath.join(posixpath.dirname(importer), *[".."] * (dots - 1)))
        rest = name.lstrip(".").replace(".", "/")
        return self._at(posixpath.normpath(posixpath.join(base, rest))) if rest else self._at(base)

    def _at(self, place: str) -> str | None:
        """The file at a place, whatever its suffix, or the one that stands for the folder there."""
        candidates = [place, *(place + suffix for suffix in SUFFIXES)]
        candidates += [f"{place}/{name}{suffix}" for name in STANDING_FOR for suffix in SUFFIXES]
        return next((path for path in candidates if path in self.paths), None)

    def _ending(self, name: str, importer: str) -> str | None:
        """The file whose path ends in all parts of the name; an imported member of it may be the name's last part."""
        written = [path for path in self.stems.get(posixpath.basename(_stem(name)), ()) if path.endswith(f"/{name}")]
        if written:
            return _nearest(written, importer)
        parts = [
            part for part in _SEPARATORS.sub("/", _without_suffix(name)).split("/") if part not in ("", "crate", "self")
        ]
        for end in (len(parts), len(parts) - 1):
            if end < 1 or (end < len(parts) and end < 2):
                continue
            wanted = "/".join(parts[:end])
            found = [path for path in self.stems.get(parts[end - 1], ()) if _ends(path, wanted)]
            if found:
                return _nearest(found, importer)
        return None


def _nearest(found: Sequence[str], importer: str) -> str:
    """Of several files by one name the one that shares most of its path with the importer, then the shortest."""
    return max(found, key=lambda path: (len(posixpath.commonpath([path, importer])), -len(path), path))


def _without_suffix(name: str) -> str:
    """Without a suffix that a path was written with."""
    return next((name[: -len(suffix)] for suffix in SUFFIXES if name.endswith(suffix) and "/" in name), name)


def _stem(path: str) -> str:
    return next((path[: -len(suffix)] for suffix in SUFFIXES if path.endswith(suffix)), path)


def _ends(path: str, wanted: str) -> bool:
    stem = _stem(path)
    head, tail = posixpath.split(stem)
    stems = [stem, head] if tail in STANDING_FOR else [stem]
    return any(one == wanted or one.endswith(f"/{wanted}") for one in stems)
