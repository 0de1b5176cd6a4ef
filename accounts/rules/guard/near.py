"""Secrets by what stands near them: a value no word is like, and the word for a secret on its line or the one above.

Patterns know how a name and its value are written; here the value comes first. Whatever looks drawn or is a strong
password is taken, and the words of its line are read from it outwards: the first that says something decides. `token`,
`Schlüssel` or `mot de passe` make it a secret, `commit`, `digest` or `id` something that all may read. The surer the
value, the less is asked: base 62 needs such a word anywhere on the line, a hexadecimal number right before it.
"""

import re
from collections.abc import Iterator

from accounts.rules.guard.alone import in_address, is_bare, is_strong_alone
from accounts.rules.guard.chosen import looks_numbered
from accounts.rules.guard.drawn import (
    SHORTEST_DRAWN,
    is_drawn_from_signs,
    is_jumbled,
    is_token,
    looks_short_drawn,
)
from accounts.rules.guard.names import PUBLIC_WORDS, kind_of
from accounts.rules.guard.rows import Extent, SecretFormat, words_of
from accounts.rules.guard.stand_ins import is_sealed, stands_in
from accounts.rules.guard.words import (
    FOR_PASSWORD,
    FOR_TOKEN,
    GOING_ON,
    KEY_WORDS,
    LINKING_WORDS,
    MASK,
    OPEN_WORDS,
    PASSWORD_WORDS,
    last_said,
    meaning,
    words_in,
)

# --- values --------------------------------------------------------------------------------------------
SHORTEST_STRONG = 8
LONGEST_STRONG, LONGEST_NEAR = 64, 400
_DIGIT = re.compile("[0-9]")
_CANDIDATE = re.compile(
    r"(?<=[\"'`])[\w!@#$%^&*?+=~-]{20,100}(?=[\"'`])|[\w+/~.-]{20,400}={0,2}|[\w!@#$%^&*?+-]{8,64}", re.ASCII
)
_HEXADECIMAL = re.compile(
    r"(?:0x)?(?:[0-9a-f]{32}(?:[0-9a-f]{8}){0,12}|[0-9A-F]{32}(?:[0-9A-F]{8}){0,12})|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)
_RARE_SIGNS, _OPERATORS = frozenset("!@#$"), frozenset("%^&*?")
# `acme/shop#412`, `react@18`, `%04d`, `user@host`
_REFERENCE = re.compile(r"[A-Za-z-]+[#@$]\d+|.{0,64}%\d{0,4}[dsx].{0,64}|[\w-]+@[a-z][a-z0-9-]*|[&$%*]?[A-Za-z_]+[&?]?")
_ENVIRONMENT = re.compile(
    r"(?<![\w-])(?P<name>[A-Z][A-Z0-9_]{2,40}[\"']?(?= ?[=:])|[Xx]-[A-Za-z-]{3,40})[\"']?(?: ?[=:] ?| )[\"']?"
    r"(?:[\w.-]{1,30}:)?$"
)
_CALL = re.compile(r"(?P<name>[\w.]{2,60})\([\"'`]$")
# An account's id and its key: both drawn, and a client made of them.
_CALL_OF_TWO = re.compile(r"(?P<name>[\w.]{2,60})\([\"'`](?=\w{0,40}\d)\w{16,60}[\"'`], ?[\"'`]$")
# Of what is encrypted, by SOPS or Maven.
_ENVELOPE = re.compile(
    r"(?i:encrypted|ciphertext|sealed):$|\barn:\S{0,200}$"
    r"|(?i:enc|cipher|sealed|vault)[\[({][^\s\])}]{0,200}$"
)
_LOOKS_UP = frozenset(words_of("get fetch read find load delete remove show open lookup"))
_DOCUMENTED = re.compile(
    r"(?i:(?<![\w.@/-])(?:examples?|samples?|vectors?|dummy|fake|placeholder|documented)\b(?![.@/]))"
)
_CALLED_SO = re.compile(
    r"[\"'`]?,? (?:as|is) (?:(?:the|our|your|my|an?) )?(?:[\w-]{1,20} ){0,2}?(?:api[ -]?key|token|secret|password)\b"
)
_ADDRESSED = re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}\.[\w.]{2,60}[\"'`]? ?[/:|,] ?[\"'`]?$")
# Where a plain password stands, among what else may be called like one.
_PLACE = re.compile(
    r"(?:[:=(/]\*{0,2}|\s--?[a-z-]{2,20}|\b(?:is|with|as|now|to|ist|lautet|mit|est|avec|es|con|è|é|jest|är)"
    r"|密码|密碼|口令|パスワード|비밀번호|암호) ?[\"'`«„“「]? ?$"
)
_COMMENT = re.compile(r"[\"'`,;)\]}\s]{0,8}(?:<-|←|[-–—]\s|\(|\||(?:is|as)\s)|.{0,60}?[\s;})](?:#|//|--|/\*|;)\s")
# A hexadecimal number right behind the word for a key.
_TIGHT = re.compile(r"(?:[:=]|\b(?:is|ist|lautet|est|es|è|é|jest|to))\s{0,4}[\"'`«]?\s?$")
_KEY_FOR_API = re.compile(
    r"\b(?i:key (?:for|to|of) (?:[\w.-]{1,30} ){0,4}?api)(?: [\w-]{1,30}){0,2}(?: is|:| =)[ ]?[\"'`]?$"
)
_BRACKET = re.compile(r"\([^()\n]{0,40}\)\s{0,2}[:=]?\s{0,2}$")
# An access key's id, in capitals or hexadecimal, and its secret behind it: how storage services hand out both.
_BEHIND_ID = re.compile(r"(?:^|\s)(?=\S{0,40}\d)(?:[A-Z0-9]{16,24}|[0-9a-f]{20,25})[ \t:]$")
# Before what somebody says in a chat: "[12:03] lee: ".
_SPEAKER = re.compile(r"^[ \t>*-]{0,6}(?:\[?\d{1,2}:\d{2}(?::\d{2})?(?: [AP]M)?\]? )?<?@?[\w.-]{2,24}>?: ?")
# The line above what somebody says, in a chat that was copied: "mira 10:42".
_SPEAKS = re.compile(r"[\w.@-]{2,24}(?: [\w.-]{1,24})?,?(?: at)? \[?\d{1,2}:\d{2}(?: [AP]M)?\]?")
# A user's name alone on the line between what announces an account and its password.
_LOGIN_LINE = re.compile(r"[A-Za-z][\w.@-]{1,40}")
# So far from a value its words are read.
READ_BEFORE, READ_BEHIND = 120, 60


def _near(text: str) -> Iterator[Extent]:
    """Yield values that look secret, where a word near them says so."""
    at = 0
    # most words are too short or have no digit: that is asked before any expression is
    for word in text.split():
        if len(word) < SHORTEST_STRONG or word.isalpha() or not _DIGIT.search(word):
            continue
        at = text.index(word, at)
        end = min(at + len(word), at + 4 * LONGEST_NEAR)
        if "://" in word:
            yield from in_address(text, at, end)
        for match in _CANDIDATE.finditer(text, at, end):
            # the dot behind it ends its sentence
            value = match.group().removesuffix(".")
            sort = _sort_of(value)
            if sort and not value.endswith(".") and _is_near(text, match.start(), value, sort):
                yield match.start(), match.start() + len(value)
        at += len(word)


# What is given for a name is one: `imagePullSecrets: [{name: regcred-2025}]`.
_NAME_OF = re.compile(r"\b(?i:name|names|ref)[\"']?[ ]?[:=][ ]?[\"']?$")
# What a value may be, by itself: the less like a word it is, the less must be said near it.
_SORT_HEX, _SORT_COMPOUND, _SORT_TOKEN, _SORT_STRONG, _SORT_SHORT, _SORT_PLAIN = range(1, 7)


def _sort_of(value: str) -> int:
    """Return what a value looks like; 0 for what most words are like."""
    if len(value) >= SHORTEST_DRAWN:
        if _HEXADECIMAL.fullmatch(value):
            return _SORT_HEX
        if "." in value and _is_compound(value):
            return _SORT_COMPOUND
        if is_token(value) or is_drawn_from_signs(value):
            return _SORT_TOKEN
    if len(value) > LONGEST_STRONG:
        return 0
    if not value.isalnum() and _is_strong(value):
        return _SORT_STRONG
    if looks_short_drawn(value):
        return _SORT_SHORT
    return _SORT_PLAIN if looks_numbered(value) else 0


def _is_near(text: str, start: int, value: str, sort: int) -> bool:
    """Whether what stands near a value calls it a secret."""
    line = text.rfind("\n", 0, start) + 1
    before = text[max(line, start - READ_BEFORE) : start]
    if sort == _SORT_PLAIN and not _PLACE.search(before) and not _ADDRESSED.search(before):
        return False
    end = start + len(value)
    behind = text[end : min(text.find("\n", end) % (len(text) + 1), end + READ_BEHIND)]
    called = _is_called_secret(text, line, before, behind, sort)
    if called is None and sort in (_SORT_TOKEN, _SORT_STRONG):
        called = is_bare(text, start, value) or is_strong_alone(text, start, value)
    if not called or stands_in(value):
        return False
    if sort == _SORT_COMPOUND:
        return True
    call = _CALL.search(before)
    return not (
        before[-1:] in (".", "-", "+", "\\")
        or (before[-1:] == "/" and sort in (_SORT_HEX, _SORT_TOKEN))
        or (before[-1:] == "[" and sort == _SORT_HEX)
        or _ENVELOPE.search(before)
        or _DOCUMENTED.search(before)
        or _DOCUMENTED.search(behind)
        or (call and _LOOKS_UP.intersection(words_in(call["name"])) and not _is_explained(behind, KEY_WORDS))
        or (sort in (_SORT_PLAIN, _SORT_SHORT) and _NAME_OF.search(before))
        or is_sealed(text, start, value)
        # a variable of its own name
        or value in before
    )


def _is_called_secret(text: str, line: int, before: str, behind: str, sort: int) -> bool | None:
    """Return whether the words around a value say that it is a secret; nothing if none says anything.

    `before` and `behind` are parts of its line.
    """
    if sort == _SORT_COMPOUND:
        return True
    if sort == _SORT_HEX:
        commented = behind.lstrip("\"'`,;)]} ")[:2] in ("//", "# ", "--")
        return (
            _is_named_before(before)
            or (_CALL_OF_TWO.search(before) is not None and _is_set(before, behind))
            or _makes_wallet(before)
            or _CALLED_SO.match(behind) is not None
            or _is_printed(text, line, before, behind)
            or _is_below_name(text, line, before)
            or (commented and bool(before.strip()) and _is_explained(behind, KEY_WORDS))
        )
    if sort != _SORT_TOKEN and _ADDRESSED.search(before):
        return True
    if sort == _SORT_TOKEN and _is_set(before, behind):
        return True
    kinds = FOR_TOKEN if sort == _SORT_TOKEN else FOR_PASSWORD
    said = last_said(before, kinds)
    if said is None and sort in (_SORT_TOKEN, _SORT_STRONG):
        said = _is_explained(behind, kinds) or None
    if said is None and sort == _SORT_TOKEN:
        said = _BEHIND_ID.search(before) is not None or None
    if said is None and not _SPEAKER.sub("", before).strip(" \t`*>-") and not behind.strip(" \t`*"):
        said = _is_announced(text[max(0, line - READ_BEFORE) : line].rstrip(), kinds)
    return said


_WALLET = frozenset(words_of("wallet keypair signer"))


def _makes_wallet(before: str) -> bool:
    """Whether a wallet is made with the number, which is its key then, and no transaction."""
    call = _CALL.search(before)
    return call is not None and not _WALLET.isdisjoint(words_in(call["name"]))


# What a mapping is called, with the braces of one of its values' still open: `securityKeys: {S0: "…`.
_OPENED = re.compile(r"(?P<name>[A-Za-z][\w.-]{2,40})[\"']?[ ]{0,3}[:=]>?[ ]{0,3}[{\[][^{}\[\]]{0,110}$")
_KEYS_OF = frozenset(words_of("keys tokens secrets credentials"))


def _is_below_name(text: str, line: int, before: str) -> bool:
    """Whether the mapping is called after keys that open something, in whose values the number stands."""
    opened = _OPENED.search(before)
    if opened is None:
        above = text[max(0, line - READ_BEFORE) : max(0, line - 1)].rpartition("\n")[2]
        opened = _ABOVE.fullmatch(above) if before[:1] in (" ", "\t") else None
    return opened is not None and words_in(opened["name"])[-1] in _KEYS_OF and bool(kind_of(opened["name"]))


_ABOVE = re.compile(r"[ \t]{0,20}[\"']?(?P<name>[A-Za-z][\w.-]{2,40})[\"']?:(?: \{)?[ \t]*")


# A command that prints a secret, by the name of its file or its own words: `cat config/master.key`.
_COMMAND = re.compile(
    r"[ \t]*(?:\$|#|>{1,3}|In \[\d{1,4}\]:|\w{2,10}[>)]|PS [^>\n]{1,40}>"
    r"|\w{1,64}@[\w.-]{1,100}(?:[:~/][:~\w/]{0,200})?[$#]) ?\S"
)


_ECHOED = re.compile(r"^[ \t]*(?:Out\[\d{1,4}\]:|=>)")


def _is_printed(text: str, line: int, before: str, behind: str) -> bool:
    """Whether a number is all that a command printed, and the command is about a key."""
    above = text[max(0, line - READ_BEFORE) : line].rstrip().rpartition("\n")[2]
    if _ECHOED.sub("", before).strip(" \t\"'") or behind.strip(" \t\"'") or not _COMMAND.match(above):
        return False
    # a file's name: `rake secret` draws a new one
    words = words_in(" ".join(word for word in above.split() if not word.strip("$#>").isalpha()))
    said = [meaning(words, at, KEY_WORDS) for at in range(len(words))]
    return True in said and False not in said


def _is_announced(before: str, kinds: frozenset[str]) -> bool:
    """Whether the line above, or above an empty one, asks for a secret or says that one follows."""
    above = before[before.rfind("\n") + 1 :].strip()
    if _SPEAKS.fullmatch(above):
        above = before[: -len(above)].rstrip().rpartition("\n")[2].strip()
    if _LOGIN_LINE.fullmatch(above) and (PASSWORD_WORDS | KEY_WORDS).isdisjoint(words_in(above)):
        above = before[: before.rfind("\n") + 1].rstrip().rpartition("\n")[2].strip()
    words = words_in(above)
    said = [meaning(words, at, kinds) for at in range(len(words))]
    if above.endswith(":"):
        return True in said
    return " " in above and True in said and (above[0] in "$#>" or False not in said)


def _is_set(before: str, behind: str) -> bool:
    """Whether a variable of the environment, a header of one's own or a client is given the value, and nothing else."""
    named = _ENVIRONMENT.search(before)
    if named and not (OPEN_WORDS | PUBLIC_WORDS).intersection(words_in(named["name"])):
        return True
    call = _CALL.search(before) or _CALL_OF_TWO.search(before)
    return call is not None and behind[:2] in ('")', "')") and _is_constructor(call["name"])


def _is_constructor(name: str) -> bool:
    """Whether a client is made with the value alone: `Mailer("…")`, but not `ObjectId("…")`."""
    last = name.rpartition(".")[2]
    return last[:1].isupper() and not last.isupper() and not OPEN_WORDS.intersection(words_in(last))


def _is_explained(behind: str, kinds: frozenset[str]) -> bool:
    """Whether a comment behind a value names a secret, and nothing that is none."""
    opened = _COMMENT.match(behind)
    words = words_in(behind[opened.end() :]) if opened else []
    said = [meaning(words, at, kinds) for at in range(len(words))]
    return True in said and False not in said


def _is_named_before(text: str) -> bool:
    """Whether a name of a key stands right before what may be a digest too: `token …`, "the key of the shop is …"."""
    # what stands before a masked secret named that one
    text = text.rpartition(MASK)[2]
    if _KEY_FOR_API.search(text):
        return True
    bracket = _BRACKET.search(text)
    joined = bool(bracket or _TIGHT.search(text))
    words = words_in(text[: bracket.start()] if bracket else text)
    while words and words[-1] in LINKING_WORDS:
        words.pop()
    for back in range(min(4, len(words))):
        at = len(words) - 1 - back
        said = meaning(words, at, KEY_WORDS | PASSWORD_WORDS)
        if said or (words[at] in ("key", "keys") and at and words[at - 1] in ("aes", "hmac")):
            assigned = back == 1 and text.rstrip(" \"'`")[-1:] == "="
            return back == 0 or assigned or (joined and words[at + 1] in GOING_ON)
        if said is False:
            return False
    return False


# The parts of a token that is an identifier, a dot and the secret itself.
SHORTEST_PART, SHORTEST_LAST = 14, 20


def _is_compound(value: str) -> bool:
    """Whether an identifier and a secret, both drawn, are joined by a dot."""
    first, dot, last = value.partition(".")
    return (
        bool(dot)
        and len(first) >= SHORTEST_PART
        and len(last) >= SHORTEST_LAST
        and looks_short_drawn(first)
        and (is_token(last) or _HEXADECIMAL.fullmatch(last) is not None)
    )


def _is_strong(value: str) -> bool:
    """Whether it is a password with signs in it, digits and letters, and no reference or format."""
    return (
        len(value) >= SHORTEST_STRONG
        and _has_signs(value)
        and sum(map(str.isdigit, value)) + is_jumbled(value) >= 2
        and sum(map(str.isalpha, value)) >= 3
        and any(map(str.isupper, value)) + any(map(str.islower, value)) + ("-" in value) >= 2
        and not _REFERENCE.fullmatch(value)
    )


def _has_signs(value: str) -> bool:
    """Whether it has signs no name has; of operators (`2*sin`, `a%b`) two different ones, or among drawn letters."""
    operators = _OPERATORS.intersection(value)
    if not _RARE_SIGNS.isdisjoint(value) or len(operators) > 1:
        return True
    mixed = is_jumbled(value) and any(map(str.isdigit, value)) and value.lower() != value != value.upper()
    return mixed and bool(operators - {"*"})


NEAR = (SecretFormat("secret near its name", ("",), _near),)
