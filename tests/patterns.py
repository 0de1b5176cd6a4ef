"""Every regular expression there is, how it is used, and what would be worst for it.

They are found by walking the modules, so that a new one cannot be forgotten: compiled ones in names, tables and
dataclasses at module level, and literals given to `re` itself. What is worst for one is read from its parse tree: the
way to each part that repeats without bound, then that part again and again, then something that does not fit.
"""

import ast
import dataclasses
import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import accounts
import config
import knowledge
import sessions_app
import skills

APPS = (accounts, knowledge, skills, sessions_app, config)
METHODS = {"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
# A module without one of these names need not be parsed.
ASKS = re.compile(rf"\.(?:{'|'.join(sorted(METHODS))})\b")
MAKES = re.compile(rf"\bre\.(?:compile|{'|'.join(sorted(METHODS))})\b")
# To a pattern that is asked for again and again these are the same work; what an unknown door does may be any of it.
AGAIN = {"sub", "subn", "split", "findall", "finditer"}

Run = Callable[[str], object]


@dataclass(frozen=True)
class Found:
    """A pattern by the name it has, and the ways in which it is asked."""

    name: str
    pattern: re.Pattern[str]
    methods: frozenset[str]

    def runs(self) -> dict[str, Run]:
        """By method, what the code does with it, to the end of the text."""
        asked = self.methods & {"match", "fullmatch", "search"}
        found: dict[str, Run] = {name: getattr(self.pattern, name) for name in asked}
        if self.methods & AGAIN or not self.methods:
            found["finditer"] = lambda text: sum(1 for _ in self.pattern.finditer(text))
            found.pop("search", None)  # is its first step
        return found


@cache
def all_patterns() -> list[Found]:
    """Each once, by the first name it is found under."""
    used, literal = _uses()
    found: dict[tuple[str, int], Found] = {}
    for module in modules():
        for name, value in list(vars(module).items()):
            if name.startswith("__"):
                continue
            for where, pattern in _within(value, name, 0):
                if isinstance(pattern.pattern, bytes):
                    continue
                methods = used[module.__name__, name] | used["", name] if where == name else set()
                key = (pattern.pattern, pattern.flags)
                before = found.get(key)
                more = methods | (before.methods if before else set())
                # What is in a table is asked by anyone who walks it: in any way.
                if where != name or (before and not before.methods):
                    more = set()
                label = before.name if before else f"{module.__name__}.{where}"
                found[key] = Found(label, pattern, frozenset(more))
    return [*found.values(), *literal]


@cache
def modules() -> tuple[ModuleType, ...]:
    """All of ours, migrations apart."""
    names = [app.__name__ for app in APPS]
    for app in APPS:
        names += [one.name for one in pkgutil.walk_packages(app.__path__, f"{app.__name__}.")]
    return tuple(importlib.import_module(name) for name in names if ".migrations" not in name)


def _within(value: Any, name: str, depth: int) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Patterns in a value, with a name for each; whatever belongs to others is not looked into."""
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(getattr(value, "__self__", None), re.Pattern):
        yield name, value.__self__
    elif depth > 3:
        return
    elif isinstance(value, type) and value.__module__.partition(".")[0] in {app.__name__ for app in APPS}:
        for key, inner in vars(value).items():
            yield from _within(inner, f"{name}.{key}", depth + 1)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _within(inner, f"{name}[{str(key)[:30]}]", depth + 1)
    elif isinstance(value, list | tuple | set | frozenset):
        for number, inner in enumerate(value):
            yield from _within(inner, f"{name}[{number}]", depth + 1)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for one in dataclasses.fields(value):
            yield from _within(getattr(value, one.name, None), f"{name}.{one.name}", depth + 1)


# --- how they are used --------------------------------------------------------------------------------------
def _uses() -> tuple[dict[tuple[str, str], set[str]], list[Found]]:
    """By module and name, what a name is asked (module "": under that name by others); and patterns given to `re`."""
    used: dict[tuple[str, str], set[str]] = defaultdict(set)
    literal: list[Found] = []
    for module in modules():
        if not ASKS.search(_source(module)):
            continue
        nodes = list(ast.walk(_tree(module)))  # once: most of the time goes into walking
        imported = {a.asname or a.name for n in nodes if isinstance(n, ast.ImportFrom) for a in n.names}
        for node in nodes:
            # `_X.search(text)`, and `map(_X.sub, texts)`.
            if not isinstance(node, ast.Attribute) or node.attr not in METHODS:
                continue
            if isinstance(node.value, ast.Name):
                used["" if node.value.id in imported else module.__name__, node.value.id].add(node.attr)
            elif isinstance(node.value, ast.Attribute):
                used["", node.value.attr].add(node.attr)
        literal += [
            Found(
                f"{module.__name__}:{call.lineno}", re.compile(_text(call), _flags(call)), frozenset({call.func.attr})
            )  # type: ignore[attr-defined]
            for call in _calls_of_re(nodes)
            if isinstance(_text(call), str)
        ]
    return used, literal


def made_in_functions() -> set[str]:
    """Where a pattern is made whose text stands nowhere: by module and function."""
    found = set()
    for module in modules():
        if not MAKES.search(_source(module)):
            continue
        for function in ast.walk(_tree(module)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                calls = _calls_of_re(ast.walk(function), {*METHODS, "compile"})
                found |= {f"{module.__name__}.{function.name}" for one in calls if _text(one) is None}
    return found


@cache
def _source(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text(encoding="utf-8")


@cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(_source(module))


def _calls_of_re(nodes: Iterable[ast.AST], names: set[str] = METHODS) -> Iterator[ast.Call]:
    for node in nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        if node.func.attr in names and isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            yield node


def _text(call: ast.Call) -> Any:
    """The pattern in a call, if it stands there; None if it is made."""
    return call.args[0].value if isinstance(call.args[0], ast.Constant) else None


def _flags(call: ast.Call) -> int:
    given = [word.value for word in call.keywords if word.arg == "flags"]
    text = " | ".join(ast.unparse(one) for one in given) or "0"
    return int(eval(text, {"re": re}))


# --- what is worst for them ---------------------------------------------------------------------------------
# As many times as this is without bound.
MANY = 1_000
PARSER: Any = re._parser  # type: ignore[attr-defined]
KINDS = {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}
KINDS |= {"CATEGORY_NOT_DIGIT": "a", "CATEGORY_NOT_SPACE": "a", "CATEGORY_NOT_WORD": "-"}


def attacks(pattern: re.Pattern[str]) -> set[tuple[str, str]]:
    """(what stands once, what is repeated after it), for each part of the pattern that repeats without bound."""
    tree = PARSER.parse(pattern.pattern, pattern.flags)
    found = {(before, unit) for before, unit in _pumps(tree, "") if unit}
    found |= {("", before + unit) for before, unit in found}
    whole = sample(tree)
    return found | {("", whole[:end]) for end in {len(whole), len(whole) - 1, len(whole) // 2} if whole[:end]}


def _pumps(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    for op, given in tree:
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, most, body = given
            if most == PARSER.MAXREPEAT or most >= MANY:
                for unit in _samples(body):
                    yield before, unit
            yield from _pumps(body, before)
        elif name == "BRANCH":
            for branch in given[1]:
                yield from _pumps(branch, before)
        elif name == "SUBPATTERN":
            yield from _pumps(given[-1], before)
        elif name == "ATOMIC_GROUP":
            yield from _pumps(given, before)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _pumps(given[1], before)
        before += _one((op, given))


def _samples(tree: Any) -> set[str]:
    """What the tree matches: of a class or a choice at its beginning each member."""
    items = list(tree)
    if len(items) == 1:
        op, given = items[0]
        if str(op) == "IN":
            return {_member(one) for one in given if str(one[0]) != "NEGATE"} | {_one(items[0])}
        if str(op) == "BRANCH":
            return {sample(branch) for branch in given[1]}
        if str(op) == "SUBPATTERN":
            return _samples(given[-1])
    return {sample(tree)}


def sample(tree: Any) -> str:
    """A text that the tree matches, or nearly: what looks around is not minded."""
    return "".join(map(_one, tree))


def _one(item: tuple[Any, Any]) -> str:
    name, given = str(item[0]), item[1]
    if name == "LITERAL":
        return chr(given)
    if name == "NOT_LITERAL":
        return "a" if chr(given) != "a" else "b"
    if name == "ANY":
        return "a"
    if name == "IN":
        return _of_class(given)
    if name == "BRANCH":
        return sample(given[1][0])
    if name == "SUBPATTERN":
        return sample(given[-1])
    if name == "ATOMIC_GROUP":
        return sample(given)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return sample(given[2]) * max(given[0], 1)
    return ""


def _of_class(members: Any) -> str:
    """One character of it."""
    if str(members[0][0]) == "NEGATE":
        refused = re.compile("|".join(re.escape(_member(one)) for one in members[1:]))
        return next((char for char in "a0 -./:\n\"'" if not refused.fullmatch(char)), "~")
    return _member(members[0])


def _member(item: tuple[Any, Any]) -> str:
    name, given = str(item[0]), item[1]
    if name == "LITERAL":
        return chr(given)
    if name == "RANGE":
        return chr(given[0])
    return KINDS.get(str(given).removeprefix("UNI_"), "a")
