"""What two questions that lie near each other may still differ in: what vectors hardly see.

`how do I list the largest files` and `… the smallest files` have a cosine of .84, `csv to json` and `json to csv` one
of .996. An answer that was kept for the one must not be given to the other.
"""

import re
from collections.abc import Callable

from knowledge.retrieval.rules import bm25

_VALUE = re.compile(r"(?<![\w.])v?\d+(?:\.\d+)*(?![\w.])|[A-Z]{2,}[A-Z0-9_]*|\w{1,80}[._/-]\w+(?:[._/-]\w+)*|`[^`]+`")
_NOT = frozenset(
    "not no never without cannot cant dont doesnt isnt arent wont except zero nothing".split()  # noqa: SIM905
)
_PAIRS = """
enable disable, on off, start stop, add remove, create delete, create drop, install uninstall, open close, first last,
largest smallest, biggest smallest, large small, oldest newest, before after, up down, increase decrease, grant
revoke, lock unlock, upgrade downgrade, encrypt decrypt, push pull, import export, read write, backup restore, server
client, minimum maximum, allow deny, allow block, show hide, merge split, attach detach, mount unmount, compress
decompress, local remote, staging production, this last, this next, last next, block unblock, upload download, long
short, slow fast, source target, send receive
"""
_OPPOSITES: dict[str, set[str]] = {}
for _pair in _PAIRS.split(","):
    _one, _other = _pair.split()
    _OPPOSITES.setdefault(_one, set()).add(_other)
    _OPPOSITES.setdefault(_other, set()).add(_one)


# Two words that are one exchanged for the other in the same frame must be this near to mean the same: largest and
# biggest are (.94), add and drop are not (.29), rate and timeout neither (.17). Some are known to be the same here.
SYNONYMS = 0.42
_ALIKE = """
find see list show get view identify look, delete remove clean purge clear, enable turn activate switch,
set setup configure, last recent latest newest, single just one only, create make add new, fix repair solve mend,
run execute fire start launch, stop end cancel kill, policy handle rule, change modify edit update,
explain describe, work works, error failure problem issue, deploy deployment release rollout, repo repository
"""
_FAMILY = {word: number for number, line in enumerate(_ALIKE.split(",")) for word in line.split()}

# How near two words are: the caller embeds.
Akin = Callable[[str, str], float]


def told_apart(asked: str, before: str, akin: Akin = lambda one, other: 1.0) -> bool:
    """Whether two questions that lie near each other still ask for different things: another number or name, a `not`
    more, an opposite, the other direction, one word exchanged for one that means something else. Vectors hardly see
    these.
    """
    one, other = _plain(asked), _plain(before)
    if bool(one & _NOT) != bool(other & _NOT):
        return True
    if any(_OPPOSITES.get(word, set()) & (other - one) for word in one - other):
        return True
    if _values(asked) ^ _values(before) or _is_reversed(asked, before):
        return True
    mine, theirs = _words_of(asked), _words_of(before)
    here, there = [w for s, w in mine.items() if s not in theirs], [w for s, w in theirs.items() if s not in mine]
    if not (len(here) == len(there) == 1 and len(mine) > 1):
        return False
    family = _FAMILY.get(here[0])
    return not (family is not None and family == _FAMILY.get(there[0])) and akin(here[0], there[0]) < SYNONYMS


def _words_of(text: str) -> dict[str, str]:
    """Stem → word, of the words that are no stop words and carry no number."""
    found: dict[str, str] = {}
    for word in re.findall(r"[a-z][a-z'-]+", text.lower()):
        for stem in bm25.terms(word)[:1]:
            found.setdefault(stem, word)
    return found


_DIRECTION = re.compile(r"\b(?:to|into|in)\b")


def _is_reversed(asked: str, before: str) -> bool:
    """`csv to json` and `json to csv`: a word before the `to` of one stands behind that of the other, and one the other
    way round.
    """
    sides = []
    for text in (asked, before):
        parts = _DIRECTION.split(re.sub(r"^how (?:do \w+ )?to\b|^how to\b", "", text.lower()), maxsplit=1)
        if len(parts) < 2:
            return False
        sides.append((set(bm25.terms(parts[0])), set(bm25.terms(parts[1]))))
    (left, right), (other_left, other_right) = sides
    return bool(left & other_right) and bool(right & other_left)


def _plain(text: str) -> set[str]:
    return {word.replace("'", "") for word in re.findall(r"[a-z']+", text.lower())}


def _values(text: str) -> set[str]:
    return {found.strip("`").lower() for found in _VALUE.findall(text)}
