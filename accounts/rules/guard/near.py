"""Secrets by what stands near them: values that no other row knows, scored by their looks and their surroundings.

Rows know how a name and its value are written; here the value comes first. Whatever may be drawn or chosen is a
candidate. What a list of public keys, stand-ins and sealed values knows is none; of the rest, the weights of all that
was seen are added (`features.py`), and a sum above `THRESHOLD` is a secret. The weights are learned from texts in forms
that developers write, so that a form nobody has described is recognised by what it shares with others:
`python -m tests.trials.guard_weights`, docs/decisions/0029-guard-scorer.md.
"""

import re
from collections.abc import Iterator

from accounts.rules.guard.drawn import classes_of, is_jumbled, is_token, reads_like_words
from accounts.rules.guard.features import (
    DRAWN_GROUPS,
    GROUP,
    MASKED,
    SECRET_CLASSES,
    Vicinity,
    changes_in,
    class_of,
    features_of,
    plain,
    shape_of,
    vicinity_of,
    words_near,
)
from accounts.rules.guard.letters import surprise
from accounts.rules.guard.rows import Extent, SecretFormat
from accounts.rules.guard.stand_ins import is_sealed, stands_in
from accounts.rules.guard.weights import THRESHOLD, score
from accounts.rules.guard.wrapped import decoded_text

# --- candidates ----------------------------------------------------------------------------------------
SHORTEST_NEAR, SHORTEST_LETTERS, SHORTEST_WORD, LONGEST_NEAR = 6, 8, 10, 400
# What quotes, brackets and commas leave of a word, and what the signs of an address leave of it.
_PIECE = re.compile(
    rf"[^\s\"'`<>(){{}}\[\],;|\\\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{{{SHORTEST_NEAR},{LONGEST_NEAR}}}"
)
_PART_OF_ADDRESS = re.compile(rf"[^/?&=:@#]{{{SHORTEST_NEAR},{LONGEST_NEAR}}}")
_NAME_AND_SIGN = re.compile(r"-{0,2}[A-Za-z_][\w.-]{0,60}(?:[:=]{1,2}|=>|->)(?=[^=:])")
_DIGIT = re.compile("[0-9]")
# Numbers, versions, times and measures.
_NUMBERS = re.compile(r"[\d.,:/x%+T_Z-]+[a-zA-Z%]{0,3}|[vV]?\d[\w.]{0,6}")
_BEFORE_VALUE, _CLOSING = ".:=/*~-@", ".:,*~_="
# A pair or a path of so many parts may have a secret among them; base 64 is longer than paths of passwords.
MOST_PARTS, LONGEST_PATH = 4, 40
_JOINING_PARTS = re.compile("[:/]")
# Without a digit: words joined, letters with a sign in them, letters of both cases or that read like no word.
_LETTERED = re.compile(
    r"[A-Za-z]{3,12}(?:[-_.][A-Za-z]{3,12}){2,7}|(?=[\w@-]{0,40}[!#$%^&*~+])[\w!#$%^&*~+@-]{8,40}|[A-Za-z_-]{8,80}",
    re.ASCII,
)
_OF_NAME_PARTS = re.compile("[A-Z_]+|[a-z]+_[a-z_]+")
_INTRODUCED = frozenset("\"'`=:(,")
_INTRODUCED_BY = (": ", "= ", "p ", "d ", "s ")
SHORTEST_UNREADABLE, UNREADABLE_LETTERS, CAPITALS_WITHIN = 12, 4.8, 3
_QUOTED_WORDS = re.compile(r"(?<=[\"'`«„“])[^\W\d_]\w{1,14}(?:[ ]\w{1,15}){2,7}(?=[\"'`»”])")


def candidates(text: str) -> Iterator[Extent]:
    """Yield where values stand that may have been drawn or chosen, in time linear in the text."""
    at = 0
    # most words are letters: that is asked before any expression is
    for word in text.split():
        if len(word) < SHORTEST_NEAR or word.isalpha():
            continue
        start = text.index(word, at)
        at = start + len(word)
        if _DIGIT.search(word):
            for piece in _PIECE.finditer(text, start, at):
                yield from _with_digits(text, *piece.span())
        elif len(word) >= SHORTEST_WORD:
            for piece in _PIECE.finditer(text, start, at):
                yield from _of_letters(text, *piece.span())
    for phrase in _QUOTED_WORDS.finditer(text):
        around = text[max(0, phrase.start() - 60) : phrase.start()] + " " + text[phrase.end() : phrase.end() + 40]
        if not SECRET_CLASSES.isdisjoint(map(class_of, words_near(around))):
            yield phrase.span()


def _with_digits(text: str, start: int, end: int) -> Iterator[Extent]:
    """Yield the value of a name, or the parts of an address, a pair or a path."""
    if not _DIGIT.search(text, start, end):
        return
    scheme = text.find("://", start, end)
    if scheme >= 0:
        for part in _PART_OF_ADDRESS.finditer(text, scheme + 3, end):
            yield from _trimmed(text, *part.span())
        return
    start = _behind_names(text, start, end)
    while start < end and text[start] in _BEFORE_VALUE:
        start += 1
    yield from _trimmed(text, start, end)
    parts = _JOINING_PARTS.split(text[start:end], MOST_PARTS)
    if 1 < len(parts) <= MOST_PARTS and (":" in text[start:end] or end - start < LONGEST_PATH):
        for each in parts:
            yield from _trimmed(text, start, start + len(each))
            start += len(each) + 1


def _behind_names(text: str, start: int, end: int) -> int:
    while named := _NAME_AND_SIGN.match(text, start, end):
        start = named.end()
    return start


def _trimmed(text: str, start: int, end: int) -> Iterator[Extent]:
    while end > start and text[end - 1] in _CLOSING[:-1]:
        end -= 1
    if end - start >= SHORTEST_NEAR and _DIGIT.search(text, start, end) and not _NUMBERS.fullmatch(text, start, end):
        yield start, end


def _of_letters(text: str, start: int, end: int) -> Iterator[Extent]:
    """Yield a value without a digit, where something introduces it."""
    start = _behind_names(text, start, end)
    while end > start and text[end - 1] in _CLOSING:
        end -= 1
    value = text[start:end]
    if len(value) < SHORTEST_LETTERS or not _LETTERED.fullmatch(value) or _OF_NAME_PARTS.fullmatch(value):
        return
    if text[max(0, start - 1) : start] not in _INTRODUCED and text[max(0, start - 2) : start] not in _INTRODUCED_BY:
        return
    unreadable = len(value) >= SHORTEST_UNREADABLE and surprise(value) >= UNREADABLE_LETTERS
    if (
        not value.isalpha()
        or unreadable
        or changes_in("".join("aA"[c.isupper()] for c in value)) * len(value) > 2 * (CAPITALS_WITHIN - 1)
    ):
        yield start, end


# --- what is no secret, whatever stands near it --------------------------------------------------------
# Before what is asked of a name, a word or a number: no letters of these, nothing that opens.
_STEM = re.compile(
    "pass|pw|secret|token|key|auth|cred|log ?in|user|admin|root|crypt|salt|pin[^a-z]|connect|begin|unlock|mdp|kennw"
    "|schl|zugang|clave|clé|contras|senha|wachtw|has[lł]|heslo|jelsz|l[öo]sen|parol|salasa|adgang|şifre|sifre|парол|ключ|密"
    "|口令|パス|キー|비밀|암호|community|hmac|psk|sasl|pepper|seed|@\\w"
)
# Shapes that most names have: there a word must say it.
_OF_NAMES = frozenset("iow")
SHORTEST_DRAWN_OF_ONE, SHORTEST_ENCODED, SHORTEST_OF_BLOCK = 12, 16, 40
# Cut off: what is left of a token, and is shown on purpose.
_CUT = ("..", "…")
# Names of types and functions: Ed25519PrivateKey, pemToPkcs12Pass.
_HUMPS = re.compile(r"[A-Za-z][a-z]{1,20}\d{0,5}(?:[A-Z][a-z]{1,20}\d{0,5}){2,8}")
# What is looked up by it: `get_secret("…")`.
_LOOKED_UP = re.compile(r"(?i:get|fetch|read|find|load|delete|remove|show|open|lookup)\w{0,40}\([\"'`]$")
# A line of a block of base 64.
_LINE_OF_BLOCK = re.compile(r"[ \t>|#*]{0,12}[\"']?(?:-----.*|[A-Za-z0-9+/=]{16,200}[\"',\\]{0,3})[ \t]*")


def _is_asked(text: str, start: int, value: str, shape: str, place: Vicinity) -> bool:
    """Whether a value is to be scored: what looks like a name only where something that opens is named."""
    # beside what is masked all was judged when that was: what is masked once is not masked again
    if place.behind.startswith(_CUT) or MASKED in place.before or MASKED in place.behind:
        return False
    named = shape in _OF_NAMES or (shape == "e" and reads_like_words(value))
    drawn = GROUP[shape] in DRAWN_GROUPS or (shape == "c" and len(value) >= SHORTEST_DRAWN_OF_ONE)
    unsaid = SECRET_CLASSES.isdisjoint(place.said_left + place.said_right + place.said_over)
    if unsaid and (named or (not drawn and not _STEM.search(f"{place.before}\n{place.behind}\n{place.above}".lower()))):
        return False
    if _HUMPS.fullmatch(value) or stands_in(value) or _LOOKED_UP.search(place.before):
        return False
    if GROUP[shape] not in "DE" or len(value) < SHORTEST_ENCODED:
        return True
    decoded = decoded_text(value)
    if decoded and ":" not in decoded:
        return False
    return not (
        (len(value) >= SHORTEST_OF_BLOCK and _is_in_block(text, start, start + len(value)))
        or is_sealed(text, start, value)
    )


def _is_in_block(text: str, start: int, end: int) -> bool:
    """Whether the line above or below is of the same block: of a certificate, an image, a signature."""
    above = text[max(0, start - 2 * LONGEST_NEAR) : start].rsplit("\n", 2)
    below = text[end : end + 2 * LONGEST_NEAR].split("\n", 2)
    lines = [*above[-2:-1], *below[1:2]]
    return any(_LINE_OF_BLOCK.fullmatch(line) for line in lines if line)


# --- what is a secret, whatever stands near it ----------------------------------------------------------
# Small letters, capitals, digits and signs.
ALL_CLASSES = 4
# Those of passwords; `+`, `=` and `?` have base 64 and addresses too. Some join the parts of names.
STRONG_SIGNS, JOINING = frozenset("!@#$%^&*"), frozenset("@#$%&")

# Delimited on both sides, and neither part of an address nor a class of a regular expression.
_BEFORE_STRONG = re.compile(r"(?:^|[\s(:=,>]|(?<!\[)[\"'`«„“])$")
_BEHIND_STRONG = re.compile(r"[.,;)!?]?(?:\s|$)|[\"'`»”<)]")
# `Main$$anon$1`, `customerId#2025`, `gh-6869#comment`, `%2Fdone`, `-rotate-90!`
_JOINED_NAMES = re.compile(r"[A-Za-z-]*(?:[$#@][\w-]+)+|.*%[0-9A-F]{2}.*|[-#@^%/].*|[a-z-]+!|.*[?&][\w-]+=.*")
# Kestrel!41: a word, a sign that joins nothing, and a number; in quotes only.
_WORD_SIGN_NUMBER = re.compile(r"[A-Z][A-Za-z]{3,20}[!?*]\d{1,6}|[A-Z][A-Za-z]{3,20}\d{2,6}[!*]")
SHORTEST_ALONE = 10


def is_strong_alone(text: str, start: int, value: str) -> bool:
    """Whether a value is of letters, digits and signs as nothing but a password is, wherever it stands."""
    end = start + len(value)
    before, behind = text[max(0, start - 2) : start], text[end : end + 3]
    if not _BEFORE_STRONG.search(before) or not _BEHIND_STRONG.match(behind) or _JOINED_NAMES.fullmatch(value):
        return False
    if before[-1:] in ('"', "'", "`") and before[-1:] == behind[:1] and _WORD_SIGN_NUMBER.fullmatch(value):
        return True
    signs = STRONG_SIGNS.intersection(value)
    return (
        len(value) >= SHORTEST_ALONE
        and classes_of(value) == ALL_CLASSES
        and is_jumbled(value)
        and (len(signs) > 1 or not signs <= JOINING)
    )


def _is_called_token(value: str, place: Vicinity) -> bool:
    """Whether a value is drawn beyond doubt, and its line calls a key, and nothing that all may read."""
    return is_token(value) and "K" in place.said_left and "O" not in place.said_left + place.said_right


# --- the score -----------------------------------------------------------------------------------------
# Said of what needs no score.
CERTAIN = "certain"


def features_at(text: str, start: int, end: int) -> set[str]:
    """Return the features of a candidate; none if it is known to be no secret."""
    value = plain(text[start:end])
    shape, place = shape_of(value), vicinity_of(text, start, end)
    if not _is_asked(text, start, value, shape, place):
        return set()
    certain = _is_called_token(value, place) or is_strong_alone(text, start, value)
    return features_of(value, shape, place) | ({CERTAIN} if certain else set())


def _near(text: str) -> Iterator[Extent]:
    """Yield the candidates whose looks and surroundings speak for a secret."""
    for start, end in candidates(text):
        features = features_at(text, start, end)
        if features and (CERTAIN in features or score(features) > THRESHOLD):
            yield start, end


NEAR = (SecretFormat("secret near its name", ("",), _near),)
