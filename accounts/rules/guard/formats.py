"""Secrets known by the file they stand in: Kubernetes, netrc, pgpass, hashes, JSON web keys, tables, cookies."""

import re
from collections.abc import Iterator

from accounts.rules.guard.names import (
    PASSWORD,
    is_chosen,
    is_given,
    is_kept,
    is_pair_or_random,
    is_random,
    kind_of,
)
from accounts.rules.guard.rows import Extent, SecretFormat, SecretPattern, value_of
from accounts.rules.guard.values import decoded_bytes, decoded_text, is_jumbled, is_made_up, looks_drawn, stands_in

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


def _is_in_cookie(match: re.Match[str]) -> bool:
    return bool(_SESSION.search(match["name"])) and not is_made_up(match["secret"]) and looks_drawn(match["secret"])


_SESSION = re.compile(r"(?i:sess|sid$|auth|jwt|login|remember|token|access|refresh)")

FORMATS: tuple[SecretPattern | SecretFormat, ...] = (
    SecretFormat("Kubernetes secret", ("kind",), _kubernetes),
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
        ("$", "argon2$", "pbkdf2_", "bcrypt_", "scrypt_", "sha256_", "{sha", "{ssha"),
        re.compile(
            r"(?:(?P<dollar>\$\$?)(?:2[abxy]?|apr1|[1567]|g?y|sha1|md5|argon2\w{0,2}|scrypt|pbkdf2[\w-]{0,20})(?P=dollar)(?!\$)|\bargon2\$argon2\w{0,2}\$"
            r"|\b(?:pbkdf2|bcrypt|scrypt|sha256)_\w{1,10}\$)[\w./+=,$-]{22,400}|\{S?SHA(?:256|384|512)?\}[A-Za-z0-9+/]{27,120}={0,2}"
        ),
        _is_hash,
        leads=True,
    ),
    SecretPattern(
        "private member of a JSON web key",
        ('"kty"',),
        re.compile(r"\"(?:d|k|p|q|dp|dq|qi)\"\s{0,4}:\s{0,4}\"(?P<secret>[\w-]{22,1500})\""),
        _is_private,
    ),
    SecretPattern(
        "session cookie",
        ("cookie",),
        re.compile(
            r"(?i:cookie)[\"']?\s{0,2}:[^\n]{0,200}?(?<![\w.-])(?P<name>[\w.-]{0,40}(?i:sess|sid|auth|jwt|login|remember|token)[\w.-]{0,20})="
            r"(?P<secret>[\w.%+/~-]{20,4000})"
        ),
        _is_in_cookie,
        leads=True,
    ),
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
            r"(?P<secret>(?:[ \t*-]{0,8}[\w-]{8,24}[ \t,]{0,4}\n?){2,20})"
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
        "signature in an address",
        ("code=", "sig=", "signature=", "key="),
        re.compile(r"[?&](?i:code|sig|key|(?:x-\w{2,5}-)?signature)=(?P<secret>[\w%+/=.~-]{32,200})"),
        lambda match: looks_drawn(match["secret"].rstrip("=")),
    ),
)
