"""Secrets by what stands near them: a value no word is like, and the word for a secret on its line or the one above.

Patterns know how a name and its value are written; here the value comes first. Whatever looks drawn or is a strong
password is taken, and the words of its line are read from it outwards: the first that says something decides. `token`,
`Schlüssel` or `mot de passe` make it a secret, `commit`, `digest` or `id` something that all may read. The surer the
value, the less is asked: base 62 needs such a word anywhere on the line, a hexadecimal number right before it.
"""

import re
from collections.abc import Iterator

from accounts.rules.guard.chosen import looks_numbered
from accounts.rules.guard.drawn import is_drawn_from_signs, is_jumbled, looks_drawn, looks_short_drawn, reads_like_words
from accounts.rules.guard.names import OF_KEY, PUBLIC_WORDS
from accounts.rules.guard.rows import Extent, SecretFormat, words_of
from accounts.rules.guard.stand_ins import is_sealed, stands_in

# --- words ---------------------------------------------------------------------------------------------
# Words of any script, and the parts of names.
_WORDS = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+")
# What a masked secret left is no word for the next one.
_MASK = "[SECRET]"
_PASSWORD = frozenset(
    words_of(
        "password passwords passwd passwort passwörter kennwort passphrase passcode pwd pass passes pw psk passwordless"
        " passe mdp contraseña contrasena clave senha parola wachtwoord hasło haslo hasła lösenord losenord lösenordet"
        " heslo hesla salasana passord passordet adgangskode jelszó jelszo şifre şifresi sifre parolası пароль пароля"
        " паролем парол κωδικός zugangsdaten creds credentials credential identifiants credenciales credenziali"
        " secret secrets geheimnis"
    )
)
_LOGIN = frozenset(words_of("login logins signin auth basic admin administrator root account sa superuser"))
_KEY = frozenset(
    words_of(
        "token tokens secret secrets apikey credential credentials creds bearer jwt pat authtoken webhook authorization"
        " schlüssel geheimnis jeton secrète secrete clé clave secreta llave chave chiave segreta klucz nyckel sleutel"
        " avain nøkkel klíč ключ токен токена секрет anahtar anahtarı"
    )
)
# Said of many things, but of a drawn value only if it opens something.
_OF_DRAWN = frozenset(words_of("access refresh tok seed session sid hmac otp totp mfa mask"))
_FOR_TOKEN = _KEY | _PASSWORD | _LOGIN | _OF_DRAWN
_FOR_PASSWORD = _PASSWORD | _LOGIN
# Written without blanks between words.
_EASTERN = words_of("密码 密碼 口令 密钥 密鑰 令牌 パスワード トークン キー 鍵 비밀번호 암호 토큰 키")
# What a value that all may read is called.
_OPEN_WORDS = frozenset(
    words_of(
        "id ids uuid guid sha md crc blake hash hashes hashed digest checksum checksums sum integrity fingerprint"
        " thumbprint commit commits rev revision tree blob ref refs branch tag etag version build release image layer"
        " cursor page pagination next continuation offset request trace span correlation event issue nonce challenge"
        " verifier signature sig public publishable pub pubkey cert certificate serial site sitekey verification"
        " cache chunk asset font file path url uri address contract tx transaction program mint block pod container"
        " run job object document doc folder video channel message user client tenant subscription cluster node"
        " header headers arn kid class classname field algorithm provider encrypted ciphertext sealed"
        " enc iv mac salt narhash regex pattern policy charset alphabet import imports"
    )
)
# What joins a name and its value, and says nothing itself.
_LINKING = frozenset(
    words_of(
        "is was are be now set to the a an new old ist lautet war est es son sono è é jest är er the this hex base"
        " env environment variable var param parameter flag setting currently still"
        " value und and y et e by as with stdin"
    )
)
# What goes on a name: "the token of …", "la clé du …".
_GOING_ON = frozenset(words_of("d l of for on in from to at du de des del della do da der für zu von van för til pro"))

# --- values --------------------------------------------------------------------------------------------
SHORTEST_TOKEN, SHORTEST_STRONG = 20, 8
LONGEST_STRONG, LONGEST_NEAR = 64, 400
_DIGIT = re.compile("[0-9]")
_CANDIDATE = re.compile(
    r"(?<=[\"'`])[\w!@#$%^&*?+=~-]{20,100}(?=[\"'`])|[\w+/~.-]{20,400}={0,2}|[\w!@#$%^&*?+-]{8,64}", re.ASCII
)
_HEXADECIMAL = re.compile(r"[0-9a-f]{32}(?:[0-9a-f]{8}){0,12}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
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
# Paths and addresses say nothing about what stands behind them.
_FEWEST_SLASHES = 2
_DOCUMENTED = re.compile(r"(?i:\b(?:examples?|samples?|vectors?|dummy|fake|placeholder|documented)\b(?![.@/]))")
_CALLED_SO = re.compile(
    r"[\"'`]?,? (?:as|is) (?:(?:the|our|your|my|an?) )?(?:[\w-]{1,20} ){0,2}?(?:api[ -]?key|token|secret|password)\b"
)
_ADDRESSED = re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}\.[\w.]{2,60}[\"'`]? ?[/:|,] ?[\"'`]?$")
# Where a plain password stands, among what else may be called like one.
_PLACE = re.compile(
    r"(?:[:=(/]\*{0,2}|\s--?[a-z-]{2,20}|\b(?:is|with|as|now|to|ist|lautet|mit|est|avec|es|con|è|é|jest|är)"
    r"|密码|密碼|口令|パスワード|비밀번호|암호) ?[\"'`«„“「]? ?$"
)
_COMMENT = re.compile(r"[\"'`,;)\]}\s]{0,8}(?:<-|←|\(|\||(?:is|as)\s)|.{0,60}?[\s;})](?:#|//|--|/\*|;)\s")
# A hexadecimal number right behind the word for a key.
_OPENING = re.compile(
    r"[/?&](?i:private|secret|token|(?:api|auth|access)?[_-]?key|appid)[=/-](?P<secret>[0-9a-f]{32,64})(?![\w-])"
)
_SEGMENT = re.compile(r"(?<=[/=])[\w-]{20,400}(?![\w-])", re.ASCII)
_TIGHT = re.compile(r"(?:[:=]|\b(?:is|ist|lautet|est|es|è|é|jest|to))\s{0,4}[\"'`«]?\s?$")
_KEY_FOR_API = re.compile(
    r"\b(?i:key (?:for|to|of) (?:[\w.-]{1,30} ){0,4}?api)(?: [\w-]{1,30}){0,2}(?: is|:| =)[ ]?[\"'`]?$"
)
_BRACKET = re.compile(r"\([^()\n]{0,40}\)\s{0,2}[:=]?\s{0,2}$")
_ACCESS = re.compile(
    r"(?i:reset|magic|invit|verif|confirm|activat|recover|unsubscrib|join|sign-?in|sso|token|hooks?)\b"
)
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
            yield from _in_address(text, at, end)
        for match in _CANDIDATE.finditer(text, at, end):
            # the dot behind it ends its sentence
            value = match.group().removesuffix(".")
            sort = _sort_of(value)
            if sort and not value.endswith(".") and _is_near(text, match.start(), value, sort):
                yield match.start(), match.start() + len(value)
        at += len(word)


# What a value may be, by itself: the less like a word it is, the less must be said near it.
_SORT_HEX, _SORT_COMPOUND, _SORT_TOKEN, _SORT_STRONG, _SORT_SHORT, _SORT_PLAIN = range(1, 7)


def _sort_of(value: str) -> int:
    """Return what a value looks like; 0 for what most words are like."""
    if len(value) >= SHORTEST_TOKEN:
        if _HEXADECIMAL.fullmatch(value):
            return _SORT_HEX
        if "." in value and _is_compound(value):
            return _SORT_COMPOUND
        if _is_token(value) or is_drawn_from_signs(value):
            return _SORT_TOKEN
    if len(value) > LONGEST_STRONG:
        return 0
    if not value.isalnum() and _is_strong(value):
        return _SORT_STRONG
    if looks_short_drawn(value):
        return _SORT_SHORT
    return _SORT_PLAIN if looks_numbered(value) else 0


def _in_address(text: str, start: int, end: int) -> Iterator[Extent]:
    """Yield what an address lets its reader do: reset a password, accept an invitation, sign in."""
    for match in _OPENING.finditer(text, start, end):
        yield match.span("secret")
    access = _ACCESS.search(text, start, end)
    if access:
        for match in _SEGMENT.finditer(text, access.end(), end):
            if _is_token(match.group()) and not stands_in(match.group()):
                yield match.span()


def _is_near(text: str, start: int, value: str, sort: int) -> bool:
    """Whether what stands near a value calls it a secret."""
    line = text.rfind("\n", 0, start) + 1
    before = text[max(line, start - READ_BEFORE) : start]
    if sort == _SORT_PLAIN and not _PLACE.search(before) and not _ADDRESSED.search(before):
        return False
    end = start + len(value)
    behind = text[end : min(text.find("\n", end) % (len(text) + 1), end + READ_BEHIND)]
    if not _is_called_secret(text, line, before, behind, sort) or stands_in(value):
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
        or (call and _LOOKS_UP.intersection(_words_of(call["name"])))
        or is_sealed(text, start, value)
        # a variable of its own name
        or value in before
    )


def _is_called_secret(text: str, line: int, before: str, behind: str, sort: int) -> bool:
    """Whether the words around a value say that it is a secret; `before` and `behind` are parts of its line."""
    if sort == _SORT_COMPOUND:
        return True
    if sort == _SORT_HEX:
        commented = behind.lstrip("\"'`,;)]} ")[:2] in ("//", "# ", "--")
        return (
            _is_named_before(before)
            or (_CALL_OF_TWO.search(before) is not None and _is_set(before, behind))
            or _CALLED_SO.match(behind) is not None
            or (commented and bool(before.strip()) and _is_explained(behind, _KEY))
        )
    if sort != _SORT_TOKEN and _ADDRESSED.search(before):
        return True
    if sort == _SORT_TOKEN and _is_set(before, behind):
        return True
    kinds = _FOR_TOKEN if sort == _SORT_TOKEN else _FOR_PASSWORD
    said = _says(before, kinds)
    if said is None and sort in (_SORT_TOKEN, _SORT_STRONG):
        said = _is_explained(behind, kinds) or None
    if said is None and sort == _SORT_TOKEN:
        said = _BEHIND_ID.search(before) is not None or None
    if said is None and not _SPEAKER.sub("", before).strip(" \t`*>-") and not behind.strip(" \t`*"):
        said = _is_announced(text[max(0, line - READ_BEFORE) : line].rstrip(), kinds)
    return bool(said)


def _is_announced(before: str, kinds: frozenset[str]) -> bool:
    """Whether the line above, or above an empty one, asks for a secret or says that one follows."""
    above = before[before.rfind("\n") + 1 :].strip()
    if _SPEAKS.fullmatch(above):
        above = before[: -len(above)].rstrip().rpartition("\n")[2].strip()
    if _LOGIN_LINE.fullmatch(above) and (_PASSWORD | _KEY).isdisjoint(_words_of(above)):
        above = before[: before.rfind("\n") + 1].rstrip().rpartition("\n")[2].strip()
    words = _words_of(above)
    said = [_meaning(words, at, kinds) for at in range(len(words))]
    if above.endswith(":"):
        return True in said
    return " " in above and True in said and (above[0] in "$#>" or False not in said)


def _is_set(before: str, behind: str) -> bool:
    """Whether a variable of the environment, a header of one's own or a client is given the value, and nothing else."""
    named = _ENVIRONMENT.search(before)
    if named and not (_OPEN_WORDS | PUBLIC_WORDS).intersection(_words_of(named["name"])):
        return True
    call = _CALL.search(before) or _CALL_OF_TWO.search(before)
    return call is not None and behind[:2] in ('")', "')") and _is_constructor(call["name"])


def _is_constructor(name: str) -> bool:
    """Whether a client is made with the value alone: `Mailer("…")`, but not `ObjectId("…")`."""
    last = name.rpartition(".")[2]
    return last[:1].isupper() and not last.isupper() and not _OPEN_WORDS.intersection(_words_of(last))


def _words_of(text: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(text.replace(_MASK, " "))]


# Said of a key that opens something, and of none by which something is found: "I rotated the key, it's now …".
_ROTATED = frozenset(words_of("rotate rotated rotating reissued revoked revoke leaked regenerated expires expired"))


def _says(text: str, kinds: frozenset[str]) -> bool | None:
    """Return what the nearest word before says, that says something: a secret or not; nothing if none does."""
    words = _words_of(" ".join(word for word in text.split() if word.count("/") < _FEWEST_SLASHES))
    for at in range(len(words) - 1, -1, -1):
        said = _meaning(words, at, kinds)
        if said is not None:
            return said
        if words[at] == "key" and not _ROTATED.isdisjoint(words[max(0, at - 3) : at + 4]):
            return True
    return None


def _is_explained(behind: str, kinds: frozenset[str]) -> bool:
    """Whether a comment behind a value names a secret, and nothing that is none."""
    opened = _COMMENT.match(behind)
    words = _words_of(behind[opened.end() :]) if opened else []
    said = [_meaning(words, at, kinds) for at in range(len(words))]
    return True in said and False not in said


# Of whose key: what is found by a key has none for each of them.
_STAGES = frozenset(words_of("prod production staging live sandbox"))


def _meaning(words: list[str], at: int, kinds: frozenset[str]) -> bool | None:
    word, before = words[at], words[at - 1] if at else ""
    if word in ("key", "keys"):
        return True if before in OF_KEY or before in kinds or before in _STAGES else None
    if word == "in" and before in ("log", "sign", "logged", "signed"):
        return True if "login" in kinds else None
    if word in kinds or (len(word) > 3 and word.endswith(("password", "passwd", "passwort", "pw"))):
        return before not in PUBLIC_WORDS
    if word in _OPEN_WORDS:
        return False
    return True if not word.isascii() and any(name in word for name in _EASTERN) else None


def _is_named_before(text: str) -> bool:
    """Whether a name of a key stands right before what may be a digest too: `token …`, "the key of the shop is …"."""
    if _KEY_FOR_API.search(text):
        return True
    bracket = _BRACKET.search(text)
    joined = bool(bracket or _TIGHT.search(text))
    words = _words_of(text[: bracket.start()] if bracket else text)
    while words and words[-1] in _LINKING:
        words.pop()
    for back in range(min(4, len(words))):
        at = len(words) - 1 - back
        said = _meaning(words, at, _KEY | _PASSWORD)
        if said or (words[at] in ("key", "keys") and at and words[at - 1] in ("aes", "hmac")):
            assigned = back == 1 and text.rstrip(" \"'`")[-1:] == "="
            return back == 0 or assigned or (joined and words[at + 1] in _GOING_ON)
        if said is False:
            return False
    return False


# `css-k8dq18-MuiPasswordField`
_NAMED_PART = re.compile(r"[a-z]{8}|(?:[A-Z][a-z]{2,12}){3}")


def _is_token(value: str) -> bool:
    """Whether it is drawn from letters of both cases and digits, or from more than a hexadecimal number has."""
    bare = value.rstrip("=.")
    if len(bare) < SHORTEST_TOKEN or not any(map(str.isdigit, bare)):
        return False
    mixed = bare.lower() != bare != bare.upper()
    wide = bare.isalnum() and re.search("[g-zG-Z]", bare) is not None
    return (
        (mixed or wide)
        and looks_drawn(bare)
        and not reads_like_words(bare)
        and ("-" not in bare or _NAMED_PART.search(bare) is None)
    )


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
        and (_is_token(last) or _HEXADECIMAL.fullmatch(last) is not None)
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
