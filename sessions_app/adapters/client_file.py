"""The client as one file: its modules, the guard's rules and the fence, joined when it is first asked for.

The client imports nothing of the project and is served as one file of the standard library. It is joined from
`sessions_app/client/src/` and, of `accounts/rules/`, `guard/`, `imitations/` and `fence.py`: there is one copy of each
in the repository, nothing has to be built before `serve`, and the same sources always give the same bytes.
"""

import ast
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = "sessions_app.client.src"
# What the client shares with the server.
SHARED = (
    "accounts/rules/guard/*.py",
    "accounts/rules/fence.py",
    "accounts/rules/imitations/*.py",
)
# What runs before the rest of the file is executed; it imports none of the other modules.
FIRST = f"{PACKAGE}.hooks.entry"
# What the other modules stand on: their expressions are compiled late. The server compiles the shared ones at once.
LATE = f"{PACKAGE}.late"
COMPILES = re.compile(r"\bre\.compile\(")
LAST = 'if __name__ == "__main__":\n    sys.exit(main())\n'


@dataclass(frozen=True)
class ClientFile:
    """The bytes that are served, and their SHA-256 in hexadecimal."""

    content: bytes
    sha256: str


@dataclass(frozen=True)
class _Module:
    """A module's code without docstring and imports; `needs`: the project's modules that it imports from."""

    title: str
    body: str
    needs: tuple[str, ...]
    plain: frozenset[str] = frozenset()
    members: dict[str, set[str]] = field(default_factory=dict)


# CPython 3.11 keeps the depth of a tree that is being parsed once for the whole interpreter: two threads that parse at
# the same moment fail with SystemError (python/cpython#106905).
_PARSING = Lock()


def client_file() -> ClientFile:
    """Return the client as it is served; joined once, since the sources change with a deployment only."""
    with _PARSING:
        return _client_file()


@lru_cache(maxsize=1)
def _client_file() -> ClientFile:
    content = join_client().encode()
    return ClientFile(content, hashlib.sha256(content).hexdigest())


def join_client() -> str:
    """Return the client's text: docstring, entry, imports, `late`, then each module after those that it needs."""
    modules = {name: _read(name) for name in _names()}
    entry = modules.pop(FIRST)
    late = modules.pop(LATE)
    docstring = ast.get_docstring(ast.parse(_path(PACKAGE).read_text(encoding="utf-8")), clean=False)
    parts = [
        f'#!/usr/bin/env python3\n"""{docstring}"""\n\nfrom __future__ import annotations\n',
        f"{_imports([entry])}\n\n{_section(entry)}",
        _imports([late, *modules.values()]) + "\n",
        _section(late),
        *(COMPILES.sub("LatePattern(", _section(modules[name])) for name in _ordered(modules)),
        LAST,
    ]
    return "\n\n".join(parts)


def _names() -> Iterator[str]:
    folder = PACKAGE.replace(".", "/")
    for pattern in (f"{folder}/*.py", f"{folder}/*/*.py", *SHARED):
        paths = (path.relative_to(ROOT).with_suffix("") for path in sorted(ROOT.glob(pattern)))
        yield from (".".join(path.parts) for path in paths if path.name != "__init__")


def _path(name: str) -> Path:
    base = ROOT / name.replace(".", "/")
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


def _read(name: str) -> _Module:
    source = _path(name).read_text(encoding="utf-8")
    tree = ast.parse(source)
    gone: set[int] = set()
    needs: list[str] = []
    plain: set[str] = set()
    members: dict[str, set[str]] = {}
    for number, node in enumerate(tree.body):
        if isinstance(node, ast.Import):
            plain |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith((PACKAGE, "accounts.")):
            needs.append(str(node.module))
        elif isinstance(node, ast.ImportFrom):
            members.setdefault(str(node.module), set()).update(alias.name for alias in node.names)
        elif not (number == 0 and isinstance(node, ast.Expr)) and not _lists_exports(node):
            continue
        gone.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    members.pop("__future__", None)
    body = "\n".join(line for number, line in enumerate(source.splitlines(), start=1) if number not in gone)
    title = (ast.get_docstring(tree) or "").partition("\n")[0]
    return _Module(f"{name.rpartition('.')[2]}: {title}", body.strip(), tuple(needs), frozenset(plain), members)


def _lists_exports(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def _imports(modules: list[_Module]) -> str:
    plain = sorted({name for module in modules for name in module.plain})
    members: dict[str, set[str]] = {}
    for module in modules:
        for name, found in module.members.items():
            members.setdefault(name, set()).update(found)
    named = [f"from {name} import {', '.join(sorted(found))}" for name, found in sorted(members.items())]
    return "\n".join([*(f"import {name}" for name in plain), *named])


def _ordered(modules: dict[str, _Module]) -> Iterator[str]:
    """The names, each after those that it needs, else by the alphabet."""
    done = {FIRST, LATE}

    def visit(name: str) -> Iterator[str]:
        if name in done:
            return
        done.add(name)
        for needed in sorted(set(modules[name].needs)):
            yield from visit(needed)
        yield name

    for name in sorted(modules):
        yield from visit(name)


def _section(module: _Module) -> str:
    return f"# --- {module.title}\n{module.body}\n"
