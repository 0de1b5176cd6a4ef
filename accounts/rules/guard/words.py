"""What the words near a value say: that it is a secret, that all may read it, or nothing."""

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
