"""What a secret looks like: one ordered table, and the signs by which an example is told from a secret.

Two kinds of row. A *token* is known by its own form (`AKIA…`, `ghp_…`, a private key): it is a secret wherever it
stands, unless it is a documented or obviously made-up one. An *assignment* is known by the name before it
(`password=`, `api_key:`, `Authorization: Bearer`): its value must also look random, for in prose and code most of
what such a name is set to is a word, a variable or a call.

Named after the forms their issuers document; lengths are lower bounds, since issuers lengthen tokens without notice.
Every repetition is bounded, so the time is linear in the text.
"""

import re
from collections.abc import Callable, Iterator

from accounts.rules.guard.calls import CALLS
from accounts.rules.guard.chosen import is_user_and_password, is_weak_pair, looks_chosen, looks_told
from accounts.rules.guard.columns import COLUMNS, LABELS
from accounts.rules.guard.commands import COMMANDS
from accounts.rules.guard.drawn import is_digest, is_jumbled, looks_drawn, looks_random
from accounts.rules.guard.formats import FORMATS
from accounts.rules.guard.names import NAMED, is_random
from accounts.rules.guard.near import NEAR
from accounts.rules.guard.rows import Extent, SecretFormat, SecretPattern, value_of, words_of
from accounts.rules.guard.sentences import SENTENCES
from accounts.rules.guard.stand_ins import DISTINCT, is_made_up, is_public
from accounts.rules.guard.wrapped import decoded_text


# --- decisions -----------------------------------------------------------------------------------------
def _token(match: re.Match[str]) -> bool:
    return not is_made_up(value_of(match))


def _mixed_token(match: re.Match[str]) -> bool:
    """For prefixes that words begin with too (`sk-`, `r8_`): with a digit or strewn capitals, as drawn ones have."""
    value = value_of(match)
    capitals, small = (sum(sign(c) for c in value) for sign in (str.isupper, str.islower))
    return _token(match) and (any(c.isdigit() for c in value) or (capitals >= 3 and small >= 3))


def _basic(match: re.Match[str]) -> bool:
    """`Basic` is base 64 of `user:password`; the documented pairs are examples."""
    return _token(match) and is_user_and_password(decoded_text(value_of(match)))


_OWN_HOST = re.compile(
    r"(?i:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?|host(?:name)?|server|db|database|"
    r"(?:.*\.)?(?:example(?:\.(?:com|org|net|edu))?|test|invalid|localhost))"
)


def _connection(match: re.Match[str]) -> bool:
    """`scheme://user:password@host`: not when the password stands in for one, nor a plain one of one's own machine."""
    if is_weak_pair(match["user"], match["secret"]):
        return False
    secret = match["secret"]
    plain = not (looks_random(secret) or looks_chosen(secret) or looks_told(secret))
    return not (plain and _OWN_HOST.fullmatch(match["host"]))


# What comes behind a prefix and an underscore: `sb_secret_…`, `re_…_…`. Makers document theirs; the form is the same.
_TAIL = re.compile(r"[_-][A-Za-z0-9]{20,250}(?:[_-][A-Za-z0-9]{6,80}){0,4}(?![\w-])")
_MARKS = frozenset(words_of("sk rk secret live pat key token pt priv api svc sec auth"))
_NO_SECRET = frozenset(words_of("pk pub public publishable id test nonce integrity md5 sha1 sha256 sha384 sha512"))
_PREFIX = re.compile("[a-z][a-z0-9]?|[a-z]{2,12}[0-9]?")
# Identifiers of services (`cus_…`, `pi_…`) have up to 29 characters behind their prefix.
SHORTEST_UNMARKED = 30
# Digests are of this length, but in hexadecimal (found with the formats of other scanners; docs/evaluation.md).
SHORTEST_OF_SMALL = 48


def _drawn_behind_prefix(match: re.Match[str]) -> bool:
    """Whether what is behind the prefix is drawn from the alphabet of base 64 for addresses."""
    tail = match.group().split("_", 2)[-1]
    return (
        _token(match)
        and not is_public(match.group())
        and is_jumbled(tail)
        and any(map(str.isupper, tail))
        and any(map(str.isdigit, tail))
    )


# Before a value: it is a digest, or goes on a dotted name.
_IS_DIGEST = re.compile(r"(?i:sha\d{1,3}|md5|blake\w{1,3})[=:-]$|\w\.$")


def _prefixed(text: str) -> Iterator[Extent]:
    """Yield tokens of a prefix in small letters, and a random tail; a shorter one if the prefix says what it is."""
    for match in _TAIL.finditer(text):
        start = match.start()
        while start > max(0, match.start() - 40) and (text[start - 1].isalnum() or text[start - 1] in "_-"):
            start -= 1
        if not _IS_DIGEST.search(text, max(0, start - 10), start) and _is_prefixed(text[start : match.end()]):
            yield start, match.end()


def _is_prefixed(token: str) -> bool:
    parts = re.split("[_-]", token)
    words = []
    while parts and _PREFIX.fullmatch(parts[0]):
        words.append(parts.pop(0))
    if not words or not parts or _NO_SECRET.intersection(words) or is_made_up(token) or is_public(token):
        return False
    drawn = "".join(parts)
    mixed = is_jumbled(drawn) and any(map(str.isupper, drawn)) and any(map(str.isdigit, drawn))
    if _MARKS.intersection(words) or words[-1].endswith(("secret", "token", "key")):
        return mixed or (looks_drawn(drawn) and len(drawn) >= 32)
    # in what is drawn of base 64 for addresses a `-` or `_` comes by chance: then both do, or more of them
    one = len(words) > 1 or len(parts) == 1 or (len(parts) == 2 and "-" not in token)
    small = len(drawn) >= SHORTEST_OF_SMALL and looks_drawn(drawn) and re.search("[g-z]", drawn) is not None
    return (mixed or small) and one and len(words[0]) > 1 and len(drawn) >= SHORTEST_UNMARKED


# --- the table -----------------------------------------------------------------------------------------
_START, _END = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"


def _row(
    name: str,
    hints: str,
    regex: str,
    is_secret: Callable[[re.Match[str]], bool] = _token,
    *,
    leads: bool = False,
    anchor: str = "",
) -> SecretPattern:
    inner = re.compile(anchor) if anchor else None
    return SecretPattern(name, words_of(hints), re.compile(regex), is_secret, leads, inner)


TOKENS: tuple[SecretPattern | SecretFormat, ...] = (
    _row(
        "private key",
        "private",
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]|[\"'+,>|]|[A-Za-z-]{3,20}: .{0,80}\n){0,40}"
        r"(?P<secret>[A-Za-z0-9+/]{40}[A-Za-z0-9+/=\s\\\"',+>|]{0,12000})",
        lambda match: len(set(match["secret"])) >= 2 * DISTINCT,
    ),
    _row(
        "private key",
        "static key",
        r"-----BEGIN OpenVPN Static key V1-----(?P<secret>[0-9a-f\s]{90,1000})",
    ),
    _row(
        "private key",  # of any other kind, in the lines that name it
        "-begin ",
        r"-BEGIN [A-Z0-9 ]{0,30}(?:SEED|SECRET|TOKEN|JWT|CREDENTIALS)[A-Z0-9 ]{0,20}-{2,8}\s{1,4}"
        r"(?P<secret>(?:[\w+/=.]|-(?!-)|\s){20,2000}[\w+/=.])(?=\s{0,4}--)",
        leads=True,
    ),
    _row("PuTTY private key", "private-lines", r"Private-Lines: \d{1,3}\s{1,4}(?P<secret>[A-Za-z0-9+/=]{40,20000})"),
    _row("age secret key", "age-secret-key-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,60}", leads=True),
    _row("AWS access key", "akia asia abia acca", rf"{_START}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}{_END}", leads=True),
    _row(
        "AWS secret key",  # beside its identifier
        "akia asia",
        r"(?:AKIA|ASIA)[A-Z0-9]{16}[\"'`]?[ \t]{0,4}(?:[/|:,;]|and|&)?\s{0,20}[\"'`]?"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        lambda match: _token(match) and looks_random(match["secret"]) and not is_digest(match["secret"]),
        leads=True,
    ),
    _row(
        "AWS secret key",
        "aws amazon secret",
        r"(?i:aws|amazon|secret).{0,20}?(?i:key|secret).{0,20}?[\"'\s:=]{1,5}"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        lambda match: _token(match) and looks_random(match["secret"]) and not is_digest(match["secret"]),
        leads=True,
    ),
    _row("Google API key", "aiza", rf"{_START}AIza[\w-]{{35}}{_END}", leads=True),
    _row(
        "Google OAuth secret",
        "gocspx- ya29. 1//0",
        rf"{_START}(?:GOCSPX-[\w-]{{24,40}}|1//0[\w-]{{40,200}}|ya29\.[\w-]{{30,400}})",
        leads=True,
    ),
    _row(
        "Google service account",
        "private_key_id",
        r"\"private_key_id\"\s{0,4}:\s{0,4}\"(?P<secret>[0-9a-f]{40})\"",
        # alone it is no more than the name of a key
        lambda match: "service_account" in match.string or '"private_key"' in match.string,
    ),
    _row(
        "Azure storage key",
        "account shared storage",
        r"(?i:account_?key|shared_?access_?key|storage_?key)[\"']?\s{0,4}[=:]\s{0,4}[\"']?"
        r"(?P<secret>[A-Za-z0-9+/]{42,88}={0,2})",
        leads=True,
    ),
    _row("Azure signature", "sig=", r"[?&]sig=(?P<secret>[A-Za-z0-9%+/]{40,120})"),
    _row("Azure client secret", "q~", rf"{_START}[\w~.-]{{3}}[78]Q~[\w~.-]{{31,34}}"),
    _row(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        rf"{_START}(?:gh[pousr]_[A-Za-z0-9]{{36,251}}|github_pat_\w{{22,255}})",
        leads=True,
    ),
    _row(
        "GitLab token", "gl", rf"{_START}gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-[\w.-]{{20,64}}", leads=True
    ),
    _row(
        "Slack token",
        "xox xapp-",
        rf"{_START}(?:xox[abeoprs]|xapp-\d)-[A-Za-z0-9-]{{10,250}}",
        _mixed_token,
        leads=True,
    ),
    _row(
        "Slack webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>T\w{6,14}/\w{6,24}/\w{16,64})",
        leads=True,
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
        anchor=r"\.[\w-]{6}\.[\w-]{27}",
    ),
    _row(
        "Stripe key",
        "k_live_ whsec_",
        rf"{_START}(?:[sr]k_live_[A-Za-z0-9]{{16,250}}|whsec_[A-Za-z0-9+/]{{24,64}}={{0,2}})",
    ),
    _row("Anthropic key", "sk-ant-", rf"{_START}sk-ant-[\w-]{{20,200}}", _mixed_token, leads=True),
    _row(
        "OpenAI key",
        "sk-",
        rf"{_START}sk-(?:(?:proj|svcacct|admin|or-v1|lf)-[\w-]{{20,250}}|[A-Za-z0-9]{{32,64}}(?![\w-]))",
        _mixed_token,
        leads=True,
    ),
    _row("npm token", "npm_", rf"{_START}npm_[A-Za-z0-9]{{36}}{_END}", leads=True),
    _row("PyPI token", "pypi-age", rf"{_START}pypi-AgE[\w-]{{50,300}}", leads=True),
    _row("SendGrid key", "sg.", rf"{_START}SG\.[\w-]{{16,32}}\.[\w-]{{16,64}}", _mixed_token, leads=True),
    _row("Twilio key", "sk", rf"{_START}SK[0-9a-f]{{32}}{_END}", leads=True),
    _row(
        "Mailgun or Mailchimp key",
        "key- -us1 -us2 -us3 -us4 -us5 -us6 -us7 -us8 -us9",
        rf"(?<![\w-])(?:key-[0-9a-f]{{32}}|[0-9a-f]{{32}}-us\d{{1,2}}){_END}",
    ),
    _row("Telegram token", ":aa", rf"(?:{_START}|(?<=bot))\d{{8,10}}:AA[\w-]{{32,35}}(?![\w-])"),
    _row(
        "Hugging Face token",
        "hf_",
        rf"{_START}hf_[A-Za-z0-9]{{30,60}}{_END}",
        lambda match: _token(match) and looks_random(value_of(match)[3:]),
        leads=True,
    ),
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
    _row("Loam token", "loam_", rf"{_START}loam_(?:[a-z][a-z0-9]{{0,6}}_)?[0-9a-f]{{8}}_[\w-]{{32,64}}", leads=True),
    _row("Vault token", "hvs. hvb. hvr.", rf"{_START}hv[sbr]\.[\w-]{{20,300}}", leads=True),
    _row("Databricks token", "dapi", rf"{_START}dapi[0-9a-f]{{32}}(?:-\d)?{_END}", leads=True),
    _row(
        "Shopify or Square token",
        "shp sq0",
        rf"{_START}(?:shp(?:at|ca|pa|ss)_[0-9a-fA-F]{{32}}|sq0(?:atp|csp)-[\w-]{{22,60}})",
        leads=True,
    ),
    _row("Salesforce session", "00d", rf"{_START}00D[A-Za-z0-9]{{9,15}}![\w.-]{{60,200}}", leads=True),
    _row("MaxMind key", "_mmk", rf"{_START}[A-Za-z0-9]{{6}}_[A-Za-z0-9]{{29}}_mmk"),
    _row("Octopus key", "api-", rf"(?<![A-Za-z0-9/])API-[A-Z0-9]{{26,32}}{_END}", _mixed_token, leads=True),
    _row(
        "token of two parts",  # Airtable's: an identifier, and a key of 256 bits
        ".",
        r"(?<![\w.-])[A-Za-z][A-Za-z0-9]{11,30}\.[0-9a-f]{64}(?![\w.-])",
        _mixed_token,
        anchor=r"\.[0-9a-f]{64}",
    ),
    _row("Terraform token", ".atlasv1.", rf"{_START}[A-Za-z0-9]{{14}}\.atlasv1\.[\w-]{{40,80}}"),
    _row(
        "service token",  # Linear, Notion, Figma, Postman, Grafana, Sentry, Docker, Atlassian, New Relic, Doppler, …
        "lin_api_ ntn_ figd_ pmak- glsa_ glc_ sntry dckr_ atatt3 nrak- dp. pscale_ sbp_ fo1_"
        " fm1 fm2_ tk-us- sqp_ squ_ sqa_ ops_eyj absk llx- rubygems_"
        " gsk_ r8_ pplx- xai- tskey- pul- eaacedeose0cba",
        rf"{_START}(?:lin_api_|ntn_|figd_|PMAK-|glsa_|glc_|sntry[su]_|dckr_[po]at_|ATATT3|NRAK-|dp\.(?:pt|st|sa|ct|scim|audit)\.|pscale_(?:tkn|oauth)_"
        r"|fo1_|fm1[ar]?_|fm2_|tk-us-|sq[apu]_(?=[0-9a-f]{40})|ops_eyJ|ABSK(?=[A-Za-z0-9+/]{100})|sbp_|llx-|rubygems_|gsk_|r8_|pplx-|xai-|tskey-|pul-(?=[0-9a-f]{40})|EAACEdEose0cBA)[\w.+/=-]{20,400}",
        _mixed_token,
        leads=True,
    ),
    _row("token with a prefix", ".eyj", rf"{_START}(?:sk|st|tk)\.eyJ[\w-]{{20,400}}\.[\w-]{{16,200}}", leads=False),
    _row("Firebase key", ":apa91b", rf"{_START}AAAA[\w-]{{7}}:APA91b[\w-]{{100,200}}"),
    SecretFormat("token with a prefix", ("_", "-"), _prefixed),
    _row(
        "token with a prefix",
        "_secret _sk _pat _key _token _live",
        rf"{_START}[a-z][a-z0-9]{{1,11}}_(?:secret|sk|pat|key|token|live)[_-][\w-]{{20,250}}",
        _drawn_behind_prefix,
        anchor=r"_(?:secret|sk|pat|key|token|live)[_-][\w-]{20}",
    ),
    _row(
        "connection string",
        "://",
        r"://(?P<secret>[A-Za-z0-9_-]{20,200})@[A-Za-z0-9]",
        lambda match: looks_drawn(match["secret"]) and not match["secret"].islower(),
        leads=True,
    ),
    _row(
        "connection string",  # in base 64, with the slashes of it
        "://",
        r"://[^\s:/@\"'`<>|]{0,100}:(?P<secret>[A-Za-z0-9+/]{20,120}={0,2})@[A-Za-z0-9]",
        lambda match: _token(match) and looks_random(match["secret"]),
        leads=True,
    ),
    _row("JSON web token", "eyj", rf"{_START}eyJ[\w-]{{8,2000}}\.eyJ[\w-]{{8,8000}}\.[\w-]{{16,1000}}"),
    _row(
        "connection string",
        "://",
        r"(?<=[A-Za-z0-9])://(?P<user>[^\s:/@\"'`<>|]{0,100}):"
        r"(?P<secret>[^\s/@\"'`<>|]{1,200})@(?P<host>[^\s/:?#\"'`,;<>)]{1,200})",
        _connection,
        leads=True,
    ),
    _row(
        "authorization header",
        "bearer",
        r"(?i:bearer)\s{1,4}(?P<secret>[A-Za-z0-9._~+/=-]{16,2000})",
        is_random,
        leads=True,
    ),
    _row(
        "basic authorization",
        "authorization",
        r"(?i:authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?basic)\s{1,4}(?P<secret>[A-Za-z0-9+/]{8,400}={0,2})",
        _basic,
        leads=True,
    ),
)

TABLE: tuple[SecretPattern | SecretFormat, ...] = (
    *TOKENS,
    *COMMANDS,
    *CALLS,
    *COLUMNS,
    *FORMATS,
    *NAMED,
    *SENTENCES,
    *LABELS,
    *NEAR,
)
# Each once: rows share them.
HINTS = tuple(dict.fromkeys(hint for row in TABLE for hint in row.hints))
