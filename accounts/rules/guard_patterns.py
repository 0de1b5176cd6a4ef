"""What a secret looks like: one ordered table, and the signs by which an example is told from a secret.

Two kinds of row. A *token* is known by its own form (`AKIA…`, `ghp_…`, a private key): it is a secret wherever it
stands, unless it is a documented or obviously made-up one. An *assignment* is known by the name before it
(`password=`, `api_key:`, `Authorization: Bearer`): its value must also look random, for in prose and code most of
what such a name is set to is a word, a variable or a call.

Named after the forms their issuers document; lengths are lower bounds, since issuers lengthen tokens without notice.
Every repetition is bounded, so the time is linear in the text.
"""

import base64
import binascii
import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class SecretPattern:
    """One row: the group `secret` (else the whole match) is the secret; `hints`: texts (in lower case) one of which
    every match has, looked for first because that is cheap; `is_secret` decides about a match.
    """

    name: str
    hints: tuple[str, ...]
    regex: re.Pattern[str]
    is_secret: Callable[[re.Match[str]], bool]


def secret_span(match: re.Match[str]) -> tuple[int, int]:
    """Where the secret itself stands in the text: the group that holds it, else the whole match."""
    held = [name for name in ("secret", "quoted", "single", "bare") if name in match.re.groupindex]
    group = next((name for name in held if match[name] is not None), 0)
    start, end = match.span(group)
    if group == "bare":
        # outside quotes a value ends before the punctuation of its sentence
        end = start + len(match[group].rstrip(".:)]}>"))
    return start, end


def value_of(match: re.Match[str]) -> str:
    start, end = secret_span(match)
    return match.string[start:end]


# --- examples ------------------------------------------------------------------------------------------
# Said of the value of a token: documented, or made up so that everybody sees it.
_EXAMPLE_TOKEN = re.compile(r"(?i:example|placeholder|redacted|dummy|changeme|your)|(.)\1{4}|[xX]{4}|\*{3}|\.{3}|…")
_SEQUENCES = ("1234567890", "0123456789", "abcdefghij", "ABCDEFGHIJ", "a1b2c3d4e5")
# Keys their makers publish: the storage emulator's, the token on jwt.io, two UUIDs of standards.
_PUBLISHED = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1",
    "eyJzdWIiOiIxMjM0NTY3ODkwI",
    "550e8400-e29b-41d4-a716-446655440000",
    "123e4567-e89b-12d3-a456-426614174000",
)
# A random token of 16 characters has about 12 different ones; fewer than 6 is somebody leaning on a key.
DISTINCT = 6


def is_made_up(value: str) -> bool:
    """Whether a token is a documented example or an obvious stand-in."""
    if _EXAMPLE_TOKEN.search(value) or any(part in value for part in (*_SEQUENCES, *_PUBLISHED)):
        return True
    return len(set(value.lower())) < DISTINCT


# Said of the value of an assignment: a stand-in, a name for the secret instead of the secret, or code that fetches it.
_STAND_IN = re.compile(
    r"(?i:p[a4@]ss(?:w[o0]rd|wd|phrase)?|s[e3]cr[e3]t|token|api.?key|access.?key|credential|example|sample|dummy|fake|mock|placeholder"
    r"|change.?(?:me|it|this)|replace|insert|todo|redacted|your|\bmy[-_]|hunter2|test|foo|bar|baz|default|admin|value"
    r"|string|null|none|undefined|true|false|optional|required|encrypted|process\.env|environ|getenv|config|settings)"
)
_CODE = re.compile(
    r"^[$<{%\[(&@*]|[()<>{}\[\]]|\$\{|\{\{|^[\w-]+(?:\.[A-Za-z_]\w*)+$|^(?:~|\.{1,2})?/|://|::|->|=>|^--?[a-z]"
)
# words-joined-by-hyphens-2, NameOfThing, a_b_c: how people name things, not how machines draw secrets
_NAME_LIKE = re.compile(r"[A-Za-z]{2,}(?:[-_./:][A-Za-z]{2,})*(?:[-_.]?\d{1,4})?")
SHORTEST_PASSWORD = 8
SHORTEST_STREWN = 10
_LETTERS_TO_DIGITS = re.compile(r"[A-Za-z](?=[0-9])")
SHORTEST_KEY = 16
# Bits per character. English words lie near 2.8 at this length, hexadecimal near 3.5, base 64 above 4.
ENTROPY = 3.0


def entropy(value: str) -> float:
    """Shannon entropy of the characters, bits per character (0 for an empty text)."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def _classes(value: str) -> int:
    signs = (str.islower, str.isupper, str.isdigit, lambda c: c in "!@#$%^&*+=?~|")
    return sum(any(sign(c) for c in value) for sign in signs)


def looks_random(value: str) -> bool:
    """A key or token as machines draw them: long, letters and digits mixed, high entropy."""
    if len(value) < SHORTEST_KEY or _NAME_LIKE.fullmatch(value) or not value.isascii():
        return False
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return mixed and entropy(value) >= ENTROPY


def looks_chosen(value: str) -> bool:
    """A password as people choose them: characters of three kinds, or a long one with digits strewn among letters."""
    if len(value) < SHORTEST_PASSWORD or not value.isascii():
        return False
    strewn = len(_LETTERS_TO_DIGITS.findall(value)) >= 2 and len(value) >= SHORTEST_STREWN
    return _classes(value) >= 3 or strewn


# --- decisions -----------------------------------------------------------------------------------------
def _token(match: re.Match[str]) -> bool:
    return not is_made_up(value_of(match))


def _mixed_token(match: re.Match[str]) -> bool:
    """For prefixes that words begin with too (`sk-`, `r8_`): with a digit or strewn capitals, as drawn ones have."""
    value = value_of(match)
    capitals, small = (sum(sign(c) for c in value) for sign in (str.isupper, str.islower))
    return _token(match) and (any(c.isdigit() for c in value) or (capitals >= 3 and small >= 3))


def _stands_in(value: str) -> bool:
    if _CODE.search(value) or is_made_up(value):
        return True
    rest = _STAND_IN.sub("", value)
    return rest != value and not looks_random(rest)


def _assigned(match: re.Match[str]) -> bool:
    """`name = value`: the value must look random, or chosen if the name says password."""
    return _chosen(match) if _PASSWORD_NAME.search(match["name"]) else _random(match)


def _random(match: re.Match[str]) -> bool:
    return not _stands_in(value_of(match)) and looks_random(value_of(match))


def _chosen(match: re.Match[str]) -> bool:
    return _random(match) or (not _stands_in(value_of(match)) and looks_chosen(value_of(match)))


def _is_digest(value: str) -> bool:
    """A git hash or another digest in hexadecimal: as long as some keys, but public."""
    return bool(re.fullmatch("[0-9a-f]{40}|[0-9A-F]{40}", value))


def _basic(match: re.Match[str]) -> bool:
    """`Basic` is base 64 of `user:password`; the documented pairs are examples."""
    try:
        decoded = base64.b64decode(value_of(match), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    user, colon, password = decoded.partition(":")
    return bool(colon) and not _weak(user, password)


_OWN_HOST = re.compile(
    r"(?i:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?|host(?:name)?|server|db|database|"
    r"(?:.*\.)?(?:example(?:\.(?:com|org|net|edu))?|test|invalid|localhost))"
)


# u:p@ and a:b@ are how a format is explained.
SHORTEST_IN_URL = 4


def _weak(user: str, password: str) -> bool:
    return _stands_in(password) or password.lower() == user.lower() or len(password) < SHORTEST_IN_URL


def _connection(match: re.Match[str]) -> bool:
    """`scheme://user:password@host`: not when the password stands in for one, nor a plain one of one's own machine."""
    if _weak(match["user"], match["secret"]):
        return False
    plain = not (looks_random(match["secret"]) or looks_chosen(match["secret"]))
    return not (plain and _OWN_HOST.fullmatch(match["host"]))


# --- the table -----------------------------------------------------------------------------------------
_START, _END = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"


def _row(name: str, hints: str, regex: str, is_secret: Callable[[re.Match[str]], bool] = _token) -> SecretPattern:
    return SecretPattern(name, tuple(hints.split()), re.compile(regex), is_secret)


_PASSWORD_NAME = re.compile(r"(?i:pass(?:word|wd|phrase|code)?|pwd)$")
_SECRET_NAME = (
    r"(?P<name>(?<![\w.-])(?!(?i:[\w.-]{0,60}(?:page|csrf|xsrf|sync|cursor|cancel\w{0,6}|continuation|public)[_-]?))"
    r"[\w.-]{0,60}(?i:password|passwd|passphrase|passcode|pwd|secret|api[_-]?key|access[_-]?key|secret[_-]?key"
    r"|auth[_-]?key|account[_-]?key|signing[_-]?key|encryption[_-]?key|private[_-]?key|license[_-]?key|app[_-]?key|token))"
)
_VALUE = r"(?:\"(?P<quoted>[^\"\s]{8,200})\"|'(?P<single>[^'\s]{8,200})'|[\"'`]?(?P<bare>[^\s\"'`,;]{8,200}))"

TABLE: tuple[SecretPattern, ...] = (
    _row(
        "private key",
        "private",
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]|[\"'+,>|]|[A-Za-z-]{3,20}: .{0,80}\n){0,40}"
        r"(?P<secret>[A-Za-z0-9+/]{40}[A-Za-z0-9+/=\s\\\"',+>|]{0,12000})",
        lambda match: len(set(match["secret"])) >= 2 * DISTINCT,
    ),
    _row("PuTTY private key", "private-lines", r"Private-Lines: \d{1,3}\s{1,4}(?P<secret>[A-Za-z0-9+/=]{40,20000})"),
    _row("age secret key", "age-secret-key-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,60}"),
    _row("AWS access key", "akia asia abia acca", rf"{_START}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}{_END}"),
    _row(
        "AWS secret key",
        "aws amazon secret",
        r"(?i:aws|amazon|secret).{0,20}?(?i:key|secret).{0,20}?[\"'\s:=]{1,5}"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        lambda match: _token(match) and looks_random(match["secret"]) and not _is_digest(match["secret"]),
    ),
    _row("Google API key", "aiza", rf"{_START}AIza[\w-]{{35}}{_END}"),
    _row("Google OAuth secret", "gocspx- ya29.", rf"{_START}(?:GOCSPX-[\w-]{{24,40}}|ya29\.[\w-]{{30,400}})"),
    _row(
        "Google service account",
        "private_key_id",
        r"\"private_key_id\"\s{0,4}:\s{0,4}\"(?P<secret>[0-9a-f]{40})\"",
    ),
    _row(
        "Azure storage key",
        "key",
        r"(?i:account_?key|shared_?access_?key|storage_?key)[\"']?\s{0,4}[=:]\s{0,4}[\"']?"
        r"(?P<secret>[A-Za-z0-9+/]{42,88}={0,2})",
    ),
    _row("Azure signature", "sig=", r"[?&]sig=(?P<secret>[A-Za-z0-9%+/]{40,120})"),
    _row("Azure client secret", "q~", rf"{_START}[\w~.-]{{3}}[78]Q~[\w~.-]{{31,34}}"),
    _row(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        rf"{_START}(?:gh[pousr]_[A-Za-z0-9]{{36,251}}|github_pat_\w{{22,255}})",
    ),
    _row("GitLab token", "gl", rf"{_START}gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-[\w.-]{{20,64}}"),
    _row("Slack token", "xox xapp-", rf"{_START}(?:xox[abeoprs]|xapp-\d)-[A-Za-z0-9-]{{10,250}}", _mixed_token),
    _row(
        "Slack webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>T\w{6,14}/\w{6,24}/\w{16,64})",
    ),
    _row(
        "Discord webhook",
        "webhooks",
        r"discord(?:app)?\.com/api/webhooks/\d{17,20}/(?P<secret>[\w-]{50,90})",
    ),
    _row(
        "Discord bot token",
        ".",
        rf"{_START}[MNO][A-Za-z0-9_-]{{23,27}}\.[\w-]{{6}}\.[\w-]{{27,40}}(?![\w-])",
        _mixed_token,
    ),
    _row(
        "Stripe key",
        "k_live_ whsec_",
        rf"{_START}(?:[sr]k_live_[A-Za-z0-9]{{16,250}}|whsec_[A-Za-z0-9+/]{{24,64}}={{0,2}})",
    ),
    _row("Anthropic key", "sk-ant-", rf"{_START}sk-ant-[\w-]{{20,200}}", _mixed_token),
    _row(
        "OpenAI key",
        "sk-",
        rf"{_START}sk-(?:(?:proj|svcacct|admin|or-v1|lf)-[\w-]{{20,250}}|[A-Za-z0-9]{{32,64}}(?![\w-]))",
        _mixed_token,
    ),
    _row("npm token", "npm_", rf"{_START}npm_[A-Za-z0-9]{{36}}{_END}"),
    _row("PyPI token", "pypi-age", rf"{_START}pypi-AgE[\w-]{{50,300}}"),
    _row("SendGrid key", "sg.", rf"{_START}SG\.[\w-]{{16,32}}\.[\w-]{{16,64}}", _mixed_token),
    _row("Twilio key", "sk", rf"{_START}SK[0-9a-f]{{32}}{_END}"),
    _row(
        "Mailgun or Mailchimp key",
        "key- -us",
        rf"(?<![\w-])(?:key-[0-9a-f]{{32}}|[0-9a-f]{{32}}-us\d{{1,2}}){_END}",
    ),
    _row("Telegram token", ":aa", rf"(?:{_START}|(?<=bot))\d{{8,10}}:AA[\w-]{{32,35}}(?![\w-])"),
    _row("Hugging Face token", "hf_", rf"{_START}hf_[A-Za-z0-9]{{30,60}}{_END}"),
    _row("DigitalOcean token", "_v1_", rf"{_START}do[opr]_v1_[0-9a-f]{{40,80}}"),
    _row(
        "Heroku key",
        "hrku- heroku",
        rf"{_START}HRKU-[\w-]{{30,80}}|(?i:heroku).{{0,30}}?[=:\s\"']{{1,4}}"
        r"(?P<secret>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
    ),
    _row(
        "Datadog key",
        "datadog dd",
        r"(?i:datadog|dd)[_-]?(?i:api|app|application)[_-]?(?i:key)[\"']?\s{0,4}[=:]\s{0,4}[\"']?"
        r"(?P<secret>[0-9a-f]{32,40})(?![0-9a-f])",
    ),
    _row("Loam token", "loam_", rf"{_START}loam_[0-9a-f]{{8}}_[\w-]{{32,64}}"),
    _row("Vault token", "hvs. hvb. hvr.", rf"{_START}hv[sbr]\.[\w-]{{20,300}}"),
    _row("Databricks token", "dapi", rf"{_START}dapi[0-9a-f]{{32}}(?:-\d)?{_END}"),
    _row(
        "Shopify or Square token",
        "shp sq0",
        rf"{_START}(?:shp(?:at|ca|pa|ss)_[0-9a-fA-F]{{32}}|sq0(?:atp|csp)-[\w-]{{22,60}})",
    ),
    _row("Terraform token", ".atlasv1.", rf"{_START}[A-Za-z0-9]{{14}}\.atlasv1\.[\w-]{{40,80}}"),
    _row(
        "service token",  # Linear, Notion, Figma, Postman, Grafana, Sentry, Docker, Atlassian, New Relic, Doppler, …
        "_ - .",
        rf"{_START}(?:lin_api_|ntn_|figd_|PMAK-|glsa_|glc_|sntry[su]_|dckr_pat_|ATATT3|NRAK-|dp\.pt\.|pscale_tkn_"
        r"|sbp_|rubygems_|gsk_|r8_|pplx-|xai-|tskey-|EAACEdEose0cBA)[\w.+/=-]{20,400}",
        _mixed_token,
    ),
    _row("JSON web token", "eyj", rf"{_START}eyJ[\w-]{{8,2000}}\.eyJ[\w-]{{8,8000}}\.[\w-]{{16,1000}}"),
    _row(
        "connection string",
        "://",
        rf"{_START}[A-Za-z][A-Za-z0-9+.-]{{1,30}}://(?P<user>[^\s:/@\"'`<>|]{{0,100}}):"
        r"(?P<secret>[^\s/@\"'`<>|]{1,200})@(?P<host>[^\s/:?#\"'`,;<>)]{1,200})",
        _connection,
    ),
    _row(
        "authorization header",
        "bearer authorization",
        r"(?i:bearer|authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?token)\s{1,4}(?P<secret>[A-Za-z0-9._~+/=-]{16,2000})",
        _random,
    ),
    _row(
        "basic authorization",
        "basic",
        r"(?i:authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?basic)\s{1,4}(?P<secret>[A-Za-z0-9+/]{8,400}={0,2})",
        _basic,
    ),
    _row(
        "password on a command line",
        "curl sshpass",
        r"(?:\bcurl\b.{0,200}?\s(?:-u|--user)[= ]|\bsshpass -p ?)[\"']?(?:[\w.@-]{1,60}:)?(?P<secret>[^\s\"']{6,100})",
        _chosen,
    ),
    _row(
        "secret in an assignment",
        "pass pwd secret key token",
        rf"{_SECRET_NAME}[\"'`]?\s{{0,4}}(?::=|=>|[:=])\s{{0,4}}{_VALUE}",
        _assigned,
    ),
)
