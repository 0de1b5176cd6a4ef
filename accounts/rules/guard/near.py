"""Secrets by what stands near them: values that no other row knows, scored by their looks and their surroundings.

Rows know how a name and its value are written; here the value comes first. Whatever may be drawn or chosen is a
candidate. What a list of public keys, stand-ins and sealed values knows is none; of the rest, the weights of all that
was seen are added (`features.py`), and a sum above `THRESHOLD` is a secret. The weights are learned from texts in forms
that developers write, so that a form nobody has described is recognised by what it shares with others:
`python -m tests.trials.guard_weights`, docs/decisions/0029-guard-scorer.md.
"""

import re
from collections.abc import Iterator

from accounts.rules.guard.candidates import LONGEST_NEAR, candidates
from accounts.rules.guard.drawn import classes_of, is_jumbled, is_token
from accounts.rules.guard.features import DRAWN_GROUPS, GROUP, features_of, first_features, known_words, plain, shape_of
from accounts.rules.guard.rows import Extent, SecretFormat
from accounts.rules.guard.stand_ins import is_encrypted, is_made_up, is_public, is_sealed, stands_in
from accounts.rules.guard.vicinity import MASKED, Vicinity, vicinity_of
from accounts.rules.guard.weights import LEAST, THRESHOLD, first_score, score
from accounts.rules.guard.wrapped import decoded_text

# --- what is no secret, whatever stands near it --------------------------------------------------------
SHORTEST_ENCODED, SHORTEST_OF_BLOCK = 16, 40
# Cut off: what is left of a token, and is shown on purpose.
_CUT = ("..", "…")
# Names of types and functions: Ed25519PrivateKey, pemToPkcs12Pass.
_HUMPS = re.compile(r"[A-Za-z][a-z]{1,20}\d{0,5}(?:[A-Z][a-z]{1,20}\d{0,5}){2,8}")
# What is looked up by it: `get_secret("…")`.
_LOOKED_UP = re.compile(r"(?i:get|fetch|read|find|load|delete|remove|show|open|lookup)\w{0,40}\([\"'`]$")
# What a program that encrypts writes before a value.
_SEALED_BEFORE = re.compile(
    r"(?i:\{(?:cipher|enc\w{0,9}|aes\w{0,5}|vault)\}|enc(?:rypted)?[(\[]|vault:v\d{1,2}:"
    r"|begin (?:public key|certificate|ssh2).*)[A-Za-z0-9+/]*(?:\\n)?[\"' ]{0,3}$|[>=:\"']\s?\{[A-Za-z0-9+/]*$"
)
# What is named as how something is encrypted or hashed: ARGON2ID.
_ALGORITHM = re.compile(
    r"(?i:argon2\w{0,3}|[bs]crypt\w{0,3}|pbkdf2[\w-]{0,12}|s?sha-?\d{1,3}|md5|aes-?\d{3}[\w-]{0,8}|hmac-[\w-]{3,12}"
    r"|[ehpr]s\d{3})"
)
# The name of a setting: STRIPE_WH_2026. Of two parts it may be a password (HERBST_2025).
_CONSTANT = re.compile(r"[A-Z]{2,20}(?:_(?:[A-Z]{1,20}|\d{1,4})){2,6}")
# A path from the root, whose first slash stands before it: /var/lib/docker/tmp/GetImageBlob118273.
_PATH = re.compile(r"(?:[\w.-]{1,40}/){2,}[\w.-]{1,60}")
# A line of a block of base 64.
_LINE_OF_BLOCK = re.compile(r"[ \t>|#*]{0,12}[\"']?(?:-----.*|[A-Za-z0-9+/=]{16,200}[\"',\\]{0,3})[ \t]*")


def _is_asked(text: str, start: int, value: str, shape: str, place: Vicinity) -> bool:
    """Whether a value is to be scored: none that is public, sealed, made up, looked up by or of a block."""
    # beside what is masked all was judged when that was: what is masked once is not masked again
    if place.behind.startswith(_CUT) or MASKED in place.before or MASKED in place.behind:
        return False
    if _HUMPS.fullmatch(value) and (known_words(value) == "a" or value in place.before):
        return False
    if is_encrypted(value) or _ALGORITHM.fullmatch(value) or _SEALED_BEFORE.search(place.before):
        return False
    if _SEALED_BEFORE.search(place.above[-60:]) and GROUP[shape] in "DE":
        return False
    if (
        (len(set(value)) < 3 if shape in "pg" else is_made_up(value))
        or is_public(value)
        or _LOOKED_UP.search(place.before)
        or _CONSTANT.fullmatch(value)
        or (place.before.endswith((" /", "'/", '"/')) and _PATH.fullmatch(value))
    ):
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
def features_at(text: str, start: int, end: int) -> set[str]:
    """Return the features of a candidate; none if it is known to be no secret."""
    value = plain(text[start:end])
    shape = shape_of(value)
    if first_score(first_features(text, start, end, shape, value)) < LEAST:
        return set()
    place = vicinity_of(text, start, end)
    if not _is_asked(text, start, value, shape, place):
        return set()
    features = features_of(value, shape, place)
    if stands_in(value):
        features |= {"X", "X" + shape}
    if _HUMPS.fullmatch(value):
        features |= {"Xh", "Xh" + place.before[-1:]}
    if _is_called_token(value, place):
        features.add("Xt")
    if " " not in value and is_strong_alone(text, start, value):
        features.add("Xa")
    return features


# Words, names and numbers are what notes are made of, and a note that is refused is lost to the team: they need more.
# Of 98,000 published sentences, log lines, notes and turns of conversations 9 are then taken for a secret, 12 without.
ABOVE_FOR_WORDS = 0.6


def _is_drawn(value: str) -> bool:
    return GROUP[shape_of(plain(value))] in DRAWN_GROUPS


def _near(text: str) -> Iterator[Extent]:
    """Yield the candidates whose looks and surroundings speak for a secret."""
    for start, end in candidates(text):
        features = features_at(text, start, end)
        if features and score(features) > THRESHOLD + (0.0 if _is_drawn(text[start:end]) else ABOVE_FOR_WORDS):
            yield start, end


NEAR = (SecretFormat("secret near its name", ("",), _near),)
