"""What a value looks like that a person has chosen: words and a number, a sign or two, a phrase; alone or in a pair."""

import re
import unicodedata

from accounts.rules.guard.drawn import (
    LETTERS_TO_DIGITS,
    NUMBERED_WORDS,
    SHORTEST_STREWN,
    SIGNS,
    WORDS_AND_NUMBERS,
    classes_of,
    is_drawn_from_letters,
    is_jumbled,
    is_short_key,
    looks_drawn,
)
from accounts.rules.guard.rows import words_of
from accounts.rules.guard.stand_ins import stands_in

SHORTEST_PASSWORD = 8
SHORTEST_GIVEN = 6


def _plain_letters(value: str) -> str:
    """Return a value with its letters as ASCII has them: `Zahnräder` is a word as `Zahnrader` is."""
    if value.isascii():
        return value
    parts = unicodedata.normalize("NFKD", value.replace("ß", "ss").replace("ł", "l").replace("ø", "o"))
    return "".join(character for character in parts if not unicodedata.combining(character))


def looks_chosen(value: str) -> bool:
    """Whether it is a password as people choose them: characters of three kinds, or digits strewn among letters."""
    value = _plain_letters(value)
    if len(value) < SHORTEST_PASSWORD or not value.isascii():
        return False
    strewn = len(LETTERS_TO_DIGITS.findall(value)) >= 2 and len(value) >= SHORTEST_STREWN
    return classes_of(value) >= 3 or strewn or is_drawn_from_letters(value)


# kayak6658Blue: an algorithm or a format has a shorter number.
_NUMBER_AMONG_WORDS = re.compile(r"[A-Za-z]{3,12}\d{4,6}[A-Za-z]{2,10}")


def looks_secret_in_prose(value: str) -> bool:
    """Whether it is no word, version or algorithm that a sentence may name: with a sign in it, jumbled or numbered."""
    value = _plain_letters(value)
    if len(value) < SHORTEST_PASSWORD or not value.isascii():
        return False
    if looks_plain(value):
        return True
    if WORDS_AND_NUMBERS.fullmatch(value.lstrip("~")):
        return bool(NUMBERED_WORDS.fullmatch(value))
    if any(character in SIGNS for character in value) and classes_of(value) >= 3:
        return True
    return (
        bool(NUMBERED_WORDS.fullmatch(value))
        or bool(_NUMBER_AMONG_WORDS.fullmatch(value))
        or (classes_of(value) >= 3 and is_jumbled(value))
        or looks_drawn(value)
        or is_drawn_from_letters(value)
    )


# badger7563, falcon@7563; gecko-Lemur-75: a version, host or port has a shorter number, or no capital in its middle.
_PLAIN_PASSWORD = re.compile(r"[A-Za-z]{4,20}[@._-]?\d{4,8}|[a-z]{3,12}(?:[-_.][A-Z][a-z]{2,11}){1,3}[-_.]?\d{2,8}")
# heron-kestrel-482: things are called so too, and then the number is a year or a short one.
_TWO_WORDS = re.compile(r"[a-z]{4,10}[-_.][a-z]{4,10}[-_.](?!(?:19|20)\d\d$)\d{3,6}")


def looks_plain(value: str) -> bool:
    """Whether it is a plain password of words and a number, no stand-in, and no name of something."""
    plain = _PLAIN_PASSWORD.fullmatch(value) or _TWO_WORDS.fullmatch(value)
    return len(value) >= SHORTEST_PASSWORD and bool(plain) and not stands_in(value)


# Phrases are of words that say nothing together; a sentence about one has these.
FUNCTION_WORDS = frozenset(
    words_of(
        "a an the this that is are was be been not no must may can should will has have had do does of for from in on"
        " at to by with and or but if as it its your our my their you we please enter invalid wrong required missing"
        " empty too short long weak password passphrase secret token key value string example never always only when"
        " then than into via per before after each all any more less least none used use uses using set sets get gets"
        " ask asks prompt prompts stored store kept keep read reads rotate rotated given every words characters length"
        " file user server random generate generated which who whose what how where why also still just see so we i he"
        " die der das den dem ist sind wird werden nicht und oder mit von für auf les des une est pas avec pour dans"
    )
)

# gecko-lemur-heron-6, orbit-harbor-verano-ember: as generators of phrases join them.
_PHRASE_OF_WORDS = re.compile(r"[a-z]{3,10}(?:[-_.][a-z]{3,10}){2,9}[-_.]\d{1,4}|[a-z]{3,10}(?:[-.][a-z]{3,10}){3,9}")


def looks_phrased(value: str) -> bool:
    """Whether it is a passphrase of joined words where a format says that a password stands; no stand-in."""
    return (
        bool(_PHRASE_OF_WORDS.fullmatch(value))
        and FUNCTION_WORDS.isdisjoint(re.split("[-_.]", value))
        and not stands_in(value)
    )


def looks_named(value: str) -> bool:
    """Whether words and numbers are joined as in a version, a host or a path."""
    return bool(WORDS_AND_NUMBERS.fullmatch(value)) and not NUMBERED_WORDS.match(value)


def looks_given(value: str) -> bool:
    """Whether it may be a plain password, where a format says that one stands: letters, and a digit or a sign."""
    marked = any(character.isdigit() or character in SIGNS for character in value)
    return len(value) >= SHORTEST_GIVEN and marked and any(map(str.isalpha, value))


def is_set(value: str) -> bool:
    """Whether it is a password where nothing else can stand: no stand-in, and more than a word."""
    drawn = any(is_short_key(part) or is_drawn_from_letters(part) for part in re.split("[-_.]", value))
    return (drawn or looks_given(value) or looks_phrased(value)) and not stands_in(value)


# Fietsketting9, kastanie42!, T4marack731: no sentence about a password has such a word, but for what has a version.
_TOLD_PASSWORD = re.compile(r"(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[\w!?#*+$%&@.~^-]{8,64}", re.ASCII)
_VERSIONED = re.compile(
    r"(?i:sha|md|base|argon|b?s?crypt|pbkdf|aes|rsa|utf|ipv|oauth|https?|tls|ssl|ed|python|php|java|node|windows|win"
    r"|postgres(?:ql)?|mysql|mariadb|redis|kafka|elastic(?:search)?|mongo(?:db)?|oracle|ubuntu|debian|fedora|rocky|alpine"
    r"|keycloak|spring|django|rails|laravel|angular|iso|cp|pkcs|rfc|es|log|blake|ripemd|poly|chacha|curve|secp|level"
    r"|version|step|chapter|section|issue|release|phase|stage|server|host|node|port|page|line)[-_.]?\d.*"
)
# Somebody's, and a file: `kim2@example.org`, `id_ed25519.pub`.
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+|[\w-]+\.[a-z]{2,5}")


def looks_told(value: str) -> bool:
    """Whether it is what a sentence says that a password is: no word, version or algorithm."""
    told = _plain_letters(value)
    if looks_secret_in_prose(value) or looks_phrased(told):
        return True
    named = WORDS_AND_NUMBERS.fullmatch(told) or _VERSIONED.fullmatch(told) or _ADDRESS.fullmatch(told)
    return bool(_TOLD_PASSWORD.fullmatch(told)) and not named


# Apple's passwords for an application
_GROUPS_OF_FOUR = re.compile(r"[a-z0-9]{4}(?:-[a-z0-9]{4}){3}")
_PLAIN = re.compile(r"[A-Za-z]{3,20}\d{1,8}[A-Za-z]{0,20}")


def is_plain(value: str) -> bool:
    """Whether it is a plain password such as no constant is: letters, a number, and letters perhaps; or groups."""
    return (
        len(value) >= SHORTEST_STREWN
        and (_PLAIN.fullmatch(value) or _GROUPS_OF_FOUR.fullmatch(value)) is not None
        and not stands_in(value)
    )


# Godwit2217z, falcon4821!, heron482?: four digits are a year, a port or a pin; a model or a class has fewer.
_NUMBERED_WORD = re.compile(r"[A-Za-z][a-z]{3,14}[@._-]?(?:\d{4,6}[A-Za-z!#?]{0,2}|\d{3}[!#?]{1,2})")


def is_numbered_word(value: str) -> bool:
    """Whether it is a plain password of a word and a number, with a sign or two behind them perhaps."""
    return looks_plain(value) or (_NUMBERED_WORD.fullmatch(value) is not None and not stands_in(value))


# --- pairs ---------------------------------------------------------------------------------------------
def is_user_and_password(text: str) -> bool:
    """Whether it is `user:password`, as `Basic` and Docker encode it, and no documented pair."""
    user, colon, password = text.partition(":")
    return bool(colon) and not is_weak_pair(user, password)


_PAIR = re.compile(r"[A-Za-z][\w.@-]{0,40}:(?P<password>[^\s:/]{8,100})\s?")


def is_pair_of_secrets(text: str) -> bool:
    """Whether a decoded text is `user:password` beyond doubt: identifiers are encoded like that too (`User:1234`)."""
    match = _PAIR.fullmatch(text)
    return match is not None and is_user_and_password(text.strip()) and looks_secret_in_prose(match["password"])


# One of an object's own values; where it is signed, what stands beside the signature is read by all.
_OBJECT = re.compile(
    r"\{\s*\"[\w-]{1,20}\"\s*:\s*\"[^\"]{0,400}\"(?:\s*,\s*\"[\w-]{1,20}\"\s*:\s*\"[^\"]{0,400}\"){1,7}\s*\}\s?"
)
_OBJECT_VALUE = re.compile(r":\s*\"(?P<value>[A-Za-z0-9+/_-]{40,400}={0,2})\"")


def is_object_of_secrets(text: str) -> bool:
    """Whether a decoded text is a small object with a key of 256 bits and more in base 64, as those who connect to a
    tunnel are given one. A header of a signed token (`alg`) is public.
    """
    if text[:1] != "{" or '"alg"' in text or not _OBJECT.fullmatch(text):
        return False
    return any(looks_drawn(found["value"].rstrip("=")) for found in _OBJECT_VALUE.finditer(text))


# u:p@ and a:b@ are how a format is explained.
SHORTEST_IN_URL = 4


def is_weak_pair(user: str, password: str) -> bool:
    """Whether a password explains a format: a stand-in, the user's name, or a few letters."""
    return stands_in(password) or password.lower() == user.lower() or len(password) < SHORTEST_IN_URL
