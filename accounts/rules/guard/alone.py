"""Secrets by their place alone: in an address that lets its reader in, or drawn, and nothing near says what for."""

import re
from collections.abc import Iterator

from accounts.rules.guard.drawn import classes_of, is_jumbled, is_token
from accounts.rules.guard.rows import Extent, words_of
from accounts.rules.guard.stand_ins import stands_in
from accounts.rules.guard.wrapped import decoded_text

# --- addresses -----------------------------------------------------------------------------------------
_OPENING = re.compile(
    r"[/?&](?i:private|secret|token|(?:api|auth|access)?[_-]?key|appid)[=/-](?P<secret>[0-9a-f]{32,64})(?![\w-])"
)
# Who knows the last part of it sends the stream.
_STREAM = re.compile(
    r"(?i:rtmps?|srt|rist)://[^\s\"'<>]{3,200}[/=]"
    r"(?P<secret>(?:[a-z0-9]{4}-){3,6}[a-z0-9]{4}|(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Za-z])[A-Za-z0-9_-]{16,100})(?![\w/-])"
)
_HEX_PART = re.compile(r"(?<![\w])[0-9a-f]{20,128}(?![\w])")
_SEGMENT = re.compile(r"(?<=[/=])[\w-]{20,400}(?![\w-])", re.ASCII)
_ACCESS = re.compile(
    r"(?i:reset|magic|invit|verif|confirm|activat|recover|unsubscrib|join|sign-?in|sso|token|hooks?)\b"
)


def in_address(text: str, start: int, end: int) -> Iterator[Extent]:
    """Yield what an address lets its reader do: reset a password, accept an invitation, sign in."""
    for match in _OPENING.finditer(text, start, end):
        yield match.span("secret")
    stream = _STREAM.search(text, start, end)
    if stream and not stands_in(stream["secret"]):
        yield stream.span("secret")
    access = _ACCESS.search(text, start, end)
    if access:
        for match in _SEGMENT.finditer(text, access.end(), end):
            drawn = is_token(match.group()) or _HEX_PART.search(match.group())
            if drawn and not stands_in(match.group()):
                yield match.span()


# --- bare values ---------------------------------------------------------------------------------------
# Small letters, capitals, digits and signs.
ALL_CLASSES = 4
# Those of passwords; `+`, `=` and `?` have base 64 and addresses too. Some join the parts of names.
STRONG_SIGNS, JOINING = frozenset("!@#$%^&*"), frozenset("@#$%&")
# Identifiers are shorter, those of documents in addresses aside.
SHORTEST_BARE = 30
_WHOLE = re.compile(r"[A-Za-z0-9_-]+|(?=[A-Za-z0-9]*\+)[A-Za-z0-9+]+={0,2}|[A-Za-z0-9+]+={1,2}")
# Behind a blank or in quotes, and no member of anything: what has a name is judged by it.
_BEFORE_BARE = re.compile(r"(?:^|(?<![:=])[ \t]|^[ \t]*[\"'`]|(?<=[^:=][ \t(])[\"'`])$")
_BEHIND_BARE = re.compile(r"[\"'`]?(?:[.,;)!?]?(?:\s|$))")
# `chatcmpl_…`, `file-…`, `GPU-…`: an identifier says first of what it is one.
_TYPED = re.compile(r"[A-Za-z]{2,12}[_-]|[A-Z]{2}[0-9a-f]{32}")
# Behind an algorithm: `X25519 …`.
_OF_ALGORITHM = re.compile(r"\b[A-Z]{1,10}-?\d{2,5}[ \t]$")
# Of content (IPFS), of an account of a chain: base 58, by which all find it.
_ADDRESS_OF_CHAIN = re.compile(r"(?:Qm|bafy|[13])[1-9A-HJ-NP-Za-km-z]{32,60}|[1-9A-HJ-NP-Za-km-z]{43,44}")
# What is drawn and all may read, by the words of its line.
_SAID_OPEN = frozenset(
    words_of(
        "ssh rsa begin end certificate public id ids hash digest checksum commit signature nonce cursor page"
        " uuid address program contract image decode base64 integrity fingerprint"
    )
)
_LINE_WORDS = re.compile(r"[A-Za-z]+")


def is_bare(text: str, start: int, value: str) -> bool:
    """Whether a drawn value stands alone among words or on a command line, longer than an identifier is.

    Asked where no word near it says what it is. In what is public such values stand in addresses, below a heading
    (certificates, signatures), behind an algorithm or in blocks of them.
    """
    end = start + len(value)
    line, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end) % (len(text) + 1)
    before, behind = text[max(line, start - 120) : start], text[end : min(line_end, end + 120)]
    if (
        len(value) < SHORTEST_BARE
        or not _WHOLE.fullmatch(value)
        or value.isupper()
        or value.islower()
        or not _BEFORE_BARE.search(before)
        or not _BEHIND_BARE.match(behind)
        or _TYPED.match(value)
        or _OF_ALGORITHM.search(before)
        or _ADDRESS_OF_CHAIN.fullmatch(value)
        or decoded_text(value)
    ):
        return False
    words = {word.lower() for word in _LINE_WORDS.findall(before + " " + behind)}
    return _SAID_OPEN.isdisjoint(words) and not _is_in_block(text, line, line_end)


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


# A line of a block of base 64.
_LINE_OF_BLOCK = re.compile(r"[ \t>|#*]{0,12}[\"']?(?:-----.*|[A-Za-z0-9+/=]{16,200}[\"',\\]{0,3})[ \t]*")


def _is_in_block(text: str, line: int, line_end: int) -> bool:
    """Whether the line above or below is of the same block: of a certificate, an image, a signature."""
    above = text[text.rfind("\n", 0, max(0, line - 1)) + 1 : max(0, line - 1)]
    below = text[line_end + 1 : text.find("\n", line_end + 1) % (len(text) + 1)]
    return bool(_LINE_OF_BLOCK.fullmatch(above) or _LINE_OF_BLOCK.fullmatch(below))
