"""When an answer of before is the answer now.

Four conditions, all needed: the question means the same, the cluster is of a mode at least as thorough, at least half
of its files lie within what is asked, and its evidence reads as it did (by hash; that one is the action's to see).
"""

import re
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from knowledge.evidence.rules.scope import Scope
from knowledge.rules import bm25

Floats = NDArray[np.float64]


class Mode(StrEnum):
    FILENAME_ONLY = "FILENAME_ONLY"
    FAST = "FAST"
    DEEP = "DEEP"


DEPTH = {Mode.FILENAME_ONLY: 0, Mode.FAST: 1, Mode.DEEP: 2}


def serves(made: Mode, asked: Mode) -> bool:
    """A cluster answers its own mode or a lighter one; names alone neither make nor use one."""
    return asked is not Mode.FILENAME_ONLY and DEPTH[made] >= DEPTH[asked]


# Sirchmunk's .85 was set for another model. `manage.py evaluate evidence` prints the curve for all-MiniLM-L6-v2.
SAME_QUESTION = 0.80
# From here on an older cluster is a hint: its files are looked at, its answer is not taken.
RELATED = 0.65
HALF_IN_SCOPE = 0.5


def in_scope(files: Collection[tuple[str, str]], sources: Collection[str], scope: Scope) -> bool:
    """Whether at least half of the cluster's (source, path) lie within what is asked."""
    inside = sum(source in sources and scope.takes(path) for source, path in files)
    return bool(files) and inside >= HALF_IN_SCOPE * len(files)


def similarity(question: Floats, past: Sequence[Floats]) -> float:
    """To the nearest question it has answered: their mean would drift into questions nobody asked."""
    return max((float(one @ question) for one in past), default=0.0)


_VALUE = re.compile(r"(?<![\w.])v?\d+(?:\.\d+)*(?![\w.])|[A-Z]{2,}[A-Z0-9_]*|\w+[._/-]\w+(?:[._/-]\w+)*|`[^`]+`")
_NOT = frozenset(
    ["not", "no", "never", "without", "cannot", "cant", "dont", "doesnt", "isnt", "arent", "wont", "except"]
)
_PAIRS = """
enable disable, on off, start stop, add remove, create delete, create drop, install uninstall, open close, first last,
largest smallest, biggest smallest, large small, oldest newest, before after, up down, increase decrease, grant revoke,
lock unlock, upgrade downgrade, encrypt decrypt, push pull, import export, read write, backup restore, server client,
minimum maximum, allow deny, allow block, show hide, merge split, attach detach, mount unmount, compress decompress,
local remote, staging production, upload download, long short, slow fast, source target, send receive
"""
_OPPOSITES: dict[str, set[str]] = {}
for _pair in _PAIRS.split(","):
    _one, _other = _pair.split()
    _OPPOSITES.setdefault(_one, set()).add(_other)
    _OPPOSITES.setdefault(_other, set()).add(_one)


def told_apart(asked: str, before: str) -> bool:
    """Whether two questions that lie near each other still ask for different things: another number or name, a `not`
    more, an opposite. Vectors hardly see these.
    """
    one, other = _plain(asked), _plain(before)
    if bool(one & _NOT) != bool(other & _NOT):
        return True
    if any(_OPPOSITES.get(word, set()) & (other - one) for word in one - other):
        return True
    return bool(_values(asked) ^ _values(before))


def _plain(text: str) -> set[str]:
    return {word.replace("'", "") for word in re.findall(r"[a-z']+", text.lower())}


def _values(text: str) -> set[str]:
    return {found.strip("`").lower() for found in _VALUE.findall(text)}


def words_shared(asked: str, before: str) -> float:
    """The share of the words of both that both have; 1 for two questions without words."""
    one, other = set(bm25.terms(asked)), set(bm25.terms(before))
    return len(one & other) / len(one | other) if one | other else 1.0


def mean_vector(vectors: Iterable[Floats]) -> Floats:
    """Of length 1."""
    total = np.sum(list(vectors), axis=0)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9))
