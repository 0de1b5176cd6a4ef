"""What a value looks like: drawn by a machine, chosen by a person, made up for an example, or code.

A pattern says where a secret may stand; these say whether one does. All of them look at one short value.
"""

import base64
import binascii
import math
import re
import string
from collections import Counter
from operator import ne

from accounts.rules.guard.letters import is_unreadable, surprise

# --- examples ------------------------------------------------------------------------------------------
# Said of the value of a token: documented, or made up so that everybody sees it.
_EXAMPLE_TOKEN = re.compile(r"(?i:example|placeholder|redacted|dummy|changeme|your)|[xX]{4}|\*{3}|\.{3}|…")
_RUN = re.compile(r"(.)\1{4,}")
# A stand-in is one character repeated over at least a third of it; a fourth lost bearers that begin with zeros (second
# set, docs/evaluation.md).
RUN_SHARE = 3
_SEQUENCES = ("1234567890", "0123456789", "abcdefghij", "ABCDEFGHIJ", "a1b2c3d4e5")
# Keys their makers publish: the storage emulator's, the token on jwt.io, two UUIDs of standards, the pairs of RFC 7617.
_PUBLISHED = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1",
    "eyJzdWIiOiIxMjM0NTY3ODkwI",
    "550e8400-e29b-41d4-a716-446655440000",
    "123e4567-e89b-12d3-a456-426614174000",
    "QWxhZGRpbjpvcGVuIHNlc2FtZQ",
    "dGVzdDoxMjPCow",
)
# A random token of 16 characters has about 12 different ones; fewer than 6 is somebody leaning on a key.
DISTINCT = 6


def is_made_up(value: str) -> bool:
    """Whether a token is a documented example or an obvious stand-in."""
    if _EXAMPLE_TOKEN.search(value) or any(part in value for part in (*_SEQUENCES, *_PUBLISHED)):
        return True
    # what is drawn from bytes begins with zeros now and then: AAAAA is one character many times, but only a part
    if len(set(value.lower())) < DISTINCT:
        return True
    return any(len(run.group()) * RUN_SHARE >= len(value) for run in _RUN.finditer(value))


# Said of the value of an assignment: a stand-in, a name for the secret instead of the secret, or code that fetches it.
_STAND_IN = re.compile(
    r"(?i:p[a4@]ss(?:w[o0]rd|wd|phrase)?|s[e3]cr[e3]t|token|api.?key|access.?key|credential|example|sample|dummy|fake|mock|placeholder"
    r"|change.?(?:me|it|this)|replace|insert|todo|redacted|your|\bmy[-_]|hunter2|test|foo|bar|baz|default|admin|value"
    r"|string|null|none|undefined|true|false|optional|required|encrypted|process\.env|environ|getenv|config|settings)"
)
_CODE = re.compile(
    r"^[$<{%\[(&@*]|[()<>{}\[\]]|\$\{|\{\{|^~?[\w-]+(?:\.[A-Za-z_]\w*)+$|^(?:~|\.{1,2})?/|://|::|->|=>|^--?[a-z]|^[a-z_]{2,40}=(?:[A-Za-z_.]{0,40}|\d{1,4})$"
)
# A reference that its platform resolves: `@Microsoft.KeyVault(SecretUri=…)`.
_FETCHED = re.compile(r"@[A-Za-z]{2,40}\.[A-Za-z]{2,40}\(|[a-z]\w{0,30}\.[a-z]\w{1,30}\(")
# By SOPS, Vault, KMS, Spring and sealed secrets: what they write may be read by all.
_ENCRYPTED = re.compile(
    r"(?i:enc|encrypted|cipher(?:text)?|sealed|vault|secure)(?:[\[(]|:(?:v\d{1,2}:)?[A-Za-z0-9+/]{40})|vault:v\d|v\d:[A-Za-z0-9+/=]{12,24}:"
    r"|AQICAH|\{cipher\}|\$ANSIBLE_VAULT|Ag[A-D][A-Za-z0-9+/=]{60}"
)
# Above a value, in YAML or JSON, or around it: what stands within is written by a program that encrypts.
_SEALED = re.compile(
    r"^[ \t]{0,40}[\"']?(?:encrypted(?:Data|_data)?|sealed|ciphertext|secure)[\"']?[ \t]{0,4}:", re.MULTILINE
)
# What sealed values have at least; a plain password there is shorter and is found (second set, docs/evaluation.md).
SHORTEST_SEALED = 60
# So far above a value its parent is looked for.
LONGEST_BLOCK = 6000
_PLAIN_TEXT = re.compile(r"[\w .@:!$#%&*+-]{1,40}")
# words-joined-by-hyphens-2, NameOfThing, a_b_c: how people name things, not how machines draw secrets
_NAME_LIKE = re.compile(r"[A-Za-z]{2,}(?:[-_./:][A-Za-z]{2,})*(?:[-_.]?\d{1,4})?")
# Ed25519PrivateKey
_TYPE_LIKE = re.compile(r"(?:[A-Z][a-z]{1,20}\d{0,5}){2,8}")
_WORDS_AND_NUMBERS = re.compile(
    r"-{0,2}(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}|[Vv]?\d{1,4})(?:[-_./:](?:[A-Z]?[a-z]{1,20}\d{0,2}|[A-Z]{1,20}|[Vv]?\d{1,4}))+-{0,2}"
)


# What a value says of itself: `pk_live_…`, PostHog's `phc_…`, `pk.eyJ…`, `sb_publishable_…`. With digits
# behind `pk_` it is a personal key.
_SAYS_PUBLIC = re.compile(r"phc_|pk(?:\.|[_-](?!\d))|[a-z]{1,12}[_-](?:publishable|public|pub)[_-]|ssh-|age1")


def is_public(value: str) -> bool:
    """Whether a value is for all to see: by its prefix, or a public key or certificate by its bytes."""
    if _SAYS_PUBLIC.match(value):
        return True
    # a point of P-256 is 65 bytes, other public keys are longer in DER, and OpenSSH writes its kind first
    content = decoded_bytes(value[:88]) if len(value) >= 87 or value.startswith("AAAA") else b""
    if len(value.rstrip("=")) == 87 and content[:1] == b"\x04":
        return True
    return bool(_DER_SEQUENCES.match(content)) or content[4:8] in (b"ssh-", b"ecds", b"sk-s")


# A sequence that begins with a sequence: a certificate, a request for one, a public key; a private one begins with a
# version.
_DER_SEQUENCES = re.compile(rb"\x30(?:[\x00-\x7f]|\x81.|\x82..)\x30", re.DOTALL)


def is_sealed(text: str, start: int, value: str) -> bool:
    """Whether what begins at `start` is a line of a block of encrypted values, and as long as those are."""
    if len(value) < SHORTEST_SEALED or not decoded_bytes(value) or decoded_text(value):
        return False
    line = text.rfind("\n", 0, start) + 1
    indent = start - line - len(text[line:start].lstrip())
    for above in _SEALED.finditer(text, max(0, line - LONGEST_BLOCK), line):
        depth = len(above.group()) - len(above.group().lstrip())
        between = text[above.end() : line].split("\n")[1:-1]
        if depth < indent and all(len(one) - len(one.lstrip()) > depth for one in between if one.strip()):
            return True
    return False


# Spring writes before a password how it is encoded: this one is not.
_NOT_ENCODED = "{noop}"


def stands_in(value: str) -> bool:
    """Whether a value is a stand-in, public, the name of a secret, or code that fetches one; in base 64 too."""
    if value.startswith(_NOT_ENCODED):
        value = value[len(_NOT_ENCODED) :]
    if (
        is_made_up(value)
        or is_public(value)
        or _ENCRYPTED.match(value)
        or _FETCHED.match(value)
        or (
            _CODE.search(value)
            and not (_is_dense(value) or _is_of_signs(value) or _is_strewn(value) or _ends_drawn(value))
            and not _NUMBERED_WORDS.fullmatch(value)
        )
    ):
        return True
    # three letters of a stand-in come by chance in what is drawn
    if not (len(value) >= SHORTEST_KEY and is_jumbled(value)):
        rest = _STAND_IN.sub("", value)
        if rest != value and not _is_more(rest):
            return True
    decoded = decoded_text(value).strip()
    return bool(_PLAIN_TEXT.fullmatch(decoded)) and stands_in(decoded)


def _is_more(rest: str) -> bool:
    """Whether what is beside a stand-in makes a secret of it all the same: Sup3rS3cret!, Kestrel-Pass-2024."""
    if looks_random(rest) and not _WORDS_AND_NUMBERS.fullmatch(rest):
        return True
    signs = sum(character in "!@#$%^&*+~" for character in rest)
    digits = sum(map(str.isdigit, rest))
    return _classes(rest) >= 3 and ((signs > 0 and len(rest) >= 5) or (digits > 1 and len(rest) >= 8))


# --- strength ------------------------------------------------------------------------------------------
SHORTEST_PASSWORD = 8
SHORTEST_GIVEN = 6
SHORTEST_STREWN = 10
SHORTEST_KEY = 16
SHORTEST_DRAWN = 20
_LETTERS_TO_DIGITS = re.compile(r"[A-Za-z](?=[0-9])")
_DRAWN = re.compile(
    r"(?:0x)?(?:[0-9a-f]{32,}|[0-9A-F]{32,})|(?=.*\d.*\d)(?:[A-Z0-9]{20,}|[a-z0-9]{24,}|(?=.*[A-Z].*[A-Z])(?=.*[a-z].*[a-z])[\w+/.~-]{20,}={0,2})"
)
# Each character as one of its kind: small letter, capital, digit, other.
_CLASSES = str.maketrans(
    string.ascii_letters + string.digits + string.punctuation, "a" * 26 + "A" * 26 + "0" * 10 + "." * 32
)
_SIGNS = frozenset("!@#$%^&*+=?~|")
_NUMBERED_WORDS = re.compile(r"[A-Z][a-z]{2,}(?:[-_.]?[A-Z][a-z]{2,}){0,4}[-_.]?\d{2,4}")
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


def _classes(value: str) -> int:
    found = set(value.translate(_CLASSES)) & set("aA0")
    return len(found) + any(character in _SIGNS for character in value)


def looks_random(value: str) -> bool:
    """Whether it is a key or token as machines draw them: long, letters and digits mixed, high entropy."""
    if len(value) < SHORTEST_KEY or not value.isascii() or entropy(value) < ENTROPY:
        return False
    if _is_of_both_cases(value):
        return True
    return not (_NAME_LIKE.fullmatch(value) or _TYPE_LIKE.fullmatch(value)) and (
        any(map(_is_drawn_part, _PARTS.findall(value))) or _is_dense(value)
    )


def _is_drawn_part(part: str) -> bool:
    """Whether a run of letters and digits has both; the parts of a path or of a pattern of names have one."""
    return any(map(str.isdigit, part)) and any(map(str.isalpha, part))


def looks_chosen(value: str) -> bool:
    """Whether it is a password as people choose them: characters of three kinds, or digits strewn among letters."""
    if len(value) < SHORTEST_PASSWORD or not value.isascii():
        return False
    strewn = len(_LETTERS_TO_DIGITS.findall(value)) >= 2 and len(value) >= SHORTEST_STREWN
    return _classes(value) >= 3 or strewn or is_drawn_from_letters(value)


# A hexadecimal number of 128 bits or more with others behind it, as Mailgun draws them. A UUID is an id as often.
_HEX_GROUPS = re.compile(r"[0-9a-f]{32,64}(?:[-.:_][0-9a-f]{4,64}){1,4}")


def is_of_hex_groups(value: str) -> bool:
    """Whether it is drawn as several hexadecimal numbers, the first of which is a key by its length."""
    return bool(_HEX_GROUPS.fullmatch(value))


def looks_drawn(value: str) -> bool:
    """Whether it is random beyond doubt, so that a vague name before it is enough; a git hash is not."""
    if is_of_hex_groups(value):
        return True
    if len(value) < SHORTEST_DRAWN or is_digest(value) or _WORDS_AND_NUMBERS.fullmatch(value):
        return False
    if entropy(value) < ENTROPY:
        return False
    if not _DRAWN.fullmatch(value):
        return _is_of_both_cases(value)
    both = value.lower() != value and value.upper() != value
    least = (BOTH_CASES if is_unreadable(value) else JUMBLED) if both else STREWN
    return _changes(value) >= least * (len(value) - 1)


def looks_secret_in_prose(value: str) -> bool:
    """Whether it is no word, version or algorithm that a sentence may name: with a sign in it, jumbled or numbered."""
    if len(value) < SHORTEST_PASSWORD or not value.isascii():
        return False
    if looks_plain(value):
        return True
    if _WORDS_AND_NUMBERS.fullmatch(value.lstrip("~")):
        return bool(_NUMBERED_WORDS.fullmatch(value))
    if any(character in _SIGNS for character in value) and _classes(value) >= 3:
        return True
    return (
        bool(_NUMBERED_WORDS.fullmatch(value))
        or (_classes(value) >= 3 and is_jumbled(value))
        or looks_drawn(value)
        or is_drawn_from_letters(value)
    )


# badger7563, falcon@7563; gecko-Lemur-75: a version, host or port has a shorter number, or no capital in its middle.
_PLAIN_PASSWORD = re.compile(r"[A-Za-z]{4,20}[@._-]?\d{4,8}|[a-z]{3,12}(?:[-_.][A-Z][a-z]{2,11}){1,3}[-_.]?\d{2,8}")


def looks_plain(value: str) -> bool:
    """Whether it is a plain password of words and a number, no stand-in, and no name of something."""
    return len(value) >= SHORTEST_PASSWORD and bool(_PLAIN_PASSWORD.fullmatch(value)) and not stands_in(value)


def looks_numbered(value: str) -> bool:
    """Whether it is made of words and a number, as plain passwords are, and some names."""
    return len(value) >= SHORTEST_PASSWORD and (
        bool(_PLAIN_PASSWORD.fullmatch(value)) or bool(_NUMBERED_WORDS.fullmatch(value))
    )


# gecko-lemur-heron-6, orbit-harbor-verano-ember: as generators of phrases join them.
_PHRASE_OF_WORDS = re.compile(r"[a-z]{3,10}(?:[-_.][a-z]{3,10}){2,9}[-_.]\d{1,4}|[a-z]{3,10}(?:[-.][a-z]{3,10}){3,9}")


def looks_phrased(value: str) -> bool:
    """Whether it is a passphrase of joined words where a format says that a password stands; no stand-in."""
    return bool(_PHRASE_OF_WORDS.fullmatch(value)) and not stands_in(value)


def looks_named(value: str) -> bool:
    """Whether words and numbers are joined as in a version, a host or a path."""
    return bool(_WORDS_AND_NUMBERS.fullmatch(value)) and not _NUMBERED_WORDS.match(value)


def is_jumbled(value: str) -> bool:
    """Whether small letters, capitals and digits change as often as in what a machine draws."""
    return _changes(value) >= JUMBLED * (len(value) - 1)


def _is_of_both_cases(value: str) -> bool:
    """Whether letters of both cases come as often and change as often as in base 64, which no CamelCase does."""
    letters = value.rstrip("=").replace("+", "").replace("/", "")
    capitals, small = (sum(map(sign, letters)) for sign in (str.isupper, str.islower))
    return (
        letters.isalnum()
        and min(capitals, small) >= 0.25 * len(letters)
        and _changes(letters) >= BOTH_CASES * (len(letters) - 1)
    )


def _changes(value: str) -> int:
    kinds = value.translate(_CLASSES)
    return sum(map(ne, kinds, kinds[1:]))


def _is_dense(value: str) -> bool:
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
        and _classes(value) >= 3
        and is_jumbled(value)
        and not reads_like_words(value)
        and (letters == value or _WORD_PART.search(value) is None)
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


def _is_strewn(value: str) -> bool:
    """Whether two parts joined by a dot have digits strewn in them, as no attribute of an object has."""
    return value.count(".") == 1 and len(_LETTERS_TO_DIGITS.findall(value)) >= 4


def _ends_drawn(value: str) -> bool:
    """Whether what stands behind its only dot is drawn, and so no attribute: `s.8CAY…`."""
    _, dot, last = value.partition(".")
    return bool(dot) and len(last) >= SHORTEST_DRAWN and last.isalnum() and looks_short_drawn(last)


def _is_of_signs(value: str) -> bool:
    """Whether what begins like code (`$name`, `*args`, `--option`) is drawn from letters, digits and signs."""
    body = value.lstrip("$%&@*<-")
    signs = {character for character in value if not character.isalnum()}
    return (
        len(value) >= SHORTEST_STREWN
        and signs < _SIGNS | {"-", "_"}
        and _classes(body) >= 3
        and (len(signs) > 2 or (any(map(str.isdigit, body)) and (is_jumbled(body) or len(signs) > 1)))
    )


def is_digest(value: str) -> bool:
    """Whether it is a git hash or another digest in hexadecimal: as long as some keys, but public."""
    return bool(re.fullmatch("[0-9a-f]{40}|[0-9A-F]{40}", value))


def looks_given(value: str) -> bool:
    """Whether it may be a plain password, where a format says that one stands: letters, and a digit or a sign."""
    marked = any(character.isdigit() or character in _SIGNS for character in value)
    return len(value) >= SHORTEST_GIVEN and marked and any(map(str.isalpha, value)) and value.isascii()


# --- encodings -----------------------------------------------------------------------------------------
_PRINTABLE = re.compile(r"[\t\n\r -~]*")


def decoded_bytes(value: str) -> bytes:
    """Return what stands in a value in base 64 (with or without padding, of either alphabet), or nothing."""
    padded = value.rstrip("=").translate({45: 43, 95: 47})
    try:
        return base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def decoded_text(value: str) -> str:
    """Return the printable text that stands in a value in base 64, or an empty one."""
    # eight characters are enough to tell text from what is random
    if len(value) < 8 or not _is_text(decoded_bytes(value[:16])):
        return ""
    decoded = decoded_bytes(value)
    return decoded.decode() if _is_text(decoded) else ""


def _is_text(content: bytes) -> bool:
    return bool(content) and content.isascii() and bool(_PRINTABLE.fullmatch(content.decode()))


def is_user_and_password(text: str) -> bool:
    """Whether it is `user:password`, as `Basic` and Docker encode it, and no documented pair."""
    user, colon, password = text.partition(":")
    return bool(colon) and not is_weak_pair(user, password)


_PAIR = re.compile(r"[A-Za-z][\w.@-]{0,40}:(?P<password>[^\s:/]{8,100})\s?")


def is_pair_of_secrets(text: str) -> bool:
    """Whether a decoded text is `user:password` beyond doubt: identifiers are encoded like that too (`User:1234`)."""
    match = _PAIR.fullmatch(text)
    return match is not None and is_user_and_password(text.strip()) and looks_secret_in_prose(match["password"])


# u:p@ and a:b@ are how a format is explained.
SHORTEST_IN_URL = 4


def is_weak_pair(user: str, password: str) -> bool:
    """Whether a password explains a format: a stand-in, the user's name, or a few letters."""
    return stands_in(password) or password.lower() == user.lower() or len(password) < SHORTEST_IN_URL
