"""The import graph of a checkout."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from sessions_app.client.src.checkout.place import within
from sessions_app.client.src.commands.scan import source_files
from sessions_app.client.src.late import ast
from sessions_app.client.src.local import Json

_SCRIPT = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")
_SCRIPT_IMPORT = re.compile(
    r"""(?:^|[\s;}])(?:import|export)\s+(?!\s)(?:type\s+(?!\s))?(?:[\w*{}$,][\w*{}$,\s]{0,1999}?(?<!\s)\s+(?!\s)from\s+)?"""
    r"""["']([^"'\n]{1,300})["']"""
    r"""|\b(?:require|import)\(\s*["']([^"'\n]{1,300})["']\s*\)""",
    re.MULTILINE,
)
LARGEST_SOURCE = 1_000_000


def import_graph(top: str) -> list[Json]:
    """[{path, imports}] of a checkout: which of its own files each file imports. What is not its own is left out."""
    root = Path(top)
    names = {within(str(path), top) for path in source_files(root)} - {""}
    modules = _modules(names)
    found = []
    for name in sorted(names):
        if not name.endswith((".py", ".pyi", *_SCRIPT)):
            continue
        try:
            if (root / name).stat().st_size > LARGEST_SOURCE:
                continue
            text = (root / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        python = name.endswith((".py", ".pyi"))
        meant = _python_imports(text, name, modules) if python else _script_imports(text, name, names)
        found.append({"path": name, "imports": sorted(set(meant) - {name})})
    return found


def _modules(names: Collection[str]) -> dict[str, str]:
    """Dotted name → file, for packages that begin at the top or in `src/` or `lib/`."""
    found: dict[str, str] = {}
    for name in sorted(names, key=len, reverse=True):
        if name.endswith((".py", ".pyi")):
            bare = re.sub(r"(?:^|/)__init__$", "", name.rpartition(".")[0])
            for below in (bare, re.sub(r"^(?:src|lib|python)/", "", bare)):
                found[below.replace("/", ".")] = name
    return found


def _python_imports(text: str, name: str, modules: Mapping[str, str]) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    package = name.split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _known_module(alias.name, modules)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            stem = re.sub(r"^(?:src|lib|python)\.", "", stem) if node.level else stem
            for alias in node.names:
                yield from _known_module(f"{stem}.{alias.name}", modules)


def _known_module(dotted: str, modules: Mapping[str, str]) -> Iterator[str]:
    """The file of the longest beginning of a dotted name that has one: `a.b.c` may be a name in `a.b`."""
    parts = dotted.split(".")
    for end in (len(parts), len(parts) - 1):
        known = modules.get(".".join(parts[:end])) if end > 0 else None
        if known:
            yield known
            return


def _script_imports(text: str, name: str, names: Collection[str]) -> Iterator[str]:
    for match in _SCRIPT_IMPORT.finditer(text):
        meant = match[1] or match[2]
        if not meant.startswith("."):
            continue
        base = os.path.normpath(os.path.join(os.path.dirname(name), meant)).replace(os.sep, "/")
        bare = re.sub(r"\.[mc]?jsx?$", "", base)  # TypeScript names the file that it will be
        tried = (base, *(bare + end for end in _SCRIPT), *(f"{base}/index{end}" for end in _SCRIPT))
        known = next((path for path in tried if path in names), None)
        if known:
            yield known
