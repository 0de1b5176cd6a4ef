"""Secrets known by the name before them: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `IDENTIFIED BY '…'`.

A name is taken apart into its words (`primaryMasterKey`: primary, master, key), and its last word says what it names: a
password, a secret, or something vague such as an `auth` or a `salt`. A name whose last word is `path`, `length` or
`count` names no secret, whatever stands before. The more a name and the way of writing promise, the less must be seen
in the value: a password in quotes may be chosen by a person, a `key` in prose must be random.
"""

import re

from accounts.rules.guard.chosen import (
    is_numbered_word,
    is_set,
    is_user_and_password,
    looks_chosen,
    looks_named,
    looks_plain,
    looks_secret_in_prose,
    looks_told,
)
from accounts.rules.guard.drawn import (
    SHORTEST_DRAWN,
    SHORTEST_KEY,
    is_digest,
    is_jumbled,
    is_short_key,
    is_uuid,
    looks_drawn,
    looks_random,
    looks_short_drawn,
)
from accounts.rules.guard.rows import (
    LONGEST_NAME,
    VARIABLE,
    SecretFormat,
    SecretPattern,
    is_joined_by_colons,
    is_setting,
    secret_group,
    value_of,
    word_start,
    words_of,
)
from accounts.rules.guard.stand_ins import is_encrypted, is_made_up, is_public, is_sealed, stands_in
from accounts.rules.guard.wrapped import decoded_text

# --- names ---------------------------------------------------------------------------------------------
_NAME_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# What is said of a secret behind its name: which one, how it is written.
_QUALIFIERS = frozenset(
    words_of(
        "base value val data hex base64 b64 prod production dev staging stage live old new raw plain text default str"
    )
)
_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "pwd")
_SHORT_PASSWORDS = frozenset(words_of("pass pw psw psk requirepass masterauth passwords"))
_NO_PASSWORDS = frozenset(words_of("bypass compass trespass encompass"))
_SECRETS = ("secret", "token", "apikey", "authkey", "appkey", "accesskey", "secretkey", "privatekey", "masterkey")
_SECRET_WORDS = frozenset(words_of("secrets tokens credential credentials creds bearer pat"))
_VAGUE = frozenset(
    words_of("auth salt pepper tok seed cookie sid session sessionid phpsessid jsessionid sk login jwt hmac ident cred")
)
# Before `key`: those that make it secret. Others (primary, cache, sort, public …) do not, unless the value is random
# beyond doubt and the name one of the environment.
OF_KEY = frozenset(
    words_of(
        "api access secret auth account signing sign encryption encrypt crypt crypto cipher private license licence app"
        " application master admin service server storage shared preshared client deploy hmac jwt aes webhook ingest"
        " write root session consumer validation decryption machine integration unseal recovery subscription fernet"
    )
)
# By these something is found, not opened.
_FINDING_KEYS = frozenset(
    words_of(
        "primary object group unique index row document dedup deduplication translation message lookup hash sort order"
        " dict map arrow hot natural composite surrogate s3 i18n locale config entry item record natural range shard"
        " fingerprint digest commit build image layer the a this that one each no same first last recv"
        " websocket socket send search import export sign gpg pgp"
    )
)
# Anywhere in a name: what it names is no secret.
PUBLIC_WORDS = frozenset(
    words_of(
        "public publishable pub page csrf xsrf csrfmiddleware sync cursor cancel cancellation continuation cache"
        " checksum digest fingerprint idempotency site authenticity starting next resume hashed max min num"
        " anon foreign partition sort"
    )
)
PASSWORD, KEY, VAGUE = "password", "key", "vague"


def kind_of(name: str) -> str:
    """Return what a name promises: a password, a key (or token, or secret), something vague, or nothing."""
    words = _words(name)
    if PUBLIC_WORDS.intersection(words) or "csrf" in name.lower():
        return ""
    while len(words) > 1 and (words[-1] in _QUALIFIERS or words[-1].isdigit()):
        words.pop()
    last = words[-1] if words else ""
    before = words[-2] if len(words) > 1 else ""
    if (
        last.endswith(_PASSWORDS)
        or last in _SHORT_PASSWORDS
        or (
            (
                last.endswith("pass")
                and (name.startswith("-") or "_" in name or name.isupper())
                and last not in _NO_PASSWORDS
            )
            or (last.endswith("pw") and (name.isupper() or len(last) > 4))
        )
    ):
        return PASSWORD
    if last.endswith(_SECRETS) or (last in _SECRET_WORDS and (last != "pat" or before)):
        return KEY
    if last in ("key", "keys"):
        if before in OF_KEY or name.lower().startswith("x-"):
            return KEY
        joined = " " not in name.strip() or name.isupper()
        return VAGUE if before and joined and before not in _FINDING_KEYS else ""
    if last in ("salt", "pepper", "seed") and before in OF_KEY:
        return KEY
    return VAGUE if last in _VAGUE or name.endswith("_PK") else ""


# --- ways of writing -----------------------------------------------------------------------------------
_CORE = (
    r"(?i:pass|ps?wd?|kennwort|secret|tok(?:en)?|key|cred|auth|psk|pat|bearer|salt|pepper|seed|cookie|login|jwt|hmac|pk|sid"
    r"|session|ident)"
)
_BARE = r"(?=[^\s\"'`,;<]{8})[^\s\"'`,;<&]{1,2000}(?:&(?![\w.-]{1,40}=)[^\s\"'`,;<&]{0,200}){0,8}"
_VALUE = (
    r"(?:[bruBRUNf@]{0,2}\\{0,3}\"(?P<quoted>(?=[^\s\"]{8})[^\s\"\\]{1,2000}(?:\\[^\s\"][^\s\"\\]{0,200}){0,8})\\{0,3}\""
    r"|[bruBRUNf@$]{0,2}'(?P<single>[^'\s]{8,2000})'|`(?P<ticked>[^`\s]{8,400})`"
    rf"|(?P<bare>(?![|\"'`]){_BARE}(?:,[A-Za-z0-9_-]{{20,200}}){{0,8}}))"
)
# The value may stand on the next line, as in YAML.
_NEXT = r"(?:[ \t]{0,20}(?:[|>(][+-]?[ \t]{0,4})?\n[ \t]{1,40}|[ \t]{0,20})"
# Code between a name and its value: a conversion (`bytes.fromhex("…")`), opened once or twice.
_WRAP = r"(?P<wrap>(?:(?:new )?(?:\[\])?[A-Za-z][\w.]{0,40}(?:\(\)\.\w{1,30})?\([ \t]{0,4}){1,2}(?=[bruf]{0,2}[\"'`]))?"
# Before a default (`X || "…"`, `${X:-…}`, `X or "…"`), behind a type (`var x string = "…"`), in a mapping.
_OPERATOR = (
    r"(?:(?<=[ \t])[\w\[\]*]{2,20}[ \t]=(?=[ \t][\"'`])|:[ \t]?[&'A-Za-z][\w<>\[\]|?.&' ]{0,30}=(?!=)"
    r"|\|\|=?|\?\?=?|(?<=[ \t])or(?=[ \t]{1,4}[\"'`])|:-|[=-]>|[→⇒]|<<<|[?+.:]{0,3}={1,3}|:|(?<=\w)\|(?=\w))"
)
_ASSIGNMENT = re.compile(
    rf"{_CORE}[\w-]{{0,40}}(?![\w-])(?: \d{{1,2}})?(?P<close>\\{{0,3}}[\"'`]?[\])}}]{{0,2}})"
    rf"(?:(?P<sign>[ \t]{{0,20}}{_OPERATOR}{_NEXT}{_WRAP}"
    r"|(?: [\w:-]{1,30}=\"[^\"<>\n]{0,60}\"){0,3}>(?:[ \t]{0,4}\n[ \t]{1,40})?"
    # the name in one element, the value in the next
    r"|</[\w:.-]{1,20}>\s{0,40}<[\w:.-]{1,20}>"
    r"|,\s{0,20}[\"']?(?:value|val|content)[\"']?\s{0,4}[:=]\s{0,4}|\s{1,20}[\"']?(?:value|val|content)[\"']?\s{0,4}[:=]\s{0,4}|\s{1,4}\{\s[^{}\"]{0,200}?default\s{0,10}=\s{0,4}"
    # what a test types into a field of the name
    # and what stands for a name that is not set
    r"|\){0,2}\.(?:fill|type|send_?[kK]eys|set_?[vV]alue)\(|[\"']\){1,2}\.(?:unwrap_or|or_?[eE]lse|get_?[oO]r_?[eE]lse)\()"
    r"|(?P<call>[ \t]{0,2},\s{0,20}|\(\s{0,20})(?=[bruf]{0,2}[\"'])"
    r"|(?P<copula>(?:\s(?:for|of|on|to|in|at|from|by|with|behind|--?\w{1,20})(?:\s[\w./@-]{1,40}){1,4}?)?"
    r"(?:\s(?:(?:is|was|are|be|been|becomes)(?:\s(?:now|set|changed|reset|still|currently))?(?:\sto)?|to|now|reads|holds|contains"
    r"|prints|gives|shows|says|returns|equals|use)|(?: \([^()\n]{1,40}\))?:)"
    r"[ \t:]{1,3})"
    # a row of values with commas
    r"|(?P<comma>,)(?=[^\s\"'`,;]{8,400}(?:,|[ \t]{0,8}(?:\n|\Z)))"
    # a heading, and the value alone on the line below
    r"|(?P<heading>\*{0,2}:?\*{0,2}[ \t]{0,4}\n(?:[ \t]{0,8}\n)?[ \t]{0,8}(?:[-*>][ \t])?)"
    r"(?=[\"'`]?[^\s\"'`=]{8,2000}={0,2}[\"'`]?[ \t]{0,8}(?:\n|\Z))"
    rf"|(?P<blank>[ \t]{{1,4}}))(?={_VALUE})"
)
# The line above a value: a few words, and nothing but them.
_HEADING = re.compile(r"[ \t#>*-]{0,8}(?:[\w'()-]{1,30} ){0,5}[\w-]{1,60}")
# So much of a value is looked at: who repeats a name a thousand times has a long value behind each.
LONGEST_JUDGED = 72
LONGEST_PASSWORD = 64


def name_of(match: re.Match[str]) -> str:
    """Return the whole name, of whose core and end a match tells; for a lone `key` with the word before it."""
    text, end = match.string, match.start("close")
    start = word_start(text, match.start())
    if text[start - 1 : start] == "/":  # `checksum/secret`
        start = word_start(text, start - 1)
    name = text[start:end].rstrip(" 0123456789")
    if name.lower() in ("key", "keys"):
        # in YAML below what it is the key of: `encryption:`
        line = text.rfind("\n", 0, start) + 1
        alone = start - line < LONGEST_NAME and not text[line:start].strip()
        above = _PARENT.search(text, max(0, line - LONGEST_NAME), line) if alone else None
        above = above or _AROUND.search(text, max(0, start - LONGEST_NAME), start)
        if above and above["name"].lower() in OF_KEY:
            return f"{above['name']} {text[start:end]}"
        before = word_start(text, start - 1) if text[start - 1 : start] in (" ", ":") else start
        if text[before : start - 1] not in _DECLARING:
            start = before
    elif text[start - 1 : start] == " " and name.isalpha():
        # "next page token": of one that all may read
        before = word_start(text, start - 1)
        if text[before : start - 1].lower() in PUBLIC_WORDS:
            start = before
    return text[start:end]


_DECLARING = frozenset(words_of("var let const val final static auto def"))
# In a mapping within another one: `'crypt' => ['key' => …`.
_AROUND = re.compile(r"(?P<name>[A-Za-z]{2,40})[\"']?[ \t]{0,4}(?:=>?|:)[ \t]{0,4}[\[{(][ \t]{0,4}[\"':]?$")
_PARENT = re.compile(r"(?P<name>[\w-]{2,40}):[ \t]{0,4}\n$")


def is_assigned(match: re.Match[str]) -> bool:
    """Whether a name promises a secret, and the value behind it keeps that, in the way it is written."""
    return _is_promised(match) and not is_sealed(match.string, match.start(), value_of(match))


def _is_promised(match: re.Match[str]) -> bool:
    name = name_of(match)
    kind = kind_of(name) or (VAGUE if match["wrap"] and name.strip().lower() == "key" else "")
    if name[-2:].lower() == "id" and _words(name)[-2:] == ["secret", "id"]:
        # of Vault and Consul; elsewhere it is a name
        return is_uuid(value_of(match)) and not is_made_up(value_of(match))
    if not kind or not _is_written_so(match):
        return False
    value = value_of(match)
    if is_public(value) or is_encrypted(value) or is_joined_by_colons(match):
        return False
    value = value[:LONGEST_JUDGED]
    if len(value) <= LONGEST_NAME and _words(value) == _words(name):
        return False
    in_quotes = secret_group(match) != "bare"
    # `insecure-password`, `db_pass`: a compound is a setting's name, and no word of a sentence
    literal = in_quotes or name.isupper() or name.startswith("-") or "-" in name or "_" in name
    if match["blank"] and match["close"] and not in_quotes:
        return False
    if match["copula"] or match["heading"] or match["comma"] or (match["blank"] and not literal):
        labelled = ":" in (match["copula"] or "")
        return not stands_in(value) and _is_in_prose(kind, value, in_quotes, labelled=labelled)
    if match["call"] and "(" not in match["call"] and not _is_in_call(match, kind, value):
        return False
    return is_kept(kind, value) or _is_placed(match, kind, value, literal=literal)


def _is_placed(match: re.Match[str], kind: str, value: str, *, literal: bool) -> bool:
    """Whether nothing but a secret stands at its place, however plain it is. `literal`: no word of a sentence."""
    if len(value) > LONGEST_PASSWORD or stands_in(value):
        return False
    # `secret = …` is a password as often as a key
    last = match.string[match.start() : match.end("close")].strip("\"'` ").lower()
    password = kind == PASSWORD or (kind == KEY and not match["blank"] and last.endswith(_AS_PASSWORD))
    if password and _is_labelled(match, value) and looks_told(value):
        return True
    if not (literal or is_setting(match, value)):
        return False
    if kind == VAGUE:
        # `local_key: …`
        return len(value) >= SHORTEST_KEY and looks_short_drawn(value)
    return (password and is_set(value)) or (kind == KEY and secret_group(match) != "bare" and is_short_key(value))


def _is_labelled(match: re.Match[str], value: str) -> bool:
    """Whether a value stands behind a colon, or right behind a sign of equality as no formatted code has it."""
    sign = match["sign"] or ""
    # without a blank a colon joins the parts of an identifier: `…:secret:prod/db-1`
    labelled = sign == "=" or (sign.strip() == ":" and sign[-1:] != ":")
    return labelled and not VARIABLE.fullmatch(value)


_AS_PASSWORD = words_of("secret credential credentials creds")


# Of what is called around a value: what makes bytes or a type of it, and what looks something up by it.
_CONVERSIONS = frozenset(
    words_of(
        "bytes byte hex fromhex unhexlify base64 b64 b64decode decode encode buffer str string secret sensitive utf"
    )
)
_LOOK_UP = frozenset(
    words_of("fingerprint hash digest sha md load read get env fetch open file find lookup path name ref")
)


def _is_written_so(match: re.Match[str]) -> bool:
    """Whether only what converts is called around a value, and only a heading stands above it."""
    if match["wrap"]:
        called = frozenset(_words(match["wrap"]))
        return bool(called & _CONVERSIONS) and not called & _LOOK_UP
    line = match.string.rfind("\n", 0, match.start()) + 1
    return not match["heading"] or _HEADING.fullmatch(match.string, line, match.end("close")) is not None


def _words(name: str) -> list[str]:
    return [word.lower() for word in _NAME_WORDS.findall(name)]


def is_kept(kind: str, value: str) -> bool:
    """Whether a value is what a name of its kind promises."""
    if kind == VAGUE:
        password = value.partition(":")[2] or value.partition("/")[2]
        marked = is_jumbled(password) or (is_numbered_word(password) and not password[-1:].isalnum())
        short = len(password) < SHORTEST_DRAWN and marked and looks_secret_in_prose(password)
        if short or looks_drawn(password) or is_user_and_password(decoded_text(value)):
            return True
    if stands_in(value):
        return False
    if kind == PASSWORD:
        return looks_random(value) or looks_chosen(value) or looks_plain(value)
    if kind == KEY:
        return looks_random(value) or looks_short_drawn(value) or (looks_chosen(value) and is_numbered_word(value))
    return looks_drawn(value) or is_digest(value)


def _is_in_prose(kind: str, value: str, in_quotes: bool, *, labelled: bool) -> bool:
    if kind == PASSWORD:
        if labelled and looks_chosen(value) and not looks_named(value):
            return True
        return looks_told(value) or (in_quotes and (looks_chosen(value) or is_set(value)))
    return kind == KEY and (looks_drawn(value) or is_digest(value))


def _is_in_call(match: re.Match[str], kind: str, value: str) -> bool:
    """Whether it is a secret although it may have nothing to do with the name before the comma."""
    constant = name_of(match).isupper()
    if not (match["close"] or constant):
        return False
    return kind == PASSWORD or is_jumbled(value) or looks_drawn(value) or (constant and is_digest(value))


def is_promised(kind: str, value: str) -> bool:
    """Whether a value is a secret of its kind, where a format says that one stands."""
    return bool(kind) and (is_kept(kind, value) or (kind == PASSWORD and is_set(value)))


def _is_in_same_quotes(match: re.Match[str]) -> bool:
    start = word_start(match.string, match.start())
    return match.string[start - 1 : start] == match["quote"] and is_promised(kind_of(name_of(match)), match["secret"])


def is_random(match: re.Match[str]) -> bool:
    """Whether the value is no stand-in, and as machines draw them."""
    return is_kept(KEY, value_of(match))


def is_chosen(match: re.Match[str]) -> bool:
    """Whether the value is no stand-in, and random or as people choose them."""
    return is_kept(PASSWORD, value_of(match))


def is_given(match: re.Match[str]) -> bool:
    """Whether the value is no stand-in, and any password at all."""
    return is_chosen(match) or is_set(value_of(match))


def is_chosen_in_prose(match: re.Match[str]) -> bool:
    """Whether the value is no stand-in, and no word or version either."""
    return not stands_in(value_of(match)) and looks_told(value_of(match))


def is_pair_or_random(match: re.Match[str]) -> bool:
    """Whether the value is random, or `user:password` in base 64."""
    value = value_of(match)
    return not is_made_up(value) and (is_user_and_password(decoded_text(value)) or is_kept(KEY, value))


NAMED: tuple[SecretPattern | SecretFormat, ...] = (
    SecretPattern(
        "secret in an assignment",
        words_of(
            "pass pw psw kennwort secret tok key cred auth psk pat bearer salt pepper seed cookie login jwt hmac pk sid"
            " session ident"
        ),
        _ASSIGNMENT,
        is_assigned,
        leads=True,
    ),
    SecretPattern(
        "secret in an assignment",  # name and value within the same quotes: `Environment="SMTP_PASSWORD=…"`
        words_of("pass secret tok key pwd pw cred"),
        re.compile(rf"{_CORE}[\w-]{{0,40}}(?P<close>)=(?P<secret>[^\s\"'=$]{{6,200}})(?P<quote>[\"'])"),
        _is_in_same_quotes,
        leads=True,
    ),
    SecretPattern(
        "secret in an assignment",
        ('" -> "', "' -> '", '" => "'),
        re.compile(
            rf"{_CORE}[\w-]{{0,40}}(?P<close>[\"']?)\s{{0,20}}[=:]\s{{0,20}}(?P<old>[\"'])[^\"'\n]{{0,200}}(?P=old)"
            rf"\s{{0,4}}(?:->|=>)\s{{0,4}}(?={_VALUE})"
        ),
        lambda match: bool(kind := kind_of(name_of(match))) and is_kept(kind, value_of(match)),
    ),
)
