"""Secrets recognised by a file format: Kubernetes, netrc, pgpass, hashes, JSON web keys, tables, cookies."""

import re
from collections.abc import Iterator

from accounts.rules.guard.drawn import is_jumbled, is_token, looks_drawn, looks_short_drawn
from accounts.rules.guard.names import (
    PASSWORD,
    is_chosen,
    is_given,
    is_kept,
    is_pair_or_random,
    is_promised,
    is_random,
    kind_of,
)
from accounts.rules.guard.rows import Extent, SecretFormat, SecretPattern, value_of
from accounts.rules.guard.stand_ins import DISTINCT, is_made_up, stands_in
from accounts.rules.guard.wrapped import decoded_bytes, decoded_text

# --- Kubernetes ----------------------------------------------------------------------------------------
_DOCUMENT_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
# Begins with its letters, so that they are quickly looked for.
_KIND_SECRET = re.compile(r"kind(?<!\wkind)[\"']?[ \t]{0,4}:[ \t]{0,4}[\"']?Secret[\"']?(?=[\s,}]|$)")
_DATA = re.compile(
    r"(?:^(?P<indent>[ \t]{0,20})|(?<=[\s{,]))[\"']?(?:data|(?P<plain>stringData))[\"']?[ \t]{0,4}:[ \t]{0,4}"
    r"(?P<open>\n|\{)",
    re.MULTILINE,
)
_ENTRY = re.compile(
    r"(?:^[ \t]{0,40}|[{,][ \t]{0,4})[\"']?(?P<name>[\w.-]{1,100})[\"']?[ \t]{0,4}:[ \t]{0,4}"
    r"(?:[|>][+-]?\n[ \t]{1,40})?[\"']?(?P<secret>[^\s\"',{}|>]{6,20000})",
    re.MULTILINE,
)
# What stands in secrets beside the secret: it is configuration, or public.
_CONFIGURATION = re.compile(
    r"(?i:.*(?:user(?:name)?|host(?:name)?|port|db|dbname|database|namespace|region|e?mail|name|(?:ca|tls|client)\.crt))"
)
_CERTIFICATE = "-----BEGIN CERT"


def _kubernetes(text: str) -> Iterator[Extent]:
    """Yield the values of each `kind: Secret`, in base 64 under `data`, plain under `stringData`."""
    if not _KIND_SECRET.search(text):
        return
    start = 0
    for end in [*(match.start() for match in _DOCUMENT_END.finditer(text)), len(text)]:
        if _KIND_SECRET.search(text, start, end):
            yield from _entries(text, start, end)
        start = end


def _entries(text: str, start: int, end: int) -> Iterator[Extent]:
    while block := _DATA.search(text, start, end):
        start = _block_end(text, block, end)
        for match in _ENTRY.finditer(text, block.end("open") - (block["open"] == "{"), start):
            if _is_entry(match["name"], match["secret"], plain=bool(block["plain"])):
                yield match.span("secret")


def _block_end(text: str, block: re.Match[str], end: int) -> int:
    if block["open"] == "{":
        closed = text.find("}", block.end(), end)
        return end if closed < 0 else closed
    indent = len(block["indent"] or "")
    start = block.end()
    while start < end:
        line_end = text.find("\n", start, end) + 1 or end
        line = text[start:line_end]
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        start = line_end
    return start


def _is_entry(name: str, value: str, *, plain: bool) -> bool:
    if plain:
        return is_kept(kind_of(name) or PASSWORD, value)
    content = decoded_bytes(value)
    decoded = decoded_text(value)
    if not content or decoded.startswith(_CERTIFICATE) or _CONFIGURATION.fullmatch(name):
        return False
    if not decoded:
        return looks_drawn(value)
    one = decoded.strip()
    return not stands_in(one) and (is_kept(PASSWORD, one) or bool(kind_of(name)))


# --- the formats of one expression ---------------------------------------------------------------------
def _is_hash(match: re.Match[str]) -> bool:
    return not is_made_up(value_of(match)) and is_jumbled(value_of(match).rpartition("$")[2])


def _is_private(match: re.Match[str]) -> bool:
    """Whether the member is one of a JSON web key, whose type stands in the same object."""
    text = match.string
    near = text[max(0, text.rfind("{", 0, match.start())) : match.end() + 4000].partition("}")[0]
    return '"kty"' in near and not is_made_up(match["secret"])


_COOKIE_LINE = re.compile(r"[cC]ookies?[\"']?\s{0,2}[:=][^\n]{8,4000}")
_COOKIE = re.compile(r"(?<![\w.-])(?P<name>[\w.-]{2,60})=(?P<secret>[\w.%+/~-]{20,4000})")


def _cookies(text: str) -> Iterator[Extent]:
    """Yield the values of cookies that sign in, each of a line."""
    for line in _COOKIE_LINE.finditer(text):
        for match in _COOKIE.finditer(text, line.start(), line.end()):
            # what a server signs is two parts, behind `s:`
            parts = match["secret"].removeprefix("s%3A").split(".")
            session = _SESSION.search(match["name"]) and "csrf" not in match["name"].lower()
            if session and not is_made_up(match["secret"]) and any(map(looks_drawn, parts)):
                yield match.span("secret")


_BYTES = re.compile(
    r"[\[{(]\s{0,20}(?P<secret>(?:0x[0-9a-fA-F]{2}|\d{1,3})(?:,\s{0,12}(?:0x[0-9a-fA-F]{2}|\d{1,3})){7,200})"
)
_NAMED_BYTES = re.compile(r"(?P<name>[A-Za-z_]\w{2,60})(?:\[\w{0,20}\])?\s{0,4}(?:=|:=|:)[^\n\[{(]{0,40}$")


def _arrays(text: str) -> Iterator[Extent]:
    """Yield keys written as an array of bytes."""
    for match in _BYTES.finditer(text):
        named = _NAMED_BYTES.search(text[max(0, match.start() - 140) : match.start()])
        if named and kind_of(named["name"]) and len(set(match["secret"].split(","))) >= DISTINCT:
            yield match.span("secret")


_SESSION = re.compile(r"(?i:sess|sid$|\.sid|auth|jwt|login|remember|token|access|refresh)")

# A version, then the kind of key, its modulus or the key itself: PKCS 8, PKCS 1, SEC 1; or OpenSSH's own format.
_PRIVATE_BYTES = re.compile(
    rb"\x30(?:[\x00-\x7f]|\x81.|\x82..)\x02\x01[\x00\x01][\x30\x02\x04]|openssh-key-v1", re.DOTALL
)


def _is_private_key(match: re.Match[str]) -> bool:
    return _PRIVATE_BYTES.match(decoded_bytes(match["secret"][:40])) is not None and not is_made_up(match["secret"])


def _is_seed(match: re.Match[str]) -> bool:
    value = match["secret"].replace(" ", "").replace("-", "")
    return len(set(value)) >= 8 and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


_VALUE_THEN_NAME = re.compile(
    r"\b(?i:value|val|content)[\"']?\s{0,4}[:=]\s{0,4}[\"'](?P<secret>[^\s\"']{8,400})[\"'](?:\s{0,4},|\s{1,4}(?i:where|and))?"
    r"\s{1,20}[\"']?(?i:name|key|option|setting|variable)[\"']?\s{0,4}[:=]\s{0,4}[\"'](?P<name>[\w. -]{2,60})[\"']"
)


def _before_names(text: str) -> Iterator[Extent]:
    """Yield values of a setting whose name stands behind them: `SET value = '…' WHERE name = 'api_token'`."""
    for match in _VALUE_THEN_NAME.finditer(text):
        kind = kind_of(match["name"])
        if is_promised(kind, match["secret"]):
            yield match.span("secret")


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


def _in_address(text: str, start: int, end: int) -> Iterator[Extent]:
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


_WHOLE_ADDRESS = re.compile(r"://\S{1,1600}")


def _addresses(text: str) -> Iterator[Extent]:
    """Yield what an address lets its reader do: reset a password, accept an invitation, sign in."""
    for match in _WHOLE_ADDRESS.finditer(text):
        start = max(0, match.start() - 5)
        yield from _in_address(text, start, match.end())


FORMATS: tuple[SecretPattern | SecretFormat, ...] = (
    SecretFormat("Kubernetes secret", ("kind",), _kubernetes),
    SecretFormat("secret near its name", ("://",), _addresses),
    SecretPattern(
        "pgpass entry",
        (":",),
        re.compile(
            r"(?m)^(?P<host>[\w.*-]{1,200}):(?:\d{2,5}|\*)"
            r":[\w*.-]{1,100}:[\w*.@-]{1,100}:(?P<secret>[^\s:]{6,200})[ \t]*$"
        ),
        is_given,
    ),
    SecretPattern(
        "netrc entry",
        ("machine",),
        re.compile(
            r"machine\s{1,8}[^\s\"']{1,200}\s{1,20}login\s{1,8}[^\s\"']{1,200}\s{1,20}(?:port\s{1,4}\d{1,5}\s{1,20})?password\s{1,8}(?P<bare>[^\s\"']{6,200})"
        ),
        is_given,
        leads=True,
    ),
    SecretPattern(
        "netrc entry",
        ("login",),
        re.compile(r"\blogin\s{1,20}[^\s\"']{1,100}\s{1,20}password\s{1,4}(?P<bare>[^\s\"']{6,200})"),
        is_chosen,
        leads=True,
    ),
    SecretPattern(
        "password hash",
        ("$", "argon2$", "pbkdf2_", "bcrypt_", "scrypt_", "sha256_", "{sha", "{ssha", "{pbkdf2"),
        re.compile(
            r"(?:(?P<dollar>\$\$?)(?:2[abxy]?|apr1|[1567]|g?y|sha1|md5|argon2\w{0,2}|scrypt|pbkdf2[\w-]{0,20})(?P=dollar)(?!\$)|\bargon2\$argon2\w{0,2}\$"
            r"|\b(?:pbkdf2|bcrypt|scrypt|sha256)_\w{1,10}\$)[\w./+=,$-]{22,400}|\{S?SHA(?:256|384|512)?\}[A-Za-z0-9+/]{27,120}={0,2}|\{PBKDF2\w{0,10}\}\d{1,8}\$[\w+/=]{8,90}\$[\w+/=]{20,120}"
        ),
        _is_hash,
        leads=True,
    ),
    SecretPattern(
        "password hash",  # as PostgreSQL and MySQL keep them
        ("scram-sha-", "'*", '"*'),
        re.compile(
            r"SCRAM-SHA-\d{1,3}\$\d{1,7}:[\w+/=]{12,60}\$[\w+/=]{20,120}:[\w+/=]{20,120}|[\"']\*[0-9A-F]{40}(?!\w)"
        ),
        lambda match: not is_made_up(match.group()),
        leads=True,
    ),
    SecretPattern(
        "private key",  # without the lines around it
        ("mii", "mig", "mih", "mhcc", "mfcc", "mc4c", "b3blbnnza"),
        re.compile(
            r"(?P<secret>(?:M[CFHI]|b3BlbnNza)(?<![\w+/=-]..)(?<![\w+/=-]b3BlbnNza)[A-Za-z0-9+/]{40,12000}={0,2}"
            r"(?:\s{1,8}[A-Za-z0-9+/]{16,80}={0,2}){0,100})"
        ),
        _is_private_key,
        leads=True,
    ),
    SecretPattern(
        "seed of one-time passwords",
        ("otp", "2fa", "mfa", "authenticator", "two-factor", "one-time"),
        re.compile(
            r"(?i:[th]?otp|2fa|mfa|authenticator|two-factor|one-time)\b[^\n]{0,60}?(?<![\w/+-])"
            r"(?P<secret>(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{4}|(?:[a-z2-7]{4} ){3,15}[a-z2-7]{4}|[A-Z2-7]{16,64})"
            r"(?![\w/+-])"
        ),
        _is_seed,
        leads=True,
    ),
    SecretPattern(
        "license key",
        ("licen", "lizenz", "product", "activation", "recovery", "rescue", "unlock"),
        re.compile(
            r"(?i:licen[sc]e|lizenz|product|activation|recovery|rescue|unlock)[ _-]?"
            r"(?i:key|code|schlüssel)[\"']?(?: is|[ ]?[:=])?[ ]?[\"'`]?"
            r"(?P<secret>[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,7})(?![\w-])"
        ),
        _is_seed,
        leads=True,
    ),
    SecretPattern(
        "private member of a JSON web key",
        ('"kty"',),
        re.compile(r"\"(?:d|k|p|q|dp|dq|qi)\"\s{0,4}:\s{0,4}\"(?P<secret>[\w-]{22,1500})\""),
        _is_private,
    ),
    SecretFormat("session cookie", ("cookie",), _cookies),
    SecretFormat("array of bytes", ("key", "secret", "seed"), _arrays),
    SecretPattern(
        "authorization header",
        ("authorization",),
        re.compile(
            r"(?i:authorization)\\{0,3}[\"'`]?[ \t]{0,4}[:=,]?[ \t]{0,4}\\{0,3}[\"'`]?"
            r"(?:[A-Za-z][\w-]{1,20}[ \t]{1,4}|key=)(?P<secret>[A-Za-z0-9._~+/=:-]{16,2000})"
        ),
        is_pair_or_random,
        leads=True,
    ),
    SecretPattern(
        "webhook address",
        ("hook", "/integration"),
        re.compile(
            r"https?://[\w.-]{0,100}?(?:/integrations?/|(?i:hook)[\w.-]{0,60}/|/[\w./-]{0,60}?(?i:hook)[\w-]{0,20}/)(?:[\w.-]{1,19}/){0,3}?"
            r"(?P<secret>[^\s\"'<>/]{20,200}[^\s\"'<>]{0,400})"
        ),
        is_random,
    ),
    SecretPattern(
        "recovery codes",
        ("recovery codes", "recovery-codes", "backup codes", "backup-codes"),
        re.compile(
            r"(?i:recovery|backup)[ -](?i:codes)[^\n:]{0,60}:\s{0,4}"
            r"(?P<secret>(?:[ \t*-]{0,8}(?:[\w-]{8,24}|\d{4} \d{4})[ \t,]{0,4}\n?){2,20})"
        ),
        lambda match: sum(map(str.isdigit, match["secret"])) >= len(match["secret"]) / 6,
        leads=True,
    ),
    SecretPattern(
        "authorization header",  # in a variable that holds many: their names are their maker's
        ("headers",),
        re.compile(r"(?i:headers)[\"']?[=:][\"' ]{0,3}[\w-]{1,40}=(?:\w{1,10}%20)?(?P<secret>[\w+/=.-]{20,400})"),
        lambda match: looks_drawn(match["secret"]) or is_pair_or_random(match),
        leads=True,
    ),
    SecretPattern(
        "webhook address",  # of a host that does nothing else: what stands behind the number of the account
        ("://hook", "://webhook"),
        re.compile(r"://(?:web)?hooks?\.[\w.-]{1,80}/(?:[\w.-]{1,40}/){0,3}\d{4,12}/(?P<secret>[\w-]{6,200})"),
        lambda match: not is_made_up(match["secret"] + "/" + match["secret"][::-1]),
        leads=True,
    ),
    SecretPattern(
        "password of a pair",  # lines of `user:password` below the program that reads them
        ("chpasswd",),
        re.compile(
            r"chpasswd\b[^\n]{0,80}\n(?:[^\n]{0,80}\n){0,3}?[ \t\"'-]{0,20}[a-z_][\w-]{0,31}:"
            r"(?P<bare>[^\s:\"']{6,100})"
        ),
        is_given,
        leads=True,
    ),
    SecretPattern(
        "secret in a call",  # Java wipes passwords, and so keeps them as characters
        ("tochararray",),
        re.compile(r"\"(?P<secret>[^\s\"]{8,100})\"\.toCharArray\(\)"),
        lambda match: is_given(match) and len(set(match["secret"])) < len(match["secret"]),
    ),
    SecretFormat("secret in an assignment", ("value", "val", "content"), _before_names),
    SecretPattern(
        "signature in an address",
        ("code=", "sig=", "signature=", "key="),
        re.compile(r"[?&](?i:code|sig|key|(?:x-\w{2,5}-)?signature)=(?P<secret>[\w%+/=.~-]{32,200})"),
        lambda match: looks_drawn(match["secret"].rstrip("=")),
    ),
    SecretPattern(
        "key in an address",
        ("key=", "k=", "auth="),
        re.compile(r"[?&](?i:[a-z]{0,8}[_-]?key|k|auth)=(?P<secret>[A-Za-z0-9_-]{10,100})(?![\w%./:-])"),
        lambda match: not stands_in(match["secret"]) and looks_short_drawn(match["secret"]),
    ),
)
