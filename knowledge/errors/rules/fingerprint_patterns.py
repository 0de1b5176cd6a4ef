"""The variable parts of error messages, as one ordered table of patterns.

A message is read once, from left to right. At each place the first pattern of `TABLE` that fits takes the
text it covers and says what stands there instead; no later pattern sees it again. So the order is the
meaning: a UUID is tried before a number, a URL before a path, a path before a word, and the kept patterns
(an exit code, an HTTP status) protect their digits from the number pattern below them.

Every repetition is bounded or possessive: the time is linear in the text, whatever the text is.

Numbers, hexadecimal, versions, hashes and UUIDs share the one placeholder `<num>`: eight hexadecimal digits
that happen to be decimal must not make a second fingerprint, and neither must 1.2 becoming 1.2.1.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

NUM, SIZE, SPAN, TIME = "<num>", "<size>", "<span>", "<time>"
HOST, MAIL, PATH, URL = "<host>", "<mail>", "<path>", "<url>"
TEXT, VALUE = "<text>", "<value>"
PLACEHOLDER = "<(?:num|size|span|time|host|mail|path|url|text|value)>"


@dataclass(frozen=True)
class Pattern:
    """One row of the table: `mask` is the text that stands in the place of a match, or makes it from the match."""

    name: str
    regex: str
    mask: str | Callable[[str], str]


def normalise(text: str) -> str:
    """The text with everything masked that varies by machine or run; line breaks are left to the caller."""
    return _SCANNER.sub(_replace, text)


def _replace(match: re.Match[str]) -> str:
    mask = _MASKS[match.lastgroup or ""]
    return mask if isinstance(mask, str) else mask(match.group())


# Digits that are part of a name: masking them would call u32 and u64, or UTF-8 and UTF-16, one fault.
_NAMES_WITH_DIGITS = re.compile(
    r"[uif](?:8|16|32|64|128)|bf16|u?int(?:8|16|32|64)(?:_t)?|float(?:16|32|64)|complex(?:64|128)|utf_?(?:8|16|32)"
    r"|latin1|cp1252|base(?:16|32|58|64)|crc32|md5|sha(?:1|224|256|384|512)|blake[23]b?|[hre]s256|aes(?:128|256)"
    r"|(?:ed|x)25519|x509|pkcs(?:8|12)|ipv[46]|h(?:ttp)?[123]|h26[45]|oauth[12]|s3|ec2|k8s|i18n|l10n|a11y|e2e|n8n"
    r"|x86(?:_64)?|x64|amd64|arm64|aarch64|(?:win|wasm)(?:32|64)|(?:python|pip)[23]|psycopg[23]|urllib[23]|boto3"
    r"|jinja2|sqlite3|neo4j|log4j2?|slf4j|junit[45]|cv2|html5|css3|es[56]|vue[23]|d3|mp[34]|bz2|bzip2|lz4|ext4|web3"
    r"|\w{1,80}(?:Error|Exception)",
    re.IGNORECASE,
)
_PIECES = re.compile(r"[^\W_]++")
_HEX = re.compile(r"(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{6,}")
_DIGITS = re.compile(r"\d++")
# A word this long with digits among its letters is a token, a digest or an id in base 36, 58 or 64.
TOKEN_LENGTH = 20
TOKEN_DIGITS = 3


def word(match: str) -> str:
    """A word with its digits masked, unless they are part of a name; a hexadecimal word is a number."""
    if not _DIGITS.search(match) or _NAMES_WITH_DIGITS.fullmatch(match):
        return match
    return _PIECES.sub(_piece, match)


def _piece(match: re.Match[str]) -> str:
    piece = match.group()
    if _NAMES_WITH_DIGITS.fullmatch(piece):
        return piece
    digits = sum(c.isdigit() for c in piece)
    if _HEX.fullmatch(piece) or (len(piece) >= TOKEN_LENGTH and digits >= TOKEN_DIGITS):
        return NUM
    return _DIGITS.sub(NUM, piece)


_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![0-9a-fA-F])"
_IN_NAME = re.compile(rf"(?P<id>{_UUID})|(?P<word>[^\W\d][\w$]*+)|\d\w*+(?:\.\d\w*+)*+")


def words(text: str) -> str:
    """A name of several words (a base name, a route, a dotted name), each word masked by itself."""
    return _IN_NAME.sub(lambda m: word(m.group()) if m["word"] else NUM, text)


# A base name with one of these endings says which source or configuration is at fault, on every machine;
# any other base name (a data file, a temporary file, a directory) is the machine's own.
_ENDING = (
    r"(?:pyi?|pyx|ipynb|[cm]?[jt]sx?|vue|svelte|java|kts?|scala|groovy|clj|go|rs|rb|erb|gemspec|php|p[lm]|[ch]|cc|[ch]pp"
    r"|[ch]xx|hh|mm?|swift|[cf]s|vb|exs?|erl|hs|lua|r|jl|dart|zig|sh|bash|zsh|ps1|bat|sql|proto|graphql|tf|hcl|s?css"
    r"|html?|tpl|j2|json|ya?ml|toml|ini|cfg|conf|properties|lock|xml|gradle|cmake|mk|so|dll|dylib|a|o|jar|env)"
)
# Where in the file, as it may stand behind a name: 41:7 · (41,7) · :line 41
_WHERE = r"(?:(?::\d{1,9}){1,2}|\(\d{1,9}(?:,\s?\d{1,9})?\)|:line \d{1,9})"
_WHERE_LAST = re.compile(_WHERE + "$")
_SOURCE = re.compile(rf"[^/\\]{{1,200}}\.{_ENDING}(?:\.\d{{1,4}}){{0,3}}", re.IGNORECASE)


def base_name(path: str) -> str:
    """The masked base name when it is a source or configuration file's, else `<path>`."""
    last = re.split(r"[/\\]", _WHERE_LAST.sub("", path.split("?", 1)[0]))[-1]
    return words(last) if _SOURCE.fullmatch(last) else PATH


def _path(match: str) -> str:
    """A path, without the comma or colon that ends the clause it stands in."""
    kept = match.rstrip(".,:;")
    return base_name(kept) + match[len(kept) :].rstrip(".")


def _url(match: str) -> str:
    found = base_name(match.rstrip(".,:;"))
    return URL if found == PATH or found.lower().endswith((".html", ".htm")) else found


def _relative(match: str) -> str:
    """`src/app/x.py` is a path; `text/html`, `and/or`, `acme/widgets` are words."""
    found = base_name(match.rstrip(".:,"))
    return words(match) if found == PATH else found


_IDENTIFIER = re.compile(r"[@$#.]?[^\W\d][\w$]*+(?:(?:\.|-|::|->|/|#|\$|\\)[^\W\d][\w$]*+){0,12}(?:\(\)|[?!=])?")
_TYPE = re.compile(r"[&*(]{0,3}[A-Za-z_][\w:.<>,&*\[\]() |=?]{0,120}")
_TYPE_SIGNS = re.compile(r"[|<\[&*]|::|=>")
_MESSAGE = re.compile(
    r"(?i:\berror|exception|fail|refused|denied|not |no such|cannot|can't|unable|timed out|invalid|unexpected"
    r"|missing|expired|unknown|exceed|must )"
)
# Punctuation a parser expected or met: ';' · '=>'
PUNCTUATION_LENGTH = 3


def _quoted(match: str) -> str:
    """The text in the quotes if it names something or is a message of its own, else `<text>`; GNU's `x' is 'x'."""
    quote = match[-1]
    return quote + _inside(match[1:-1], code=quote == "`") + quote


def _inside(text: str, *, code: bool) -> str:
    if not text or re.fullmatch(PLACEHOLDER, text):
        return text
    if len(text) <= PUNCTUATION_LENGTH and not any(c.isalnum() or c == "_" for c in text):
        return text
    if _HOST.fullmatch(text):
        return HOST
    if text.startswith(("./", "../")) and _IDENTIFIER.fullmatch(text.lstrip("./")):
        return words(text)
    if re.match(r"~?/|\.{1,2}/|[A-Za-z]:[\\/]|\w+://", text):
        return base_name(text)
    if _IDENTIFIER.fullmatch(text):
        return _relative(text)
    if _TYPE.fullmatch(text) and (code or _TYPE_SIGNS.search(text)):
        return words(text)
    return normalise(text) if _MESSAGE.search(text) else TEXT


# What such a key is set to names the error; what any other key is set to is this run's value.
_NAMING_KEY = re.compile(
    r"(?:[\w.-]{0,60}[._-])?(?:err(?:or|no)?|code|reason|cause|exception|status|signal|type|kind|message|msg|details?|title"
    r"|description|func(?:tion)?|method|op(?:eration)?|field|column|table|relation|constraint|module|option)",
    re.IGNORECASE,
)


def _assignment(match: str) -> str:
    """`retries=3` becomes `retries=<value>`; `reason=timeout` stays."""
    key, value = (side.strip() for side in match.split("=", 1))
    return f"{words(key)}={normalise(value) if _NAMING_KEY.fullmatch(key) else VALUE}"


def _error_field(match: str) -> str:
    """`"message": "no route to 10.0.0.7"` is prose, though it stands in quotes."""
    key, text = re.split(r"(?<=[:=])(?=\s?\")", match, maxsplit=1)
    return f'{key} "{normalise(text.lstrip()[1:-1])}"'


def _request(match: str) -> str:
    """`"GET /api/orders/42?page=3 HTTP/1.1" 500` names its route: `GET /api/orders/<num> 500`."""
    status = re.search(r" [45]\d\d$", match)
    method, route = match.strip('"').split(" ")[:2]
    masked = words(re.split(r'[?"]', route)[0])
    return f"{method} {masked}{status.group() if status else ''}"


def _http_status(match: str) -> str:
    return re.sub(r"/\d(?:\.\d)?", "/" + NUM, match)


def _user(match: str) -> str:
    return match[: match.index("user") + len("user")] + " " + VALUE


def _counted(match: str) -> str:
    """`2 errors` as `1 error`."""
    return words(match.lstrip("+-")[:-1])


def _keep(match: str) -> str:
    return match


_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_DAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},?\s{1,2})?"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?"
_ZONE = r"(?:\s?(?:Z|[AP]M|[A-Z]{3,4}|[+-]\d{2}:?\d{2})(?!\w))?"
TIMESTAMP = (
    rf"(?:\d{{4}}[-/]\d{{1,2}}[-/]\d{{1,2}}(?:(?:T|,? ){_CLOCK}{_ZONE})?(?!\d)"
    rf"|{_DAY}{_MONTH}\s{{1,2}}\d{{1,2}},?\s{{1,2}}(?:\d{{4}},?\s)?{_CLOCK}{_ZONE}(?:\s\d{{4}})?(?!\d)"
    rf"|{_DAY}\d{{1,2}}[ /-]{_MONTH}[ /-]\d{{2,4}}(?:[ :]{_CLOCK}{_ZONE})?(?!\d)"
    r"|\d{1,2}/\d{1,2}/\d{4}(?!\d)|\d{1,3}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?![\d:]))"
)
_HEX4 = r"[0-9a-fA-F]{1,4}"
# Endings of public host names. Those that are common attribute or file names as well (app, info, io, in, is, me)
# count only before a port: a dotted name that ends so is more often code than a machine.
_TOP = "com|net|org|edu|gov|mil|cloud|local|internal|lan|de|fr|nl|pl|ru|cn|jp|kr|tw|hk|br|au|ca|ch|se|fi|dk|cz|eu|uk"
# Where a dotted or hyphenated name starts: it is looked at once, not again at each of its parts.
_START = r"(?<![\w.-])"
_LABEL = r"[A-Za-z0-9][A-Za-z0-9-]{0,62}"
_NOT_PACKAGE = r"(?!(?:com|org|net|io|java|javax|sun|dev|edu)\.)"
_END = r"(?::\d{1,5})?(?![\w-]|\.\w)"
_SIZES = "(?:[KMGTP]i?B?|[kmg]i?b|B|bytes?|octets)"
_SPANS = "(?:(?:nano|micro|milli)(?:s|secs?|seconds?)|[mun]s|µs|msecs?|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?)"
_SET_TO = (
    r"""(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'|<[a-z]{3,5}>|[^\s,;()\[\]{}"'<>|=]{1,200})(?:[{(][^{}()\n]{0,200}[})])?"""
)

TABLE: tuple[Pattern, ...] = (
    # names of errors that have digits
    Pattern(
        "http_status",
        r"""(?i:http(?:/(?:\d(?:\.\d)?|<num>))?|status(?:[_ ]?code)?)["'\s:=(\[]{1,4}[45]\d\d(?!\w)"""
        r"|[45]\d\d(?= (?:Client|Server|Bad|Unauth|Forb|Not |Method|Conf|Gone|Too |Unpro|Internal|Service|Gateway))",
        _http_status,
    ),
    Pattern(
        "error_code",
        r"(?i:exit(?:ed)?(?: with)?(?: code| status)?|errno|(?:os |fatal )?error(?: code| number)?|err|code|signal"
        r"|winerror|hresult|returned)[\s:=#(\[]{1,3}(?:-?\d{1,5}|0x[0-9a-fA-F]{1,8}|[A-Z]{1,5}-?\d{3,6})(?!\w|[.]\w)"
        r"|(?i:sqlstate)[\s:=#(\[]{0,3}\w{5}(?!\w)|[A-Z]{1,6}-?\d{3,5}(?=[\]:)])",
        _keep,
    ),
    # F0451, ZL-3302, MATCH_ERR_12: a device, a business system or a game names its faults so, in no fixed place. Two
    # digits after few letters (SD-4, B2) number things.
    Pattern(
        "fault_name",
        r"(?<![\w.-])(?:[A-Z]{1,6}[-_]?\d{3,6}|[A-Z]{2,30}(?:_[A-Z]{1,30}){1,6}_?\d{1,5})(?![\w-]|[.]\w)",
        _keep,
    ),
    # when and where
    Pattern("timestamp", TIMESTAMP, TIME),
    Pattern("uuid", _UUID, NUM),
    Pattern("mac_address", r"(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}(?!\w)", HOST),
    Pattern(
        "ip_address",
        rf"{_START}(?:[\w.-]{{0,100}}/)?(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?:[:/]\d{{1,5}})?(?![\w.]\w|\w)"
        rf"|\[?(?=[0-9a-fA-F:]{{0,40}}\d)(?:(?:{_HEX4}:){{4,7}}{_HEX4}|(?:(?:{_HEX4}:){{1,6}}|:):(?:{_HEX4}:){{0,6}}"
        rf"{_HEX4})(?:%\w{{1,16}})?(?:\](?::\d{{1,5}})?)?(?![\w:])",
        HOST,
    ),
    Pattern("mail_address", r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,6}(?!\w)", MAIL),
    Pattern("url", r"""[A-Za-z][A-Za-z0-9+.-]{1,40}:/{1,3}[^\s"'`<>()\[\]{}|\\^]{1,2000}""", _url),
    Pattern(
        "host",
        rf"{_START}{_NOT_PACKAGE}(?:(?:{_LABEL}\.){{2,8}}(?:{_TOP})|{_LABEL}\.(?:com|org|edu|gov)){_END}"
        rf"|{_START}(?=[A-Za-z]{{0,62}}[\d-])(?:{_LABEL}\.){{2,8}}[a-z]{{2}}{_END}"
        rf"|{_START}(?:{_LABEL}\.){{1,8}}(?:{_TOP}|io|dev|app):\d{{1,5}}(?!\w)|localhost(?::\d{{1,5}})?(?!\w)",
        HOST,
    ),
    # which file
    Pattern(
        "windows_path",
        r"(?:[A-Za-z]:[\\/]|\\\\[\w.$-]{1,64}\\)(?:[^\s\\/:*?\"<>|'`]{1,120}[\\/]){0,30}"
        rf"[^\s\\/:*?\"<>|'`,;()\[\]]{{0,120}}{_WHERE}?",
        _path,
    ),
    Pattern(
        "path",
        r"(?:~\w{0,32}|\.{1,2})?/(?=[^\s/<])(?:[^\s/:\"'`<>|,;()\[\]{}]{1,160}/){0,40}"
        rf"[^\s/:\"'`<>|,;()\[\]{{}}]{{0,160}}{_WHERE}?",
        _path,
    ),
    Pattern("relative_path", rf"(?<![\w.@+-])[\w.@+-]{{1,120}}(?:/[\w.@+$-]{{1,120}}){{1,30}}{_WHERE}?", _relative),
    Pattern("file_and_line", rf"(?<![\w.@+$-])[\w.@+$-]{{1,120}}\.(?i:{_ENDING}){_WHERE}(?!\w)", base_name),
    # what was asked, by whom, and with what
    Pattern(
        "request",
        r"\"?(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) /[^\s\"?]{0,400}(?:\?[^\s\"]{0,1000})?"
        r"(?: HTTP/\S{1,5})?\"?(?: [45]\d\d(?!\w))?",
        _request,
    ),
    Pattern(
        "error_field",
        r"""["']?(?i:message|msg|error|reason|details?|title|description)["']?\s?[:=]\s?"[^"\n]{1,400}\"""",
        _error_field,
    ),
    Pattern(
        "user",
        r"(?:[Ff]or|[Ii]nvalid|[Ii]llegal|[Bb]y|[Aa]s) user:? "
        r"(?:[\w.@$-]{1,64}|<value>|\"[^\"\n]{1,64}\"|'[^'\n]{1,64}')",
        _user,
    ),
    Pattern(
        "assignment",
        rf"(?<![.-])[^\W\d][\w.-]{{0,60}}\s{{0,2}}=\s{{0,2}}(?![=>~])(?![\w.]{{1,60}}\s?=){_SET_TO}",
        _assignment,
    ),
    Pattern("quoted", r"""(?<!\w)(?:'[^'\n]{0,200}'(?!\w)|`[^`'\n]{0,200}['`]|"[^"\n]{0,400}")""", _quoted),
    # how much
    Pattern("version", r"v\d++(?:\.\d++)++(?:[-+]?[A-Za-z][\w.]{0,20})?", NUM),
    Pattern("size", rf"[-+]?\d[\d,]{{0,20}}(?:\.\d{{1,9}})?\s?{_SIZES}(?!\w)", SIZE),
    Pattern(
        "duration",
        r"[-+]?\d[\d,]{0,20}(?:\.\d{1,9})?(?:[smhd](?:\d{1,6}(?:\.\d{1,9})?(?:ms|[smhd])){0,4}"
        rf"|\s?(?i:{_SPANS}))(?!\w)",
        SPAN,
    ),
    Pattern("counted", r"[-+]?\d++ (?:[a-z]{1,20}[ -]){0,2}[a-z]{2,30}(?<![siu])s(?!\w)", _counted),
    Pattern(
        "number",
        r"[-+]?(?:0[xX][0-9a-fA-F]++|\d++(?:[.,]\d++|\w++)*+(?:-(?i:rc|alpha|beta|dev|pre|snapshot)[\w.]{0,20})?)",
        NUM,
    ),
    Pattern("word", r"[^\W\d][\w$]*+(?:'(?:t|s|re|ve|ll|d|m)(?!\w))?", word),
)

_HOST = re.compile(next(p.regex for p in TABLE if p.name == "host"))
_SCANNER = re.compile("|".join(f"(?P<{p.name}>{p.regex})" for p in TABLE))
_MASKS = {p.name: p.mask for p in TABLE}
