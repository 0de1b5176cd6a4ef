"""A text in tokens: words by their stems, names and identifiers, numbers with their units, and where it pauses."""

import re
import threading
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

import Stemmer

from knowledge.rules.stance_words import (
    FUNCTION,
    IRREGULAR,
    JOINED,
    NEGATORS,
    NUMBERS,
    SWITCHES,
    SYNONYMS,
    TOOLS,
    UNITS,
)


class Sort(StrEnum):
    WORD = "word"
    NAME = "name"
    NUMBER = "number"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Token:
    """`key`: what it is compared by (stem, or the value of a number). `sign`: 1 affirmed, −1 denied, 0 neither.

    `over`: denied as something left behind. `doubt`: the key of the word in its clause that says what goes wrong.
    `limited`: its clause affirms only part of what it says.
    `certain`: a number that is a figure; the one of "one of them" and of "a minute" is none.
    """

    text: str
    key: str
    sort: Sort
    clause: int = 0
    sign: int = 1
    over: bool = False
    doubt: str = ""
    limited: bool = False
    content: bool = True
    dimension: str = ""
    value: float = 0.0
    certain: bool = True

    @property
    def weight(self) -> float:
        """What agreement on it is worth: a name or a number says more than a word, a short word less."""
        if self.sort is not Sort.WORD:
            return 2.0
        return 1.0 if len(self.key) > 3 else 0.6


# --- stems -----------------------------------------------------------------------------------------------------
# A stemmer has a buffer of its own: two threads in it at once would mix their words.
_stemmer = Stemmer.Stemmer("english", 0)
_stemmer_lock = threading.Lock()


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a word in lower case, one for all words of a group in SYNONYMS."""
    plain = IRREGULAR.get(word, word)
    with _stemmer_lock:
        base = _stemmer.stemWord(plain)
    return _GROUPS.get(base, base)


def _groups() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in SYNONYMS.split("\n"):
        members = [_stemmer.stemWord(IRREGULAR.get(word, word)) for word in line.split()]
        for member in members:
            found.setdefault(member, found.get(members[0], members[0]))
    return found


_GROUPS: dict[str, str] = _groups()


@lru_cache(maxsize=20_000)
def parts(name: str) -> tuple[str, ...]:
    """The stems of what a name is composed of, three letters or more: `user_id.clean` → user, clean."""
    return tuple(stem(part) for part in re.findall(r"[^\W\d_]{3,}", name.lower()))


# --- scanning --------------------------------------------------------------------------------------------------
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_SCAN = re.compile(
    rf"""(?P<version>\bv\d+(?:\.\d+)*(?:(?:alpha|beta|rc)\d*)?\b|\b\d+\.\d+\.\d+[\w.+-]*\b)
    |(?P<number>(?<![\w.])[$€£]?(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)
        (?:[\s-]?(?P<unit>{_UNIT}))?(?![\w%]))
    |(?P<flag>(?<!\S)--?[A-Za-z][\w-]*(?:=[^\s,;]+)?)
    |(?P<word>(?:(?<!\S)\.)?[^\W_]\w*(?:(?:::|[./:@=#'’_-])\w+)*(?:\+\+|\#(?!\w))?)
    |(?P<stop>[.;:!?,()\n—–])""",
    re.VERBOSE | re.IGNORECASE,
)
# `re.IGNORECASE` is for units (MB, mb); what is a name is told from the text as it stands.
_NAME = re.compile(r"[._/:@=#\d]|(?<=[a-z])[A-Z]|^[A-Z]{2,}|\+\+$")
_APOSTROPHE = re.compile(r"(?:'s|s'|'re|'ve|'ll|'d|'m)$")
_PLURAL = re.compile(r"(?<=[A-Z0-9])s$")
_SENTENCE_STOPS = frozenset(".!?:\n(")


def tokens(text: str) -> list[Token]:
    """In reading order; linear in the length of the text."""
    return _with_particles(_with_spans(_scanned(text)))


def _scanned(text: str) -> list[Token]:
    found: list[Token] = []
    for match in _SCAN.finditer(text.replace("’", "'").replace("`", " ")):
        kind, words = match.lastgroup, match.group()
        if kind == "stop":
            found.append(Token(words, words, Sort.STOP, content=False))
        elif kind == "version":
            found.append(Token(words.lower(), words.lower().removeprefix("v"), Sort.NUMBER, dimension="version"))
        elif match["number"]:
            found.append(_number(match["digits"], match["unit"] or ""))
        elif kind == "flag":
            found.append(Token(words.lower(), words.lower(), Sort.NAME))
        else:
            found.extend(_word(words, at_start=not found or found[-1].text in _SENTENCE_STOPS))
    return found


def _number(digits: str, unit: str) -> Token:
    dimension, factor = UNITS.get(unit.lower(), ("count", 1.0))
    value = float(digits.replace(",", "")) * factor
    return Token(f"{digits}{unit}".lower(), f"{dimension}:{value:g}", Sort.NUMBER, dimension=dimension, value=value)


def _word(word: str, at_start: bool) -> list[Token]:
    if "'" in word:
        if word.lower() in NEGATORS:
            return [Token(word.lower(), word.lower(), Sort.WORD, content=False)]
        word = _APOSTROPHE.sub("", word)
    lower = word.lower()
    if lower in NUMBERS:
        value = float(NUMBERS[lower])
        key = f"count:{value:g}"
        return [Token(lower, key, Sort.NUMBER, dimension="count", value=value, certain=value != 1)]
    if "-" in word and word.replace("-", "").isalpha():
        first, *others = lower.split("-")
        if first in JOINED and others:
            return [_plain(first + others[0], False), *(_plain(part, False) for part in others[1:])]
        return [_plain(part, False) for part in lower.split("-") if part]
    if _NAME.search(word):
        lower = _PLURAL.sub("", word).lower().removeprefix(".")
        return [Token(lower, stem(lower) if lower.isalpha() else lower, Sort.NAME)]
    return [_plain(lower, named=word[:1].isupper() and not at_start and len(word) > 1)]


def _plain(lower: str, named: bool) -> Token:
    function = lower in FUNCTION or lower in NEGATORS
    named = (named or lower in TOOLS) and not function
    return Token(lower, stem(lower), Sort.NAME if named else Sort.WORD, content=not function)


def _with_spans(tokens: list[Token]) -> list[Token]:
    """ "a minute", "each second": a number, though one that opposes no other ("within a day" is no figure)."""
    made: list[Token] = []
    for token in tokens:
        unit = UNITS.get(token.text)
        if unit and len(token.text) > 3 and made and made[-1].text in ("a", "an", "each", "every", "per", "one"):
            key = f"{unit[0]}:{unit[1]:g}"
            token = replace(
                token, key=key, sort=Sort.NUMBER, dimension=unit[0], value=unit[1], certain=False, content=True
            )
        elif unit and made and made[-1].sort is Sort.NUMBER and made[-1].dimension == "count" and len(token.text) > 1:
            last = made.pop()
            value = last.value * unit[1]
            key = f"{unit[0]}:{value:g}"
            token = replace(last, text=f"{last.text} {token.text}", key=key, dimension=unit[0], value=value)
        made.append(token)
    return made


# What may follow an "on" or "off" that closes its statement: "leave it on during the load".
_AFTER_PARTICLE = frozenset({"for", "in", "on", "at", "during", "when", "while", "because", "since", "if", "by", "as"})


def _with_particles(tokens: list[Token]) -> list[Token]:
    """The "on" and "off" that say how something is switched as `on!` and `off!`, apart from "on the table"."""
    made = list(tokens)
    for at, token in enumerate(tokens):
        if token.text in ("on", "off") and at:
            following = tokens[at + 1] if at + 1 < len(tokens) else None
            closes = following is None or following.sort is Sort.STOP or following.text in _AFTER_PARTICLE
            near = {mate.text for mate in tokens[max(0, at - 4) : at]}
            if tokens[at - 1].text in SWITCHES or (closes and near & (SWITCHES | {"with"})):
                made[at] = replace(token, text=f"{token.text}!")
    return made
