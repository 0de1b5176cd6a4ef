"""Secrets on command lines: `mysql -p…`, `curl -u user:…`, `-passin pass:…`, `net use X: …`, `user:…@host`.

A short option says nothing of itself: `-p` is a port as often as a password. So the value decides: on the line of a
program that takes a password it may be chosen by a person, on any other it must be random.
"""

import re
from collections.abc import Iterator

from accounts.rules.guard.chosen import is_plain, is_set, looks_chosen, looks_given, looks_secret_in_prose
from accounts.rules.guard.drawn import is_digest, is_jumbled, is_unreadable, is_uuid, looks_drawn
from accounts.rules.guard.names import is_chosen, is_chosen_in_prose, is_given, kind_of
from accounts.rules.guard.rows import Extent, SecretFormat, SecretPattern, secret_group, value_of, words_of
from accounts.rules.guard.stand_ins import stands_in

_OPTION_VALUE = r"(?:\"(?P<quoted>[^\s\"]{6,200})\"|'(?P<single>[^\s']{6,200})'|(?P<bare>[^\s\"'`;|<>]{6,200}))"
# Programs whose short option is followed by a password, or to which one is given with the user's name.
_TAKES_PASSWORD = re.compile(
    r"(?:^|[\s/;|&(`\"'$])(?:mysql\w{0,10}|mariadb[\w-]{0,10}|mongo\w{0,10}|redis-cli|valkey-cli"
    r"|(?:docker|podman|skopeo|nerdctl|buildah|helm registry) login|sqlcmd|bcp|ldap\w{1,10}|sshpass|7z[arz]?|zip|unzip"
    r"|unrar|rar|openssl enc|smbclient|rpcclient|[\w-]{0,12}winrm|winexe|\w{0,2}freerdp"
    r"|(?i:putty|plink|pscp|psftp|kitty|klink|winscp)(?:\.exe|\.com)?"
    r"|cqlsh|influx|clickhouse-client|snmp\w{2,10}|curl|wget|https?|jenkins-cli(?:\.jar)?|cli\.jar|svn|lftp|ipmitool|nxc)[\s\"',]"
)
# Who names a user names a password too.
_NAMES_USER = re.compile(r"\s(?:-u|-U|--user(?:name)?|--login)[ =]?[\w.@\\-]+")
# What is read or written: the option asks for its password, and this is the next argument (`7z x -p backup.7z`).
_FILE_NAME = re.compile(r"[\w-]{1,100}\.(?i:7z|zip|rar|tar|t?gz|bz2|xz|sql|csv|json|ya?ml|pem|crt|p12|pfx|jks)")
# Several words behind one dash, as compilers have them (`-print-file-name=…`): the option's name says what it takes.
_LONG_OPTION = re.compile(r"\s(?P<name>-p[a-z]{0,20}(?:-[a-z]{1,20}){1,6})=")
# Options that nothing but a password stands behind, and whose they are.
_PASSWORD_OPTIONS = {
    "p": re.compile(
        r"(?:^|[\s/;|&(`\"'$])(?:mysql\w{0,10}|mariadb[\w-]{0,10}|mongo\w{0,10}"
        r"|(?:docker|podman|skopeo|helm registry) login|sqlcmd|bcp|sshpass|7z[arz]?|zip|unzip|unrar|cqlsh|ipmitool"
        r"|(?i:putty|plink|pscp|psftp|kitty|klink|winscp)(?:\.exe|\.com)?"
        r"|[\w-]{2,20} (?:[\w-]{2,20} )?(?:login|auth|connect))\s"
    ),
    "w": re.compile(r"(?:^|[\s/;|&(`\"'$])ldap\w{1,10}\s"),
    "a": re.compile(r"(?:^|[\s/;|&(`\"'$])(?:redis|valkey)-cli\s"),
}
# So far before an option its program is looked for, on the same line.
LONGEST_COMMAND_LINE = 300


def _is_option(match: re.Match[str]) -> bool:
    """Whether the value of a short option is a password: chosen if the program takes one, else random."""
    value = value_of(match)
    if stands_in(value) or value[0] in ":=-" or _FILE_NAME.fullmatch(value):
        return False
    if _takes_password(match):
        return looks_chosen(value) or looks_drawn(value) or is_plain(value) or _is_only_password(match)
    long = _LONG_OPTION.match(match.group())
    if long and not kind_of(long["name"]):
        return False
    # Velvet8123!, Ember7741
    if re.fullmatch(r"[A-Z][a-z]{2,15}[!#?_-]?\d{3,6}[!#?]?", value):
        return True
    # no port, path or name is like it
    if "/" in value or ":" in value or len(value) < 10:
        return False
    quoted = secret_group(match) in ("quoted", "single")
    return looks_chosen(value) and (is_jumbled(value) or (quoted and looks_secret_in_prose(value)))


def _line_before(match: re.Match[str]) -> str:
    start = max(match.string.rfind("\n", 0, match.start()) + 1, match.start() - LONGEST_COMMAND_LINE)
    return match.string[start : match.start() + 1]


def _takes_password(match: re.Match[str]) -> bool:
    line = _line_before(match)
    return bool(_TAKES_PASSWORD.search(line) or _NAMES_USER.search(line))


def _is_only_password(match: re.Match[str]) -> bool:
    """Whether the option can be nothing but a password in its program, and the value is one, however plain."""
    line, option = _line_before(match), match.group().lstrip(" \t\n\"'-")[:1]
    programs = _PASSWORD_OPTIONS.get(option.lower())
    if programs is None or programs.search(line) is None:
        return False
    value = value_of(match)
    # a controller's own password, as its label has it: capitals alone
    return is_set(value) or (value.isalpha() and value.isupper() and is_unreadable(value))


def _is_pair(match: re.Match[str]) -> bool:
    value = value_of(match)
    if _takes_password(match):
        return is_given(match) if _TAKES_PASSWORD.search(_line_before(match)) else is_chosen(match)
    return not stands_in(value) and is_jumbled(value) and looks_secret_in_prose(value)


_PHRASE = re.compile(r"[a-z]{3,12}(?:[ -][a-z]{3,12}){3,11}")


def _is_written_down(match: re.Match[str]) -> bool:
    """Whether what is written into a file is any password, or a phrase of words."""
    return is_given(match) or (_PHRASE.fullmatch(value_of(match)) is not None and not stands_in(value_of(match)))


# The option, or its file's name, says that what a process writes is a secret.
_READS_SECRET = re.compile(r"(?i:pass(?!ive)|secret|token|cred|vault|pw|key|auth|login|identity)")


def _is_substituted(match: re.Match[str]) -> bool:
    """Whether what is written for a program to read as a file is a secret: `--password-file=<(echo '…')`."""
    before = match.string[max(0, match.start() - 60) : match.start()].rpartition("\n")[2]
    if _READS_SECRET.search(" ".join(before.split()[-2:])):
        return _is_written_down(match)
    return not stands_in(value_of(match)) and looks_secret_in_prose(value_of(match))


def _is_answer(match: re.Match[str]) -> bool:
    """Whether what is sent answers a question for a password, in a script of `expect`."""
    return "assw" in match.string[max(0, match.start() - 60) : match.start()] and is_given(match)


_AT_HOST = re.compile(r"@(?=//|tcp\(|unix\(|[A-Za-z0-9][\w-]*[.:])")
_BEFORE_HOST = re.compile(r"(?<![\w:])[\w.\\/-]{1,60}:(?P<quote>['\"]?)(?P<secret>[^\s\"'@:/]{8,100})(?P=quote)$")

# `UID:…@…`, of a calendar or a letter.
_FIELD = re.compile(r"[A-Z][A-Z-]{1,20}:")
# Oracle's: `user/password@//host:1521/service`, `user/password@host:1521:SID`. With a port and a name behind the host
# nothing else stands there.
_SERVICE = re.compile(r"@(?://)?[\w.-]{1,100}:\d{2,5}[/:][\w.$-]")
_BEFORE_SERVICE = re.compile(r"(?<![\w/])[\w$.-]{1,60}/(?P<quote>['\"]?)(?P<secret>[^\s\"'@:/]{8,100})(?P=quote)$")


def _before_hosts(text: str) -> Iterator[Extent]:
    """Yield the passwords of `user:password@host` without a scheme: Go's data source names, tools for remote logins."""
    for match in _AT_HOST.finditer(text):
        start = max(0, match.start() - 170)
        if text[match.start() - 1 : match.start()].strip():
            before, service = text[start : match.start()], _SERVICE.match(text, match.start())
            named = service or text.startswith("//", match.end())
            found = (named and _BEFORE_SERVICE.search(before)) or _BEFORE_HOST.search(before)
            kept = is_given if service and found and found.re is _BEFORE_SERVICE else is_chosen
            if found and kept(found) and not _FIELD.match(found.group()):
                yield start + found.start("secret"), start + found.end("secret")


# `secret set`, `secrets:set`, `create secret`, `put-secret`, `kv put`: what follows is kept as a secret.
_STORES = re.compile(
    r"(?:[sS]ecrets?(?:[ :-](?:set|put|create|add|new|import|update|generic)\b"
    r"|(?:(?<=[ -]secret)|(?<=[ -]secrets))(?<=(?:set|put|add)[ -]secret)\b"
    r"|(?<=(?:create|import)[ -]secret)\b|(?<=--secret)\b)|kv put\b)[^\n]{0,400}"
)
_STORED = re.compile(
    r"[ =]['\"]?(?P<name>[A-Za-z_][\w.-]{0,60})=(?P<quote>['\"]?)(?P<secret>[^\s\"'=@$/<{(][^\s\"']{7,400})"
)
# What is kept beside secrets.
_SETTING = frozenset(words_of("user username host hostname port db database name region email url path file type"))


def _stored_values(text: str) -> Iterator[Extent]:
    """Yield the values that a command stores as secrets, whatever they are called."""
    for command in _STORES.finditer(text):
        for match in _STORED.finditer(text, command.start(), command.end()):
            value = match["secret"]
            setting = _SETTING.intersection(re.split(r"[\W_]", match["name"].lower()))
            if not setting and not stands_in(value) and (looks_given(value) or looks_chosen(value)):
                yield match.span("secret")


_NAME = "password on a command line"
COMMANDS: tuple[SecretPattern | SecretFormat, ...] = (
    SecretPattern(
        _NAME,
        (" -p", " -a", " -w", " -x", " -k", " -n", '"-p', "'-p"),
        re.compile(r"[\s\"']-(?:[pP]|[pPaAwWkXN][ =]|-?(?:pw|pass|passwd)[ =])" + _OPTION_VALUE),
        _is_option,
        leads=True,
    ),
    SecretPattern(
        _NAME,
        (" -u", " --user", " -auth", " -a"),
        re.compile(r"\s-{1,2}(?:u|U|user|auth|a)[ =]?[\"']?[\w.@\\-]{1,60}[:%,](?P<secret>[^\s\"']{6,200})"),
        _is_pair,
        leads=True,
    ),
    SecretPattern(_NAME, ("-pass",), re.compile(r"-pass(?:in|out|word)? pass:" + _OPTION_VALUE), is_given, leads=True),
    SecretPattern(
        _NAME,
        ("net use",),
        re.compile(r"(?i:net use) [^\n]{0,20}?\\\\[^\s]{1,100} (?:/[\w:.\\]{1,60} ){0,3}" + _OPTION_VALUE),
        is_given,
        leads=True,
    ),
    SecretPattern(
        _NAME,
        ("net user", "htpasswd"),
        re.compile(r"(?i:net user \S{1,60}|htpasswd -[a-z]{0,6}b[a-z]{0,6} \S{1,200} \S{1,60}) " + _OPTION_VALUE),
        is_given,
        leads=True,
    ),
    SecretPattern(
        _NAME,
        ("echo", "printf"),
        re.compile(
            r"(?:echo|printf)(?: -[a-z]{1,3})?(?: [\"']?%s(?:\\n)?[\"']?)? "
            r"[\"']?(?:[\w.-]{1,40}:)?(?P<secret>[^\s\"'|:\\/][^\s\"'|:]{5,200})[\"']?"
            r"\s{0,3}\|\s{0,3}(?:sudo|su|chpasswd|passwd|docker|podman|helm|kinit|cryptsetup|gpg|skopeo|oras|gh|npm"
            r"|[^\n|]{0,80}[ -](?:secrets?|password|passphrase|login))\b"
        ),
        is_given,
        leads=True,
    ),
    SecretPattern(
        _NAME,  # a phrase, or any word in quotes, before a program that does nothing without a password
        ("echo", "printf"),
        re.compile(
            r"(?:echo|printf)(?: -[a-z]{1,3})? (?:\"(?P<quoted>[^\"\n]{8,200})\"|'(?P<single>[^'\n]{8,200})')"
            r"\s{0,3}\|\s{0,3}(?:sudo )?(?:cryptsetup|keepassxc-cli|veracrypt|gpg|kinit|chpasswd|passwd)\b"
        ),
        _is_written_down,
        leads=True,
    ),
    SecretPattern(
        _NAME,  # written by a process where a program reads a file
        ("<(echo", "<(printf"),
        re.compile(
            r"<\((?:echo|printf)(?: -[a-z]{1,3})?(?: [\"']?%s(?:\\n)?[\"']?)? "
            r"(?:\"(?P<quoted>[^\"\n]{6,200})\"|'(?P<single>[^'\n]{6,200})'|(?P<bare>[^\s\"'`;|<>()]{6,200}))\s{0,3}\)"
        ),
        _is_substituted,
    ),
    SecretPattern(
        _NAME,  # unwrapped where it is set: `TOKEN=$(echo … | base64 -d)`
        ("echo", "printf"),
        re.compile(
            r"(?P<name>[A-Za-z_][\w.-]{0,60})=[\"']?(?:\$\(|`)(?:echo|printf)(?: -[a-z]{1,3})? [\"']?"
            r"(?P<secret>[\w+/=-]{12,4000})[\"']?\s{0,3}\|\s{0,3}(?:openssl )?(?:base64|enc|xxd|basenc)\b"
        ),
        lambda match: bool(kind_of(match["name"])) and not stands_in(match["secret"]),
    ),
    SecretPattern(
        _NAME,  # what is made a hash of: `'…' | password_hash('sha512')`
        ("password_hash", "mkpasswd"),
        re.compile(
            r"(?P<quote>[\"'])(?P<secret>[^\s\"']{6,100})(?P=quote)\s{0,3}\|\s{0,3}(?:password_hash|mkpasswd)\b"
        ),
        is_given,
    ),
    SecretPattern(
        _NAME,  # a string as the input of a program that asks for a password
        ("sudo", "passwd", "kinit", "keepass", "gpg", "cryptsetup", "login", "chpasswd"),
        re.compile(
            r"(?:sudo -S|passwd|kinit|keepassxc-cli|gpg|cryptsetup|login|chpasswd)\b[^\n<]{0,120}<<<\s?"
            r"(?:\"(?P<quoted>[^\"\n]{6,200})\"|'(?P<single>[^'\n]{6,200})'|(?P<bare>[^\s\"'`;|<>]{6,200}))"
        ),
        _is_written_down,
        leads=True,
    ),
    SecretPattern(
        _NAME,  # a script of `ftp`
        ("user ", "login "),
        re.compile(r"(?m)(?i:user|login)(?<!\S\w{4})(?<!\S\w{5}) [\w.@-]{1,40} (?P<bare>[^\s\"'`;|<>]{8,100})$"),
        lambda match: (
            not match.string[match.string.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
            and is_chosen_in_prose(match)
        ),
        leads=True,
    ),
    SecretPattern(
        _NAME,  # a form
        ("&p=", "&pw=", "&pass=", "&pwd="),
        re.compile(r"&(?:p|pw|pwd|pass)=(?P<bare>[^\s\"'&]{6,100})"),
        is_given,
        leads=True,
    ),
    SecretPattern(
        _NAME,  # into a file that is called after a secret
        ("echo", "printf"),
        re.compile(
            r"(?:echo|printf)(?: -[a-z]{1,3})? (?:\"(?P<quoted>[^\"\n]{8,200})\"|'(?P<single>[^'\n]{8,200})'"
            r"|(?P<bare>[^\s\"'`;|<>]{8,200}))\s{0,3}>{1,2}\s{0,3}[\w./~$-]{0,80}(?i:pass|secret|token|cred|pwd|key)[\w.]{0,20}\b"
        ),
        _is_written_down,
        leads=True,
    ),
    SecretPattern(
        _NAME,
        ("setuser", "user "),
        re.compile(r"(?:(?i:setuser)|\buser) \S{1,60}(?: \S{1,60}){0,8}? >" + _OPTION_VALUE),
        is_given,
        leads=True,
    ),
    # databases' own ways to log in
    SecretPattern(
        _NAME,
        ("sqlplus ", "sqlldr ", "expdp ", "impdp ", ".logon "),
        re.compile(
            r"(?i:sqlplus|sqlldr|expdp|impdp|\.logon)(?: -\w{1,10}){0,3} [\w$./-]{1,100}[/,]"
            r"(?P<secret>[^\s@/,;\"']{6,100})"
        ),
        is_given,
        leads=True,
    ),
    SecretPattern(
        _NAME,
        ("user ",),
        re.compile(r"(?i:user) [\w.-]{1,40} (?i:using) " + _OPTION_VALUE),
        is_given,
        leads=True,
    ),
    # an option of Windows, and the value that a command about secrets is given
    SecretPattern(
        _NAME,
        (" /rp", " /p ", " /p:", " /pw", " /pass"),
        re.compile(r" /(?i:rp|p|pw|pwd|pass(?:word)?)[ :]" + _OPTION_VALUE),
        is_given,
        leads=True,
    ),
    SecretPattern(
        _NAME,
        ("secret", "keyvault", "credential", "vault", "securestring"),
        re.compile(
            r"(?i:secret|keyvault|credential|vault|securestring)[^\n]{0,200}? --(?:value|body|data)[ =]" + _OPTION_VALUE
        ),
        is_given,
        leads=True,
    ),
    SecretPattern(
        _NAME,
        (" login ", " auth ", " -t ", " --auth "),
        re.compile(
            r" (?:login|auth|-t|--auth) (?:-{1,2}\w{1,20} ){0,2}"
            r"(?P<bare>[\w+/=-]{40,200}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w@:./-])"
        ),
        lambda match: (
            not stands_in(value_of(match))
            and (looks_drawn(value_of(match)) or is_digest(value_of(match)) or is_uuid(value_of(match)))
        ),
        leads=True,
    ),
    SecretPattern(
        _NAME,  # `change_password guest …`, `add_user ops …`
        ("password ", "passwd ", "user "),
        re.compile(
            r"(?:(?<=[a-z][_-])|(?<=:))(?:password|passwd|user) (?:-{1,2}[\w-]{1,20} ){0,2}[\w.@-]{1,40} "
            + _OPTION_VALUE
            + r"(?=\s|$)"
        ),
        is_given,
        leads=True,
    ),
    # routers and switches: a digit says how the value is encoded, 0 not at all
    SecretPattern(
        _NAME,
        ("secret 0", "password 0", "key 0", "snmp-server community "),
        re.compile(r"(?i:(?:secret|password|key) 0|snmp-server community) (?P<bare>[^\s\"']{6,100})"),
        is_given,
        leads=True,
    ),
    SecretPattern(_NAME, ("send",), re.compile(r"send (?:-- )?" + _OPTION_VALUE), _is_answer, leads=True),
    SecretFormat("connection string", ("@",), _before_hosts),
    SecretFormat("stored secret", ("secret", "kv put"), _stored_values),
)
