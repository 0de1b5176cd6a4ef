"""Secrets handed to a call without a name: `hmac.new(b"…")`, `jwt.sign(payload, '…')`, `NetworkCredential("svc", "…")`.

The called name says what its strings are. Who signs or encrypts takes a key, as the client of a service does, and a key
is drawn; who logs in takes a password, which a person may have chosen.
"""

import re
from collections.abc import Iterator

from accounts.rules.guard.chosen import looks_chosen, looks_plain, looks_secret_in_prose, looks_told
from accounts.rules.guard.drawn import looks_drawn, looks_short_drawn
from accounts.rules.guard.rows import Extent, SecretFormat, words_of
from accounts.rules.guard.stand_ins import stands_in

_CALL_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# In any part of the name (`hmac.new`, `AES.new`), for what is called is as vague as `new`.
_TAKE_KEY = frozenset(words_of("hmac jwt jws jwe aes fernet cipher encrypt encryptor sign signer signing"))
# Whose key a person may have chosen: what signs takes any text for one.
_SIGNS = frozenset(words_of("hmac jwt jws sign signer signing"))
# In the last part of it (`createClient`, but not `client.get`), or before what makes one (`Client.new`).
_OF_CLIENT = frozenset(words_of("client bot credentials credential"))
_CONSTRUCTS = frozenset(words_of("new create build make init"))
_TAKE_PASSWORD = frozenset(
    words_of(
        "login connect connection credential credentials pdo mysqli auth basic authenticate password passwd superuser"
        " pgp"
    )
)
# In any part of the name: a network's name, and what lets one in.
_OF_NETWORK = frozenset(words_of("wifi wlan"))
_HINTS = words_of(
    "hmac jwt jws jwe aes fernet cipher encrypt sign client bot credential login connect pdo mysqli auth basic passw"
    " pgp superuser bcrypt scrypt argon hashpw wifi wlan"
)
# They hash passwords, and nothing else.
_HASH_PASSWORD = frozenset(words_of("bcrypt scrypt argon hashpw"))
# A digest or a public key is compared, not kept.
_TAKE_DIGEST = frozenset(words_of("compare verify hash digest decode"))
# A bracket, and behind it a string without a blank; it begins with a character that is quickly looked for.
_OPEN = re.compile(r"\((?=[^()\n]{0,200}[\"'`][^\s\"'`]{8})")
_CALLED = re.compile(r"[A-Za-z_$][\w$]{0,40}(?:(?:\.|::|->)[A-Za-z_]\w{0,40}){0,4}$")
LONGEST_CALLED = 80
_STRING = re.compile(
    r"[(,]\s{0,20}(?:\[\]byte\(|[\w.]{1,30}\()?[bruf]{0,2}(?P<quote>[\"'`])(?P<secret>[^\s\"'`]{8,400})(?P=quote)(?=\s{0,20}[,)])"
)
# The key of a client that is told its account first.
_HEX_KEY = re.compile(r"(?:[0-9a-f]{2}){16,32}|(?:[0-9A-F]{2}){16,32}")
# So far behind the bracket its strings are looked for.
LONGEST_CALL = 300


def _in_calls(text: str) -> Iterator[Extent]:
    """Yield the strings of calls that take a secret, which look like one."""
    for call in _OPEN.finditer(text):
        before = text[max(0, call.start() - LONGEST_CALLED) : call.start()]
        lowered = before.lower()
        if not any(hint in lowered for hint in _HINTS) or not (name := _CALLED.search(before)):
            continue
        parts = [[word.lower() for word in _CALL_WORDS.findall(part)] for part in re.split(r"\.|::|->", name.group())]
        words = frozenset(word for part in parts for word in part)
        made = len(parts) > 1 and _CONSTRUCTS.issuperset(parts[-1])
        last = frozenset(parts[-2] if made else parts[-1])
        of_client = _OF_CLIENT & last
        key = _TAKE_KEY & words or any("cipher" in word for word in last) or of_client
        hashed = _HASH_PASSWORD & words
        password = _TAKE_PASSWORD & last or hashed or _OF_NETWORK.intersection([name.group().lower()[:4]])
        if not (key or password) or (_TAKE_DIGEST & words and not (hashed and "hash" in words)):
            continue
        end = min(call.end() + LONGEST_CALL, len(text))
        for match in _STRING.finditer(text, call.end() - 1, _close(text, call.end(), end)):
            behind = match.start() >= call.end()  # another argument: its user, its address
            chosen = bool(password or (behind and _SIGNS & words))
            plain = bool(password) and behind
            in_hex = bool(of_client) and behind and _HEX_KEY.fullmatch(match["secret"])
            if in_hex or _is_secret(match["secret"], chosen=chosen, plain=plain):
                yield match.span("secret")


def _close(text: str, start: int, end: int) -> int:
    """Return where the call is closed: behind the bracket that answers its own."""
    depth = 1
    for at in range(start, end):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return at + 1
    return end


def _is_secret(value: str, *, chosen: bool, plain: bool) -> bool:
    """Whether a string is drawn, or `chosen` by a person: `plain`, of a word and a number, behind another argument."""
    if stands_in(value):
        return False
    return (
        (plain and (looks_plain(value) or looks_told(value)))
        or looks_drawn(value)
        or looks_short_drawn(value)
        or (chosen and looks_chosen(value) and looks_secret_in_prose(value))
    )


CALLS = (SecretFormat("secret in a call", _HINTS, _in_calls),)
