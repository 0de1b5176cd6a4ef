"""What a value looks like that a machine has drawn: its alphabet, its length, its entropy, and how often kinds change.

All of them look at one short value, and none knows what stands near it.
"""

import math
import re
import string
from collections import Counter
from operator import ne

# --- letters -------------------------------------------------------------------------------------------
# For each letter as a line, how surprising each letter behind it is: bits, from 0 to 9. Counted over the 35,000
# different words of 500 Python files, of notes and of the catalogues of 13 European languages. The mean of words and
# identifiers of ten letters is below 4.8 in .99, that of letters drawn from an alphabet above 4.9 in .95.
_PAIRS = (
    "65448758586343959343567867",
    "36673889369377379447499969",
    "39673893484588289563599977",
    "37652678378666479556588968",
    "56445668686453757234767577",
    "48773479299488389465499869",
    "47772754399565479346489969",
    "28772899378566369564578959",
    "56454659876452368544859795",
    "28952889496675388745478986",
    "37772787395466379544466859",
    "37752779387367379755579959",
    "25872789399657339857489979",
    "47443537496675479743568968",
    "66547757685442559345455788",
    "39773785498488359354489959",
    "68767787787467767567076887",
    "37552768386656369544568967",
    "48473785395667447742487966",
    "38672784298677469355587958",
    "45564759576443649343688888",
    "27871889298687489777689979",
    "28663894297684379457798759",
    "57463677398657639662779759",
    "45464566476444438644776866",
    "36772978387665479765576945",
)
_COSTS = {chr(97 + a) + chr(97 + b): int(cost) for a, row in enumerate(_PAIRS) for b, cost in enumerate(row)}
# Bits. Of identifiers of ten letters and more about one in a thousand lies above it.
UNREADABLE = 5.0
# With fewer pairs the mean says nothing.
FEWEST_PAIRS = 6
_LETTERS = re.compile("[a-z]{2,}")


def surprise(value: str) -> float:
    """Return the mean bits of its pairs of letters, in any case; 0 if they are too few to tell."""
    costs = [_COSTS[run[at : at + 2]] for run in _LETTERS.findall(value.lower()) for at in range(len(run) - 1)]
    return sum(costs) / len(costs) if len(costs) >= FEWEST_PAIRS else 0.0


def is_unreadable(value: str) -> bool:
    """Whether no word or identifier has such letters beside each other."""
    return surprise(value) >= UNREADABLE


# --- kinds of characters and of names ------------------------------------------------------------------
# words-joined-by-hyphens-2, NameOfThing, a_b_c: how people name things, not how machines draw secrets
_NAME_LIKE = re.compile(r"[A-Za-z]{2,}(?:[-_./:][A-Za-z]{2,})*(?:[-_.]?\d{1,4})?")
# Ed25519PrivateKey
_TYPE_LIKE = re.compile(r"(?:[A-Z][a-z]{1,20}\d{0,5}){2,8}")
WORDS_AND_NUMBERS = re.compile(
    r"-{0,2}(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}|[Vv]?\d{1,4})(?:[-_./:](?:[A-Z]?[a-z]{1,20}\d{0,2}|[A-Z]{1,20}|[Vv]?\d{1,4}))+-{0,2}"
)
SIGNS = frozenset("!@#$%^&*+=?~|")
NUMBERED_WORDS = re.compile(r"[A-Z][a-z]{2,}(?:[-_.]?[A-Z][a-z]{2,}){0,4}[-_.]?\d{2,4}")
LETTERS_TO_DIGITS = re.compile(r"[A-Za-z](?=[0-9])")
# Each character as one of its kind: small letter, capital, digit, other.
_CLASSES = str.maketrans(
    string.ascii_letters + string.digits + string.punctuation, "a" * 26 + "A" * 26 + "0" * 10 + "." * 32
)

# --- strength ------------------------------------------------------------------------------------------
SHORTEST_STREWN = 10
SHORTEST_KEY = 16
SHORTEST_DRAWN = 20
_DRAWN = re.compile(
    r"(?:0x)?(?:[0-9a-f]{32,}|[0-9A-F]{32,})|(?=.*\d.*\d)(?:[A-Z0-9]{20,}|[a-z0-9]{24,}|(?=.*[A-Z].*[A-Z])(?=.*[a-z].*[a-z])[\w+/.~-]{20,}={0,2})"
)
_PARTS = re.compile("[A-Za-z0-9]{8,}")
# Bits per character. English words lie near 2.8 at this length, hexadecimal near 3.5, base 64 above 4.
ENTROPY = 3.0
# Of the places between two characters, how many change between small letters, capitals, digits and others: about .6
# in what a machine draws, about .2 in CamelCase and versions.
JUMBLED = 0.4
# In hexadecimal and in what has letters of one case it is about .4.
STREWN = 0.12
SHORTEST_DENSE = 32
DENSE = 4.0
# Of code (`request.Data[name].Key`) nearly all is letters, dots and brackets; of what is drawn from all signs .65.
# Measured on other projects' sources (docs/evaluation.md).
MOST_LETTERS = 0.85
BOTH_CASES = 0.33


def entropy(value: str) -> float:
    """Shannon entropy of the characters, bits per character (0 for an empty text)."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def classes_of(value: str) -> int:
    found = set(value.translate(_CLASSES)) & set("aA0")
    return len(found) + any(character in SIGNS for character in value)


def looks_random(value: str) -> bool:
    """Whether it is a key or token as machines draw them: long, letters and digits mixed, high entropy."""
    if len(value) < SHORTEST_KEY or not value.isascii() or entropy(value) < ENTROPY:
        return False
    if _is_of_both_cases(value):
        return True
    return not (_NAME_LIKE.fullmatch(value) or _TYPE_LIKE.fullmatch(value)) and (
        any(map(_is_drawn_part, _PARTS.findall(value))) or is_dense(value)
    )


def _is_drawn_part(part: str) -> bool:
    """Whether a run of letters and digits has both; the parts of a path or of a pattern of names have one."""
    return any(map(str.isdigit, part)) and any(map(str.isalpha, part))


# What generators of passwords and salts draw from beside letters and digits.
_DRAWN_SIGNS = SIGNS | frozenset("-_.:;,")
# Of the places between two characters, so many change in what is drawn from all signs: about .7, in code about .3.
STREWN_SIGNS = 0.5


def is_drawn_from_signs(value: str) -> bool:
    """Whether it is drawn from letters of both cases, digits and signs, as salts and keys of frameworks are."""
    if len(value) < SHORTEST_DRAWN or not value.isascii() or value.isalnum() or value == value.lower():
        return False
    if _changes(value) < STREWN_SIGNS * (len(value) - 1):
        return False
    signs = {character for character in set(value) if not character.isalnum()}
    return classes_of(value) == len("aA0.") and len(signs & SIGNS) > 1 and signs <= _DRAWN_SIGNS


# A hexadecimal number of 128 bits or more with others behind it, as Mailgun draws them. A UUID is an id as often.
_HEX_GROUPS = re.compile(r"[0-9a-f]{32,64}(?:[-.:_][0-9a-f]{4,64}){1,4}")


def is_of_hex_groups(value: str) -> bool:
    """Whether it is drawn as several hexadecimal numbers, the first of which is a key by its length."""
    return bool(_HEX_GROUPS.fullmatch(value))


def looks_drawn(value: str) -> bool:
    """Whether it is random beyond doubt, so that a vague name before it is enough; a git hash is not."""
    if is_of_hex_groups(value) or is_drawn_from_signs(value):
        return True
    if len(value) < SHORTEST_DRAWN or is_digest(value) or WORDS_AND_NUMBERS.fullmatch(value):
        return False
    if entropy(value) < ENTROPY:
        return False
    if not _DRAWN.fullmatch(value):
        return _is_of_both_cases(value)
    both = value.lower() != value and value.upper() != value
    least = (BOTH_CASES if is_unreadable(value) else JUMBLED) if both else STREWN
    return _changes(value) >= least * (len(value) - 1)


def is_jumbled(value: str) -> bool:
    """Whether small letters, capitals and digits change as often as in what a machine draws."""
    return _changes(value) >= JUMBLED * (len(value) - 1)


# Of either alphabet.
_SIGNS_OF_BASE64 = {ord(sign): None for sign in "+/-_"}


def _is_of_both_cases(value: str) -> bool:
    """Whether letters of both cases come as often and change as often as in base 64, which no CamelCase does."""
    letters = value.rstrip("=").translate(_SIGNS_OF_BASE64)
    capitals, small = (sum(map(sign, letters)) for sign in (str.isupper, str.islower))
    return (
        letters.isalnum()
        and min(capitals, small) >= 0.25 * len(letters)
        and _changes(letters) >= BOTH_CASES * (len(letters) - 1)
    )


def _changes(value: str) -> int:
    kinds = value.translate(_CLASSES)
    return sum(map(ne, kinds, kinds[1:]))


def is_dense(value: str) -> bool:
    """Whether it only has signs of code because it is drawn from all characters."""
    if len(value) < SHORTEST_DENSE or entropy(value) < DENSE:
        return False
    if _is_of_both_cases(value):
        return True
    letters = sum(map(str.isalpha, value)) + sum(map(value.count, "._[](){}<>"))
    return is_jumbled(value) and letters <= MOST_LETTERS * len(value)


# Bits: letters drawn from an alphabet lie above it in .99.
READABLE = 4.2


def reads_like_words(value: str) -> bool:
    """Whether its letters are enough to tell, and are beside each other as in words."""
    return 0 < surprise(value) < READABLE


SHORTEST_MIXED = 12
_WORD_PART = re.compile("[A-Z]?[a-z]{5}")


def looks_short_drawn(value: str) -> bool:
    """Whether it is drawn from letters of both cases and digits, even if it is shorter than most keys are."""
    letters = value.replace("-", "").replace("_", "")
    return (
        len(letters) >= SHORTEST_MIXED
        and letters.isalnum()
        and classes_of(value) >= 3
        and is_jumbled(value)
        and not reads_like_words(value)
        and (letters == value or _WORD_PART.search(value) is None)
    )


SHORTEST_SALT = 8


def is_short_key(value: str) -> bool:
    """Whether it is drawn from letters of both cases, and too short to be told from a name elsewhere."""
    return (
        len(value) >= SHORTEST_SALT
        and value.isalnum()
        and value.lower() != value != value.upper()
        and _changes(value) >= FEWEST_CHANGES
        and (any(map(str.isdigit, value)) or surprise(value) >= UNREADABLE_MIXED)
        and not _TYPE_LIKE.fullmatch(value)
    )


# Fewer changes of case than this has CamelCase too, and its letters then read like words.
FEWEST_CHANGES, UNREADABLE_MIXED = 3, 4.6


def is_drawn_from_letters(value: str) -> bool:
    """Whether letters alone, of one case or both, are beside each other as in no word."""
    if not (value.isalpha() and value.isascii()):
        return False
    if value.islower():
        return len(value) >= SHORTEST_KEY and is_unreadable(value)
    return len(value) >= SHORTEST_STREWN and _changes(value) >= FEWEST_CHANGES and surprise(value) >= UNREADABLE_MIXED


def is_strewn(value: str) -> bool:
    """Whether two parts joined by a dot have digits strewn in them, as no attribute of an object has."""
    return value.count(".") == 1 and len(LETTERS_TO_DIGITS.findall(value)) >= 4


def ends_drawn(value: str) -> bool:
    """Whether what stands behind its only dot is drawn, and so no attribute: `s.8CAY…`."""
    _, dot, last = value.partition(".")
    return bool(dot) and len(last) >= SHORTEST_DRAWN and last.isalnum() and looks_short_drawn(last)


def is_of_signs(value: str) -> bool:
    """Whether what begins like code (`$name`, `*args`, `--option`) is drawn from letters, digits and signs."""
    body = value.lstrip("$%&@*<-")
    signs = {character for character in set(value) if not character.isalnum()}
    return (
        len(value) >= SHORTEST_STREWN
        and signs < SIGNS | {"-", "_"}
        and classes_of(body) >= 3
        and (len(signs) > 2 or (any(map(str.isdigit, body)) and (is_jumbled(body) or len(signs) > 1)))
    )


def is_digest(value: str) -> bool:
    """Whether it is a git hash or another digest in hexadecimal: as long as some keys, but public."""
    return bool(re.fullmatch("[0-9a-f]{40}|[0-9A-F]{40}", value))


# `css-k8dq18-MuiPasswordField`
_NAMED_PART = re.compile(r"[a-z]{8}|(?:[A-Z][a-z]{2,12}){3}")


def is_token(value: str) -> bool:
    """Whether it is drawn from letters of both cases and digits, or from more than a hexadecimal number has."""
    bare = value.rstrip("=.")
    if len(bare) < SHORTEST_DRAWN or not any(map(str.isdigit, bare)):
        return False
    mixed = bare.lower() != bare != bare.upper()
    wide = bare.isalnum() and re.search("[g-zG-Z]", bare) is not None
    return (
        (mixed or wide)
        and looks_drawn(bare)
        and not reads_like_words(bare)
        and ("-" not in bare or _NAMED_PART.search(bare) is None)
    )


_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_uuid(value: str) -> bool:
    """Whether it is a UUID, which is an identifier as often as a secret."""
    return _UUID.fullmatch(value) is not None
