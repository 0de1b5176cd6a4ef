"""What a value looks like and what stands around it, as the features whose weights `near.py` adds.

A feature is a short text: a kind of it, in capitals or small letters, then what was seen. Most are paired with the
group of the value's shape, because what is said of a password is not what is said of a hexadecimal number. Each word
near a value counts as itself, by its ends, and by what it says (`words.py`): the last is what new forms share with old.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from accounts.rules.guard.chosen import FUNCTION_WORDS
from accounts.rules.guard.letters import surprise
from accounts.rules.guard.names import OF_KEY, PUBLIC_WORDS, kind_of
from accounts.rules.guard.words import KEY_WORDS, LINKING_WORDS, LOGIN_WORDS, OPEN_WORDS, PASSWORD_WORDS

# --- shapes --------------------------------------------------------------------------------------------
_ANY_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_OF_ONE_HEXADECIMAL = re.compile(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)")
SHORTEST_HEXADECIMAL, SHORTEST_OF_SIGNS = 12, 12
_WORDS_AND_NUMBER = re.compile(
    r"[A-Za-z]{3,20}[-_.@+~]?\d{1,6}[!?#$*.]{0,2}|[A-Za-z]{2,14}[-_.!#*~+][A-Za-z]{2,14}[-_.!#*~+]?\d{1,6}[!?#$*]?"
)
_JOINED_WORDS = re.compile(r"[A-Za-z]{3,12}(?:[-_.][A-Za-z]{3,12})+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9]{0,20}(?:[-_./:@][A-Za-z0-9]{1,20})*")
_OF_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_SIGNS_OF_PASSWORDS = frozenset("!@#$%^&*?~+")
_CHARACTER_KINDS = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "a" * 26 + "A" * 26 + "0" * 10
)
# Of the places between two characters: as in `drawn.py`, for both cases and for one.
_DRAWN_OF_BOTH, _DRAWN_OF_ONE = 0.33, 0.12
# Shapes that context tells apart alike: hexadecimal, drawn, of one case, of parts, chosen, of signs, names, words.
GROUP = {
    **{"u": "X", "x": "X", "b": "D", "d": "D", "c": "C", "l": "C", "e": "E", "n": "N", "m": "N", "s": "S"},
    **{"i": "I", "o": "I", "q": "Q", "w": "W", "t": "T"},
}
DRAWN_GROUPS = frozenset("DXES")


def changes_in(kinds: str) -> float:
    """Return the share of neighbours that are of different kinds."""
    return sum(map(str.__ne__, kinds, kinds[1:])) / max(1, len(kinds) - 1)


def shape_of(value: str) -> str:
    """Return the letter of a value's shape; `u` for a UUID, `n` for words and a number, `i` for an identifier …"""
    if " " in value:
        return "q"
    if not any(map(str.isdigit, value)):
        return "w" if _JOINED_WORDS.fullmatch(value) else "t"
    if _ANY_UUID.fullmatch(value):
        return "u"
    if len(value) >= SHORTEST_HEXADECIMAL and _OF_ONE_HEXADECIMAL.fullmatch(value):
        return "x"
    if _WORDS_AND_NUMBER.fullmatch(value):
        return "n"
    both = value.lower() != value != value.upper()
    changes = changes_in(value.translate(_CHARACTER_KINDS))
    if both and changes >= _DRAWN_OF_BOTH and _OF_BASE64.fullmatch(value):
        return "d" if value.isalnum() else "b"
    if value.isalnum():
        if both:
            return "d" if changes >= _DRAWN_OF_BOTH else "m"
        return "c" if changes >= _DRAWN_OF_ONE else "l"
    if not _SIGNS_OF_PASSWORDS.isdisjoint(value):
        return "s"
    if both and changes >= _DRAWN_OF_BOTH and len(value) >= SHORTEST_OF_SIGNS:
        return "e"
    return "i" if _IDENTIFIER.fullmatch(value) else "o"


# --- words ---------------------------------------------------------------------------------------------
_NEAR_WORDS = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+")
# Endings and beginnings of names for passwords, in compounds and in inflected forms: `sshpass`, `jelszava`.
_OF_PASSWORD = re.compile(
    "(?<!by)(?<!com)(?<!tres)(?<!encom)(?<!sur)pass$|passw|pw$|^kennw|^wachtw|^jelsz|^contras|^l[öo]senord|^salasan"
    "|^parola?|^парол|^heslo|^has[lł]|^adgangs|^[sş]ifre|^psk$|^zugang"
)
# What a word says: a password, a key, a login, what is public, of a key, nothing, or what is not known.
SECRET_CLASSES = frozenset("PKLk")
_TELLING = frozenset("PKLkO")


@lru_cache(maxsize=8192)
def class_of(word: str) -> str:
    """Return the letter of what a word says, in small letters."""
    if word in PASSWORD_WORDS or _OF_PASSWORD.search(word):
        return "P"
    if word in KEY_WORDS:
        return "K"
    if word in ("key", "keys"):
        return "k"
    if word in LOGIN_WORDS:
        return "L"
    if word in OPEN_WORDS or word in PUBLIC_WORDS:
        return "O"
    if word in OF_KEY:
        return "f"
    return "_" if word in LINKING_WORDS else "."


# What a masked secret left is no word for the next one.
MASKED = "[SECRET]"


def words_near(text: str) -> list[str]:
    """Return the words of a text and the parts of its names, in small letters."""
    return [word.lower() for word in _NEAR_WORDS.findall(text.replace(MASKED, " "))]


# --- places --------------------------------------------------------------------------------------------
# So far from a value its words are read, in characters and in words.
READ_BEFORE, READ_BEHIND = 120, 60
WORDS_BEFORE, WORDS_BEHIND, WORDS_ABOVE = 8, 5, 6


@dataclass(frozen=True)
class Vicinity:
    """What stands around a value: the texts; their words, nearest first; and what these say, a letter for each."""

    before: str
    behind: str
    above: str
    left: list[str]
    right: list[str]
    over: list[str]
    said_left: str
    said_right: str
    said_over: str


def vicinity_of(text: str, start: int, end: int) -> Vicinity:
    """Return what stands around a value, on its line and on the one above."""
    # bounded, or each value of a long line would read all of it
    line = text.rfind("\n", max(0, start - READ_BEFORE), start)
    line_end = text.find("\n", end, end + READ_BEHIND)
    before = text[line + 1 if line >= 0 else max(0, start - READ_BEFORE) : start]
    behind = text[end : line_end if line_end >= 0 else end + READ_BEHIND]
    # or the one above an empty one
    above = text[max(0, line - READ_BEFORE) : max(0, line)].rstrip().rpartition("\n")[2]
    left = words_near(before)[: -WORDS_BEFORE - 1 : -1]
    right = words_near(behind)[:WORDS_BEHIND]
    over = words_near(above)[: -WORDS_ABOVE - 1 : -1]
    said = ("".join(map(class_of, words)) for words in (left, right, over))
    return Vicinity(before, behind, above, left, right, over, *said)


def _first_said(said: str) -> str:
    """Return what the nearest word says that says something, and how near it is; `-` if none does."""
    for at, letter in enumerate(said):
        if letter in _TELLING:
            return f"{letter}{at}"
    return "-"


# --- features ------------------------------------------------------------------------------------------
_RUNS = re.compile(r"[A-Za-z]+|[0-9]+|[^A-Za-z0-9]")
_THREE_LETTERS = re.compile(r"[A-Za-z]{3,}")
_REPEATED = re.compile(r"(.)\1+", re.DOTALL)
# Lengths are told apart one by one up to so many, then in fours, then in forties.
SINGLE, IN_FOURS = 12, 44


def _length(value: str) -> int:
    size = len(value)
    if size < SINGLE:
        return size
    return SINGLE + (size - SINGLE) // 4 if size < IN_FOURS else 20 + size // 40


def _of_value(value: str, shape: str, group: str) -> Iterator[str]:
    kinds = value.translate(_CHARACTER_KINDS)
    yield "v" + shape
    yield f"n{shape}{_length(value)}"
    yield f"c{shape}{int(changes_in(kinds) * 10)}"
    yield f"s{shape}{int(surprise(value) * 2)}"
    yield f"r{shape}{min(len(_RUNS.findall(value)), 12)}"
    if shape in "xuc":
        yield f"nx{len(value)}"
    yield f"h{shape}{kinds[:3]}"
    yield f"e{shape}{kinds[-2:]}"
    yield f"k{len(set(value)) * 4 // len(value)}"
    yield from (f"z{shape}{sign}" for sign in set(value) if not sign.isalnum())
    if group not in "DXC":
        words = [word.lower() for word in _THREE_LETTERS.findall(value)[:5]]
        yield from ("vw" + word for word in words)
        yield "vs" + _REPEATED.sub(r"\1", kinds)[:8]
        if group in "QW":
            yield f"vf{group}{min(2, len(FUNCTION_WORDS.intersection(words)))}"
    for size, sign in ((12, "_"), (8, "-")):
        if sign in value[:size]:
            yield "pf" + value[:size].partition(sign)[0].lower()
            break


def _of_words(place: Vicinity, group: str) -> Iterator[str]:
    for at, word in enumerate(place.left):
        if at < 3:
            yield f"L{at}{word}"
            yield f"L{at}{group}{word}"
        if at < 5:
            yield "L" + word
            yield f"L{group}{word}"
        else:
            yield "LL" + word
        if at < 2 and len(word) > 4:
            yield "g" + word[:4]
            yield "G" + word[-4:]
    for at, word in enumerate(place.right):
        yield "R" + word
        yield f"R{group}{word}"
        if not at:
            yield "R0" + word
    for word in place.over:
        yield "P" + word
        yield f"P{group}{word}"
    if len(place.before) < READ_BEFORE:
        yield from (f"F{at}{word[:20].lower()}" for at, word in enumerate(place.before[:60].split(None, 2)[:2]))


_NAME_BEFORE = re.compile(
    r"(?P<name>[A-Za-z_][\w.-]{1,50})[\"'`\])]{0,2}(?P<sign>[ ]?(?:[:=]{1,2}|=>|->|,)[ ]?|[ ])[\"'`(]{0,2}$"
)
# As far as that can reach.
_LONGEST_BEFORE = 60
_OPTION = re.compile(r"(?:^|\s)--?[A-Za-z][\w-]{0,30}[ =][\"']?$")
_NOTHING_BEFORE, _NOTHING_BEHIND = " \t\"'`>-*", " \t\"'`.,;"


def _of_meaning(place: Vicinity, shape: str, group: str) -> Iterator[str]:
    left, right, over = map(_first_said, (place.said_left, place.said_right, place.said_over))
    near = place.said_left[:4]
    yield "C" + near[:2]
    yield f"C{shape}{near[:2]}"
    yield "D" + near
    yield f"D{group}{near[:3]}"
    yield "A" + left
    yield f"A{group}{left}"
    yield f"S{shape}{left[0]}{over[0]}"
    yield "B" + right
    yield f"B{group}{right[0]}{left[0]}"
    yield "U" + over
    yield f"U{group}{over[0]}{left[0]}"
    for letter in {*place.said_left, *place.said_right, *place.said_over}:
        yield "W" + letter
        yield f"W{group}{letter}"
    named = _NAME_BEFORE.search(place.before[-_LONGEST_BEFORE:])
    if named:
        kind = kind_of(named["name"]) or "0"
        yield "K" + kind
        yield f"K{shape}{kind}"
        yield f"K{group}{kind}{named['sign'].strip()}"
    if _OPTION.search(place.before[-_LONGEST_BEFORE:]):
        yield "O"
        yield "O" + shape
        yield f"O{group}{left[0]}"


def _of_signs(place: Vicinity, shape: str, group: str) -> Iterator[str]:
    before = place.before[-3:].translate(_CHARACTER_KINDS) or "^"
    behind = place.behind[:2].translate(_CHARACTER_KINDS) or "$"
    yield "<" + before
    yield f"<{shape}{before}"
    yield ">" + behind
    yield f">{shape}{behind}"
    yield f"={group}{before[-1]}{behind[0]}"
    yield f"-{group}{before[-2:]}"
    yield f"~{group}{_first_said(place.said_left)[0]}{before[-2:]}"
    if not place.before.strip(_NOTHING_BEFORE):
        yield "^"
        yield "^" + shape
    if not place.behind.strip(_NOTHING_BEHIND):
        yield "$"
        yield "$" + shape
    if place.above.rstrip().endswith(":"):
        yield "P:"
        yield "P:" + shape
    if "://" in place.before[place.before.rfind(" ") + 1 :]:
        yield "/"
        yield "/" + shape


# A letter of another alphabet, as one of this, so that shapes are of all languages.
_FOREIGN_LETTER = re.compile(r"[^\W\d_a-zA-Z]")


def plain(value: str) -> str:
    """Return a value with each letter that ASCII has not as an `a` or an `A`."""
    return (
        value if value.isascii() else _FOREIGN_LETTER.sub(lambda match: "A" if match.group().isupper() else "a", value)
    )


def features_of(value: str, shape: str, place: Vicinity) -> set[str]:
    """Return all features of a value of a shape at its place."""
    group = GROUP[shape]
    return {
        *_of_value(value, shape, group),
        *_of_words(place, group),
        *_of_meaning(place, shape, group),
        *_of_signs(place, shape, group),
    }
