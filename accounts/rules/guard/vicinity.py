"""What stands around a value: its words, and what they say; that it is a secret, that all may read it, or nothing."""

import re
from dataclasses import dataclass
from functools import lru_cache

from accounts.rules.guard.names import OF_KEY, PUBLIC_WORDS
from accounts.rules.guard.rows import words_of

PASSWORD_WORDS = frozenset(
    words_of(
        "password passwords passwd passwort passwörter kennwort passphrase passcode pwd pass passes pw psk passwordless"
        " passe mdp contraseña contrasena clave senha parola wachtwoord hasło haslo hasła lösenord losenord lösenordet"
        " heslo hesla salasana passord passordet adgangskode jelszó jelszo şifre şifresi sifre parolası пароль пароля"
        " паролем парол κωδικός zugangsdaten creds credentials credential identifiants credenciales credenziali"
        " secret secrets geheimnis"
    )
)
LOGIN_WORDS = frozenset(
    words_of(
        "login logins signin auth basic admin administrator root account sa superuser opens unlock unlocks unlocked"
        " decrypts identify nickserv bind"
    )
)
KEY_WORDS = frozenset(
    words_of(
        "token tokens secret secrets genkey keygen apikey credential credentials creds bearer jwt pat authtoken"
        " webhook authorization"
        " schlüssel geheimnis jeton secrète secrete clé clave secreta llave chave chiave segreta klucz nyckel sleutel"
        " avain nøkkel klíč ключ токен токена секрет anahtar anahtarı"
    )
)
# Short numbers, and what is handed out in groups of letters or words.
CODE_WORDS = frozenset(
    words_of(
        "pin pins code codes passkey otp totp tan puk recovery scratch backup rescue seed mnemonic phrase"
        " frase wiederherstellung notfall licence license lizenz serial activation pairing kod kody código codigo"
    )
)
# What a value that all may read is called.
OPEN_WORDS = frozenset(
    words_of(
        "id ids uid uuid guid sha md crc blake hash hashes hashed digest checksum checksums sum integrity fingerprint"
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
LINKING_WORDS = frozenset(
    words_of(
        "is was are be now set to the a an new old ist lautet war est es son sono è é jest är er the this hex base"
        " env environment variable var param parameter flag setting currently still"
        " value und and y et e by as with stdin"
    )
)


# --- words ---------------------------------------------------------------------------------------------
NEAR_WORDS = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+")
# Endings and beginnings of names for passwords, in compounds and in inflected forms: `sshpass`, `jelszava`.
_OF_PASSWORD = re.compile(
    "(?:kenn|pass|losung|masterpass|wacht)w(?:o|ö)rt?d?$|"
    "(?<!by)(?<!com)(?<!tres)(?<!encom)(?<!sur)pass$|passw|pw$|^kennw|^wachtw|^jelsz|^contras|^l[öo]senord|^salasan"
    "|^parola?|^парол|^heslo|^has[lł]|^adgangs|^[sş]ifre|^psk$|^zugang"
)
# What a word says: a password, a key, a login, what is public, of a key, nothing, or what is not known.
_TELLING = frozenset("PKLkNO")


@lru_cache(maxsize=8192)
def class_of(word: str) -> str:
    """Return the letter of what a word says, in small letters."""
    if word in PASSWORD_WORDS or _OF_PASSWORD.search(word):
        return "P"
    if word in KEY_WORDS:
        return "K"
    if word in ("key", "keys"):
        return "k"
    if word in CODE_WORDS:
        return "N"
    if word in LOGIN_WORDS:
        return "L"
    if word in OPEN_WORDS or word in PUBLIC_WORDS:
        return "O"
    if word in OF_KEY:
        return "f"
    return "_" if word in LINKING_WORDS else "."


# What a masked secret left is no word for the next one.
MASKED = "[SECRET]"


@lru_cache(maxsize=256)
def words_near(text: str) -> list[str]:
    """Return the words of a text and the parts of its names, in small letters."""
    return [word.lower() for word in NEAR_WORDS.findall(text.replace(MASKED, " "))]


# --- places --------------------------------------------------------------------------------------------
# So far from a value its words are read, in characters and in words.
READ_BEFORE, READ_BEHIND, READ_FURTHER, READ_FIRST = 120, 60, 300, 1000
WORDS_BEFORE, WORDS_BEHIND, WORDS_ABOVE = 8, 5, 6


@dataclass(frozen=True)
class Vicinity:
    """What stands around a value: the texts; their words, nearest first; and what these say, a letter for each."""

    before: str
    behind: str
    above: str
    further: str
    first: str
    left: list[str]
    right: list[str]
    over: list[str]
    said_left: str
    said_right: str
    said_over: str


def vicinity_of(text: str, start: int, end: int) -> Vicinity:
    """Return what stands around a value, on its line and on the one above."""
    # bounded, or each value of a long line would read all of it
    line = text.rfind("\n", max(0, start - READ_BEFORE), start)
    line_end = text.find("\n", end, end + READ_BEHIND)
    before = text[line + 1 if line >= 0 else max(0, start - READ_BEFORE) : start]
    behind = text[end : line_end if line_end >= 0 else end + READ_BEHIND]
    above, further = _heading(text, line)
    first = text[:60].partition("\n")[0] if 0 < line < READ_FIRST else ""
    left = words_near(before)[: -WORDS_BEFORE - 1 : -1]
    right = words_near(behind)[:WORDS_BEHIND]
    over = words_near(above)[: -WORDS_ABOVE - 1 : -1]
    said = ("".join(map(class_of, words)) for words in (left, right, over))
    return Vicinity(before, behind, above, further, first, left, right, over, *said)


# What stands between a heading and what is below it: empty lines, fences of code, rules, and what was masked there.
_NO_HEADING = re.compile(r"[\W_]*|[ \t>]{0,8}(?:`{3}|~{3})[\w-]{0,20}[ \t]*")
MOST_SKIPPED = 6


def _heading(text: str, line: int) -> tuple[str, str]:
    """Return the nearest line above the end of a line that says something, and what stands above that."""
    reach = max(0, line - READ_BEFORE)
    lines = text[reach : max(0, line)].split("\n")
    skipped = 0
    while skipped < min(MOST_SKIPPED, len(lines)) and _NO_HEADING.fullmatch(lines[-1 - skipped].replace(MASKED, "")):
        skipped += 1
    if skipped == len(lines):
        skipped = 0
    place = len(lines) - 1 - skipped
    end = reach + len("\n".join(lines[:place]))
    return lines[place], text[max(0, line - READ_FURTHER) : end]


def first_said(said: str) -> str:
    """Return what the nearest word says that says something, and how near it is; `-` if none does."""
    for at, letter in enumerate(said):
        if letter in _TELLING:
            return f"{letter}{at}"
    return "-"
