"""What the words near a value say: that it is a secret, that all may read it, or nothing."""

import re

from accounts.rules.guard.drawn import is_token, looks_short_drawn
from accounts.rules.guard.names import OF_KEY, PUBLIC_WORDS
from accounts.rules.guard.rows import words_of

# Words of any script, and the parts of names.
_WORDS = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+")
# What a masked secret left is no word for the next one.
MASK = "[SECRET]"
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
# Said of many things, but of a drawn value only if it opens something.
_OF_DRAWN = frozenset(words_of("access refresh tok seed session sid hmac otp totp mfa mask"))
# What is drawn and an account's is its identifier as often.
FOR_TOKEN = (KEY_WORDS | PASSWORD_WORDS | LOGIN_WORDS | _OF_DRAWN) - {"account"}
FOR_PASSWORD = PASSWORD_WORDS | LOGIN_WORDS
# Fewer characters are a name with a number.
SHORTEST_DRAWN_WORD = 12
# Written without blanks between words.
_EASTERN = words_of("密码 密碼 口令 密钥 密鑰 令牌 パスワード トークン キー 鍵 비밀번호 암호 토큰 키")
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
# What goes on a name: "the token of …", "la clé du …".
GOING_ON = frozenset(words_of("d l of for on in from to at du de des del della do da der für zu von van för til pro"))


# Paths and addresses say nothing about what stands behind them.
_FEWEST_SLASHES = 2


def words_in(text: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(text.replace(MASK, " "))]


# Said of a key that opens something, and of none by which something is found: "I rotated the key, it's now …".
_ROTATED = frozenset(words_of("rotate rotated rotating reissued revoked revoke leaked regenerated expires expired"))


def last_said(text: str, kinds: frozenset[str]) -> bool | None:
    """Return what the nearest word before says, that says something: a secret or not; nothing if none does."""
    words = words_in(
        " ".join(word for word in text.split() if word.count("/") < _FEWEST_SLASHES and not _has_drawn(word))
    )
    for at in range(len(words) - 1, -1, -1):
        said = meaning(words, at, kinds)
        if said is not None:
            return said
        if words[at] == "key" and not _ROTATED.isdisjoint(words[max(0, at - 3) : at + 4]):
            return True
    return None


def _has_drawn(word: str) -> bool:
    """Whether a word is a drawn value itself, in which `pw` or `id` may stand by chance."""
    value = word.strip("\"'`,;:.()=").rpartition("=")[2].rpartition("_")[2]
    return len(value) >= SHORTEST_DRAWN_WORD and (looks_short_drawn(value) or is_token(value))


# Of whose key: what is found by a key has none for each of them.
_STAGES = frozenset(words_of("prod production staging live sandbox"))


# The token of a page goes on with a list; a page's own is kept, and said to last so long.
_LISTED = frozenset(words_of("page site sync"))
_LASTING = frozenset(
    words_of("lived expire expires expired expiring permanent days months never rotate rotated revoked")
)


def meaning(words: list[str], at: int, kinds: frozenset[str]) -> bool | None:
    word, before = words[at], words[at - 1] if at else ""
    if word in ("key", "keys"):
        return True if before in OF_KEY or before in kinds or before in _STAGES else None
    if word == "in" and before in ("log", "sign", "logged", "signed"):
        return True if "login" in kinds else None
    if word in kinds or (len(word) > 3 and word.endswith(("password", "passwd", "passwort", "pw"))):
        return before not in PUBLIC_WORDS or (before in _LISTED and not _LASTING.isdisjoint(words))
    if word in OPEN_WORDS:
        return False
    return True if not word.isascii() and any(name in word for name in _EASTERN) else None
