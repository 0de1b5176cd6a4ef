"""Friction: errors that keep coming back, and the modules where they happen.

An error recurs when it was met in two sessions, or three times in one: once is an accident, and a second run of the
same test is the same look at it. It is unresolved while its last occurrence was not followed by a pass of the same
check in its session, or while nobody has deposited an insight on it. An insight that did not keep it away is shown.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from knowledge.retrieval.rules.locality import MODULE_DEPTH, clean_path, folder

DAYS = 30
MOST_DAYS = 90
RECURRING_SESSIONS = 2
RECURRING_TIMES = 3
MOST_ERRORS = 50
MOST_MODULES = 20


@dataclass(frozen=True)
class Met:
    """One error as it was met: `last_open` its last occurrence that was not overcome, None if all were."""

    fingerprint: str
    template: str
    count: int
    sessions: int
    people: int
    first_at: datetime
    last_at: datetime
    overcome: int
    last_open: datetime | None
    paths: tuple[str, ...]
    repos: tuple[str, ...]


@dataclass(frozen=True)
class Recurring:
    """An error in the report; `insights` are the references of what the team knows about it."""

    met: Met
    modules: tuple[str, ...]
    insights: tuple[str, ...]


@dataclass(frozen=True)
class Module:
    """A place where errors happen: how many kinds of them, how often."""

    module: str
    errors: int
    count: int


@dataclass(frozen=True)
class FrictionReport:
    errors: tuple[Recurring, ...]
    modules: tuple[Module, ...]


def recurring(met: Met) -> bool:
    return met.sessions >= RECURRING_SESSIONS or met.count >= RECURRING_TIMES


def unresolved(met: Met, insights: Sequence[str]) -> bool:
    """Whether the last time it was met it was not overcome, or it was and nobody has said how."""
    return met.last_open == met.last_at or not insights


def report(met: Iterable[Met], known: dict[str, list[str]]) -> FrictionReport:
    """The report of all errors met; `known`: fingerprint → references of insights on it. Worst first."""
    open_ones = [one for one in met if recurring(one) and unresolved(one, known.get(one.fingerprint, ()))]
    ordered = sorted(open_ones, key=lambda one: (-one.sessions, -one.count, one.fingerprint))
    errors = [Recurring(one, modules_of(one.paths), tuple(known.get(one.fingerprint, ()))) for one in ordered]
    return FrictionReport(tuple(errors[:MOST_ERRORS]), _modules(errors))


def modules_of(paths: Iterable[str]) -> tuple[str, ...]:
    """The modules of some files, each once: their leading folders, or for a file in none the file itself."""
    found = (_module(clean_path(path)) for path in paths)
    return tuple(dict.fromkeys(filter(None, found)))


def _module(path: str) -> str:
    return "/".join(folder(path).split("/")[:MODULE_DEPTH]) or path


def _modules(errors: Sequence[Recurring]) -> tuple[Module, ...]:
    kinds: dict[str, set[str]] = defaultdict(set)
    counts: dict[str, int] = defaultdict(int)
    for one in errors:
        for path in one.met.paths:
            module = _module(clean_path(path))
            kinds[module].add(one.met.fingerprint)
            counts[module] += 1
    rows = [Module(name, len(kinds[name]), counts[name]) for name in kinds if name]
    return tuple(sorted(rows, key=lambda row: (-row.errors, -row.count, row.module))[:MOST_MODULES])
