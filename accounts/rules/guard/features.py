"""What a value looks like and what stands around it, as the features whose weights `near.py` adds.

A feature is a short text: a kind of it, in capitals or small letters, then what was seen. Most are paired with the
group of the value's shape, because what is said of a password is not what is said of a hexadecimal number. Each word
near a value counts as itself, by its ends, and by what it says (`vicinity.py`): the last is what new forms share with
old. `first_features` are few, and asked before all others are gathered.
"""

import re
from collections.abc import Iterator

from accounts.rules.guard.chosen import FUNCTION_WORDS
from accounts.rules.guard.drawn import surprise
from accounts.rules.guard.names import kind_of
from accounts.rules.guard.vicinity import NEAR_WORDS, READ_BEFORE, Vicinity, class_of, first_said, words_near
from accounts.rules.guard.weights import is_known

# --- shapes --------------------------------------------------------------------------------------------
_ANY_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_OF_ONE_HEXADECIMAL = re.compile(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)")
SHORTEST_HEXADECIMAL, SHORTEST_OF_SIGNS = 12, 12
_WORDS_AND_NUMBER = re.compile(
    r"[A-Za-z]{3,20}[-_.@+~]?\d{1,6}[!?#$*.]{0,2}|[A-Za-z]{2,14}[-_.!#*~+][A-Za-z]{2,14}[-_.!#*~+]?\d{1,6}[!?#$*]?"
)
_JOINED_WORDS = re.compile(r"[A-Za-z]{3,12}(?:[-_.][A-Za-z]{3,12})+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9]{0,20}(?:[-_./:@][A-Za-z0-9]{1,20})*")
_OF_DIGITS = re.compile(r"[0-9]+(?:[ -][0-9]+)*")
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
    **{
        "i": "I",
        "o": "I",
        "q": "Q",
        "r": "Q",
        "w": "W",
        "t": "T",
        "a": "A",
        "A": "A",
        "y": "A",
        "Y": "A",
        "p": "P",
        "g": "P",
    },
}
DRAWN_GROUPS = frozenset("DXES")


def changes_in(kinds: str) -> float:
    """Return the share of neighbours that are of different kinds."""
    return sum(map(str.__ne__, kinds, kinds[1:])) / max(1, len(kinds) - 1)


def shape_of(value: str) -> str:
    """Return the letter of a value's shape; `u` for a UUID, `n` for words and a number, `i` for an identifier …"""
    if _OF_DIGITS.fullmatch(value):
        return "p" if value.isdigit() else "g"
    if " " in value:
        return "q" if any(map(str.isdigit, value)) or not value.replace(" ", "").isalpha() else "r"
    if not any(map(str.isdigit, value)):
        if value.isalpha():
            return "a" if value.islower() else "A" if value.isupper() else "y" if value[1:].islower() else "Y"
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
        letters = f"^{value.lower()}$"
        yield from ("v3" + letters[at : at + 3] for at in range(min(14, len(letters) - 2)))
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
_NOTHING_BEFORE, _NOTHING_BEHIND, _NO_TEXT = " \t\"'`>-*", " \t\"'`.,;", " \t-\"'`*#>"


_ELEMENT = re.compile(r"<(?:\w+:)?(?P<name>[\w.-]{1,40})(?:\s[^<>]{0,60})?>\s{0,4}$")
_IN_CALL = re.compile(r"(?P<name>[\w.:$]{2,50})\((?P<given>[^()]{0,80})$")
_OPTION_NAME = re.compile(r"(?:^|\s)(?P<name>-{1,2}[A-Za-z][\w-]{0,30})[ =]?[\"']?$")
_KEY = re.compile(
    r"(?P<name>[A-Za-z_\u00c0-\u024f][\w. -]{0,40}?)[\"'`\])*]{0,3}\s{0,12}(?P<sign>:=|=>|->|[:=]{1,2})"
    r"\s{0,8}[\"'`(\[{*]{0,3}$"
)


# Groups of values that may be of words.
WORDED_GROUPS = frozenset("AWTQINS")


def known_words(value: str) -> str:
    """Return whether the words of a value are those that developers' texts are of: all, none, some; or it has none."""
    words = [word.lower() for word in NEAR_WORDS.findall(value) if len(word) > 2]
    known = sum(map(is_known, words))
    return "-" if not words else "a" if known == len(words) else "s" if known else "n"


def _form_of_named(before: str, behind: str, found: re.Match[str]) -> str:
    """Return a letter for how a name and its value are written: in quotes, alone on their line, among others."""
    colon = found["sign"] == ":"
    begins = not before[: len(before) - len(found.group()) if len(before) <= _LONGEST_BEFORE else 1].strip(_NO_TEXT)
    if before[-1:] in "\"'`":
        return "j" if colon else "q"
    if begins and not behind.strip(_NOTHING_BEHIND):
        return "y" if colon else "e"
    return "k" if colon else "s"


def _form_of(place: Vicinity) -> tuple[str, str]:
    """Return a letter for how a value is written, and the name that is written with it."""
    before, behind = place.before, place.behind
    near = before[-_LONGEST_BEFORE:]
    if (found := _ELEMENT.search(before[-80:])) and behind.lstrip()[:2] == "</":
        return "x", found["name"]
    if found := _OPTION_NAME.search(near):
        return "o", found["name"]
    if "://" in before[before.rfind(" ") + 1 :]:
        return ("u" if behind[:1] == "@" else "h"), ""
    if found := _KEY.search(near):
        return _form_of_named(before, behind, found), found["name"]
    if found := _IN_CALL.search(before):
        return f"c{min(found['given'].count(','), 4)}", found["name"]
    stroke = "|" in (before.rstrip()[-1:], behind.lstrip()[:1])
    if stroke or "\t" in (before[-1:], behind[:1]) or (before[-2:] == "  " and before.strip()):
        return "t", ""
    words = before.split()
    if not words:
        return ("b" if behind.strip(_NOTHING_BEHIND) else "n"), ""
    linking = sum(word.lower() in FUNCTION_WORDS for word in (*words, *behind.split()))
    return ("p" if linking > 1 else "m"), ""


def _of_form(value: str, place: Vicinity, shape: str, group: str) -> Iterator[str]:
    form, name = _form_of(place)
    said = first_said(place.said_left)
    known = known_words(value) if group in WORDED_GROUPS else ""
    if known:
        yield f"kw{shape}{known}"
        yield f"kw{form}{said}{known}"
        yield f"kw{shape}{said[0]}{known}{min(len(value) // 4, 6)}"
        yield f"kw{shape}{known}{place.before[-1:]}{said[0]}"
    yield "M" + form
    yield f"M{shape}{form}"
    yield f"M{group}{form}{said}"
    yield f"M{form}{place.said_left[:2]}"
    if name:
        yield from _of_name(name, form, shape, known)
    if place.before[:1].strip() and len(place.before) < READ_BEFORE:
        command = place.before.split(None, 1)[0][:20].lower()
        yield f"Y{command} {name}"
        yield f"Y{form}{command}"
    further = set(words_near(place.further)[-24:])
    yield from ("H" + word for word in further)
    said_further = {*map(class_of, further)}
    yield from (f"HC{group}{letter}" for letter in said_further)
    above = said_further.union(place.said_over)
    yield f"HS{shape}{form}{'P' in above}{int('K' in above)}{said[0]}"
    lowered = value.lower()
    if lowered in place.before.lower():
        yield "Vb"
    if any(word in lowered for word in (*place.left[:4], *place.right[:2]) if len(word) > 3):
        yield "Vn"
        yield "Vn" + shape


def _of_name(name: str, form: str, shape: str, known: str) -> Iterator[str]:
    words, group, ending = words_near(name), GROUP[shape], name.lower()[-24:]
    yield "N" + ending
    yield f"N{form[0]}{group}{ending}"
    classes = "".join(map(class_of, words[-3:]))
    yield f"NC{form}{classes}"
    yield f"NC{shape}{classes}"
    if words:
        last = f"{words[-1]}$"
        yield "N1" + last
        yield f"N1{group}{last}"
        yield from (f"N4{last[at : at + 4]}" for at in range(min(8, len(last) - 3)))
    kind = kind_of(name) or "0"
    yield f"NK{form}{kind}"
    yield f"NK{form}{shape}{kind}"
    if known:
        yield f"kn{form}{kind}{known}{shape}"
        yield f"kn{kind}{known}"


def _of_table(place: Vicinity) -> Iterator[str]:
    """Yield the first line of a text, and what stands at the head of a value's column."""
    yield from (f"T{word}" for word in words_near(place.first)[:6])
    for sign in "|,":
        columns = place.above.count(sign)
        if columns and columns == place.before.count(sign) + place.behind.count(sign):
            head = place.above.split(sign)[place.before.count(sign)].strip(" \"'").lower()[:20]
            yield "TH" + head
            yield "THC" + "".join(map(class_of, words_near(head)))
            return


def _of_meaning(place: Vicinity, shape: str, group: str) -> Iterator[str]:
    left, right, over = map(first_said, (place.said_left, place.said_right, place.said_over))
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
    yield f"~{group}{first_said(place.said_left)[0]}{before[-2:]}"
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


# Of what is asked first, as little as tells most of the others apart.
READ_AT_FIRST = 40


def first_features(text: str, start: int, end: int, shape: str, value: str) -> list[str]:
    """Return the few features by which most candidates are no secret, before all others are gathered."""
    line = text.rfind("\n", max(0, start - READ_AT_FIRST), start)
    before = text[line + 1 if line >= 0 else max(0, start - READ_AT_FIRST) : start]
    words = words_near(before)[-4:]
    said = "".join(map(class_of, words[::-1]))
    signs = before[-2:].translate(_CHARACTER_KINDS)
    behind = text[end : end + 1].translate(_CHARACTER_KINDS)
    nearest = first_said(said)
    known = known_words(value) if GROUP[shape] in WORDED_GROUPS else ""
    return [
        f"1{shape}{nearest}{known}",
        f"2{shape}{signs}{behind}",
        f"3{shape}{known}{min(len(value), 20)}",
        f"4{GROUP[shape]}{nearest[0]}{signs}",
        f"5{GROUP[shape]}{words[-1] if words else '^'}",
        f"6{said}",
        f"7{GROUP[shape]}{known}{nearest}{signs[-1:]}",
    ]


def features_of(value: str, shape: str, place: Vicinity) -> set[str]:
    """Return all features of a value of a shape at its place."""
    group = GROUP[shape]
    return {
        *_of_value(value, shape, group),
        *_of_words(place, group),
        *_of_meaning(place, shape, group),
        *_of_form(value, place, shape, group),
        *_of_table(place),
        *_of_signs(place, shape, group),
    }
