"""Secrets in sentences, in statements and in pairs: "use … as the password", "Kennwort: …", `IDENTIFIED BY '…'`.

What a sentence names may be a word, a version or a rule: so the value must look as no word of a sentence does. Other
languages' names are known for passwords only; a key is a key everywhere.
"""

import re
from collections.abc import Iterator

from accounts.rules.guard.chosen import (
    FUNCTION_WORDS,
    looks_chosen,
    looks_given,
    looks_phrased,
    looks_secret_in_prose,
    looks_told,
)
from accounts.rules.guard.drawn import is_jumbled, looks_drawn, looks_random
from accounts.rules.guard.names import is_chosen_in_prose, is_given
from accounts.rules.guard.rows import Extent, SecretFormat, SecretPattern, secret_group, value_of, words_of
from accounts.rules.guard.stand_ins import stands_in

# Of the twelve words of a drawn phrase hardly one comes twice.
DISTINCT_WORDS = 9


def _is_phrase(match: re.Match[str]) -> bool:
    words = re.findall("[a-z]+", match["secret"].lower())
    return len(words) >= 3 and not FUNCTION_WORDS.intersection(words)


# So many words a recovery phrase has, of 2,048; a sentence of as many has more of those that join them.
_LENGTHS = frozenset((12, 15, 18, 21, 24))
MOST_FUNCTION_WORDS = 2


def _is_word_list(match: re.Match[str]) -> bool:
    words = re.findall("[a-z]+", match["secret"])
    joining = sum(word in FUNCTION_WORDS for word in words)
    return len(words) in _LENGTHS and len(set(words)) >= len(words) - 2 and joining <= MOST_FUNCTION_WORDS


# treecreeper 4821
_WORD_AND_NUMBER = re.compile(r"(?:[A-Za-z]{3,16} ){1,2}\d{2,8}")


def _is_word_and_number(match: re.Match[str]) -> bool:
    words = re.findall("[a-z]+", match["secret"].lower())
    return bool(_WORD_AND_NUMBER.fullmatch(match["secret"])) and not FUNCTION_WORDS.intersection(words)


# Other languages' words for a password, as sentences use them: "mot de passe est", "비밀번호는".
_FOREIGN_WORDS = (
    "de passe|mdp|clave|contrase[nñ]a|senha|parola|wachtwoord|has[lł]o|l[oö]senord|kennwort|passwort|heslo|salasana"
    "|passord|adgangskode|jelsz[oóa]|[sş]ifre|mật khẩu|парол[ьяі]|密码|密碼|口令|パスワード|비밀번호|암호|סיסמ[הא]"
    "|كلمة (?:المرور|السر)|κωδικός"
)
_COPULA = "ist|lautet|war|est|es|é|è|jest|är|is|er|on|je|это|—|là|είναι|是|为|は|는|은"
# Behind a value the sentence goes on without a blank.
_EASTERN_LETTERS = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
_ANY_VALUE = (
    r"(?:[\"'`«„“「『](?P<quoted>[^\s\"'`»“”」』]{8,200})"
    rf"|(?P<bare>[^\s\"'`,;«»„“”「」『』。，、{_EASTERN_LETTERS}]{{8,200}}))"
)


def _is_named_abroad(match: re.Match[str]) -> bool:
    """Whether a value is no word: behind a colon or in quotes it may be plainer than in a sentence."""
    if is_chosen_in_prose(match):
        return True
    value = value_of(match)
    labelled = match.string[match.start() : match.end()].removesuffix(value).rstrip(" \"'`«„“「『")[-1:] in (
        ":",
        "：",
        "=",
    )
    return not stands_in(value) and (
        (labelled and (looks_chosen(value) or looks_phrased(value)))
        or (secret_group(match) == "quoted" and looks_given(value))
    )


_BEHIND = re.compile(
    r"(?<=[^\s.,])[\"'`]? (?:as|is|for) (?:(?:the|your|our|my|an?|its) )?(?:[\w-]{1,20} ){0,2}?"
    r"(?i:password|passphrase|passwort)\b(?! (?:hash|manag|polic|reset|field|encod))"
)
_LAST_WORD = re.compile(r"(?:^|[\s\"'`]|//|[;#*])(?P<secret>[^\s\"'`;#*/][^\s\"'`]{7,99})$")


def _before_name(text: str) -> Iterator[Extent]:
    """Yield what stands before its name: "use … as the password"."""
    for match in _BEHIND.finditer(text):
        start = max(0, match.start() - 100)
        word = _LAST_WORD.search(text[start : match.start()])
        if not word or stands_in(word["secret"]):
            continue
        said = " is " in match.group() and looks_random(word["secret"])
        if said or looks_told(word["secret"]):
            yield start + word.start("secret"), start + word.end("secret")


# A PIN is a number, so its name must say which number it is: of a connector's pins and of an image that is pinned there
# is none in capitals, and none that is said to be one. A code is one by what it opens.
_CODE_THAT_OPENS = (
    r"(?i:(?:access|door|gate|pairing|unlock|zugangs|tür|alarm|kopplungs)[ -]?code|pass ?code|code d.acc[eè]s|"
    r"c[oó]digo de acc?es[so]o|codice d.accesso)"
)
_PIN_OF = r"(?: (?:of|for|to|on|von|für|der|des|de|du)(?: [\w./'-]{1,30}){1,5}?)?"
_PIN_GAP = r"(?: [\w'-]{1,20}){0,5}?"
_PIN_IS = r"(?:(?: is| was| ist| war| lautet| est| es| è| é)|[ ]?[:=])"
_PIN = re.compile(
    rf"(?:(?<![A-Za-z])(?:PIN|PUK)(?:[ -]?(?i:code|number|nummer))?(?:{_PIN_OF}{_PIN_IS}?|{_PIN_GAP}(?:{_PIN_IS}| to))"
    rf"|{_CODE_THAT_OPENS}\b(?:{_PIN_GAP}(?:{_PIN_IS}| to))|Pin\b{_PIN_GAP}{_PIN_IS}"
    rf"|(?<![A-Za-z_])pin(?:[ -]?code)?{_PIN_OF}{_PIN_IS}|(?i:\bpass[ -]?code)|(?<=-)pin(?:=|(?= )))"
    r"[ ]?[\"'`]?(?P<secret>\d{4,12})(?![\w-]|[.:/,]\d|[.:]\w)"
)
# Counted, as an example is; and a year, as a name of something has it.
_COUNTED_DIGITS = "01234567890 09876543210"
_YEAR_ALONE = re.compile(r"(?:19|20)\d\d")


def _is_pin(match: re.Match[str]) -> bool:
    value = match["secret"]
    return len(set(value)) > 2 and value not in _COUNTED_DIGITS and not _YEAR_ALONE.fullmatch(value)


# Codes that are given out several at a time, for when a device is lost: what is written alike behind the words.
_RECOVERY_WORDS = re.compile(
    r"(?i:(?:recovery|back-?up|scratch|emergency|rescue|single-use) (?:scratch )?codes?|2fa back-?up|recovery keys|"
    r"(?:notfall|wiederherstellungs|backup)-?codes?|codes? de (?:secours|récupération)|"
    r"c[óo]digos de (?:respaldo|recuperaci[óo]n)|kody (?:zapasowe|awaryjne))\b"
)
_RECOVERY_CODE = re.compile(
    r"(?<![\w.-])(?:\d{4} \d{4}|[A-Za-z0-9]{4,6}(?:-[A-Za-z0-9]{4,6}){1,5}|[A-Za-z0-9]{6,12})(?![\w-]|\.\d)"
)
# So far behind the words the first one stands, and one behind another.
CODES_BEGIN_WITHIN, NEXT_CODE_WITHIN = 160, 16
_ANY_DIGIT, _CODE_GROUP = re.compile(r"\d"), re.compile(r"[A-Za-z0-9]+")


def _recovery_codes(text: str) -> Iterator[Extent]:
    """Yield the codes that recover an account: two or more of one form, with digits in all of them."""
    for words in _RECOVERY_WORDS.finditer(text):
        run: list[re.Match[str]] = []
        at, reach = words.end(), CODES_BEGIN_WITHIN
        while found := _RECOVERY_CODE.search(text, at, at + reach + LONGEST_CODE):
            if found.start() - at > reach:
                break
            if not _ANY_DIGIT.search(found[0]):
                at, reach = (found.end(), reach - (found.end() - at)) if not run else (found.end(), 0)
                continue
            if run and _written_form(found[0]) != _written_form(run[0][0]):
                break
            run.append(found)
            at, reach = found.end(), NEXT_CODE_WITHIN
        if len(run) > 1:
            yield from (code.span() for code in run)


LONGEST_CODE = 42


def _written_form(code: str) -> str:
    """How a code is written: of how many characters its groups are, and what joins them."""
    return _CODE_GROUP.sub(lambda group: str(len(group[0])), code)


SENTENCES: tuple[SecretPattern | SecretFormat, ...] = (
    SecretPattern(
        "PIN",
        (
            *words_of("pin puk access door gate pairing unlock alarm zugangs kopplung tür passcode pass-code"),
            *words_of("código codigo codice"),
            "pass code",
            "code d",
        ),
        _PIN,
        _is_pin,
    ),
    SecretFormat("recovery codes", words_of("code backup back-up key kody"), _recovery_codes),
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
        "recovery key",  # of a disk
        words_of("recovery bitlocker wiederherst"),
        re.compile(r"(?<![\d-])(?P<secret>(?:\d{6}-){7}\d{6})(?![\d-])"),
        lambda match: True,
    ),
    SecretPattern(
        "password in a sentence",
        ("log", "sign"),
        re.compile(
            r"(?i:(?:log|sign)(?:ged|ging|ned|s)? ?(?:in|on)(?: to [\w.-]{1,40})? (?:as|with user) )[\w.@-]{1,30}"
            r"(?: and| with| using| by)(?: the)?(?: password)? " + _ANY_VALUE
        ),
        lambda match: (
            not stands_in(value_of(match)) and (looks_secret_in_prose(value_of(match)) or looks_chosen(value_of(match)))
        ),
        leads=True,
    ),
    SecretFormat("password in a sentence", ("password", "passphrase", "passwort"), _before_name),
    SecretPattern(
        "password in a sentence",
        (
            "de passe",
            *words_of(
                "mdp clave "
                "contrase senha parola wachtwoord haslo hasło losenord lösenord kennwort passwort heslo salasana"
                " passord adgangskode jelsz şifre sifre mật пароль парол 密码 密碼 口令 パスワード 비밀번호 암호 סיסמ"
                " كلمة κωδικ"
            ),
        ),
        re.compile(
            rf"(?i:{_FOREIGN_WORDS})(?:(?![A-Z])\w){{0,4}}(?: [^\s:：=,.;\"`]{{1,30}}){{0,5}}?"
            rf"(?:[ ]?(?i:{_COPULA})[ ]?:?[ ]?|[ ]?[:：=][ ]?){_ANY_VALUE}"
        ),
        _is_named_abroad,
        leads=True,
    ),
    SecretPattern(
        "password in a sentence",
        ("cred", "login", "log in", "sign in", "passwords", "zugangsdaten", "account"),
        re.compile(
            r"(?i:cred(?:s|entials)?|log ?ins?|sign in|passwords|zugangsdaten|accounts?)\b"
            r"(?:(?:[^\n:]{0,60}:[ ]|:)| (?i:with|as|using|are) )(?P<user>[\w.@-]{1,30}) ?[/|:,] ?(?!//)" + _ANY_VALUE
        ),
        lambda match: not is_jumbled(match["user"]) and is_chosen_in_prose(match),
        leads=True,
    ),
    SecretPattern(
        "password of a pair",  # a name and a password with a stroke between them: "ops / …"
        (" / ",),
        re.compile(r"(?<![\w/.-])(?P<user>[A-Za-z][\w.@-]{1,60}) / (?P<bare>[^\s\"'`,;()/]{8,100})(?=[\s,;)\"'`.]|\Z)"),
        lambda match: (
            not is_jumbled(match["user"])
            and (looks_told if "@" in match["user"] else looks_secret_in_prose)(value_of(match))
        ),
    ),
    SecretPattern(
        "password of a pair",  # an account that every device has
        ("admin:", "root:"),
        re.compile(
            r"(?:^|(?<=[\s(\"'`]))(?i:admin|root):(?P<bare>[^\s\"'`,;()/:]{8,100})(?=[\s,;)\"'`.]|\Z)", re.MULTILINE
        ),
        lambda match: looks_secret_in_prose(value_of(match)),
    ),
    SecretPattern(
        "password in a sentence",
        ("password",),
        re.compile(
            r"(?i:password)(?:(?: [^\s:=,.;\"`]{1,30}){1,5}?:"
            r"|(?: [^\s:=,.;\"`]{1,30}){0,5}? (?:è|ist|lautet|jest|est|это)) " + _ANY_VALUE
        ),
        is_chosen_in_prose,
        leads=True,
    ),
    SecretPattern(
        "password in a sentence",
        ("ssid", "wifi", "wi-fi", "wlan"),
        re.compile(
            r"(?i:ssid|wi-?fi|wlan)\b[^\n]{0,60}?"
            r"(?i:\bkey|\bpsk|\bpass\w{0,6}|\bpw|schlüssel|\bclé|\bclave|\bchiave|\bchave)(?: is)?[ :=]{1,3}"
            + _ANY_VALUE
        ),
        is_given,
        leads=True,
    ),
    SecretPattern(
        "password in SQL",
        ("identified", "with", "encrypted", "login"),
        re.compile(
            r"(?i:identified(?: by| with [\w\"']{1,60} (?:by|as))(?: password)?"
            r"|(?:with|encrypted|login)\s{1,4}password\s{0,2}=?)\s{0,2}N?"
            r"(?:\"(?P<quoted>[^\"\s]{6,200})\"|'(?P<single>[^'\s]{6,200})'|(?P<bare>[^\s\"';]{8,200}))"
        ),
        is_given,
        leads=True,
    ),
    SecretPattern(
        "password of a pair",
        ("auth", "credential", "login"),
        re.compile(
            r"(?i:auth|credentials?|login)\w{0,20}\s{0,3}[=:(]\s{0,3}[(\[]?\s{0,3}[\"'][^\"'\s]{1,60}[\"']\s{0,2},\s{0,3}"
            r"(?:\"(?P<quoted>[^\"\s]{6,200})\"|'(?P<single>[^'\s]{6,200})')"
        ),
        is_given,
        leads=True,
    ),
    SecretPattern(
        "password of a pair",  # a lone `key` beside the account that it opens
        ("user", "account"),
        re.compile(
            r"(?i:user(?:_?name)?|account)[\"']?\s{0,3}[=:]\s{0,3}[\"']?[^\s\"',]{1,100}[\"']?(?:,\s{0,10}|\s{1,10})[\"']?"
            r"(?:key|secret)[\"']?\s{0,3}[=:]\s{0,3}[\"']?(?P<bare>[\w+/=.-]{20,200})"
        ),
        lambda match: not stands_in(value_of(match)) and looks_drawn(value_of(match)),
        leads=True,
    ),
    SecretPattern(
        "password of a pair",
        ("convertto-securestring",),
        re.compile(r"(?i:convertto-securestring)(?i: -string)? [\"'](?P<secret>[^\"'\s]{6,200})[\"']"),
        is_given,
        leads=True,
    ),
    SecretPattern(
        "passphrase of words",
        ("passphrase", "pass phrase"),
        re.compile(
            r"(?i:pass ?phrase)[\"']?(?: (?:for|of|on|to)(?: [\w./-]{1,40}){1,5}?)?(?: ?[:=]| is| was| to|(?= ))"
            r"(?: now| set to)?[ ]?(?P<quote>[\"'`])"
            r"(?P<secret>[A-Za-z0-9-]{2,16}(?:[ -][A-Za-z0-9]{1,16}){1,9})(?P=quote)"
        ),
        lambda match: _is_phrase(match) or _is_word_and_number(match),
        leads=True,
    ),
    SecretPattern(
        "passphrase of words",  # and nothing behind them
        ("passphrase", "pass phrase", "mnemonic", "seed", "phrase de passe", "phrase secr"),
        re.compile(
            r"(?i:pass ?phrase|mnemonic|seed(?:[ _-]?(?:phrase|words))?|phrase (?:de passe|secrète))"
            r"(?: (?:for|of|on|to|für|von|pour|de|du|del)(?: [\w./-]{1,40}){1,5}?)?"
            r"(?: ?[:=]| is| was| to| ist| lautet| est| es)(?: now| set to)? {0,2}"
            r"(?P<secret>(?:[a-z]{3,12}[ -]){4,23}[a-z]{3,12})(?=\.?[ \t]{0,4}(?:\n|\Z))"
        ),
        lambda match: (
            _is_phrase(match)
            and len(set(re.findall("[a-z]+", match["secret"]))) >= len(re.findall("[a-z]+", match["secret"])) - 2
        ),
        leads=True,
    ),
    SecretPattern(
        "passphrase of words",  # on a command line, where no sentence about one stands
        ("passphrase",),
        re.compile(r"(?i:passphrase)(?:=|[ ]{1,4})(?P<quote>[\"'])(?P<secret>[A-Za-z0-9][\w !.,-]{10,100})(?P=quote)"),
        lambda match: (
            " --" in match.string[max(0, match.start() - 3) : match.start()] and len(match["secret"].split()) > 2
        ),
        leads=True,
    ),
    SecretPattern(
        "recovery phrase",
        ("mnemonic", "seed", "recovery", "backup"),
        re.compile(
            r"(?i:mnemonic|(?:seed|recovery|backup)[ _-]?(?:phrase|words))[\"']?\s{0,4}(?:[:=]|is|was)\s{0,4}[\"'`]?"
            r"(?P<secret>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})"
        ),
        lambda match: len(set(match["secret"].split())) > DISTINCT_WORDS,
        leads=True,
    ),
    SecretPattern(
        "password in a sentence",  # Google's for an application: four groups, read aloud
        ("pass", "pwd"),
        re.compile(
            r"(?i:pass(?:word|wd|phrase)?|pwd)[\"']?(?: is|[ ]{0,3}[:=])[ ]{0,3}(?P<quote>[\"'`]?)"
            r"(?P<secret>[a-z0-9]{4}(?: [a-z0-9]{4}){3})(?P=quote)(?![\w ]\w)"
        ),
        lambda match: FUNCTION_WORDS.isdisjoint(match["secret"].split()),
        leads=True,
    ),
    SecretPattern(
        "passphrase of words",  # in a variable of the environment
        ("password=", "passphrase=", "passwd=", "pass=", "pwd="),
        re.compile(
            r"(?:PASS(?:WORD|PHRASE|WD)?|PWD)=(?P<quote>[\"'])"
            r"(?P<secret>[^\s\"'$]{2,20}(?: [^\s\"'$]{1,20}){2,9})(?P=quote)"
        ),
        lambda match: _is_phrase(match) and not stands_in(match["secret"]),
        leads=True,
    ),
    SecretPattern(
        "secret in an assignment",  # of ODBC: braces let it have any sign
        ("pwd={", "password={"),
        re.compile(r"(?i:pwd|password)=\{(?P<secret>[^{}\n]{6,100})\}"),
        is_given,
        leads=True,
    ),
    SecretPattern(
        "recovery phrase",  # by the number of its words, which are numbered perhaps
        words_of("wallet mnemonic seed phrase words ledger metamask wörter mots palabras parole"),
        re.compile(
            r"(?i:wallet|mnemonic|seed|phrase|words|ledger|metamask|wörter|mots|palabras|parole)\b[^\n:=]{0,60}[:=]"
            r"\s{0,4}[\"'`]?(?P<secret>(?:(?:\d{1,2}[.):]? )?[a-z]{3,8}[\s,]{1,3}){11,23}(?:\d{1,2}[.):]? )?[a-z]{3,8})"
            r"(?=[\"'`.]?[ \t]{0,4}(?:\n|\Z))"
        ),
        _is_word_list,
        leads=True,
    ),
)
