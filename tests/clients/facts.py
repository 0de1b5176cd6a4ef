"""Facts that a session plants, and whether the next one's model is told them; what it is told that nobody said."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

FILE, NEXT, DECISION, LAST, FAILURE = "file", "next step", "decision", "last message", "failure"
KINDS = (FILE, NEXT, DECISION, LAST, FAILURE)


@dataclass(frozen=True)
class Fact:
    """`words` are what must be read, in this order and beside each other; case, marks and line ends do not count."""

    kind: str
    words: str


def plain(text: str) -> str:
    """Lower case, without marks of Markdown or quotation, every run of blanks one."""
    return re.sub(r"\s+", " ", re.sub(r"[`*_\"'“”‘’]|\\n", " ", text.replace("\\_", "_")).lower())


def held(facts: Iterable[Fact], text: str) -> tuple[Fact, ...]:
    """Those that the text says."""
    read = plain(text)
    return tuple(fact for fact in facts if plain(fact.words).strip() in read)


# What can be checked word by word: paths, names with an underscore, dotted names of code, numbers with a unit.
_NAMES = re.compile(
    r"(?<![\w/.-])(?:[\w.-]+/[\w./-]*\w|\w+_\w+(?:\.\w+)*|\w+\.(?:py|md|txt|csv|json|toml|sql|js|ts))(?![\w/])"
)
# Loam's own: sessions, references, its tools' and fields' names, repositories.
_OURS = re.compile(
    r"loam|^acme/|^sessions/|^[A-Z]+-\d+$|^\w+_(?:insights?|session|history|evidence|skill|handoffs?|preferences?|id)$"
)


def invented(told: str, said: str) -> tuple[str, ...]:
    """Names in what Loam told that stand nowhere in what was said, done or shown before."""
    known = said.lower()
    names = dict.fromkeys(match.strip(".") for match in _NAMES.findall(told))
    return tuple(name for name in names if name.lower() not in known and not _OURS.search(name))
