"""What a value is that is no secret: made up for an example, public, encrypted, or code that fetches one."""

import re

from accounts.rules.guard.drawn import (
    NUMBERED_WORDS,
    SHORTEST_KEY,
    WORDS_AND_NUMBERS,
    classes_of,
    ends_drawn,
    is_dense,
    is_jumbled,
    is_of_signs,
    is_strewn,
    looks_random,
)
from accounts.rules.guard.wrapped import decoded_bytes, decoded_text

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
    r"|change.?(?:me|it|this)|to.?be.?(?:set|done|modified|changed|replaced|defined)|replace|insert|todo|redacted|your|\bmy[-_]|hunter2|test|foo|bar|baz|default|admin|value"
    r"|ihr(?:e[nr]?)?[_-]?(?:kennwort|passwort|schl[uü]ssel)\w*|string|null|none|undefined|true|false|optional|required|encrypted|process\.env|environ|getenv|config|settings)"
)
_CODE = re.compile(
    r"^[$<{%\[(&@*]|^\?[a-z]|[()<>{}\[\]]|\$\{|\{\{|^~?[\w-]+(?:\.[A-Za-z_]\w*)+$|^(?:~|\.{1,2})?/|://|::|->|=>|^--?[a-z]|^[a-z_]{2,40}=(?:[A-Za-z_.]{0,40}|\d{1,4}|[\"'].*)$"
)
# A reference that its platform resolves: `@Microsoft.KeyVault(SecretUri=…)`.
_FETCHED = re.compile(r"@[A-Za-z]{2,40}\.[A-Za-z]{2,40}\(|[a-z]\w{0,30}\.[a-z]\w{1,30}\(")
# By SOPS, Vault, KMS, Spring and sealed secrets: what they write may be read by all.
_ENCRYPTED = re.compile(
    r"(?i:enc|encrypted|cipher(?:text)?|sealed|vault|secure)(?:[\[(]|:(?:v\d{1,2}:)?[A-Za-z0-9+/]{40})|vault:v\d|v\d:[A-Za-z0-9+/=]{12,24}:"
    r"|AQI[CD]AH|\{cipher\}|\{[A-Za-z0-9+/]{20,400}={0,2}\}?$|\d:\d:[A-Za-z0-9+/]{40}|hmac-sha\d{1,3}:|\$ANSIBLE_VAULT|Ag[A-D][A-Za-z0-9+/=]{60}"
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


# What a value says of itself: `pk_live_…`, PostHog's `phc_…`, `pk.eyJ…`, `sb_publishable_…`. With digits
# behind `pk_` it is a personal key.
_SAYS_PUBLIC = re.compile(
    r"c3NoL|LS0tLS1CRUdJTiB(?:DRVJ|QVUJ)|sha\d{1,3}[/-][A-Za-z0-9+/]{27,88}={0,2}$|(?i:\w{0,30}sha\d{1,3})[=:][0-9a-f]{40,128}$|RW[A-Za-z0-9+/]{54}$|anonymous[-_]|phc_|pk(?:\.|[_-](?!\d))|[a-z]{1,12}[_-](?:publishable|public|pub)[_-]|ssh-|age1"
)


def is_encrypted(value: str) -> bool:
    """Whether a value says of itself that it is sealed: all may read it."""
    return _ENCRYPTED.match(value) is not None


MINISIGN_BYTES = 42


def is_public(value: str) -> bool:
    """Whether a value is for all to see: by its prefix, or a public key or certificate by its bytes."""
    if _SAYS_PUBLIC.match(value):
        return True
    # a point of P-256 is 65 bytes, other public keys are longer in DER, and OpenSSH writes its kind first
    content = decoded_bytes(value[:88]) if len(value) >= 87 or value.startswith(("AAAA", "RW")) else b""
    # minisign writes its algorithm, an identifier and 32 bytes
    if content[:2] == b"Ed" and len(content) == MINISIGN_BYTES:
        return True
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


# A sentence in base 64 is none; what it tells is asked where it is decoded.
WORDS_OF_SENTENCE = 6
# Spring writes before a password how it is encoded: this one is not.
_NOT_ENCODED = "{noop}"


def stands_in(value: str) -> bool:
    """Whether a value is a stand-in, public, the name of a secret, or code that fetches one; in base 64 too."""
    if value.startswith(_NOT_ENCODED):
        value = value[len(_NOT_ENCODED) :]
    if (
        is_made_up(value)
        or is_public(value)
        or is_encrypted(value)
        or _FETCHED.match(value)
        or (
            _CODE.search(value)
            and not (is_dense(value) or is_of_signs(value) or is_strewn(value) or ends_drawn(value))
            and not NUMBERED_WORDS.fullmatch(value)
        )
    ):
        return True
    if "," in value and all(part and stands_in(part) for part in value.split(",")):
        return True
    # three letters of a stand-in come by chance in what is drawn
    if not (len(value) >= SHORTEST_KEY and is_jumbled(value)):
        rest = _STAND_IN.sub("", value)
        if rest != value and not _is_more(rest):
            return True
    decoded = decoded_text(value).strip()
    return len(decoded.split()) >= WORDS_OF_SENTENCE or (bool(_PLAIN_TEXT.fullmatch(decoded)) and stands_in(decoded))


def _is_more(rest: str) -> bool:
    """Whether what is beside a stand-in makes a secret of it all the same: Sup3rS3cret!, Kestrel-Pass-2024."""
    if looks_random(rest) and not WORDS_AND_NUMBERS.fullmatch(rest):
        return True
    signs = sum(character in "!@#$%^&*+~" for character in rest)
    digits = sum(map(str.isdigit, rest))
    return classes_of(rest) >= 3 and ((signs > 0 and len(rest) >= 5) or (digits > 1 and len(rest) >= 8))
